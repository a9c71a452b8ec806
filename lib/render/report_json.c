/* The report as JSON, schema tfprof.report/1 (schemas/report.schema.json). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/op_tails.h"
#include "lib/analyze/xla_memory.h"
#include "lib/base/version.h"
#include "lib/render/json_writer.h"
#include "lib/render/render.h"
#include "lib/render/report_fields.h"

const char *const tf_report_sections[] = {"metrics", "steps",   "devices", "input",    "memory", "ops",
					  "kernels", "hosts", "findings", NULL};

enum { CUT_OPS, CUT_KERNELS, CUT_AT_PEAK, CUT_BY_TENSOR, CUT_GAPS, CUT_LONG_TAIL, CUT_XLA, CUT_XLA_AT_PEAK, CUT_COSTS, CUT_COUNT };

/* The report being written. */
struct report {
	struct tf_json j;
	const struct tf_session *s;
	const struct tf_report_options *o;
	size_t returned[CUT_COUNT], total[CUT_COUNT]; /* lists that --top may cut */
};

static size_t cut(struct report *r, int list, size_t n)
{
	size_t shown = r->o->top && n > r->o->top ? r->o->top : n;

	r->returned[list] += shown;
	r->total[list] += n;
	return shown;
}

static bool wanted(const struct report *r, const char *section)
{
	if (!r->o->sections || !r->o->sections[0])
		return true;
	for (size_t i = 0; r->o->sections[i]; i++)
		if (strcmp(r->o->sections[i], section) == 0)
			return true;
	return false;
}

static void put_session(struct report *r)
{
	const struct tf_session *s = r->s;
	struct tf_json *j = &r->j;

	if (!s->name) {
		tf_json_text(j, "session", NULL);
		return;
	}
	tf_json_object(j, "session");
	struct tf_buf id = {0};
	tf_buf_printf(&id, "%s/%s", s->run, s->name);
	j->buf.failed |= id.failed;
	tf_json_text(j, "id", id.data);
	tf_buf_release(&id);
	tf_json_text(j, "run", s->run);
	tf_json_text(j, "name", s->name);
	tf_json_list(j, "hosts");
	for (size_t i = 0; i < s->host_count; i++)
		tf_json_text(j, NULL, s->hosts[i].name);
	tf_json_list_end(j);
	tf_json_i64(j, "start_ns", s->start_ns);
	tf_json_ms(j, "duration_ms", s->duration_ps);
	tf_json_list(j, "devices");
	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].device_count; k++) {
			const struct tf_device *d = &s->hosts[i].devices[k];
			tf_json_object(j, NULL);
			tf_json_text(j, "name", d->name);
			tf_json_text(j, "kind", d->kind);
			tf_json_text(j, "model", d->model);
			tf_json_object_end(j);
		}
	tf_json_list_end(j);
	tf_json_text(j, "framework", s->framework);
	tf_json_bool(j, "complete", s->complete);
	tf_json_list(j, "issues");
	for (size_t i = 0; i < s->issue_count; i++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "code", s->issues[i].code);
		tf_json_text(j, "message", s->issues[i].message);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_object_end(j);
}

/* "name" or "name@host", in a buffer that the caller releases. */
static const char *metric_key(const struct tf_metric *m, struct tf_buf *key)
{
	if (!m->host)
		return m->name;
	key->len = 0;
	tf_buf_printf(key, "%s@%s", m->name, m->host);
	return key->failed ? m->name : key->data;
}

static void put_metrics(struct report *r)
{
	struct tf_json *j = &r->j;
	struct tf_buf key = {0};

	tf_json_object(j, "metrics");
	for (size_t i = 0; i < r->s->metric_count; i++) {
		const struct tf_metric *m = &r->s->metrics[i];
		if (m->is_integer)
			tf_json_i64(j, metric_key(m, &key), m->integer);
		else
			tf_json_double(j, metric_key(m, &key), m->known ? m->value : NAN);
	}
	tf_json_object_end(j);
	tf_json_object(j, "reasons");
	for (size_t i = 0; i < r->s->metric_count; i++)
		if (!r->s->metrics[i].known)
			tf_json_text(j, metric_key(&r->s->metrics[i], &key), r->s->metrics[i].reason);
	tf_json_object_end(j);
	tf_buf_release(&key);
}

