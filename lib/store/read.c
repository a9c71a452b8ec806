/* Loading the results of one session, from the summary tables alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/step_owners.h"
#include "lib/analyze/xla_memory.h"
#include "lib/store/db.h"

struct loader {
	struct tf_store *s;
	struct tf_session *out;
	struct tf_error *err;
};

/* Runs `row` for every row of a query with one integer parameter. */
static int each(struct loader *l, const char *sql, int64_t key, int (*row)(struct loader *, sqlite3_stmt *, void *), void *to)
{
	sqlite3_stmt *q = tf_db_bind(l->s, l->err, sql, "i", key);
	int step, rc = 0;

	if (!q)
		return -1;
	while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW)
		rc = row(l, q, to);
	if (rc == 0 && step != SQLITE_DONE)
		rc = tf_db_fail(l->s, l->err, "store");
	tf_db_done(q);
	return rc;
}

static const char *text(struct loader *l, sqlite3_stmt *q, int column)
{
	return tf_db_text(q, column, &l->out->arena);
}

#define PUSH(l, list, count, cap) \
	tf_arena_push(&(l)->out->arena, (void **)&(list), &(count), &(cap), sizeof *(list))

static int load_note(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_host *h = to;
	bool error = sqlite3_column_int(q, 0);
	const char ***list = error ? &h->errors : &h->warnings;
	size_t *count = error ? &h->error_count : &h->warning_count;
	const char **grown = tf_arena_array(&l->out->arena, *count + 1, sizeof *grown);

	if (!grown)
		return tf_fail_nomem(l->err);
	for (size_t i = 0; i < *count; i++)
		grown[i] = (*list)[i];
	grown[(*count)++] = text(l, q, 1);
	*list = grown;
	return 0;
}

static int load_step(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_steps *s = &((struct tf_host *)to)->steps;
	struct tf_step *p = PUSH(l, s->list, s->count, s->cap);
	int c = 0;

	if (!p)
		return tf_fail_nomem(l->err);
	p->number = tf_db_i64(q, c++);
	p->name = text(l, q, c++);
	p->series = text(l, q, c++);
	p->main_series = sqlite3_column_int(q, c++);
	p->start_ps = tf_db_i64(q, c++);
	p->step_ps = tf_db_i64(q, c++);
	p->host_start_ps = tf_db_i64(q, c++);
	p->host_ps = tf_db_i64(q, c++);
	p->device_start_ps = tf_db_i64(q, c++);
	p->device_ps = tf_db_i64(q, c++);
	p->period_ps = tf_db_i64(q, c++);
	p->complete = sqlite3_column_int(q, c++);
	p->warmup = sqlite3_column_int(q, c++);
	p->device_by_overlap = sqlite3_column_int(q, c++);
	p->has_breakdown = sqlite3_column_int(q, c++);
	for (int k = 0; k < TF_PART_COUNT; k++)
		p->part_ps[k] = sqlite3_column_int64(q, c++);
	p->input_ps = tf_db_i64(q, c++);
	p->stall_ps = tf_db_i64(q, c++);
	p->kernel_count = tf_db_i64(q, c++);
	for (size_t i = 0; i < s->series_count; i++)
		if (strcmp(s->series[i].name, p->series) == 0) {
			p->series = s->series[i].name;
			s->series[i].count++;
			s->series[i].total_ps += p->step_ps;
			return 0;
		}
	struct tf_step_series *series = PUSH(l, s->series, s->series_count, s->series_cap);
	if (!series)
		return tf_fail_nomem(l->err);
	*series = (struct tf_step_series){p->series, 1, p->step_ps, p->main_series};
	return 0;
}

/* A list of an owner that is not as long as that of the steps, or no list of numbers, is none of this program's. */
static int load_owner(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_steps *s = &((struct tf_host *)to)->steps;
	const char *part = (const char *)sqlite3_column_text(q, 0), *list = (const char *)sqlite3_column_text(q, 3);
	struct tf_step_owner o = {.op = text(l, q, 1), .kernel = text(l, q, 2),
				  .step_ps = tf_arena_array(&l->out->arena, s->count + 1, sizeof *o.step_ps)};
	char *end;

	if (!o.step_ps)
		return tf_fail_nomem(l->err);
	while (part && o.part < TF_PART_COUNT && strcmp(part, tf_part_name(o.part)) != 0)
		o.part++;
	if (!part || !list || *list != '[' || o.part == TF_PART_COUNT)
		return 0;
	for (size_t i = 0; i < s->count; i++, list = end) {
		o.step_ps[i] = strtoll(list + 1, &end, 10);
		if (end == list + 1 || (*end != ',' && *end != ']'))
			return 0;
	}
	struct tf_step_owner *owner = PUSH(l, s->owners, s->owner_count, s->owner_cap);
	if (!owner)
		return tf_fail_nomem(l->err);
	*owner = o;
	return 0;
}

