/* Nesting and name facts of all events, and the analyses in their order. */
#include "lib/analyze/analyze.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "lib/analyze/classify.h"
#include "lib/base/limits.h"

bool tf_line_is_raw_device(const struct tf_trace *t, const struct tf_line *l)
{
	const struct tf_plane *p = &t->planes[l->plane];

	if (!tf_plane_is_device(p) || l->derived || l->name == TF_NAME_line_async_xla_ops)
		return false;
	/* A TPU core is busy when its op line is (METRICS.md §4). */
	return (p->kind != TF_PLANE_TPU && p->kind != TF_PLANE_SPARSE) || l->name == TF_NAME_line_xla_ops
	       || strncmp(tf_strtab_text(&t->strings, l->name), "Sparse Core Ops", 15) == 0;
}

static bool is_async(const struct tf_trace *t, size_t i)
{
	if (!t->events.stat_count[i])
		return false;
	int64_t async = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_async);
	return async != TF_NONE && async != 0;
}

/*
 * Nesting on one line: an event lies inside the last one before it that contains it, both ends included, so that
 * what ends with its parent stays nested. Asynchronous events and those that count in no figure neither nest nor hold
 * others.
 */
static void nest_line(struct tf_derived *d, const struct tf_line *l)
{
	const struct tf_trace *t = d->trace;
	uint32_t top = UINT32_MAX; /* the innermost open event; its parents are the stack */

	for (size_t i = l->event_first; i < l->event_first + l->event_count; i++) {
		d->parent[i] = UINT32_MAX;
		d->self_ps[i] = tf_event_counts(t, i) ? t->events.dur_ps[i] : 0;
		if (!tf_event_counts(t, i) || is_async(t, i))
			continue;
		while (top != UINT32_MAX && tf_event_end(t, top) < tf_event_end(t, i))
			top = d->parent[top];
		if (top != UINT32_MAX) {
			d->parent[i] = top;
			d->depth[i] = d->depth[top] < TF_LIMIT_EVENT_DEPTH ? (uint16_t)(d->depth[top] + 1)
									   : TF_LIMIT_EVENT_DEPTH;
			d->self_ps[top] = tf_ps_add(d->self_ps[top], -t->events.dur_ps[i]);
		}
		top = (uint32_t)i;
	}
	for (size_t i = l->event_first; i < l->event_first + l->event_count; i++)
		if (d->self_ps[i] < 0)
			d->self_ps[i] = 0; /* children that overlap each other */
}

/* The category that a trace JSON gives to events of this metadata. */
static bool has_category(const struct tf_trace *t, size_t meta, const char *category)
{
	struct tf_bytes text = tf_strtab_bytes(&t->strings, tf_stat_text(t, t->metas[meta].stats, TF_NAME_cat));

	return text.len == strlen(category) && strncasecmp((const char *)text.data, category, text.len) == 0;
}

/* What names say, and in a trace JSON their categories. */
static void read_names(struct tf_derived *d)
{
	const struct tf_trace *t = d->trace;
	bool waits = false;

	for (size_t i = 0; i < t->meta_count; i++) {
		struct tf_bytes name = tf_strtab_bytes(&t->strings, t->metas[i].name);
		d->info[i] = tf_op_name_parse(name);
		waits |= d->info[i].input_wait;
		d->info[i].is_kernel = has_category(t, i, "kernel") || has_category(t, i, "concurrent_kernel");
		if (has_category(t, i, "cpu_op") || has_category(t, i, "operator"))
			d->info[i] = (struct tf_name_info){.op_name = name, .op_type = name, .category = TF_OP_PYTORCH};
	}
	for (size_t i = 0; i < t->meta_count; i++)
		d->info[i].loader_wait = !waits && tf_bytes_contain(tf_strtab_bytes(&t->strings, t->metas[i].name), "DataLoader");
}

int tf_derived_init(struct tf_derived *d, const struct tf_trace *t, struct tf_error *err)
{
	size_t n = t->events.count + 1; /* never a zero-sized allocation */

	*d = (struct tf_derived){.trace = t};
	d->parent = malloc(n * sizeof *d->parent);
	d->depth = calloc(n, sizeof *d->depth);
	d->self_ps = malloc(n * sizeof *d->self_ps);
	d->group = malloc(n * sizeof *d->group);
	d->step = malloc(n * sizeof *d->step);
	d->eager = calloc(n, 1);
	d->info = malloc((t->meta_count + 1) * sizeof *d->info);
	d->device_names = calloc(t->meta_count + 1, 1);
	if (!d->parent || !d->depth || !d->self_ps || !d->group || !d->step || !d->eager || !d->info
	    || !d->device_names)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		d->group[i] = d->step[i] = -1;
	read_names(d);
	for (size_t p = 0; p < t->plane_count; p++)
		for (size_t i = 0; tf_plane_is_device(&t->planes[p]) && i < t->planes[p].meta_count; i++) {
			size_t at = t->planes[p].meta_first + i;
			d->device_names[at] = tf_device_name_read(tf_strtab_bytes(&t->strings, t->metas[at].name));
		}
	for (size_t i = 0; i < t->line_count; i++)
		nest_line(d, &t->lines[i]);
	return 0;
}

