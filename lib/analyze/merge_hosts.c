/* What several files of one host say, as one host (METRICS.md §9). */
#include "lib/analyze/analyze.h"

/* Moves what `from` knows and `to` does not. */
static void complete_host(struct tf_host *to, const struct tf_host *from)
{
	if (to->steps.count == 0 && from->steps.count > 0) {
		to->steps = from->steps;
		to->input = from->input;
	} else if (!to->input.evidence && from->input.evidence) {
		to->input = from->input;
	}
	if (to->device_count == 0 && from->device_count > 0) {
		to->devices = from->devices;
		to->device_count = from->device_count;
		to->device_cap = from->device_cap;
		to->device_reason = NULL;
	}
	if (to->memory_count == 0 && from->memory_count > 0) {
		to->memory = from->memory;
		to->memory_count = from->memory_count;
		to->memory_cap = from->memory_cap;
		to->memory_reason = NULL;
	}
	if (to->op_count == 0 && from->op_count > 0) {
		to->ops = from->ops;
		to->op_count = from->op_count;
		to->op_cap = from->op_cap;
		to->op_reason = NULL;
	}
	if (to->kernel_count == 0 && from->kernel_count > 0) {
		to->kernels = from->kernels;
		to->kernel_count = from->kernel_count;
		to->kernel_cap = from->kernel_cap;
	}
	if (to->begin_ps == TF_NONE) {
		to->begin_ps = from->begin_ps;
		to->end_ps = from->end_ps;
	}
	to->framework = to->framework ? to->framework : from->framework;
	to->start_ns = to->start_ns == TF_NONE ? from->start_ns : to->start_ns;
	if (from->event_count != TF_NONE)
		to->event_count = (to->event_count == TF_NONE ? 0 : to->event_count) + from->event_count;
	if (from->dropped_count != TF_NONE)
		to->dropped_count = (to->dropped_count == TF_NONE ? 0 : to->dropped_count) + from->dropped_count;
	to->anomaly_count += from->anomaly_count;
	to->complete &= from->complete;
}

static int append_texts(struct tf_session *s, const char ***list, size_t *count, const char **more, size_t more_count,
			struct tf_error *err)
{
	const char **joined = tf_arena_array(&s->arena, *count + more_count + 1, sizeof *joined);

	if (!joined)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < *count; i++)
		joined[i] = (*list)[i];
	for (size_t i = 0; i < more_count; i++)
		joined[*count + i] = more[i];
	*list = joined;
	*count += more_count;
	return 0;
}

int tf_hosts_merge(struct tf_session *s, struct tf_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->host_count; i++) {
		struct tf_host *to = kept ? &s->hosts[kept - 1] : NULL;
		struct tf_host *from = &s->hosts[i];
		if (!to || strcmp(to->name, from->name) != 0) {
			s->hosts[kept++] = *from;
			continue;
		}
		complete_host(to, from);
		if (append_texts(s, &to->errors, &to->error_count, from->errors, from->error_count, err) < 0
		    || append_texts(s, &to->warnings, &to->warning_count, from->warnings, from->warning_count, err) < 0)
			return -1;
	}
	s->host_count = kept;
	return 0;
}
