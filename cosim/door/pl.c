// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU's machine xilinx-zynq-a9: the door to programmable logic that sluice-pl has.
 *
 *	qemu-system-arm -M xilinx-zynq-a9,memory-backend=ram -icount shift=1,sleep=off \
 *		-plugin pl.so,socket=PATH ...
 *
 * The plugin sends each access of the processor to the logic's windows to the board, with its time.
 * The board answers how long the access took, and the plugin advances the virtual clock by that.
 * Lines of the board are IRQF2P[15:0] and those of the DMA controller, whose registers the board
 * has in place of QEMU's own. A timer on the virtual clock runs the board while it is busy:
 * by the board's look-ahead while the processor runs, further while it waits for an interrupt.
 *
 * QEMU holds its big lock whenever it calls this code. On an error the plugin prints one sentence
 * and ends QEMU. The status is SLUICE_PL_UNFIT where it does not know this QEMU, which it tests
 * before the machine runs, else SLUICE_PL_FAILED. The machine never continues without its board.
 *
 * `-plugin pl.so,check=on` tests QEMU without a board, and ends it with SLUICE_PL_FIT if it fits.
 *
 * One source, two ways to build it. As a plugin for a QEMU that is there already, it uses the
 * declarations of qemu.h. Within QEMU's source (SLUICE_PL_IN_QEMU, see meson.build) it uses QEMU's
 * own headers: another layout of a structure is used as it is, another signature does not compile.
 */
#include "pl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "a9.h"
#include "loops.h"
#include "sluice/cosim/pl_wire.h"

#define FIRST_SPI 32
#define IDLE_NS 10000 /* at most, ahead of a processor that waits: a key may wake it at any time */
#define TIMER_LIST_WORDS 32 /* of a list of timers, in which the pointer to the first one is */
#define PS_OF_NS 1000
#define COMPARE_NS 20000 /* at most, of a timed processor, between looks at QEMU's own count */
#define OVER_THE_MACHINE 1 /* priority of a region; those of the machine's devices have 0 */
#define SELF_TEST_NS 1000
#define SELF_TEST_ADDRESS 0x200000
#define SELF_TEST_WINDOW_BYTES 4096
#define SELF_TEST_ON_CHIP 0xfffc0000u /* the machine's own (UG585 table 29-3) */
#define SELF_TEST_ON_CHIP_BYTES 0x40000u
#define SELF_TEST_WORD 0x1ea7ca1f0e57c0deull

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* Of each line, its shared peripheral interrupt (UG585 table 7-4): IRQF2P[15:0], then DMAC abort and
 * DMAC [7:0]. */
static const int spi_of_line[SLUICE_PL_LINES] = {
	61, 62, 63, 64, 65, 66, 67, 68, 84, 85, 86, 87, 88, 89, 90, 91,
	45, 46, 47, 48, 49, 72, 73, 74, 75,
};

/* M_AXI_GP0, where the machine itself has nothing, and the DMA controller, where it has its own. */
static const uint64_t self_test_windows[] = { 0x40000000, 0xf8003000 };

static uint64_t self_test_on_chip[SELF_TEST_ON_CHIP_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(4096)));

static struct {
	qemu_plugin_id_t id;
	const char *counts; /* file for what the processor has done; NULL: none */
	const char *path; /* of the board's socket; NULL: no board, only the self-test */
	int socket;
	struct sluice_pl_hello hello;
	MemoryRegion window[SLUICE_PL_WINDOWS];
	MemoryRegion on_chip;
	uint64_t *on_chip_words;
	qemu_irq irq[SLUICE_PL_LINES];
	uint64_t lines;
	int64_t *clock_bias; /* of QEMU's virtual clock, ns */
	bool probing; /* the self-test reads through a window */
	QEMUTimer run_timer;
	QEMUTimer kick_timer;
	bool busy;
	int64_t board_ns;
	struct sluice_pl_change changes[2 * SLUICE_PL_CHANGES]; /* that are still to come */
	unsigned changes_count;
	/* Of a timed processor: */
	QEMUTimer *const *first_timer; /* QEMU's own pointer to the first of the virtual clock's */
	int64_t synchronized_ns;       /* the clock, after so many instructions, with this bias */
	uint64_t synchronized_at;
	int64_t synchronized_bias;
	int64_t owed_ns;    /* that the clock has not been put on by */
	pthread_t processor; /* its thread */
	bool kicked;	    /* the kick timer has been set, and has not run */
	bool has_terminal;
	struct termios terminal; /* as it was before QEMU */
} door = { .socket = -1 };