static int load_gap(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_device *d = to;
	struct tf_gap *g = PUSH(l, d->gaps, d->gap_count, d->gap_cap);

	if (!g)
		return tf_fail_nomem(l->err);
	*g = (struct tf_gap){tf_db_i64(q, 0), tf_db_i64(q, 1), text(l, q, 2), text(l, q, 3), text(l, q, 4)};
	return 0;
}

static int load_device(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_host *h = to;
	struct tf_device *d = PUSH(l, h->devices, h->device_count, h->device_cap);
	int c = 1;

	if (!d)
		return tf_fail_nomem(l->err);
	d->name = text(l, q, c++);
	d->kind = text(l, q, c++);
	d->ordinal = tf_db_i64(q, c++);
	d->model = text(l, q, c++);
	d->memory_bytes = tf_db_i64(q, c++);
	d->traced = sqlite3_column_int(q, c++);
	d->window_source = text(l, q, c++);
	d->reason = text(l, q, c++);
	d->window_start_ps = tf_db_i64(q, c++);
	d->window_ps = tf_db_i64(q, c++);
	d->busy_ps = tf_db_i64(q, c++);
	d->kernel_ps = tf_db_i64(q, c++);
	d->memcpy_ps = tf_db_i64(q, c++);
	d->comm_ps = tf_db_i64(q, c++);
	d->exposed_comm_ps = tf_db_i64(q, c++);
	d->idle_ratio = tf_db_double(q, c++);
	d->gap_total = (size_t)sqlite3_column_int64(q, c++);
	d->peak_flops = tf_db_double(q, c++);
	d->memory_bytes_per_s = tf_db_double(q, c++);
	return each(l, "SELECT start_ps, dur_ps, before_name, after_name, host_event_name FROM _device_gap WHERE device_id = ?"
		       " ORDER BY id", sqlite3_column_int64(q, 0), load_gap, d);
}

static int load_stage(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_input *in = &((struct tf_host *)to)->input;
	struct tf_stage *g = PUSH(l, in->stages, in->stage_count, in->stage_cap);

	if (!g)
		return tf_fail_nomem(l->err);
	*g = (struct tf_stage){.pipeline = text(l, q, 0), .name = text(l, q, 1), .long_name = text(l, q, 2),
			       .parent = text(l, q, 3), .calls = tf_db_i64(q, 4), .total_ps = tf_db_i64(q, 5),
			       .self_ps = tf_db_i64(q, 6), .max_ps = tf_db_i64(q, 7), .slow_calls = tf_db_i64(q, 8),
			       .bottleneck = sqlite3_column_int(q, 9), .on_critical_path = sqlite3_column_int(q, 10),
			       .parallelism = tf_db_double(q, 11), .buffer_limit = tf_db_double(q, 12),
			       .buffered_elements = tf_db_double(q, 13), .empty_calls = tf_db_i64(q, 14)};
	return 0;
}

static int load_group(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_allocator *m = to;
	struct tf_tensor_group *g = sqlite3_column_int(q, 0) ? PUSH(l, m->at_peak, m->at_peak_count, m->at_peak_cap)
							     : PUSH(l, m->by_tensor, m->by_tensor_count, m->by_tensor_cap);

	if (!g)
		return tf_fail_nomem(l->err);
	*g = (struct tf_tensor_group){.op = text(l, q, 1), .shape = text(l, q, 2), .dtype = text(l, q, 3),
				      .region = text(l, q, 4), .count = tf_db_i64(q, 5),
				      .requested_bytes = tf_db_i64(q, 6), .bytes = tf_db_i64(q, 7),
				      .max_live_bytes = tf_db_i64(q, 8), .first_ps = tf_db_i64(q, 9),
				      .last_ps = tf_db_i64(q, 10), .age_ps = tf_db_i64(q, 11)};
	return 0;
}

