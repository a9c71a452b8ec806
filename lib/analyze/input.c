/* Waiting for input: how much of each step, and how often (METRICS.md §5). */
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/base/vec.h"

struct intervals {
	struct tf_interval *list;
	size_t count, cap;
};

static int add(struct intervals *v, const struct tf_trace *t, size_t event, struct tf_error *err)
{
	if (tf_vec_reserve((void **)&v->list, &v->cap, v->count + 1, sizeof *v->list) < 0)
		return tf_fail_nomem(err);
	v->list[v->count++] = (struct tf_interval){t->events.start_ps[event], tf_event_end(t, event)};
	return 0;
}

/* What shows that a program waits for input, best first. */
enum evidence { GET_NEXT, ITERATOR_ROOT, IPL_STAGE, DATA_LOADER, INFEED, EVIDENCE_COUNT };
static const char *const evidence_names[] = {"iterator_get_next", "iterator_root", "ipl_stage", "data_loader", "infeed"};

/* "Iterator::X": exactly two parts. */
static bool is_root_iterator(struct tf_bytes name)
{
	if (!tf_bytes_begin(name, "Iterator::"))
		return false;
	for (size_t i = 10; i + 1 < name.len; i++)
		if (name.data[i] == ':' && name.data[i + 1] == ':')
			return false;
	return true;
}

/* The op line of a TPU core or SparseCore. */
static bool is_core_line(const struct tf_trace *t, const struct tf_line *l)
{
	enum tf_plane_kind kind = t->planes[l->plane].kind;
	return (kind == TF_PLANE_TPU || kind == TF_PLANE_SPARSE) && tf_line_is_raw_device(t, l);
}

static bool is_evidence(const struct tf_derived *d, size_t i, enum evidence kind)
{
	const struct tf_trace *t = d->trace;
	struct tf_bytes name = tf_strtab_bytes(&t->strings, tf_event_name(t, i));

	switch (kind) {
	case GET_NEXT:
		return d->info[t->events.meta[i]].input_wait;
	case ITERATOR_ROOT:
		return is_root_iterator(name);
	case IPL_STAGE:
		return t->events.stat_count[i] && tf_stat_text(t, tf_event_stats(t, i), TF_NAME_ipl_stage_name)
		       && tf_host_part(d, i, false) == TF_PART_INPUT_WAIT;
	case DATA_LOADER:
		return d->info[t->events.meta[i]].loader_wait;
	case INFEED:
		return tf_core_part(d, i) == TF_PART_INPUT_WAIT;
	default:
		return false;
	}
}

static int collect_waits(const struct tf_derived *d, enum evidence kind, struct intervals *waits, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		bool may_wait = kind == INFEED ? is_core_line(t, line) : tf_line_is_host(t, line);
		for (size_t i = line->event_first; may_wait && i < line->event_first + line->event_count; i++)
			if (tf_event_counts(t, i) && is_evidence(d, i, kind) && add(waits, t, i, err) < 0)
				return -1;
	}
	return 0;
}

/* What devices do; a core that waits for its infeed does nothing. */
static int collect_device_work(const struct tf_derived *d, struct intervals *work, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++)
			if (tf_event_counts(t, i) && !(is_core_line(t, line) && is_evidence(d, i, INFEED)) && add(work, t, i, err) < 0)
				return -1;
	}
	return 0;
}

enum call { CALL_NONE, CALL_COMPUTE, CALL_OP, CALL_PLAIN, CALL_KINDS };

/* A call of GetNext: its DoCompute, the op, or an event of just that name. Sends of its result are none. */
static enum call call_kind(const struct tf_derived *d, size_t i)
{
	static const char compute[] = "Op::DoCompute";
	const struct tf_trace *t = d->trace;
	const struct tf_name_info *info = &d->info[t->events.meta[i]];
	struct tf_bytes name = tf_strtab_bytes(&t->strings, tf_event_name(t, i));
	size_t tail = sizeof compute - 1;

	if (!info->input_wait)
		return CALL_NONE;
	if (name.len > tail && memcmp(name.data + name.len - tail, compute, tail) == 0)
		return CALL_COMPUTE;
	if (info->category == TF_OP_TENSORFLOW)
		return tf_bytes_begin(info->op_type, "IteratorGetNext")
				       || tf_bytes_begin(info->op_type, "MultiDeviceIteratorGetNext")
			       ? CALL_OP
			       : CALL_NONE;
	return memchr(name.data, ':', name.len) ? CALL_NONE : CALL_PLAIN;
}

static void count_calls(const struct tf_derived *d, struct tf_input *in)
{
	const struct tf_trace *t = d->trace;
	int64_t count[CALL_KINDS] = {0}, total[CALL_KINDS] = {0}, longest[CALL_KINDS] = {0};

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_host(t, line) && i < line->event_first + line->event_count; i++) {
			enum call kind = tf_event_counts(t, i) ? call_kind(d, i) : CALL_NONE;
			if (kind == CALL_NONE)
				continue;
			count[kind]++;
			total[kind] = tf_ps_add(total[kind], t->events.dur_ps[i]);
			if (t->events.dur_ps[i] > longest[kind])
				longest[kind] = t->events.dur_ps[i];
		}
	}
	for (enum call kind = CALL_COMPUTE; kind < CALL_KINDS; kind++)
		if (count[kind]) {
			in->get_next_count = count[kind];
			in->get_next_total_ps = total[kind];
			in->get_next_max_ps = longest[kind];
			return;
		}
}

int tf_measure_input(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	struct intervals waits = {0}, work = {0};
	struct tf_input *in = &h->input;
	bool has_device = tf_has_device_events(d->trace);
	int rc = -1;

	(void)a;
	in->get_next_count = in->get_next_total_ps = in->get_next_max_ps = TF_NONE;
	in->reason = "no_input_events";
	for (enum evidence kind = 0; kind < EVIDENCE_COUNT && !in->evidence; kind++) {
		if (collect_waits(d, kind, &waits, err) < 0)
			goto out;
		if (waits.count)
			in->evidence = evidence_names[kind];
	}
	if (has_device && collect_device_work(d, &work, err) < 0)
		goto out;
	if (in->evidence) {
		in->reason = NULL;
		waits.count = tf_interval_merge(waits.list, waits.count);
		work.count = tf_interval_merge(work.list, work.count);
		count_calls(d, in);
	}
	for (size_t i = 0; in->evidence && i < h->steps.count; i++) {
		struct tf_step *s = &h->steps.list[i];
		int64_t end = s->start_ps + s->step_ps;
		s->input_ps = tf_interval_within(waits.list, waits.count, s->start_ps, end);
		if (has_device)
			s->stall_ps = s->input_ps - tf_interval_common(waits.list, waits.count, work.list, work.count,
								       s->start_ps, end);
	}
	rc = 0;
out:
	free(waits.list);
	free(work.list);
	return rc;
}
