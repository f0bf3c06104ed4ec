/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sluice

#if !defined(SLUICE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SLUICE_TRACE_H

#include <linux/tracepoint.h>

#include "compat.h"
#include "sluice_core.h"

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

TRACE_EVENT(sluice_error,
	TP_PROTO(const struct sluice_channel *channel, int result),
	TP_ARGS(channel, result),
	TP_STRUCT__entry(
		__string(name, dev_name(&channel->dev))
		__field(int, result)
	),
	TP_fast_assign(
		sluice_assign_str(name, dev_name(&channel->dev));
		__entry->result = result;
	),
	TP_printk("%s result=%d", __get_str(name), __entry->result)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
