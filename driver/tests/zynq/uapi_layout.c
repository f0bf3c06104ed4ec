// SPDX-License-Identifier: GPL-2.0-only
/*
 * The structures of sluice.ko's calls, byte by byte: a program of 32 bits and a kernel of 64 read
 * the same. To be compiled for every processor; says nothing unless it does not compile. Members
 * and structures are only ever added at the end.
 */
#include <stddef.h>

#include <linux/sluice.h>

#define AT(type, member, offset) \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
#define BYTES(type, bytes) _Static_assert(sizeof(struct type) >= (bytes), #type)

AT(sluice_info, size, 0);
AT(sluice_info, flags, 4);
AT(sluice_info, api_version, 8);
AT(sluice_info, direction, 12);
AT(sluice_info, capabilities, 16);
AT(sluice_info, max_length, 24);
AT(sluice_info, max_packet, 32);
AT(sluice_info, address_align, 40);
AT(sluice_info, length_align, 44);
AT(sluice_info, max_transfers, 48);
AT(sluice_info, max_ring_entries, 52);
AT(sluice_info, max_buffers, 56);
AT(sluice_info, max_periods, 60);
AT(sluice_info, board, 64);
AT(sluice_info, name, 96);
BYTES(sluice_info, 128);

AT(sluice_attach, size, 0);
AT(sluice_attach, flags, 4);
AT(sluice_attach, fd, 8);
AT(sluice_attach, buffer, 12);
AT(sluice_attach, bytes, 16);
AT(sluice_attach, pieces, 24);
AT(sluice_attach, reserved, 28);
BYTES(sluice_attach, 32);

AT(sluice_detach, size, 0);
AT(sluice_detach, flags, 4);
AT(sluice_detach, buffer, 8);
AT(sluice_detach, reserved, 12);
BYTES(sluice_detach, 16);

AT(sluice_setup, size, 0);
AT(sluice_setup, flags, 4);
AT(sluice_setup, ring_entries, 8);
AT(sluice_setup, ring_bytes, 12);
BYTES(sluice_setup, 16);

AT(sluice_completion, cookie, 0);
AT(sluice_completion, bytes, 8);
AT(sluice_completion, time_ns, 16);
AT(sluice_completion, status, 24);
AT(sluice_completion, flags, 28);
BYTES(sluice_completion, 32);

AT(sluice_ring, entries, 0);
AT(sluice_ring, entry_bytes, 4);
AT(sluice_ring, entries_offset, 8);
AT(sluice_ring, head, 12);
BYTES(sluice_ring, 16);

AT(sluice_ring_tail, tail, 0);
BYTES(sluice_ring_tail, 4);

AT(sluice_transfer, cookie, 0);
AT(sluice_transfer, buffer, 8);
AT(sluice_transfer, flags, 12);
AT(sluice_transfer, offset, 16);
AT(sluice_transfer, length, 24);
AT(sluice_transfer, destination, 32);
AT(sluice_transfer, reserved, 36);
AT(sluice_transfer, destination_offset, 40);
AT(sluice_transfer, timeout_ns, 48);
BYTES(sluice_transfer, 56);

AT(sluice_submit, size, 0);
AT(sluice_submit, flags, 4);
AT(sluice_submit, transfers, 8);
AT(sluice_submit, count, 16);
AT(sluice_submit, transfer_bytes, 20);
AT(sluice_submit, in_fence, 24);
AT(sluice_submit, out_fence, 28);
AT(sluice_submit, accepted, 32);
AT(sluice_submit, reserved, 36);
AT(sluice_submit, time_ns, 40);
BYTES(sluice_submit, 48);

AT(sluice_reap, size, 0);
AT(sluice_reap, flags, 4);
AT(sluice_reap, completions, 8);
AT(sluice_reap, count, 16);
AT(sluice_reap, completion_bytes, 20);
AT(sluice_reap, min, 24);
AT(sluice_reap, taken, 28);
AT(sluice_reap, timeout_ns, 32);
BYTES(sluice_reap, 40);

AT(sluice_cancel, size, 0);
AT(sluice_cancel, flags, 4);
BYTES(sluice_cancel, 8);

AT(sluice_capture_start, size, 0);
AT(sluice_capture_start, flags, 4);
AT(sluice_capture_start, buffer, 8);
AT(sluice_capture_start, periods, 12);
AT(sluice_capture_start, offset, 16);
AT(sluice_capture_start, period_bytes, 24);
AT(sluice_capture_start, watermark, 32);
AT(sluice_capture_start, status_bytes, 36);
AT(sluice_capture_start, poll_ns, 40);
BYTES(sluice_capture_start, 48);

AT(sluice_capture_wait, size, 0);
AT(sluice_capture_wait, flags, 4);
AT(sluice_capture_wait, period, 8);
AT(sluice_capture_wait, timeout_ns, 16);
AT(sluice_capture_wait, produced, 24);
BYTES(sluice_capture_wait, 32);

AT(sluice_capture_release, size, 0);
AT(sluice_capture_release, flags, 4);
AT(sluice_capture_release, period, 8);
AT(sluice_capture_release, released, 16);
AT(sluice_capture_release, lost, 24);
AT(sluice_capture_release, produced, 32);
BYTES(sluice_capture_release, 40);

AT(sluice_capture_stop, size, 0);
AT(sluice_capture_stop, flags, 4);
AT(sluice_capture_stop, produced, 8);
BYTES(sluice_capture_stop, 16);

AT(sluice_capture_period, period, 0);
AT(sluice_capture_period, bytes, 8);
AT(sluice_capture_period, ticks, 16);
AT(sluice_capture_period, time_ns, 24);
AT(sluice_capture_period, drops, 32);
AT(sluice_capture_period, flags, 40);
AT(sluice_capture_period, reserved, 44);
BYTES(sluice_capture_period, 48);

AT(sluice_capture_loss, first, 0);
AT(sluice_capture_loss, count, 8);
AT(sluice_capture_loss, time_ns, 16);
BYTES(sluice_capture_loss, 24);

AT(sluice_capture_status, sequence, 0);
AT(sluice_capture_status, flags, 4);
AT(sluice_capture_status, periods, 8);
AT(sluice_capture_status, watermark, 12);
AT(sluice_capture_status, record_count, 16);
AT(sluice_capture_status, record_bytes, 20);
AT(sluice_capture_status, records_offset, 24);
AT(sluice_capture_status, loss_count, 28);
AT(sluice_capture_status, loss_bytes, 32);
AT(sluice_capture_status, losses_offset, 36);
AT(sluice_capture_status, period_bytes, 40);
AT(sluice_capture_status, produced, 48);
AT(sluice_capture_status, released, 56);
AT(sluice_capture_status, lost, 64);
AT(sluice_capture_status, losses, 72);
AT(sluice_capture_status, bytes, 80);
AT(sluice_capture_status, drops, 88);
AT(sluice_capture_status, clock_hz, 96);
BYTES(sluice_capture_status, 104);

int main(void)
{
	return 0;
}