void tf_derived_release(struct tf_derived *d)
{
	free(d->parent);
	free(d->depth);
	free(d->self_ps);
	free(d->group);
	free(d->step);
	free(d->eager);
	free(d->info);
	free(d->device_names);
	free(d->group_root);
	free(d->group_step);
	tf_map_release(&d->fed_stages);
	*d = (struct tf_derived){0};
}

/* Texts of the profiler, each once. */
static int copy_texts(const struct tf_trace *t, const uint32_t *ids, size_t n, struct tf_arena *a,
		      const char ***texts, size_t *count, struct tf_error *err)
{
	struct tf_map told = {0};
	int rc = 0;

	*texts = tf_arena_array(a, n + 1, sizeof **texts);
	if (!*texts)
		return tf_fail_nomem(err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (tf_map_find(&told, ids[i]))
			continue;
		const char *text = tf_utf8_repair(a, tf_strtab_bytes(&t->strings, ids[i]));
		rc = text ? tf_map_put(&told, ids[i], 1, err) : tf_fail_nomem(err);
		(*texts)[(*count)++] = text;
	}
	tf_map_release(&told);
	return rc;
}

/* What the planes say of traces that the profiler dropped; TF_NONE if they say nothing. */
static int64_t dropped_events(const struct tf_trace *t)
{
	int64_t dropped = TF_NONE;

	for (size_t p = 0; p < t->plane_count; p++) {
		int64_t n = tf_stat_i64(t, t->planes[p].stats, TF_NAME_dropped_traces);
		if (n != TF_NONE && n >= 0 && n < INT64_C(1) << 60)
			dropped = dropped == TF_NONE ? n : dropped + n;
	}
	return dropped;
}

/* The framework by what its runtime calls its events. JAX first: what it compiles to runs on parts of TensorFlow's runtime. */
static const char *framework_of(const struct tf_derived *d)
{
	static const struct {
		const char *prefix, *framework;
	} marks[] = {{"PjitFunction(", "jax"},		   {"$jax", "jax"},
		     {"ExecutorState::Process", "tensorflow"}, {"EagerExecute", "tensorflow"},
		     {"FunctionRun", "tensorflow"},	   {"TFE_Py_", "tensorflow"},
		     {"SessionRun", "tensorflow"},	   {"EagerLocalExecute", "tensorflow"}};
	const struct tf_trace *t = d->trace;
	size_t best = sizeof marks / sizeof marks[0];

	for (size_t i = 0; i < t->meta_count; i++) {
		if (d->info[i].category == TF_OP_PYTORCH)
			return "pytorch";
		for (size_t k = 0; k < best; k++)
			if (tf_bytes_begin(tf_strtab_bytes(&t->strings, t->metas[i].name), marks[k].prefix))
				best = k;
	}
	return best < sizeof marks / sizeof marks[0] ? marks[best].framework : NULL;
}

static int read_capture(const struct tf_trace *t, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	h->id = TF_NONE;
	h->start_ns = t->start_ns;
	h->begin_ps = t->begin_ps;
	h->end_ps = t->end_ps;
	h->event_count = (int64_t)t->events.count;
	h->anomaly_count = (int64_t)t->anomaly_count;
	h->dropped_count = dropped_events(t);
	h->complete = !t->truncated && t->error_count == 0 && (h->dropped_count == TF_NONE || h->dropped_count == 0);
	if (copy_texts(t, t->errors, t->error_count, a, &h->errors, &h->error_count, err) < 0)
		return -1;
	return copy_texts(t, t->warnings, t->warning_count, a, &h->warnings, &h->warning_count, err);
}

int tf_analyze_host(const struct tf_trace *t, const struct tf_analyze_options *options, struct tf_arena *a,
		    struct tf_host *h, struct tf_derived *d, struct tf_error *err)
{
	static int (*const analyses[])(struct tf_derived *, struct tf_arena *, struct tf_host *, struct tf_error *) = {
		tf_break_down,	tf_measure_devices, tf_measure_input, tf_read_tfdata,
		tf_measure_memory, tf_count_ops,	    tf_count_kernels,
	};

	if (tf_derived_init(d, t, err) < 0 || read_capture(t, a, h, err) < 0 || tf_group_events(d, err) < 0
	    || tf_find_steps(d, options, a, h, err) < 0)
		return -1;
	h->framework = framework_of(d);
	for (size_t i = 0; i < sizeof analyses / sizeof analyses[0]; i++)
		if (analyses[i](d, a, h, err) < 0)
			return -1;
	return 0;
}
