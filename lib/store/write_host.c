/* The results of one host, and its lines and events, as rows. */
#include <stdlib.h>

#include "lib/store/db.h"

struct host_writer {
	struct tf_store *s;
	const struct tf_trace *t;
	const struct tf_host *h;
	int64_t host_id;
	int64_t *step_ids, *device_ids; /* by index; device_ids also by plane below */
	struct tf_error *err;
};

static int put_host_row(struct host_writer *w)
{
	const struct tf_host *h = w->h;
	const struct tf_input *in = &h->input;

	if (tf_db_run(w->s, w->err, &w->host_id,
		"INSERT INTO _host(session_id, file_id, name, start_ns, begin_ps, end_ps, event_count, anomaly_count, dropped_count,"
		" complete, step_source, step_event, step_confidence, looked_for, step_reason, device_unreliable, input_evidence,"
		" input_reason, get_next_count, get_next_total_ps, get_next_max_ps, device_reason, memory_reason, op_reason,"
		" launched_kernels, framework) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		"iitiiiiiibbtdttbttiiitttit", w->s->session_id, w->s->file_id, h->name, h->start_ns, h->begin_ps, h->end_ps,
		h->event_count, h->anomaly_count, h->dropped_count, (int)h->complete, (int)h->steps.source, h->steps.event,
		h->steps.confidence, h->steps.looked_for, h->steps.reason, (int)h->steps.device_unreliable, in->evidence,
		in->reason, in->get_next_count, in->get_next_total_ps, in->get_next_max_ps, h->device_reason,
		h->memory_reason, h->op_reason, h->launched_kernels, h->framework) < 0)
		return -1;
	for (size_t i = 0; i < h->error_count + h->warning_count; i++) {
		bool error = i < h->error_count;
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _host_note(host_id, is_error, message) VALUES(?,?,?)", "ibt",
			      w->host_id, (int)error, error ? h->errors[i] : h->warnings[i - h->error_count]) < 0)
			return -1;
	}
	return 0;
}

static int put_steps(struct host_writer *w)
{
	for (size_t i = 0; i < w->h->steps.count; i++) {
		const struct tf_step *p = &w->h->steps.list[i];
		const int64_t *part = p->part_ps;
		if (tf_db_run(w->s, w->err, &w->step_ids[i],
			"INSERT INTO _step VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			"iittb" "iiiiiii" "bbbb" "iiiiiiiiiiii" "iii", w->host_id, p->number, p->name, p->series,
			(int)p->main_series, p->start_ps, p->step_ps, p->host_start_ps, p->host_ps, p->device_start_ps,
			p->device_ps, p->period_ps, (int)p->complete, (int)p->warmup, (int)p->device_by_overlap,
			(int)p->has_breakdown, part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7],
			part[8], part[9], part[10], part[11], p->input_ps, p->stall_ps, p->kernel_count) < 0)
			return -1;
	}
	return 0;
}

/* The steps of a host have consecutive ids. */
static int put_owners(struct host_writer *w)
{
	const struct tf_steps *s = &w->h->steps;
	struct tf_buf list = {0};
	int rc = 0;

	for (size_t k = 0; k < s->owner_count && rc == 0; k++) {
		const struct tf_step_owner *o = &s->owners[k];
		list.len = 0;
		for (size_t i = 0; i < s->count; i++) {
			tf_buf_char(&list, i ? ',' : '[');
			tf_buf_i64(&list, o->step_ps[i]);
		}
		tf_buf_char(&list, ']');
		rc = list.failed ? tf_fail_nomem(w->err)
				 : tf_db_run(w->s, w->err, NULL,
					     "INSERT INTO _step_owner(host_id, first_step_id, category, op, kernel, step_ps)"
					     " VALUES(?,?,?,?,?,?)",
					     "iitttt", w->host_id, w->step_ids[0], tf_part_name(o->part), o->op, o->kernel, list.data);
	}
	tf_buf_release(&list);
	return rc;
}

static int put_devices(struct host_writer *w)
{
	for (size_t i = 0; i < w->h->device_count; i++) {
		const struct tf_device *d = &w->h->devices[i];
		if (tf_db_run(w->s, w->err, &w->device_ids[i],
			"INSERT INTO _device VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			"ittitibttiiiiiiidsdd", w->host_id, d->name, d->kind, d->ordinal, d->model, d->memory_bytes,
			(int)d->traced, d->window_source, d->reason, d->window_start_ps, d->window_ps, d->busy_ps,
			d->kernel_ps, d->memcpy_ps, d->comm_ps, d->exposed_comm_ps, d->idle_ratio, d->gap_total, d->peak_flops,
			d->memory_bytes_per_s) < 0)
			return -1;
		for (size_t k = 0; k < d->gap_count; k++) {
			const struct tf_gap *g = &d->gaps[k];
			if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _device_gap VALUES(NULL,?,?,?,?,?,?)", "iiittt",
				      w->device_ids[i], g->start_ps, g->dur_ps, g->before, g->after, g->host_event) < 0)
				return -1;
		}
	}
	return 0;
}