static int load_point(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_allocator *m = to;
	struct tf_memory_point *p = PUSH(l, m->timeline, m->timeline_count, m->timeline_cap);

	if (!p)
		return tf_fail_nomem(l->err);
	*p = (struct tf_memory_point){tf_db_i64(q, 0), tf_db_i64(q, 1), tf_db_i64(q, 2), tf_db_i64(q, 3),
				      tf_db_double(q, 4)};
	return 0;
}

static int load_growth(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_allocator *m = to;
	struct tf_growth *g = PUSH(l, m->growth, m->growth_count, m->growth_cap);

	if (!g)
		return tf_fail_nomem(l->err);
	*g = (struct tf_growth){text(l, q, 0), text(l, q, 1), text(l, q, 2), text(l, q, 3), tf_db_i64(q, 4),
				tf_db_i64(q, 5), tf_db_i64(q, 6), tf_db_i64(q, 7)};
	return 0;
}

static int load_allocator(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_host *h = to;
	struct tf_allocator *m = PUSH(l, h->memory, h->memory_count, h->memory_cap);
	int64_t id = sqlite3_column_int64(q, 0);

	if (!m)
		return tf_fail_nomem(l->err);
	m->name = text(l, q, 1);
	m->on_device = sqlite3_column_int(q, 2);
	m->peak_bytes = tf_db_i64(q, 3);
	m->peak_ps = tf_db_i64(q, 4);
	m->peak_step = SIZE_MAX;
	m->peak_step_number = tf_db_i64(q, 5);
	m->ties = tf_db_i64(q, 6);
	m->lifetime_peak_bytes = tf_db_i64(q, 7);
	m->capacity_bytes = tf_db_i64(q, 8);
	m->fragmentation = tf_db_double(q, 9);
	m->pre_existing_bytes = tf_db_i64(q, 10);
	m->unmatched_frees = tf_db_i64(q, 11);
	m->event_count = tf_db_i64(q, 12);
	if (each(l, "SELECT at_peak, op, shape, dtype, region, count, requested_bytes, bytes, max_live_bytes, first_ps, last_ps, age_ps"
		    " FROM _tensor_group WHERE allocator_id = ? ORDER BY id", id, load_group, m) < 0
	    || each(l, "SELECT ps, heap_bytes, stack_bytes, free_bytes, fragmentation FROM _memory_timeline WHERE allocator_id = ?"
		       " ORDER BY id", id, load_point, m) < 0)
		return -1;
	return each(l, "SELECT op, shape, dtype, region, first_bytes, last_bytes, bytes_per_step, step_count FROM _growth"
		       " WHERE allocator_id = ? ORDER BY id", id, load_growth, m);
}

static int load_op(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_host *h = to;
	struct tf_op *o = PUSH(l, h->ops, h->op_count, h->op_cap);

	if (!o)
		return tf_fail_nomem(l->err);
	*o = (struct tf_op){.side = text(l, q, 0), .device = text(l, q, 1), .name = text(l, q, 2), .type = text(l, q, 3),
			    .count = tf_db_i64(q, 4), .total_ps = tf_db_i64(q, 5), .self_ps = tf_db_i64(q, 6),
			    .eager = sqlite3_column_int(q, 7), .flops = tf_db_double(q, 8), .bytes = tf_db_double(q, 9),
			    .p50_ps = tf_db_i64(q, 10), .p99_ps = tf_db_i64(q, 11), .max_ps = tf_db_i64(q, 12),
			    .max_start_ps = tf_db_i64(q, 13), .max_step_number = tf_db_i64(q, 14), .max_step = SIZE_MAX};
	return 0;
}

static int load_kernel(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_host *h = to;
	struct tf_kernel *k = PUSH(l, h->kernels, h->kernel_count, h->kernel_cap);

	if (!k)
		return tf_fail_nomem(l->err);
	*k = (struct tf_kernel){.device = text(l, q, 0), .name = text(l, q, 1), .op = text(l, q, 2),
				.count = tf_db_i64(q, 3), .total_ps = tf_db_i64(q, 4), .min_ps = tf_db_i64(q, 5),
				.max_ps = tf_db_i64(q, 6), .registers = tf_db_i64(q, 7), .shared_bytes = tf_db_i64(q, 8),
				.grid = text(l, q, 9), .block = text(l, q, 10), .occupancy = tf_db_double(q, 11),
				.tensor_core = sqlite3_column_int(q, 12)};
	return 0;
}