static void put_breakdown(struct tf_json *j, const struct tf_step *s)
{
	if (!s->has_breakdown) {
		tf_json_text(j, "breakdown_ms", NULL);
		return;
	}
	tf_json_object(j, "breakdown_ms");
	tf_json_ms(j, "device_compute", s->part_ps[TF_PART_DEVICE_COMPUTE_16] + s->part_ps[TF_PART_DEVICE_COMPUTE_32]);
	for (enum tf_part p = TF_PART_DEVICE_TO_HOST; p < TF_PART_COUNT; p++)
		tf_json_ms(j, tf_part_name(p), s->part_ps[p]);
	tf_json_object_end(j);
}

static void put_step(struct report *r, const struct tf_host *h, const struct tf_step *s)
{
	struct tf_json *j = &r->j;

	if (r->o->has_steps && (s->number < r->o->step_first || s->number > r->o->step_last))
		return;
	tf_json_object(j, NULL);
	tf_json_text(j, "host", h->name);
	tf_json_i64(j, "number", s->number);
	tf_json_text(j, "name", s->name);
	tf_json_ms(j, "start_ms", s->start_ps);
	tf_json_ms(j, "step_time_ms", s->step_ps);
	tf_json_ms(j, "host_ms", s->host_ps);
	tf_json_ms(j, "device_ms", s->device_ps);
	tf_json_ms(j, "period_ms", s->period_ps);
	tf_json_bool(j, "complete", s->complete);
	tf_json_bool(j, "warmup", s->warmup);
	put_breakdown(j, s);
	tf_json_bool(j, "main_series", s->main_series);
	tf_json_ms(j, "input_ms", s->input_ps);
	tf_json_ms(j, "stall_ms", s->stall_ps);
	tf_json_i64(j, "kernels", s->kernel_count);
	tf_json_object_end(j);
}

static int64_t metric_integer(const struct tf_session *s, const char *name)
{
	const struct tf_metric *m = tf_metric_find(s, name);
	return m && m->is_integer ? m->integer : TF_NONE;
}

static double metric_value(const struct tf_session *s, const char *name)
{
	const struct tf_metric *m = tf_metric_find(s, name);
	return m && m->known ? m->value : NAN;
}

static void put_steps(struct report *r)
{
	const struct tf_session *s = r->s;
	struct tf_json *j = &r->j;
	const struct tf_steps *first = s->host_count ? &s->hosts[0].steps : NULL;

	tf_json_object(j, "steps");
	tf_json_text(j, "source", first && first->source != TF_STEPS_NONE ? tf_step_source_name(first->source) : NULL);
	tf_json_i64(j, "count", metric_integer(s, "steps.count"));
	tf_json_i64(j, "steady_count", metric_integer(s, "steps.steady_count"));
	tf_json_text(j, "event", first ? first->event : NULL);
	tf_json_double(j, "confidence", first && first->count ? first->confidence : NAN);
	tf_json_text(j, "looked_for", first ? first->looked_for : NULL);
	tf_json_list(j, "series");
	for (size_t k = 0; first && k < first->series_count; k++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "name", first->series[k].name);
		tf_json_i64(j, "count", (int64_t)first->series[k].count);
		tf_json_ms(j, "total_ms", first->series[k].total_ps);
		tf_json_bool(j, "main", first->series[k].main);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_list(j, "list");
	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].steps.count; k++)
			put_step(r, &s->hosts[i], &s->hosts[i].steps.list[k]);
	tf_json_list_end(j);
	tf_report_put_costs(j, s, s->cost_reason ? 0 : cut(r, CUT_COSTS, s->cost_count));
	tf_json_object_end(j);
}

