// SPDX-License-Identifier: GPL-2.0-only
#include "vfio_bar.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include "board.h"

/* Newer than some compilers' headers. */
#define FEATURE_DMA_BUF 11

struct range {
	uint64_t offset, length;
};

struct feature_dma_buf {
	uint32_t argsz, flags;
	uint32_t region_index, open_flags, zero, nr_ranges;
	struct range range;
};

static struct vfio_region_info region(int device, uint32_t index)
{
	struct vfio_region_info info = {.argsz = sizeof(info), .index = index};

	MUST(!ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &info));
	return info;
}

static void set_memory(const struct vfio_bar *bar, int on)
{
	uint16_t command;

	MUST(pread(bar->device, &command, sizeof(command), bar->config + PCI_COMMAND) ==
	     sizeof(command));
	command = on ? command | PCI_COMMAND_MEMORY : command & ~PCI_COMMAND_MEMORY;
	MUST(pwrite(bar->device, &command, sizeof(command), bar->config + PCI_COMMAND) ==
	     sizeof(command));
}

/* Also one that the kernel has made for a function that no IOMMU holds. */
static int open_group(const char *function, int *iommu)
{
	char link[128], path[128], target[256];

	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s/iommu_group", function);
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	MUST(length > 0);
	target[length] = '\0';
	snprintf(path, sizeof(path), "/dev/vfio/%s", strrchr(target, '/') + 1);
	*iommu = access(path, F_OK) ? VFIO_NOIOMMU_IOMMU : VFIO_TYPE1v2_IOMMU;
	if (*iommu == VFIO_NOIOMMU_IOMMU)
		snprintf(path, sizeof(path), "/dev/vfio/noiommu-%s", strrchr(target, '/') + 1);
	return open(path, O_RDWR | O_CLOEXEC);
}

static int export_bar(int device, uint32_t index, uint64_t bytes)
{
	struct feature_dma_buf feature = {
		.argsz = sizeof(feature),
		.flags = VFIO_DEVICE_FEATURE_GET | FEATURE_DMA_BUF,
		.region_index = index,
		.open_flags = O_RDWR | O_CLOEXEC,
		.nr_ranges = 1,
		.range = {.length = bytes},
	};

	return ioctl(device, VFIO_DEVICE_FEATURE, &feature);
}

struct vfio_bar vfio_bar_of(const char *function, uint32_t bar)
{
	int iommu;
	struct vfio_bar opened = {.container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC),
				  .group = open_group(function, &iommu)};

	MUST(opened.container >= 0 && opened.group >= 0);
	MUST(!ioctl(opened.group, VFIO_GROUP_SET_CONTAINER, &opened.container));
	MUST(!ioctl(opened.container, VFIO_SET_IOMMU, iommu));
	opened.device = ioctl(opened.group, VFIO_GROUP_GET_DEVICE_FD, function);
	MUST(opened.device >= 0);
	opened.config = region(opened.device, VFIO_PCI_CONFIG_REGION_INDEX).offset;
	opened.bytes = region(opened.device, bar).size;
	set_memory(&opened, 1);
	opened.fd = export_bar(opened.device, bar, opened.bytes);
	MUST(opened.fd >= 0);
	return opened;
}

uint64_t vfio_bar_revoke(const struct vfio_bar *bar)
{
	uint64_t before = now_ns();

	set_memory(bar, 0);
	uint64_t took = now_ns() - before;
	set_memory(bar, 1);
	return took;
}