__attribute__((noreturn)) static void end(int status)
{
	/* Not exit(): what QEMU does there waits for threads, which may wait for this one. */
	if (door.has_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &door.terminal);
	_exit(status);
}

void pl_die(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("sluice-pl: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	end(status);
}

__attribute__((noreturn)) static void die_with_board(void)
{
	pl_die(SLUICE_PL_FAILED, "the board at %s has gone; the machine ends with it", door.path);
}

static void transfer(bool out, void *data, size_t bytes)
{
	char *next = data;

	while (bytes > 0) {
		const ssize_t done = out ? send(door.socket, next, bytes, MSG_NOSIGNAL) :
					   recv(door.socket, next, bytes, 0);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			die_with_board();
		next += done;
		bytes -= (size_t)done;
	}
}

static struct sluice_pl_reply ask(struct sluice_pl_request request)
{
	struct sluice_pl_reply reply;

	transfer(true, &request, sizeof(request));
	transfer(false, &reply, sizeof(reply));
	if (reply.changes > SLUICE_PL_CHANGES)
		pl_die(SLUICE_PL_FAILED, "the board at %s answers with %u changes of lines at once",
		    door.path, reply.changes);
	return reply;
}

/* The board's process has ended, or its socket has an answer that may be gone by now. */
static void on_readable(void *opaque)
{
	char byte;

	(void)opaque;
	if (recv(door.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		die_with_board();
}

/* Notice the end of the board while the machine asks for nothing: by its process, as each answer
 * through the socket would wake QEMU's main thread; by the socket where the kernel cannot do that. */
static void watch_board(void)
{
	const int process = (int)syscall(SYS_pidfd_open, (pid_t)door.hello.process, 0);

	qemu_set_fd_handler(process >= 0 ? process : door.socket, on_readable, NULL, NULL);
}

static int64_t now_ns(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void set_lines(uint64_t lines)
{
	for (unsigned line = 0; line < SLUICE_PL_LINES; ++line)
		if (((lines ^ door.lines) >> line & 1) != 0)
			qemu_set_irq(door.irq[line], lines >> line & 1);
	door.lines = lines;
}

static void set_due_lines(int64_t now)
{
	unsigned due = 0;

	while (due < door.changes_count && (int64_t)door.changes[due].time_ns <= now)
		set_lines(door.changes[due++].lines);
	door.changes_count -= due;
	memmove(door.changes, door.changes + due, door.changes_count * sizeof(door.changes[0]));
}

/* Lines as they are now, and the timer at what comes next. */
static void go_on(void)
{
	const int64_t now = now_ns();
	int64_t next = INT64_MAX;

	set_due_lines(now);
	if (door.changes_count > 0)
		next = (int64_t)door.changes[0].time_ns;
	if (door.busy && door.board_ns < next)
		next = door.board_ns > now ? door.board_ns : now + 1;
	if (next == INT64_MAX)
		timer_del(&door.run_timer);
	else
		timer_mod(&door.run_timer, next);
}

static void take(const struct sluice_pl_reply *reply)
{
	const unsigned room = 2 * SLUICE_PL_CHANGES - door.changes_count;
	const unsigned count = reply->changes < room ? reply->changes : room;

	memcpy(door.changes + door.changes_count, reply->change, count * sizeof(reply->change[0]));
	door.changes_count += count;
	if (count < reply->changes) /* what the lines are at last is what counts */
		door.changes[door.changes_count - 1] = reply->change[reply->changes - 1];
	door.board_ns = (int64_t)reply->board_ns;
	door.busy = reply->busy != 0;
}

static void on_run_timer(void *opaque)
{
	const int64_t now = now_ns();
	int64_t ahead = door.hello.lookahead_ns;
	struct sluice_pl_reply reply;

	(void)opaque;
	set_due_lines(now); /* first: one may wake the processor */
	if (door.busy && door.board_ns <= now) {
		/* Nobody touches the logic before the processor wakes. */
		if (all_cpu_threads_idle()) {
			const int64_t deadline = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
									    QEMU_TIMER_ATTR_ALL);
			const int64_t limit = deadline < 0 || deadline > IDLE_NS ? IDLE_NS : deadline;

			if (limit > ahead)
				ahead = limit;
		}
		reply = ask((struct sluice_pl_request){ .kind = SLUICE_PL_RUN,
							.time_ns = (uint64_t)(now + ahead) });
		take(&reply);
	}
	go_on();
}

/* Only a timer that has expired makes QEMU recompute how far the processor may run. */
static void on_kick_timer(void *opaque)
{
	(void)opaque;
	door.kicked = false;
	/* While the processor runs, only its own thread knows how far it is. */
	if (!pthread_equal(pthread_self(), door.processor) && !all_cpu_threads_idle())
		return;
	door.synchronized_ns = now_ns();
	door.synchronized_at = a9_instructions();
	door.synchronized_bias = *door.clock_bias;
}

static uint32_t access_logic(uint32_t kind, const struct sluice_pl_window *window, uint64_t offset,
			     uint64_t *data, unsigned size)
{
	const int64_t now = now_ns();
	const struct sluice_pl_reply reply = ask((struct sluice_pl_request){
		.kind = kind,
		.size = size,
		.address = window->base + offset,
		.value = kind == SLUICE_PL_WRITE ? *data : 0,
		.time_ns = (uint64_t)now,
	});

	if (kind == SLUICE_PL_READ)
		*data = reply.value;
	if ((int64_t)reply.time_ns > now) {
		*door.clock_bias += (int64_t)reply.time_ns - now;
		timer_mod(&door.kick_timer, now);
	}
	take(&reply);
	go_on();
	switch (reply.status) {
	case SLUICE_PL_OKAY: return MEMTX_OK;
	case SLUICE_PL_DECERR: return MEMTX_DECODE_ERROR;
	default: return MEMTX_ERROR;
	}
}

static uint32_t read_logic(void *window, uint64_t offset, uint64_t *data, unsigned size,
			   MemTxAttrs attrs)
{
	(void)attrs;
	if (door.probing) {
		*data = (uint32_t)SELF_TEST_WORD;
		return MEMTX_OK;
	}
	return access_logic(SLUICE_PL_READ, window, offset, data, size);
}

static uint32_t write_logic(void *window, uint64_t offset, uint64_t data, unsigned size,
			    MemTxAttrs attrs)
{
	(void)attrs;
	return access_logic(SLUICE_PL_WRITE, window, offset, &data, size);
}

static const MemoryRegionOps logic_ops = {
	.read_with_attrs = read_logic,
	.write_with_attrs = write_logic,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8 },
	.impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* Whether QEMU's virtual clock moves by as much as this word is changed. */
static bool moves_clock(int64_t *word)
{
	const int64_t before = now_ns(), kept = *word;
	int64_t moved;

	*(volatile int64_t *)word = kept + SELF_TEST_NS;
	moved = now_ns() - before;
	*(volatile int64_t *)word = kept;
	return moved == SELF_TEST_NS && now_ns() == before;
}

/*
 * QEMU has no call that advances its virtual clock. But it exports the structure with the word that
 * it adds to the count of instructions.
 */
static int64_t *find_clock_bias(void)
{
#ifdef SLUICE_PL_IN_QEMU
	int64_t *bias = &timers_state.qemu_icount_bias;

	return moves_clock(bias) ? bias : NULL;
#else
	Dl_info info;
	const ElfW(Sym) *symbol = NULL;
	int64_t *found = NULL;

	if (dladdr1(timers_state, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL)
		return NULL;
	for (size_t i = 0; (i + 1) * sizeof(int64_t) <= symbol->st_size; ++i) {
		int64_t *word = (int64_t *)(void *)timers_state + i;

		if (!moves_clock(word))
			continue;
		if (found != NULL)
			return NULL;
		found = word;
	}
	return found;
#endif
}

static void test_windows(void)
{
	uint32_t word = 0;

	door.probing = true;
	for (unsigned i = 0; i < SLUICE_PL_WINDOWS; ++i) {
		if (door.hello.windows[i].bytes == 0)
			continue;
		word = 0;
		address_space_rw(&address_space_memory, door.hello.windows[i].base,
				 (MemTxAttrs){ 0 }, &word, sizeof(word), false);
		if (word != (uint32_t)SELF_TEST_WORD)
			break;
	}
	door.probing = false;
	if (word != (uint32_t)SELF_TEST_WORD)
		pl_die(SLUICE_PL_UNFIT, "an access to the logic does not arrive in this QEMU");
}

static void transfer_memory(uint64_t address, uint64_t *word, bool is_write)
{
	address_space_rw(&address_space_memory, address, (MemTxAttrs){ 0 }, word, sizeof(*word),
			 is_write);
}

/* Whether the board has what the machine writes at an address. */
static bool board_has_memory(uint64_t address)
{
	uint64_t word = SELF_TEST_WORD, kept;
	struct sluice_pl_reply reply;

	transfer_memory(address, &kept, false);
	transfer_memory(address, &word, true);
	reply = ask((struct sluice_pl_request){ .kind = SLUICE_PL_PEEK, .address = address });
	transfer_memory(address, &kept, true);
	return reply.status == SLUICE_PL_OKAY && reply.value == SELF_TEST_WORD;
}

static void test_memory(void)
{
	if (!board_has_memory(door.hello.on_chip.base))
		pl_die(SLUICE_PL_FAILED, "the machine's on-chip memory is not the board's");
	if (!board_has_memory(SELF_TEST_ADDRESS))
		pl_die(SLUICE_PL_FAILED,
		    "the machine's memory is not the board's: give both the same file (-object "
		    "memory-backend-file,id=ram,share=on,mem-path=FILE,size=%" PRIu64
		    " -machine memory-backend=ram)",
		    door.hello.memory_bytes);
}

/* When the first timer on the virtual clock is due. */
static int64_t next_due_ns(void)
{
	const QEMUTimer *first = *door.first_timer;

	return first == NULL ? INT64_MAX : *(const int64_t *)(const void *)first;
}

/*
 * What the processor waits goes to the clock at once, so that programs see it. But a timer must
 * become due by QEMU's own count of instructions, on the processor's thread: another thread that
 * found it due before would run it at a moment that nobody can foresee. So the clock stops 1 ns
 * before the first timer. QEMU then computes again how far the processor may run. The rest of the
 * wait follows when the timer has run.
 *
 * Within a translation block nobody may read the clock. It is at most what is computed here: a block
 * may have ended before its last instruction, and each one that did adds to the difference, by some
 * microseconds in a tick of the kernel's. So long before each timer nothing would be put on. Therefore
 * the kick comes every COMPARE_NS, too, and takes the count from QEMU.
 *
 * The kick has to be the first of the timers, or QEMU does not notice it; else it is due a little
 * later, so that no other thread finds it due.
 */
static void stall(int64_t ns, uint64_t instructions)
{
	const int64_t due_ns = next_due_ns();
	int64_t now_ns = door.synchronized_ns +
			 icount_to_ns((int64_t)(instructions - door.synchronized_at)) +
			 *door.clock_bias - door.synchronized_bias;
	int64_t put_on_ns = due_ns - 1 - now_ns;

	door.owed_ns += ns;
	if (door.kicked)
		return;
	if (put_on_ns > door.owed_ns)
		put_on_ns = door.owed_ns;
	if (put_on_ns > 0) {
		*door.clock_bias += put_on_ns;
		door.owed_ns -= put_on_ns;
		now_ns += put_on_ns;
	}
	if (door.owed_ns > 0 || now_ns - door.synchronized_ns > COMPARE_NS) {
		door.kicked = true;
		door.processor = pthread_self();
		timer_mod(&door.kick_timer, now_ns + 1 < due_ns ? now_ns + 1 : due_ns - 1);
	}
}

static void write_counts(void *data)
{
	(void)data;
	if (!a9_write_counts(door.counts))
		fprintf(stderr, "sluice-pl: %s cannot be written: %s\n", door.counts,
			strerror(errno));
}

/*
 * The list of the virtual clock's timers has a pointer to the first, and a timer begins with when it
 * is due: found by having a timer be the first.
 */
static QEMUTimer *const *find_first_timer(void)
{
	QEMUTimer *const *found = NULL;
	QEMUTimer *const *word;

	timer_mod(&door.kick_timer, 1);
	if (*(int64_t *)(void *)&door.kick_timer == 1) {
		word = *(QEMUTimer *const **)(void *)((char *)&door.kick_timer + sizeof(int64_t));
		for (unsigned i = 0; i < TIMER_LIST_WORDS && found == NULL; ++i)
			if (word[i] == &door.kick_timer)
				found = word + i;
	}
	timer_del(&door.kick_timer);
	return found != NULL && *found != &door.kick_timer ? found : NULL;
}

static void time_processor(void)
{
	a9_install(door.id, &door.hello.processor, (uint32_t)(icount_to_ns(1) * PS_OF_NS), stall);
	if (door.counts != NULL)
		qemu_plugin_register_atexit_cb(door.id, write_counts, NULL);
}

/* The bytes of the board's on-chip memory. */
static void *board_on_chip(void)
{
	char path[64];
	void *bytes = MAP_FAILED;
	int file;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", door.hello.process,
		 door.hello.on_chip_file);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file >= 0) {
		bytes = mmap(NULL, door.hello.on_chip.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     file, 0);
		close(file);
	}
	if (bytes == MAP_FAILED)
		pl_die(SLUICE_PL_FAILED, "the on-chip memory of the board at %s cannot be mapped (%s: "
				      "%s); run both as the same user on one machine",
		    door.path, path, strerror(errno));
	return bytes;
}

/* Over the machine's own on-chip memory, before anything of the guest has run. */
static void map_on_chip(void *bytes)
{
	const struct sluice_pl_window *memory = &door.hello.on_chip;

	door.on_chip_words = bytes;
	memory_region_init_ram_ptr(&door.on_chip, NULL, "sluice-pl.on-chip", memory->bytes, bytes);
	memory_region_add_subregion_overlap(get_system_memory(), memory->base, &door.on_chip,
					    OVER_THE_MACHINE);
}

/* Whether the processor reaches what is mapped there, at both of its ends. */
static void test_on_chip(void)
{
	const size_t ends[] = { 0, door.hello.on_chip.bytes / sizeof(uint64_t) - 1 };

	for (size_t i = 0; i < 2; ++i) {
		const uint64_t address = door.hello.on_chip.base + ends[i] * sizeof(uint64_t);
		volatile uint64_t *place = &door.on_chip_words[ends[i]];
		const uint64_t kept = *place;
		uint64_t word = SELF_TEST_WORD, found = 0;
		bool good;

		transfer_memory(address, &word, true);
		good = *place == SELF_TEST_WORD;
		*place = ~SELF_TEST_WORD;
		transfer_memory(address, &found, false);
		*place = kept;
		if (!good || found != ~SELF_TEST_WORD)
			pl_die(SLUICE_PL_UNFIT, "memory of the board cannot take the place of this "
						"QEMU's on-chip memory");
	}
}

static void on_machine(Notifier *notifier, void *data)
{
	bool ambiguous = false;
	void *processors = object_resolve_path_type("", "a9mpcore_priv", &ambiguous);

	(void)notifier;
	(void)data;
	if (processors == NULL || ambiguous)
		pl_die(SLUICE_PL_UNFIT, "this is no machine with the interrupt controller of a Zynq: use "
				     "-M xilinx-zynq-a9");
	for (unsigned line = 0; line < SLUICE_PL_LINES; ++line)
		door.irq[line] = qdev_get_gpio_in(processors, spi_of_line[line] - FIRST_SPI);
	for (unsigned i = 0; i < SLUICE_PL_WINDOWS; ++i) {
		struct sluice_pl_window *window = &door.hello.windows[i];

		if (window->bytes == 0)
			continue;
		memory_region_init_io(&door.window[i], NULL, &logic_ops, window, "sluice-pl",
				      window->bytes);
		memory_region_add_subregion_overlap(get_system_memory(), window->base,
						    &door.window[i], OVER_THE_MACHINE);
	}
	map_on_chip(door.path != NULL ? board_on_chip() : self_test_on_chip);
	timer_init_full(&door.run_timer, NULL, QEMU_CLOCK_VIRTUAL, 1, 0, on_run_timer, NULL);
	timer_init_full(&door.kick_timer, NULL, QEMU_CLOCK_VIRTUAL, 1, 0, on_kick_timer, NULL);

	/* 1 ns: QEMU does not count, or the count itself looks like the clock. */
	door.clock_bias = icount_to_ns(1) > 1 ? find_clock_bias() : NULL;
	if (door.clock_bias == NULL)
		pl_die(SLUICE_PL_UNFIT, "this QEMU's virtual clock cannot be advanced; it needs -icount "
				     "shift=N with N of 1 to 10, and QEMU 11");
	test_windows();
	test_on_chip();
	door.first_timer = find_first_timer();
	if (door.first_timer == NULL)
		pl_die(SLUICE_PL_UNFIT, "this QEMU's timers are not where they should be");
	if (!pl_quiet_loops(&door.kick_timer))
		fputs("sluice-pl: this QEMU's lists of timers are not as expected; each timer wakes "
		      "all its threads, and it takes more time of this machine\n",
		      stderr);
	if (door.path == NULL)
		end(SLUICE_PL_FIT);
	test_memory();
	if (door.hello.processor.timed != 0)
		time_processor();
	watch_board();
}

static void greet(void)
{
	struct sluice_pl_request request = {
		.kind = SLUICE_PL_HELLO,
		.address = SLUICE_PL_VERSION,
		.value = SLUICE_PL_GREETING,
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(door.path) >= sizeof(address.sun_path))
		pl_die(SLUICE_PL_FAILED, "%s is longer than the path of a socket may be", door.path);
	strcpy(address.sun_path, door.path);
	door.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (door.socket < 0 ||
	    connect(door.socket, (struct sockaddr *)&address, sizeof(address)) != 0)
		pl_die(SLUICE_PL_FAILED, "no board at %s: %s; start sluice-pl first", door.path,
		    strerror(errno));
	transfer(true, &request, sizeof(request));
	transfer(false, &door.hello, sizeof(door.hello));
	if (door.hello.greeting != SLUICE_PL_GREETING || door.hello.version != SLUICE_PL_VERSION)
		pl_die(SLUICE_PL_FAILED, "what listens at %s speaks version %u of another protocol than %u",
		    door.path, door.hello.version, SLUICE_PL_VERSION);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	static Notifier notifier = { .notify = on_machine };
	static const char key[] = "socket=", counts[] = "counts=";
	bool check = false;

	(void)info;
	door.id = id;
	door.has_terminal = tcgetattr(STDIN_FILENO, &door.terminal) == 0;
	for (int i = 0; i < argc; ++i) {
		if (strcmp(argv[i], "check=on") == 0)
			check = true;
		else if (strncmp(argv[i], key, strlen(key)) == 0)
			door.path = strdup(argv[i] + strlen(key));
		else if (strncmp(argv[i], counts, strlen(counts)) == 0)
			door.counts = strdup(argv[i] + strlen(counts));
		else
			pl_die(SLUICE_PL_FAILED, "unknown argument '%s'; allowed: socket=PATH, "
			       "counts=FILE, check=on",
			    argv[i]);
	}
	if (check == (door.path != NULL))
		pl_die(SLUICE_PL_FAILED, "give one of socket=PATH, which sluice-pl listens at, and "
				      "check=on, which tests this QEMU without a board");
	if (check) {
		for (unsigned i = 0; i < 2; ++i)
			door.hello.windows[i] = (struct sluice_pl_window){
				.base = self_test_windows[i],
				.bytes = SELF_TEST_WINDOW_BYTES,
			};
		door.hello.on_chip = (struct sluice_pl_window){
			.base = SELF_TEST_ON_CHIP,
			.bytes = SELF_TEST_ON_CHIP_BYTES,
		};
	} else {
		greet();
	}
	if (door.counts != NULL && door.hello.processor.timed == 0)
		pl_die(SLUICE_PL_FAILED, "counts=%s: nothing is counted but with sluice-pl "
					 "--processor cortex-a9", door.counts);
	qemu_add_machine_init_done_notifier(&notifier);
	return 0;
}
