// SPDX-License-Identifier: GPL-2.0-only
/*
 * control CONTROL BAR: every attribute of a control node, what is refused, and that the engine's
 * registers stay as they are. Nothing runs meanwhile.
 */
#include "board.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENGINE_WORDS 32u /* of its registers */

static int call_named(int fd, unsigned int command, const char *name, uint64_t *value)
{
	struct sluice_attribute attribute = {.size = sizeof(attribute), .value = *value};
	size_t bytes = strlen(name);

	MUST(bytes < sizeof(attribute.name));
	memcpy(attribute.name, name, bytes);
	int ret = ioctl(fd, command, &attribute);
	*value = attribute.value;
	return ret;
}

uint64_t control_get(int fd, const char *name)
{
	uint64_t value = 0;

	MUST(!call_named(fd, SLUICE_ATTRIBUTE_GET, name, &value));
	return value;
}

static int try_set(int fd, const char *name, uint64_t value)
{
	return call_named(fd, SLUICE_ATTRIBUTE_SET, name, &value);
}

void control_set(int fd, const char *name, uint64_t value)
{
	MUST(!try_set(fd, name, value));
}

static int ends(const char *name, const char *end)
{
	size_t bytes = strlen(name), last = strlen(end);

	return bytes >= last && !strcmp(name + bytes - last, end);
}

static void check_setting(int fd, const char *name, uint64_t max)
{
	uint64_t before = control_get(fd, name);

	FAILS(try_set(fd, name, max + 1), ERANGE);
	FAILS(try_set(fd, name, ~0ull), ERANGE);
	FAILS(try_set(fd, name, 1ull << 32), ERANGE);
	if (ends(name, ".enable"))
		return; /* a source that runs leaves beats behind */
	if (ends(name, ".clear")) {
		control_set(fd, name, 1);
		MUST(!control_get(fd, name));
		return;
	}
	control_set(fd, name, max);
	MUST(control_get(fd, name) == max);
	control_set(fd, name, 0);
	MUST(!control_get(fd, name));
	control_set(fd, name, before);
}

static void check_refusals(int fd, const char *path, const char *known)
{
	static const char *const none[] = {
		"", ".", "hp0", "hp0.", "hp0.source", "hp0.source.", "hp0.source.enable.", "hp9.source.enable",
		"source.enable", "hp0.dma.control", "hp0.capability.period", "hp0.capability.select",
		"HP0.source.enable", " hp0.source.enable"};
	uint64_t value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		FAILS(call_named(fd, SLUICE_ATTRIBUTE_GET, none[i], &value), ENOENT);
		FAILS(call_named(fd, SLUICE_ATTRIBUTE_SET, none[i], &value), ENOENT);
	}
	struct sluice_attribute attribute = {.size = sizeof(attribute)};
	memset(attribute.name, 'a', sizeof(attribute.name));
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_GET, &attribute), EINVAL);
	attribute.flags = 1;
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_GET, &attribute), EOPNOTSUPP);
	attribute.size = sizeof(attribute) - 1;
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_GET, &attribute), EINVAL);
	struct sluice_attribute_info info = {.size = sizeof(info), .reserved = 1};
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_INFO, &info), EINVAL);
	info = (struct sluice_attribute_info){.size = sizeof(info), .index = ~0u};
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_INFO, &info), ENOENT);
	info.index = 0;
	FAILS(ioctl(fd, SLUICE_INFO, &info), ENOTTY); /* a channel's */
	FAILS(ioctl(fd, SLUICE_SUBMIT, &info), ENOTTY);
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_SET + 1, &info), ENOTTY);
	FAILS(ioctl(fd, SLUICE_ATTRIBUTE_INFO, NULL), EFAULT);
	int reader = open(path, O_RDONLY | O_CLOEXEC); /* beside the other one */
	MUST(reader >= 0);
	control_get(reader, known);
	FAILS(try_set(reader, known, 0), EBADF);
	close(reader);
}

int test_control(char **argument)
{
	int fd = channel_open(argument[0], 0), bar = open(argument[1], O_RDWR | O_SYNC);
	struct sluice_attribute_info info = {.size = sizeof(info)};
	uint32_t before[ENGINE_WORDS];

	MUST(bar >= 0);
	volatile uint32_t *engine = mmap(NULL, 4096, PROT_READ, MAP_SHARED, bar, 0);
	MUST(engine != MAP_FAILED);
	for (uint32_t i = 0; i < ENGINE_WORDS; i++)
		before[i] = engine[i];
	for (; !ioctl(fd, SLUICE_ATTRIBUTE_INFO, &info); info.index++) {
		const char *name = (const char *)info.name;

		MUST(memchr(name, 0, sizeof(info.name)));
		if (info.max)
			check_setting(fd, name, info.max);
		else
			FAILS(try_set(fd, name, 0), EACCES);
		control_get(fd, name);
		printf("%s %llu\n", name, (unsigned long long)info.max);
	}
	MUST(errno == ENOENT && info.index);
	for (uint32_t i = 0; i < ENGINE_WORDS; i++)
		MUST(engine[i] == before[i]);
	info.index = 0;
	MUST(!ioctl(fd, SLUICE_ATTRIBUTE_INFO, &info));
	check_refusals(fd, argument[0], (const char *)info.name);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * loop CONTROL: what a card's first lane sends comes back to it
 */
int test_loop(char **argument)
{
	int control = channel_open(argument[0], 0);

	MUST(control_get(control, "s0.fifo_beats") == 0);
	control_set(control, "s0.loopback", 1);
	MUST(control_get(control, "s0.loopback") == 1);
	return 0;
}