static int load_lists(struct loader *l, struct tf_host *h)
{
	static const struct {
		const char *sql;
		int (*row)(struct loader *, sqlite3_stmt *, void *);
	} lists[] = {
		{"SELECT is_error, message FROM _host_note WHERE host_id = ? ORDER BY id", load_note},
		{"SELECT number, name, series, main_series, start_ps, step_ps, host_start_ps, host_ps, device_start_ps, device_ps,"
		 " period_ps, complete, warmup, device_by_overlap, has_breakdown, device_compute_16, device_compute_32,"
		 " device_to_host, device_to_device, input_wait, device_collectives, kernel_launch, host_to_device, host_to_host,"
		 " compile, host_compute, other, input_ps, stall_ps, kernel_count FROM _step WHERE host_id = ? ORDER BY step_id",
		 load_step},
		{"SELECT category, op, kernel, step_ps FROM _step_owner WHERE host_id = ? ORDER BY id", load_owner},
		{"SELECT device_id, name, kind, ordinal, model, memory_bytes, traced, window_source, reason, window_start_ps, window_ps,"
		 " busy_ps, kernel_ps, memcpy_ps, comm_ps, exposed_comm_ps, idle_ratio, gap_total, peak_flops,"
		 " memory_bytes_per_s FROM _device WHERE host_id = ?"
		 " ORDER BY device_id", load_device},
		{"SELECT pipeline, name, long_name, parent, calls, total_ps, self_ps, max_ps, slow_calls, bottleneck, critical,"
		 " parallelism, buffer_limit, buffered_elements, empty_calls FROM _input_stage WHERE host_id = ? ORDER BY id", load_stage},
		{"SELECT allocator_id, name, on_device, peak_bytes, peak_ps, peak_step_number, ties, lifetime_peak_bytes, capacity_bytes,"
		 " fragmentation, pre_existing_bytes, unmatched_frees, event_count FROM _allocator WHERE host_id = ?"
		 " ORDER BY allocator_id", load_allocator},
		{"SELECT o.side, d.name, o.name, o.type, o.count, o.total_ps, o.self_ps, o.eager, o.flops, o.bytes,"
		 " o.p50_ps, o.p99_ps, o.max_ps, o.max_start_ps, o.max_step_number FROM _op o"
		 " LEFT JOIN _device d ON d.device_id = o.device_id WHERE o.host_id = ? ORDER BY o.id", load_op},
		{"SELECT d.name, k.name, k.op, k.count, k.total_ps, k.min_ps, k.max_ps, k.registers, k.shared_bytes, k.grid, k.block,"
		 " k.occupancy, k.tensor_core FROM _kernel k LEFT JOIN _device d ON d.device_id = k.device_id WHERE k.host_id = ?"
		 " ORDER BY k.id", load_kernel},
	};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if (each(l, lists[i].sql, h->id, lists[i].row, h) < 0)
			return -1;
	return 0;
}

static int load_host(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_session *out = l->out;
	struct tf_host *h = PUSH(l, out->hosts, out->host_count, out->host_cap);
	int c = 0;

	(void)to;
	if (!h)
		return tf_fail_nomem(l->err);
	h->id = tf_db_i64(q, c++);
	h->name = text(l, q, c++);
	h->start_ns = tf_db_i64(q, c++);
	h->begin_ps = tf_db_i64(q, c++);
	h->end_ps = tf_db_i64(q, c++);
	h->event_count = tf_db_i64(q, c++);
	h->anomaly_count = tf_db_i64(q, c++);
	h->dropped_count = tf_db_i64(q, c++);
	h->complete = sqlite3_column_int(q, c++);
	h->steps.source = (enum tf_step_source)sqlite3_column_int(q, c++);
	h->steps.event = text(l, q, c++);
	h->steps.confidence = tf_db_double(q, c++);
	h->steps.looked_for = text(l, q, c++);
	h->steps.reason = text(l, q, c++);
	h->steps.device_unreliable = sqlite3_column_int(q, c++);
	h->input.evidence = text(l, q, c++);
	h->input.reason = text(l, q, c++);
	h->input.get_next_count = tf_db_i64(q, c++);
	h->input.get_next_total_ps = tf_db_i64(q, c++);
	h->input.get_next_max_ps = tf_db_i64(q, c++);
	h->device_reason = text(l, q, c++);
	h->memory_reason = text(l, q, c++);
	h->op_reason = text(l, q, c++);
	h->launched_kernels = tf_db_i64(q, c++);
	h->framework = text(l, q, c++);
	return 0;
}