static double share(int64_t part, int64_t whole)
{
	return part == TF_NONE || whole == TF_NONE || whole <= 0 ? NAN : (double)part / (double)whole;
}

static void put_device(struct report *r, const struct tf_host *h, const struct tf_device *d)
{
	struct tf_json *j = &r->j;

	tf_json_object(j, NULL);
	tf_json_text(j, "host", h->name);
	tf_json_text(j, "name", d->name);
	tf_json_text(j, "window", d->window_source);
	tf_json_ms(j, "window_ms", d->window_ps);
	tf_json_ms(j, "busy_ms", d->busy_ps);
	tf_json_double(j, "idle_ratio", d->idle_ratio);
	tf_json_double(j, "kernel_ratio", share(d->kernel_ps, d->window_ps));
	tf_json_double(j, "memcpy_ratio", share(d->memcpy_ps, d->window_ps));
	tf_json_double(j, "comm_ratio", share(d->comm_ps, d->window_ps));
	tf_json_double(j, "exposed_comm_ratio", share(d->exposed_comm_ps, d->window_ps));
	tf_json_double(j, "peak_flops", d->peak_flops);
	tf_json_double(j, "memory_bytes_per_s", d->memory_bytes_per_s);
	tf_json_text(j, "reason", d->reason);
	tf_json_list(j, "gaps");
	size_t n = cut(r, CUT_GAPS, d->gap_count);
	for (size_t i = 0; i < n; i++) {
		tf_json_object(j, NULL);
		tf_json_ms(j, "start_ms", d->gaps[i].start_ps);
		tf_json_ms(j, "ms", d->gaps[i].dur_ps);
		tf_json_text(j, "before", d->gaps[i].before);
		tf_json_text(j, "after", d->gaps[i].after);
		tf_json_text(j, "host_activity", d->gaps[i].host_event);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_object_end(j);
}

static void put_input(struct report *r)
{
	struct tf_json *j = &r->j;
	double exposed = metric_value(r->s, "input.exposed_share");

	static const char *const verdicts[] = {NULL, "none", "moderate", "high"};
	tf_json_object(j, "input");
	tf_json_text(j, "verdict", verdicts[tf_input_classify(exposed)]);
	tf_json_double(j, "share", metric_value(r->s, "input.share"));
	tf_json_double(j, "exposed_share", exposed);
	tf_json_double(j, "stall_share", metric_value(r->s, "input.stall_share"));
	tf_json_text(j, "evidence", r->s->host_count ? r->s->hosts[0].input.evidence : NULL);
	tf_json_list(j, "stages");
	for (size_t i = 0; i < r->s->host_count; i++)
		for (size_t k = 0; k < r->s->hosts[i].input.stage_count; k++) {
			const struct tf_stage *g = &r->s->hosts[i].input.stages[k];
			tf_json_object(j, NULL);
			tf_json_text(j, "host", r->s->hosts[i].name);
			tf_json_text(j, "pipeline", g->pipeline);
			tf_json_text(j, "name", g->name);
			tf_json_text(j, "long_name", g->long_name);
			tf_json_text(j, "parent", g->parent);
			tf_json_i64(j, "calls", g->calls);
			tf_json_ms(j, "total_ms", g->total_ps);
			tf_json_ms(j, "self_ms", g->self_ps);
			tf_json_ms(j, "max_ms", g->max_ps);
			tf_json_i64(j, "slow_calls", g->slow_calls);
			tf_json_bool(j, "bottleneck", g->bottleneck);
			tf_json_double(j, "parallelism", g->parallelism);
			tf_json_double(j, "buffer_limit", g->buffer_limit);
			tf_json_double(j, "buffered_elements", g->buffered_elements);
			tf_json_i64(j, "empty_calls", g->empty_calls);
			tf_json_object_end(j);
		}
	tf_json_list_end(j);
	tf_json_list(j, "pipelines");
	for (size_t i = 0; i < r->s->host_count; i++)
		for (size_t k = 0; k < r->s->hosts[i].input.stage_count; k++) {
			const struct tf_stage *g = &r->s->hosts[i].input.stages[k];
			if (!g->bottleneck)
				continue;
			tf_json_object(j, NULL);
			tf_json_text(j, "host", r->s->hosts[i].name);
			tf_json_text(j, "name", g->pipeline);
			tf_json_text(j, "bottleneck", g->long_name);
			tf_json_object_end(j);
		}
	tf_json_list_end(j);
	tf_json_object_end(j);
}

static void put_group(struct tf_json *j, const struct tf_tensor_group *g, bool at_peak)
{
	tf_json_object(j, NULL);
	tf_json_text(j, "op", g->op);
	tf_json_text(j, "shape", g->shape);
	tf_json_text(j, "dtype", g->dtype);
	tf_json_text(j, "region", g->region);
	tf_json_i64(j, "count", g->count);
	tf_json_i64(j, "requested_bytes", g->requested_bytes);
	tf_json_i64(j, "bytes", g->bytes);
	if (at_peak)
		tf_json_ms(j, "age_ms", g->age_ps);
	tf_json_object_end(j);
}

static void put_allocator(struct report *r, const struct tf_host *h, const struct tf_allocator *m)
{
	struct tf_json *j = &r->j;

	tf_json_object(j, NULL);
	tf_json_text(j, "host", h->name);
	tf_json_text(j, "allocator", m->name);
	tf_json_i64(j, "peak_bytes", m->peak_bytes);
	tf_json_ms(j, "peak_ms", m->peak_ps);
	tf_json_i64(j, "peak_step", m->peak_step_number);
	tf_json_i64(j, "ties", m->ties);
	tf_json_i64(j, "lifetime_peak_bytes", m->lifetime_peak_bytes);
	tf_json_i64(j, "capacity_bytes", m->capacity_bytes);
	tf_json_double(j, "fragmentation", m->fragmentation);
	tf_json_i64(j, "pre_existing_bytes", m->pre_existing_bytes);
	tf_json_i64(j, "unmatched_frees", m->unmatched_frees);
	tf_json_list(j, "at_peak");
	size_t n = cut(r, CUT_AT_PEAK, m->at_peak_count);
	for (size_t i = 0; i < n; i++)
		put_group(j, &m->at_peak[i], true);
	tf_json_list_end(j);
	tf_json_list(j, "by_tensor");
	n = cut(r, CUT_BY_TENSOR, m->by_tensor_count);
	for (size_t i = 0; i < n; i++)
		put_group(j, &m->by_tensor[i], false);
	tf_json_list_end(j);
	tf_json_list(j, "growth");
	for (size_t i = 0; i < m->growth_count; i++) {
		const struct tf_growth *g = &m->growth[i];
		tf_json_object(j, NULL);
		tf_json_text(j, "op", g->op);
		tf_json_text(j, "shape", g->shape);
		tf_json_i64(j, "first_bytes", g->first_bytes);
		tf_json_i64(j, "last_bytes", g->last_bytes);
		tf_json_i64(j, "bytes_per_step", g->bytes_per_step);
		tf_json_i64(j, "steps", g->step_count);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_object_end(j);
}

static void put_xla_buffer(struct tf_json *j, const struct tf_xla_buffer *b)
{
	tf_json_object(j, NULL);
	tf_json_text(j, "instruction", b->instruction);
	tf_json_text(j, "op", b->op);
	tf_json_text(j, "shape", b->shape);
	tf_json_text(j, "category", tf_xla_category_name(b->category));
	tf_json_i64(j, "bytes", b->bytes);
	tf_json_object_end(j);
}

/* XLA programs with the buffers that live at the peak. */
static void put_xla(struct report *r)
{
	struct tf_json *j = &r->j;

	tf_json_list(j, "hlo_modules");
	size_t n = cut(r, CUT_XLA, r->s->xla_count);
	for (size_t i = 0; i < n; i++) {
		const struct tf_xla_module *m = &r->s->xla[i];
		tf_json_object(j, NULL);
		tf_json_text(j, "name", m->name);
		tf_json_i64(j, "instructions", m->instruction_count);
		tf_json_i64(j, "peak_bytes", m->peak_bytes);
		tf_json_i64(j, "always_bytes", m->always_bytes);
		tf_json_i64(j, "heap_bytes", m->heap_bytes);
		tf_json_i64(j, "allocated_bytes", m->allocated_bytes);
		tf_json_text(j, "reason", m->reason);
		tf_json_list(j, "at_peak");
		size_t shown = cut(r, CUT_XLA_AT_PEAK, m->buffer_count);
		for (size_t k = 0; k < shown; k++)
			put_xla_buffer(j, &m->buffers[k]);
		tf_json_list_end(j);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_ops(struct report *r, const struct tf_host *h)
{
	struct tf_json *j = &r->j;
	size_t n = cut(r, CUT_OPS, h->op_count);

	for (size_t i = 0; i < n; i++) {
		const struct tf_op *o = &h->ops[i];
		tf_json_object(j, NULL);
		tf_json_text(j, "host", h->name);
		tf_json_text(j, "device", o->device);
		tf_json_text(j, "side", o->side);
		tf_json_text(j, "name", o->name);
		tf_json_text(j, "type", o->type);
		tf_json_i64(j, "count", o->count);
		tf_json_ms(j, "total_ms", o->total_ps);
		tf_json_ms(j, "self_ms", o->self_ps);
		tf_json_bool(j, "eager", o->eager);
		tf_json_double(j, "flops", o->flops);
		tf_json_double(j, "bytes", o->bytes);
		tf_json_us(j, "p50_us", o->p50_ps);
		tf_json_us(j, "p99_us", o->p99_ps);
		tf_json_us(j, "max_us", o->max_ps);
		tf_json_object_end(j);
	}
}

static int put_long_tails(struct report *r, struct tf_error *err)
{
	struct tf_json *j = &r->j;
	struct tf_arena a = {0};
	size_t count;
	const struct tf_tail *list = tf_long_tails(r->s, &a, &count, err);
	size_t n = cut(r, CUT_LONG_TAIL, count);

	tf_json_list(j, "long_tail_ops");
	for (size_t i = 0; i < n; i++) {
		const struct tf_op *o = list[i].op;
		tf_json_object(j, NULL);
		tf_json_text(j, "host", list[i].host->name);
		tf_json_text(j, "device", o->device);
		tf_json_text(j, "name", o->name);
		tf_json_i64(j, "count", o->count);
		tf_json_us(j, "p50_us", o->p50_ps);
		tf_json_us(j, "p99_us", o->p99_ps);
		tf_json_us(j, "max_us", o->max_ps);
		tf_json_ms(j, "max_start_ms", o->max_start_ps);
		tf_json_i64(j, "max_step", o->max_step_number);
		tf_json_ms(j, "excess_ms", tf_op_excess_ps(o));
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_arena_release(&a);
	return list ? 0 : -1;
}

static int put_kernels(struct report *r, struct tf_error *err)
{
	struct tf_json *j = &r->j;
	struct tf_arena a = {0};
	size_t count;
	const struct tf_kernel *list = tf_kernels_merged(r->s, &a, &count, err);
	size_t n = cut(r, CUT_KERNELS, count);

	tf_json_list(j, "kernels");
	for (size_t i = 0; i < n; i++) {
		const struct tf_kernel *k = &list[i];
		tf_json_object(j, NULL);
		tf_json_text(j, "name", k->name);
		tf_json_text(j, "device", k->device);
		tf_json_i64(j, "count", k->count);
		tf_json_ms(j, "total_ms", k->total_ps);
		tf_json_double(j, "mean_us", (double)k->total_ps / (double)k->count / 1e6);
		tf_json_us(j, "min_us", k->min_ps);
		tf_json_us(j, "max_us", k->max_ps);
		tf_json_i64(j, "registers", k->registers);
		tf_json_i64(j, "shared_bytes", k->shared_bytes);
		tf_json_text(j, "grid", k->grid);
		tf_json_text(j, "block", k->block);
		tf_json_double(j, "occupancy", k->occupancy);
		tf_json_bool(j, "tensor_core", k->tensor_core);
		tf_json_text(j, "op", k->op);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_arena_release(&a);
	return list ? 0 : -1;
}

static int put_hosts(struct report *r, struct tf_error *err)
{
	struct tf_arena a = {0};
	const struct tf_host_standing *list = tf_compare_hosts(r->s, &a, err);

	tf_json_list(&r->j, "hosts");
	for (size_t i = 0; list && i < r->s->host_count; i++) {
		tf_json_object(&r->j, NULL);
		tf_json_text(&r->j, "name", r->s->hosts[i].name);
		tf_json_double(&r->j, "step_time_ms", list[i].step_ps / 1e9);
		tf_json_bool(&r->j, "straggler", list[i].straggler);
		tf_json_ms(&r->j, "start_offset_ms", list[i].offset_ps);
		tf_json_object_end(&r->j);
	}
	tf_json_list_end(&r->j);
	tf_arena_release(&a);
	return list ? 0 : -1;
}

static void put_truncation(struct report *r)
{
	static const char *const names[] = {"ops", "kernels", "memory.at_peak", "memory.by_tensor", "devices.gaps", "long_tail_ops",
					    "hlo_modules", "hlo_modules.at_peak", "steps.costs"};

	tf_json_object(&r->j, "truncation");
	for (int i = 0; i < CUT_COUNT; i++) {
		if (r->returned[i] == r->total[i])
			continue;
		tf_json_object(&r->j, names[i]);
		tf_json_i64(&r->j, "returned", (int64_t)r->returned[i]);
		tf_json_i64(&r->j, "total", (int64_t)r->total[i]);
		tf_json_object_end(&r->j);
	}
	tf_json_object_end(&r->j);
}

static void put_memory(struct report *r, const struct tf_host *h)
{
	for (size_t k = 0; k < h->memory_count; k++)
		put_allocator(r, h, &h->memory[k]);
}

static void put_devices(struct report *r, const struct tf_host *h)
{
	for (size_t k = 0; k < h->device_count; k++)
		put_device(r, h, &h->devices[k]);
}

/* A list with what each host has to put into it. */
static void put_list(struct report *r, const char *section, void (*put)(struct report *, const struct tf_host *))
{
	if (!wanted(r, section))
		return;
	tf_json_list(&r->j, section);
	for (size_t i = 0; i < r->s->host_count; i++)
		put(r, &r->s->hosts[i]);
	tf_json_list_end(&r->j);
}

int tf_render_report_json(FILE *to, const struct tf_session *s, const struct tf_report_options *o, struct tf_error *err)
{
	struct report r = {.s = s, .o = o};
	struct tf_json *j = &r.j;

	tf_json_object(j, NULL);
	tf_json_text(j, "schema", "tfprof.report/1");
	tf_json_object(j, "tool");
	tf_json_text(j, "name", "tfprof");
	tf_json_text(j, "version", TF_VERSION);
	tf_json_object_end(j);
	put_session(&r);
	if (wanted(&r, "metrics"))
		put_metrics(&r);
	if (wanted(&r, "steps"))
		put_steps(&r);
	put_list(&r, "devices", put_devices);
	if (wanted(&r, "input"))
		put_input(&r);
	put_list(&r, "memory", put_memory);
	if (wanted(&r, "memory"))
		put_xla(&r);
	put_list(&r, "ops", put_ops);
	if ((wanted(&r, "ops") && put_long_tails(&r, err) < 0) || (wanted(&r, "kernels") && put_kernels(&r, err) < 0)
	    || (wanted(&r, "hosts") && put_hosts(&r, err) < 0)) {
		tf_buf_release(&j->buf);
		return -1;
	}
	if (wanted(&r, "findings")) {
		tf_json_list(j, "findings");
		tf_json_list_end(j);
	}
	put_truncation(&r);
	tf_json_object_end(j);
	return tf_json_finish(j, to, err);
}