static int64_t device_id(const struct host_writer *w, const char *name)
{
	for (size_t i = 0; name && i < w->h->device_count; i++)
		if (w->h->devices[i].name == name)
			return w->device_ids[i];
	return TF_NONE;
}

static int64_t step_id(const struct host_writer *w, size_t step)
{
	return step == SIZE_MAX ? TF_NONE : w->step_ids[step];
}

static int put_tables(struct host_writer *w)
{
	for (size_t i = 0; i < w->h->op_count; i++) {
		const struct tf_op *o = &w->h->ops[i];
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _op VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			      "iitttiiibddiiiiii", w->host_id, device_id(w, o->device), o->side, o->name, o->type, o->count,
			      o->total_ps, o->self_ps, (int)o->eager, o->flops, o->bytes, o->p50_ps, o->p99_ps, o->max_ps,
			      o->max_start_ps, step_id(w, o->max_step), o->max_step_number) < 0)
			return -1;
	}
	for (size_t i = 0; i < w->h->kernel_count; i++) {
		const struct tf_kernel *k = &w->h->kernels[i];
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _kernel VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			      "iittiiiiiittdb", w->host_id, device_id(w, k->device), k->name, k->op, k->count, k->total_ps,
			      k->min_ps, k->max_ps, k->registers, k->shared_bytes, k->grid, k->block, k->occupancy,
			      (int)k->tensor_core) < 0)
			return -1;
	}
	for (size_t i = 0; i < w->h->input.stage_count; i++) {
		const struct tf_stage *g = &w->h->input.stages[i];
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _input_stage VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			      "ittttiiiiibbdddi", w->host_id, g->pipeline, g->name, g->long_name, g->parent, g->calls,
			      g->total_ps, g->self_ps, g->max_ps, g->slow_calls, (int)g->bottleneck,
			      (int)g->on_critical_path, g->parallelism, g->buffer_limit, g->buffered_elements,
			      g->empty_calls) < 0)
			return -1;
	}
	return 0;
}

static int put_groups(struct host_writer *w, int64_t allocator, const struct tf_tensor_group *list, size_t n, bool at_peak)
{
	for (size_t i = 0; i < n; i++) {
		const struct tf_tensor_group *g = &list[i];
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _tensor_group VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			      "ibttttiiiiiii", allocator, (int)at_peak, g->op, g->shape, g->dtype, g->region, g->count,
			      g->requested_bytes, g->bytes, g->max_live_bytes, g->first_ps, g->last_ps, g->age_ps) < 0)
			return -1;
	}
	return 0;
}

static int put_memory_lists(struct host_writer *w, int64_t id, const struct tf_allocator *m)
{
	if (put_groups(w, id, m->at_peak, m->at_peak_count, true) < 0
	    || put_groups(w, id, m->by_tensor, m->by_tensor_count, false) < 0)
		return -1;
	for (size_t i = 0; i < m->timeline_count; i++) {
		const struct tf_memory_point *p = &m->timeline[i];
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _memory_timeline VALUES(NULL,?,?,?,?,?,?)", "iiiiid", id, p->ps,
			      p->heap_bytes, p->stack_bytes, p->free_bytes, p->fragmentation) < 0)
			return -1;
	}
	for (size_t i = 0; i < m->growth_count; i++) {
		const struct tf_growth *g = &m->growth[i];
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _growth VALUES(NULL,?,?,?,?,?,?,?,?,?)", "ittttiiii", id, g->op,
			      g->shape, g->dtype, g->region, g->first_bytes, g->last_bytes, g->bytes_per_step,
			      g->step_count) < 0)
			return -1;
	}
	return 0;
}

static int put_memory_events(struct host_writer *w, int64_t id, const struct tf_allocator *m)
{
	for (size_t i = 0; i < m->event_list_count; i++) {
		const struct tf_memory_event *e = &m->events[i];
		int64_t address = (int64_t)e->address;
		if (tf_db_run(w->s, w->err, NULL, "INSERT INTO _memory_event VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?)",
			      "iitittttiii", id, e->ps, e->alloc ? "alloc" : "free", address, e->op, e->shape, e->dtype,
			      e->region, e->requested_bytes, e->bytes, step_id(w, e->step)) < 0)
			return -1;
	}
	return 0;
}