static int load_xla_buffer(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_xla_module *m = to;
	struct tf_xla_buffer *b = PUSH(l, m->buffers, m->buffer_count, m->buffer_cap);
	const char *category = (const char *)sqlite3_column_text(q, 3);

	if (!b)
		return tf_fail_nomem(l->err);
	*b = (struct tf_xla_buffer){.instruction = text(l, q, 0), .op = text(l, q, 1), .shape = text(l, q, 2), .color = tf_db_i64(q, 4),
				    .offset = tf_db_i64(q, 5), .bytes = tf_db_i64(q, 6), .live_at_peak = sqlite3_column_int(q, 7)};
	for (int c = 0; c <= TF_XLA_TEMPORARY; c++)
		if (category && strcmp(category, tf_xla_category_name((enum tf_xla_category)c)) == 0)
			b->category = (enum tf_xla_category)c;
	return 0;
}

static int load_xla(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_xla_module *m = PUSH(l, l->out->xla, l->out->xla_count, l->out->xla_cap);

	(void)to;
	if (!m)
		return tf_fail_nomem(l->err);
	*m = (struct tf_xla_module){.name = text(l, q, 1), .instruction_count = tf_db_i64(q, 2), .peak_bytes = tf_db_i64(q, 3),
				    .always_bytes = tf_db_i64(q, 4), .heap_bytes = tf_db_i64(q, 5), .allocated_bytes = tf_db_i64(q, 6),
				    .reason = text(l, q, 7)};
	/* What a person and the report's list ask for: the buffers of the peak. */
	return each(l, "SELECT instruction, op, shape, category, color, byte_offset, bytes, live_at_peak FROM _hlo_buffer"
		       " WHERE module_id = ? AND live_at_peak ORDER BY id", sqlite3_column_int64(q, 0), load_xla_buffer, m);
}

static int load_issue(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_note *n = PUSH(l, l->out->issues, l->out->issue_count, l->out->issue_cap);

	(void)to;
	if (!n)
		return tf_fail_nomem(l->err);
	n->code = text(l, q, 0);
	n->message = text(l, q, 1);
	return n->code && n->message ? 0 : tf_fail_nomem(l->err);
}

static int load_setting(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_setting *t = PUSH(l, l->out->settings, l->out->setting_count, l->out->setting_cap);

	(void)to;
	if (!t)
		return tf_fail_nomem(l->err);
	t->name = text(l, q, 0);
	t->value = text(l, q, 1);
	return 0;
}

static int load_scalars(struct loader *l, sqlite3_stmt *q, void *to)
{
	struct tf_scalar_series *t = PUSH(l, l->out->scalars, l->out->scalar_count, l->out->scalar_cap);

	(void)to;
	if (!t)
		return tf_fail_nomem(l->err);
	t->tag = text(l, q, 0);
	t->count = tf_db_i64(q, 1);
	t->min = tf_db_double(q, 2);
	t->max = tf_db_double(q, 3);
	t->mean = tf_db_double(q, 4);
	t->last = tf_db_double(q, 5);
	t->last_nonfinite = !isfinite(t->last);
	return 0;
}

/* A file f that could not be opened at the last look, or a folder above it. */
#define UNREAD \
	"(f.inode IS NULL OR EXISTS (SELECT 1 FROM _source_file d WHERE d.inode IS NULL" \
	" AND substr(f.real_path, 1, length(d.real_path) + 1) = d.real_path || '/'))"

/* Files of a run's events that could not be read, or not wholly. */
#define DAMAGED_EVENTS \
	"f.run_id = ? AND f.session_id IS NULL" \
	" AND (f.state = 'failed' OR " UNREAD \
	" OR (f.kind = 'event_file' AND (f.skipped_records > 0 OR f.tail_state = 'partial_record')))"

