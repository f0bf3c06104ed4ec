/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sluice

#if !defined(SLUICE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SLUICE_TRACE_H

#include <linux/tracepoint.h>

#include "channel.h"
#include "compat.h"
#include "job.h"

TRACE_EVENT(sluice_submit,
	TP_PROTO(const struct sluice_channel *channel, const struct sluice_job *job),
	TP_ARGS(channel, job),
	TP_STRUCT__entry(
		__string(name, dev_name(&channel->dev))
		__field(u64, cookie)
		__field(u64, length)
		__field(unsigned int, pieces)
	),
	TP_fast_assign(
		sluice_assign_str(name, dev_name(&channel->dev));
		__entry->cookie = job->cookie;
		__entry->length = job->length;
		__entry->pieces = job->pieces;
	),
	TP_printk("%s cookie=%llu length=%llu pieces=%u", __get_str(name), __entry->cookie,
		  __entry->length, __entry->pieces)
);

TRACE_EVENT(sluice_complete,
	TP_PROTO(const struct sluice_channel *channel, const struct sluice_job *job, u64 bytes,
		 int status),
	TP_ARGS(channel, job, bytes, status),
	TP_STRUCT__entry(
		__string(name, dev_name(&channel->dev))
		__field(u64, cookie)
		__field(u64, bytes)
		__field(int, status)
	),
	TP_fast_assign(
		sluice_assign_str(name, dev_name(&channel->dev));
		__entry->cookie = job->cookie;
		__entry->bytes = bytes;
		__entry->status = status;
	),
	TP_printk("%s cookie=%llu bytes=%llu status=%d", __get_str(name), __entry->cookie,
		  __entry->bytes, __entry->status)
);

TRACE_EVENT(sluice_period,
	TP_PROTO(const struct sluice_channel *channel, const struct sluice_capture_period *period),
	TP_ARGS(channel, period),
	TP_STRUCT__entry(
		__string(name, dev_name(&channel->dev))
		__field(u64, period)
		__field(u64, bytes)
		__field(u64, drops)
		__field(u32, flags)
	),
	TP_fast_assign(
		sluice_assign_str(name, dev_name(&channel->dev));
		__entry->period = period->period;
		__entry->bytes = period->bytes;
		__entry->drops = period->drops;
		__entry->flags = period->flags;
	),
	TP_printk("%s period=%llu bytes=%llu drops=%llu flags=%u", __get_str(name),
		  __entry->period, __entry->bytes, __entry->drops, __entry->flags)
);

TRACE_EVENT(sluice_loss,
	TP_PROTO(const struct sluice_channel *channel, u64 first, u64 count),
	TP_ARGS(channel, first, count),
	TP_STRUCT__entry(
		__string(name, dev_name(&channel->dev))
		__field(u64, first)
		__field(u64, count)
	),
	TP_fast_assign(
		sluice_assign_str(name, dev_name(&channel->dev));
		__entry->first = first;
		__entry->count = count;
	),
	TP_printk("%s first=%llu count=%llu", __get_str(name), __entry->first, __entry->count)
);

TRACE_EVENT(sluice_error,
	TP_PROTO(const struct sluice_channel *channel, const struct sluice_job *job, int status),
	TP_ARGS(channel, job, status),
	TP_STRUCT__entry(
		__string(name, dev_name(&channel->dev))
		__field(u64, cookie)
		__field(u64, given)
		__field(int, status)
	),
	TP_fast_assign(
		sluice_assign_str(name, dev_name(&channel->dev));
		__entry->cookie = job->cookie;
		__entry->given = job->given;
		__entry->status = status;
	),
	TP_printk("%s cookie=%llu given=%llu status=%d", __get_str(name), __entry->cookie,
		  __entry->given, __entry->status)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