static int put_memory(struct host_writer *w)
{
	int64_t first_event;

	if (tf_db_integer(w->s, w->err, &first_event, "SELECT coalesce(max(id), 0) + 1 FROM _memory_event", "") < 0)
		return -1;
	for (size_t i = 0; i < w->h->memory_count; i++) {
		const struct tf_allocator *m = &w->h->memory[i];
		int64_t id;
		if (tf_db_run(w->s, w->err, &id, "INSERT INTO _allocator VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			      "itbiiiiiiidiii", w->host_id, m->name, (int)m->on_device, m->peak_bytes, m->peak_ps,
			      step_id(w, m->peak_step), m->peak_step_number, m->ties, m->lifetime_peak_bytes,
			      m->capacity_bytes, m->fragmentation, m->pre_existing_bytes, m->unmatched_frees,
			      m->event_count) < 0
		    || put_memory_lists(w, id, m) < 0 || put_memory_events(w, id, m) < 0)
			return -1;
	}
	return tf_db_note_range(w->s, "_memory_event", first_event, w->err);
}

/* The lines, and whether the events of each are kept. */
static int put_lines(struct host_writer *w, enum tf_events_kept kept, int64_t first_event, int64_t *line_ids, uint8_t *keep)
{
	const struct tf_trace *t = w->t;
	struct tf_arena a = {0};
	int64_t next = first_event;
	size_t device = 0;
	int rc = -1;

	for (size_t p = 0; p < t->plane_count; p++) {
		const struct tf_plane *plane = &t->planes[p];
		bool on_device = tf_plane_is_device(plane);
		char *plane_name = tf_utf8_repair(&a, tf_strtab_bytes(&t->strings, plane->name));
		int64_t id = on_device ? w->device_ids[device] : TF_NONE;
		device += on_device;
		for (size_t l = plane->line_first; l < plane->line_first + plane->line_count; l++) {
			const struct tf_line *line = &t->lines[l];
			char *name = tf_utf8_repair(&a, tf_strtab_bytes(&t->strings, line->name));
			keep[l] = kept == TF_EVENTS_ALL || (kept == TF_EVENTS_DEVICE && on_device);
			bool any = keep[l] && line->event_count > 0;
			if (!name || !plane_name) {
				tf_fail_nomem(w->err);
				goto out;
			}
			if (tf_db_run(w->s, w->err, &line_ids[l], "INSERT INTO _line VALUES(NULL,?,?,?,?,?,?,?,?)", "iittbiii",
				      w->host_id, id, plane_name, name, (int)line->derived, line->display_id,
				      any ? next : TF_NONE, any ? next + (int64_t)line->event_count - 1 : TF_NONE) < 0)
				goto out;
			next += keep[l] ? (int64_t)line->event_count : 0;
		}
	}
	rc = 0;
out:
	tf_arena_release(&a);
	return rc;
}

static int put_trace(struct host_writer *w, const struct tf_derived *d, enum tf_events_kept kept)
{
	int64_t *line_ids = calloc(w->t->line_count + 1, sizeof *line_ids), last_event;
	uint8_t *keep = calloc(w->t->line_count + 1, 1);
	int rc = -1;

	if (!line_ids || !keep) {
		tf_fail_nomem(w->err);
		goto out;
	}
	if (tf_db_integer(w->s, w->err, &last_event, "SELECT coalesce(max(event_id), 0) FROM _event", "") < 0
	    || put_lines(w, kept, last_event + 1, line_ids, keep) < 0)
		goto out;
	rc = kept == TF_EVENTS_NONE
		     ? 0
		     : tf_store_put_events(w->s, w->t, d, line_ids, w->step_ids, keep, last_event + 1, w->err);
out:
	free(line_ids);
	free(keep);
	return rc;
}

int tf_store_put_host(struct tf_store *s, const struct tf_trace *t, const struct tf_host *host,
		      const struct tf_derived *d, enum tf_events_kept kept, struct tf_error *err)
{
	struct host_writer w = {.s = s, .t = t, .h = host, .err = err};
	int rc = -1;

	w.step_ids = calloc(host->steps.count + 1, sizeof *w.step_ids);
	w.device_ids = calloc(host->device_count + 1, sizeof *w.device_ids);
	if (!w.step_ids || !w.device_ids) {
		tf_fail_nomem(err);
		goto out;
	}
	if (put_host_row(&w) < 0 || put_steps(&w) < 0 || put_owners(&w) < 0 || put_devices(&w) < 0 || put_tables(&w) < 0
	    || put_memory(&w) < 0 || put_trace(&w, d, kept) < 0)
		goto out;
	rc = 0;
out:
	free(w.step_ids);
	free(w.device_ids);
	return rc;
}