/* Captures that cannot be read, and event files that lost records; what became of the latter is told. */
static int load_damage(struct loader *l, const struct tf_target *target)
{
	struct tf_session *out = l->out;

	if (tf_db_integer(l->s, l->err, &out->lost_count,
			  "SELECT count(*) FROM _source_file f WHERE session_id = ? AND (state IN ('failed', 'skipped') OR " UNREAD ")",
			  "i", target->session_id) < 0
	    || tf_db_integer(l->s, l->err, &out->damaged_events,
			     "SELECT count(*) FROM _source_file f WHERE " DAMAGED_EVENTS, "i", target->run_id) < 0)
		return -1;
	return each(l, "SELECT i.code, f.path || ': ' || coalesce('byte ' || i.byte_offset || ': ', '') || i.message"
		       " FROM _ingest_issue i JOIN _source_file f ON f.file_id = i.file_id"
		       " WHERE " DAMAGED_EVENTS " ORDER BY i.id LIMIT 20",
		    target->run_id, load_issue, NULL);
}

int tf_store_load_session(struct tf_store *s, const struct tf_target *target, struct tf_session *out,
			  struct tf_error *err)
{
	struct loader l = {s, out, err};
	bool session = target->session_id != TF_NONE;

	out->id = target->session_id;
	out->run = tf_arena_strdup(&out->arena, target->run);
	out->name = session ? tf_arena_strdup(&out->arena, target->name) : NULL;
	out->start_ns = out->duration_ps = TF_NONE;
	if (!out->run)
		return tf_fail_nomem(err);
	if (session
	    && (each(&l, "SELECT host_id, name, start_ns, begin_ps, end_ps, event_count, anomaly_count, dropped_count, complete,"
			 " step_source, step_event, step_confidence, looked_for, step_reason, device_unreliable, input_evidence,"
			 " input_reason, get_next_count, get_next_total_ps, get_next_max_ps, device_reason, memory_reason, op_reason,"
			 " launched_kernels, framework FROM _host WHERE session_id = ?"
			 " ORDER BY name, event_count IS NULL, event_count DESC, host_id",
		     target->session_id, load_host, NULL) < 0
		|| each(&l, "SELECT i.code, f.path || ': ' || coalesce('byte ' || i.byte_offset || ': ', '') || i.message"
			    " FROM _ingest_issue i JOIN _source_file f ON f.file_id = i.file_id WHERE f.session_id = ? ORDER BY i.id",
			target->session_id, load_issue, NULL) < 0
		|| each(&l, "SELECT module_id, name, instructions, peak_bytes, always_bytes, heap_bytes, allocated_bytes, reason"
			    " FROM hlo_module WHERE session_id = ? ORDER BY peak_bytes DESC, name",
			target->session_id, load_xla, NULL) < 0))
		return -1;
	if (load_damage(&l, target) < 0)
		return -1;
	for (size_t i = 0; i < out->host_count; i++)
		if (load_lists(&l, &out->hosts[i]) < 0)
			return -1;
	/* Trainers log hyperparameters to their own folder, and profiles below it: the nearest one counts. */
	if (each(&l, "SELECT h.name, CAST(h.value AS TEXT), max(length(r.name)) FROM _run me JOIN _run r ON r.name = me.name"
		     " OR substr(me.name, 1, length(r.name) + 1) = r.name || '/' JOIN _hparam h ON h.run_id = r.run_id"
		     " LEFT JOIN _trial t ON t.id = h.trial_id WHERE me.run_id = ? AND h.name IS NOT NULL AND coalesce(t.superseded, 0) = 0"
		     " GROUP BY h.name ORDER BY h.name", target->run_id, load_setting, NULL) < 0)
		return -1;
	/* Infinite values count in no minimum, maximum or mean. */
	if (each(&l, "SELECT t.name, count(*), min(CASE WHEN s.nonfinite IS NULL THEN s.value END),"
		     " max(CASE WHEN s.nonfinite IS NULL THEN s.value END), avg(CASE WHEN s.nonfinite IS NULL THEN s.value END),"
		     " (SELECT value FROM _scalar z WHERE z.tag_id = t.tag_id AND z.superseded = 0 ORDER BY step DESC LIMIT 1)"
		     " FROM _tag t JOIN _scalar s ON s.tag_id = t.tag_id AND s.superseded = 0 WHERE t.run_id = ? GROUP BY t.tag_id"
		     " ORDER BY t.name", target->run_id, load_scalars, NULL) < 0)
		return -1;
	return tf_hosts_merge(out, err) < 0 || tf_metrics_build(out, err) < 0 ? -1 : tf_step_costs_build(out, err);
}
