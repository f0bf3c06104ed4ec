// SPDX-License-Identifier: GPL-2.0-only
#include "loops.h"

#include "pl.h"

#include <stddef.h>

#define LIST_WORDS 32 /* of a list of timers */
#define LOOPS_MAX 16

typedef void notify(void *opaque, QEMUClockType clock);

/* What a loop had itself be told by. */
struct loop {
	notify *callback;
	void *opaque;
};

static struct loop loops[LOOPS_MAX];

/* A list of timers as words. Behind the links to the next list, and to the word that leads here,
 * are the callback and its argument; the first word is the clock. */
union word {
	void *pointer;
	union word *list;
	union word **from;
	notify *callback;
};

static void on_timer(void *opaque, QEMUClockType clock)
{
	const struct loop *loop = opaque;

	if (!qemu_in_vcpu_thread())
		loop->callback(loop->opaque, clock);
}

/* Where in a list the callback is, by one that is made for it; 0: it is not as expected. */
static unsigned find_callback(const union word *made)
{
	unsigned i = 3;

	while (i + 1 < LIST_WORDS &&
	       (made[i].callback != on_timer || made[i + 1].pointer != &loops[0]))
		++i;
	/* The newest list comes first: the clock's own word leads to it. */
	return i + 1 < LIST_WORDS && made[i - 1].from != NULL && *made[i - 1].from == made ? i : 0;
}

/* How many lists come after one; LOOPS_MAX: they are not as expected. */
static unsigned count_after(union word *made, unsigned callback)
{
	unsigned count = 0;

	for (union word *list = made; count < LOOPS_MAX; ++count) {
		union word *next = list[callback - 2].list;

		if (next == NULL)
			return count;
		if (next[0].pointer != made[0].pointer ||
		    next[callback - 1].from != &list[callback - 2].list)
			return LOOPS_MAX;
		list = next;
	}
	return LOOPS_MAX;
}

bool pl_quiet_loops(const void *timer)
{
	/* A timer begins with when it is due and its list. */
	const void *main_list = *(void *const *)(const void *)((const char *)timer +
							       sizeof(int64_t));
	QEMUTimerList *const list = timerlist_new(QEMU_CLOCK_VIRTUAL, on_timer, &loops[0]);
	union word *const made = (union word *)(void *)list;
	const unsigned callback = find_callback(made);
	const bool known = callback != 0 && count_after(made, callback) < LOOPS_MAX;
	unsigned count = 0;

	if (known) {
		for (union word *next = made[callback - 2].list; next != NULL;
		     next = next[callback - 2].list) {
			struct loop *loop = &loops[count];

			if (next == main_list)
				continue;
			*loop = (struct loop){ .callback = next[callback].callback,
					       .opaque = next[callback + 1].pointer };
			next[callback + 1].pointer = loop;
			next[callback].callback = on_timer;
			++count;
		}
	}
	timerlist_free(list);
	return known;
}
