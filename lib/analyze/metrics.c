/* The flat metrics of a session and of its hosts (METRICS.md §8), from the results of the analyses. */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/metric_names.h"
#include "lib/analyze/step_samples.h"
#include "lib/base/vec.h"

#define PS_PER_MS 1e9

/* What is being summed up: all hosts of a session, or one of them. */
struct scope {
	struct tf_session *s;
	const struct tf_host *hosts;
	size_t host_count;
	const char *host; /* NULL: the session */
	struct tf_error *err;
	bool failed;
};

/* NULL for a name of no kind, which a tag or allocator without a name has: it has no metric. */
static struct tf_metric *add(struct scope *c, const char *name)
{
	const struct tf_metric_kind *kind = tf_metric_kind_find(name);
	struct tf_session *s = c->s;

	if (!kind)
		return NULL;
	struct tf_metric *m = tf_arena_push(&s->arena, (void **)&s->metrics, &s->metric_count, &s->metric_cap, sizeof *m);
	if (!m) {
		c->failed = true;
		return NULL;
	}
	*m = (struct tf_metric){.name = name, .host = c->host, .unit = kind->unit, .worse = kind->worse,
				.n = TF_NONE, .value = NAN};
	return m;
}

static struct tf_metric *known(struct scope *c, const char *name, double value, const char *reason)
{
	struct tf_metric *m = add(c, name);

	if (m && isfinite(value)) {
		m->known = true;
		m->value = value;
	} else if (m) {
		m->reason = reason ? reason : "unknown";
	}
	return m;
}

/* A figure over n samples. */
static void sampled(struct scope *c, const char *name, double value, size_t n, const char *reason)
{
	struct tf_metric *m = known(c, name, value, reason);

	if (m)
		m->n = (int64_t)n;
}

static void integer(struct scope *c, const char *name, int64_t value, const char *reason)
{
	struct tf_metric *m = add(c, name);

	if (!m)
		return;
	if (value == TF_NONE) {
		m->reason = reason ? reason : "unknown";
		return;
	}
	m->known = m->is_integer = true;
	m->integer = value;
	m->value = (double)value;
}

static const char *step_reason(const struct scope *c, size_t steps)
{
	if (steps)
		return "no_steady_steps";
	return c->host_count && c->hosts[0].steps.reason ? c->hosts[0].steps.reason : "no_profile";
}

static void add_times(struct scope *c, const struct tf_step_view *v, size_t n, double *x, const char *reason)
{
	size_t steady = 0, periods = 0;
	double all = 0, low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		all += (double)v[i].step->step_ps / PS_PER_MS;
		if (v[i].steady)
			x[steady++] = (double)v[i].step->step_ps / PS_PER_MS;
	}
	for (size_t i = 0; i < steady; i++) {
		low = x[i] < low ? x[i] : low;
		high = x[i] > high ? x[i] : high;
	}
	const struct {
		const char *name;
		double value;
	} figures[] = {
		{"step_time_ms.mean", tf_stats_mean(x, steady)},
		{"step_time_ms.median", tf_stats_percentile(x, steady, 0.5)},
		{"step_time_ms.p95", tf_stats_percentile(x, steady, 0.95)},
		{"step_time_ms.min", low},
		{"step_time_ms.max", high},
		{"step_time_ms.stddev", tf_stats_stddev(x, steady)},
	};
	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
		sampled(c, figures[i].name, figures[i].value, steady, reason);
	sampled(c, "step_time_ms.mean_all", n ? all / (double)n : NAN, n, reason);
	for (size_t i = 0; i < n; i++)
		if (v[i].steady && v[i].step->period_ps != TF_NONE)
			x[periods++] = (double)v[i].step->period_ps / PS_PER_MS;
	const char *no_period = steady ? "too_few_steps" : reason;
	sampled(c, "step_period_ms.mean", tf_stats_mean(x, periods), periods, no_period);
	sampled(c, "step_period_ms.median", tf_stats_percentile(x, periods, 0.5), periods, no_period);
}

/* Mean of a sum of parts over the steady steps. */
static void add_parts(struct scope *c, const char *name, const struct tf_step_view *v, size_t n, enum tf_part first,
		      enum tf_part last, const char *reason)
{
	double sum = 0;
	size_t steps = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].steady || !v[i].step->has_breakdown)
			continue;
		steps++;
		for (enum tf_part part = first; part <= last; part++)
			sum += (double)v[i].step->part_ps[part];
	}
	sampled(c, name, steps ? sum / (double)steps / PS_PER_MS : NAN, steps, reason);
}

static void add_breakdown(struct scope *c, const struct tf_step_view *v, size_t n, const char *reason)
{
	add_parts(c, "step_breakdown_ms.device_compute", v, n, TF_PART_DEVICE_COMPUTE_16, TF_PART_DEVICE_COMPUTE_32,
		  reason);
	for (enum tf_part part = 0; part < TF_PART_COUNT; part++) {
		char *name = tf_arena_printf(&c->s->arena, "step_breakdown_ms.%s", tf_part_name(part));
		if (!name) {
			c->failed = true;
			return;
		}
		add_parts(c, name, v, n, part, part, reason);
	}
}

/* Evidence of input on any host; without, the reason of the last host. */
static bool has_input(const struct scope *c, const char **reason)
{
	*reason = "no_profile";
	for (size_t i = 0; i < c->host_count; i++) {
		if (c->hosts[i].input.evidence) {
			*reason = NULL;
			return true;
		}
		*reason = c->hosts[i].input.reason;
	}
	return false;
}

static void add_input(struct scope *c, const struct tf_step_view *v, size_t n, const char *no_steps)
{
	const char *reason;
	bool evidence = has_input(c, &reason);
	double wait = 0, exposed = 0, stall = 0, time = 0, stall_time = 0;
	size_t steady = 0;
	bool broken_down = true, waits = true;
	const char *no_plane = c->host_count ? c->hosts[0].device_reason : NULL;
	const char *no_device = no_plane ? no_plane : "no_device_events";

	for (size_t i = 0; i < n; i++) {
		const struct tf_step *s = v[i].step;
		if (!v[i].steady)
			continue;
		steady++;
		time += (double)s->step_ps;
		waits &= s->input_ps != TF_NONE;
		wait += s->input_ps == TF_NONE ? 0 : (double)s->input_ps;
		broken_down &= s->has_breakdown;
		exposed += (double)(s->part_ps[TF_PART_INPUT_WAIT] + s->part_ps[TF_PART_HOST_TO_DEVICE]);
		stall += s->stall_ps == TF_NONE ? 0 : (double)s->stall_ps;
		stall_time += s->stall_ps == TF_NONE ? 0 : (double)s->step_ps;
	}
	const char *why = evidence ? no_steps : reason;
	bool shares = evidence && time > 0;
	const char *no_waits = shares ? "not_recorded" : why;
	sampled(c, "input.share", shares && waits ? wait / time : NAN, steady, no_waits);
	sampled(c, "input.exposed_share", shares && broken_down ? exposed / time : NAN, steady,
		shares ? "no_breakdown" : why);
	sampled(c, "input.stall_share", shares && stall_time > 0 ? stall / stall_time : NAN, steady, shares ? no_device : why);
	sampled(c, "input.wait_ms_per_step", shares && waits ? wait / (double)steady / PS_PER_MS : NAN, steady, no_waits);
}

static void add_calls(struct scope *c)
{
	const char *reason;
	int64_t count = 0, total = 0, longest = 0;

	has_input(c, &reason);
	for (size_t i = 0; i < c->host_count; i++) {
		const struct tf_input *in = &c->hosts[i].input;
		if (in->get_next_count == TF_NONE)
			continue;
		count += in->get_next_count;
		total += in->get_next_total_ps;
		longest = in->get_next_max_ps > longest ? in->get_next_max_ps : longest;
	}
	if (!reason)
		reason = "no_iterator_get_next";
	integer(c, "iterator_get_next.count", count ? count : TF_NONE, reason);
	double mean = count ? (double)total / (double)count / PS_PER_MS : NAN;
	sampled(c, "iterator_get_next.mean_ms", mean, (size_t)count, reason);
	sampled(c, "iterator_get_next.max_ms", count ? (double)longest / PS_PER_MS : NAN, (size_t)count, reason);
}

static void add_devices(struct scope *c)
{
	int64_t count = 0;
	double sum = 0, low = INFINITY, high = -INFINITY, busy = 0;
	double parts[4] = {0}, windows = 0;
	size_t measured = 0;
	const char *reason = c->host_count ? "no_device_plane" : "no_profile";

	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].device_count; j++) {
			const struct tf_device *d = &c->hosts[i].devices[j];
			count++;
			if (isnan(d->idle_ratio)) {
				reason = d->reason ? d->reason : "device_not_traced";
				continue;
			}
			measured++;
			sum += d->idle_ratio;
			low = d->idle_ratio < low ? d->idle_ratio : low;
			high = d->idle_ratio > high ? d->idle_ratio : high;
			busy += (double)d->busy_ps / PS_PER_MS;
			windows += (double)d->window_ps;
			parts[0] += (double)d->kernel_ps;
			parts[1] += (double)d->memcpy_ps;
			parts[2] += (double)d->comm_ps;
			parts[3] += (double)d->exposed_comm_ps;
		}
	integer(c, "device.count", c->host_count ? count : TF_NONE, reason);
	sampled(c, "device.idle_ratio.mean", measured ? sum / (double)measured : NAN, measured, reason);
	sampled(c, "device.idle_ratio.min", low, measured, reason);
	sampled(c, "device.idle_ratio.max", high, measured, reason);
	known(c, "device.busy_ms", measured ? busy : NAN, reason);
	known(c, "device.kernel_ratio", windows > 0 ? parts[0] / windows : NAN, reason);
	known(c, "device.memcpy_ratio", windows > 0 ? parts[1] / windows : NAN, reason);
	known(c, "device.comm_ratio", windows > 0 ? parts[2] / windows : NAN, reason);
	known(c, "device.exposed_comm_ratio", windows > 0 ? parts[3] / windows : NAN, reason);
}

/* The largest of the allocators called alike on all hosts. */
static void add_allocator(struct scope *c, const char *allocator)
{
	static const char *const names[] = {"peak_bytes", "lifetime_peak_bytes", "capacity_bytes",
					    "pre_existing_bytes"};
	int64_t most[4] = {TF_NONE, TF_NONE, TF_NONE, TF_NONE};
	double fragmentation = NAN;

	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].memory_count; j++) {
			const struct tf_allocator *m = &c->hosts[i].memory[j];
			if (strcmp(m->name, allocator) != 0)
				continue;
			const int64_t own[4] = {m->peak_bytes, m->lifetime_peak_bytes, m->capacity_bytes,
						m->pre_existing_bytes};
			for (int k = 0; k < 4; k++)
				most[k] = own[k] > most[k] ? own[k] : most[k];
			if (!(fragmentation >= m->fragmentation))
				fragmentation = isnan(m->fragmentation) ? fragmentation : m->fragmentation;
		}
	for (int k = 0; k < 4; k++) {
		char *kept = tf_arena_printf(&c->s->arena, "memory.%s[%s]", names[k], allocator);
		if (!kept) {
			c->failed = true;
			return;
		}
		integer(c, kept, most[k], "not_recorded");
	}
	char *kept = tf_arena_printf(&c->s->arena, "memory.fragmentation[%s]", allocator);
	if (kept)
		known(c, kept, fragmentation, "not_recorded");
	c->failed |= !kept;
}

static bool seen_before(const struct scope *c, size_t host, size_t at)
{
	const char *name = c->hosts[host].memory[at].name;

	for (size_t i = 0; i < host; i++)
		for (size_t j = 0; j < c->hosts[i].memory_count; j++)
			if (strcmp(c->hosts[i].memory[j].name, name) == 0)
				return true;
	return false;
}

static void add_memory(struct scope *c)
{
	int64_t device = TF_NONE, host = TF_NONE;
	const char *reason = c->host_count ? "no_memory_events" : "no_profile";

	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].memory_count; j++) {
			const struct tf_allocator *m = &c->hosts[i].memory[j];
			int64_t *most = m->on_device ? &device : &host;
			*most = m->peak_bytes > *most ? m->peak_bytes : *most;
		}
	integer(c, "memory.peak_bytes", device != TF_NONE ? device : host, reason);
	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].memory_count; j++)
			if (!seen_before(c, i, j))
				add_allocator(c, c->hosts[i].memory[j].name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int64_t count_distinct(const struct scope *c, int64_t rows)
{
	const char **names = malloc(((size_t)rows + 1) * sizeof *names);
	size_t n = 0;
	int64_t distinct = 0;

	if (!names)
		return TF_NONE;
	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].kernel_count; j++)
			names[n++] = c->hosts[i].kernels[j].name;
	qsort(names, n, sizeof *names, compare_names);
	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || strcmp(names[i - 1], names[i]) != 0;
	free(names);
	return distinct;
}

static void add_kernels(struct scope *c, const struct tf_step_view *v, size_t n)
{
	int64_t rows = 0, count = 0, total = 0, tensor = 0, launched = 0;
	size_t steady = 0;
	const char *reason = c->host_count ? "no_device_plane" : "no_profile";

	for (size_t i = 0; i < c->host_count; i++) {
		for (size_t j = 0; j < c->hosts[i].kernel_count; j++) {
			const struct tf_kernel *k = &c->hosts[i].kernels[j];
			rows++;
			count += k->count;
			total = tf_ps_add(total, k->total_ps);
			tensor = tf_ps_add(tensor, k->tensor_core ? k->total_ps : 0);
		}
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].steady && v[i].kernel_count != TF_NONE) {
			steady++;
			launched += v[i].kernel_count;
		}
	bool any = count > 0, traced = false;
	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].device_count && !traced; j++) {
			traced = !c->hosts[i].devices[j].reason;
			reason = traced ? "no_kernel_events" : c->hosts[i].devices[j].reason;
		}
	integer(c, "kernels.count", any ? count : TF_NONE, reason);
	integer(c, "kernels.distinct", any ? count_distinct(c, rows) : TF_NONE, reason);
	known(c, "kernels.total_ms", any ? (double)total / PS_PER_MS : NAN, reason);
	sampled(c, "kernels.launches_per_step", any && steady ? (double)launched / (double)steady : NAN, steady,
		any ? step_reason(c, n) : reason);
	known(c, "kernels.tensor_core_ratio", total > 0 ? (double)tensor / (double)total : NAN, reason);
}

static void add_ops(struct scope *c)
{
	int64_t self[2] = {0, 0}, eager = 0;
	bool any[2] = {false, false};
	const char *reason = c->host_count ? "no_op_events" : "no_profile";

	for (size_t i = 0; i < c->host_count; i++)
		for (size_t j = 0; j < c->hosts[i].op_count; j++) {
			const struct tf_op *op = &c->hosts[i].ops[j];
			bool device = strcmp(op->side, "device") == 0;
			if (strcmp(op->name, "IDLE") == 0)
				continue;
			any[device] = true;
			self[device] = tf_ps_add(self[device], op->self_ps);
			eager = tf_ps_add(eager, op->eager ? op->self_ps : 0);
		}
	int64_t all = tf_ps_add(self[0], self[1]);
	known(c, "ops.host_total_ms", any[0] ? (double)self[0] / PS_PER_MS : NAN, reason);
	known(c, "ops.device_total_ms", any[1] ? (double)self[1] / PS_PER_MS : NAN, reason);
	known(c, "ops.eager_ratio", all > 0 ? (double)eager / (double)all : NAN, reason);
}

static void add_scalars(struct scope *c)
{
	for (size_t i = 0; i < c->s->scalar_count; i++) {
		const struct tf_scalar_series *t = &c->s->scalars[i];
		const struct {
			const char *name;
			double value;
		} figures[] = {{"last", t->last}, {"min", t->min}, {"max", t->max}, {"mean", t->mean}};
		for (size_t k = 0; k < 4; k++) {
			char *name = tf_arena_printf(&c->s->arena, "scalar[%s].%s", t->tag, figures[k].name);
			if (!name) {
				c->failed = true;
				return;
			}
			sampled(c, name, figures[k].value, (size_t)t->count, "nonfinite");
		}
	}
}

static void add_capture(struct scope *c)
{
	int64_t events = TF_NONE, anomalies = 0, dropped = TF_NONE, duration = TF_NONE;
	const char *reason = c->host_count ? "no_events" : "no_profile";

	for (size_t i = 0; i < c->host_count; i++) {
		const struct tf_host *h = &c->hosts[i];
		int64_t length = h->begin_ps == TF_NONE ? TF_NONE : h->end_ps - h->begin_ps;
		duration = length != TF_NONE && length > duration ? length : duration;
		if (h->event_count != TF_NONE)
			events = (events == TF_NONE ? 0 : events) + h->event_count;
		anomalies += h->anomaly_count;
		if (h->dropped_count != TF_NONE)
			dropped = (dropped == TF_NONE ? 0 : dropped) + h->dropped_count;
	}
	known(c, "capture.duration_ms", duration == TF_NONE ? NAN : (double)duration / PS_PER_MS, reason);
	integer(c, "capture.events", events, c->host_count ? "not_recorded" : reason);
	integer(c, "capture.anomalies", c->host_count ? anomalies : TF_NONE, reason);
	integer(c, "capture.dropped", dropped, c->host_count ? "not_recorded" : reason);
	if (!c->host)
		c->s->duration_ps = duration;
}

static int build(struct scope *c)
{
	size_t n = 0, steady = 0;
	struct tf_step_view *v = tf_step_views(c->hosts, c->host_count, &n);
	double *x = malloc((n + 1) * sizeof *x);

	if (!v || !x) {
		free(v);
		free(x);
		return tf_fail_nomem(c->err);
	}
	for (size_t i = 0; i < n; i++)
		steady += v[i].steady;
	const char *reason = step_reason(c, n);
	integer(c, "steps.count", c->host_count ? (int64_t)n : TF_NONE, reason);
	integer(c, "steps.steady_count", c->host_count ? (int64_t)steady : TF_NONE, reason);
	add_times(c, v, n, x, reason);
	add_breakdown(c, v, n, reason);
	add_devices(c);
	add_input(c, v, n, reason);
	add_calls(c);
	add_memory(c);
	add_kernels(c, v, n);
	add_ops(c);
	if (!c->host)
		add_scalars(c);
	add_capture(c);
	free(v);
	free(x);
	return c->failed ? tf_fail_nomem(c->err) : 0;
}

int tf_metrics_build(struct tf_session *s, struct tf_error *err)
{
	struct scope all = {.s = s, .hosts = s->hosts, .host_count = s->host_count, .err = err};

	s->metrics = NULL;
	s->metric_count = s->metric_cap = 0;
	if (tf_session_settle(s, err) < 0 || build(&all) < 0)
		return -1;
	for (size_t i = 0; s->host_count > 1 && i < s->host_count; i++) {
		struct scope one = {.s = s, .hosts = &s->hosts[i], .host_count = 1, .host = s->hosts[i].name, .err = err};
		if (build(&one) < 0)
			return -1;
	}
	return 0;
}

const struct tf_metric *tf_metric_find(const struct tf_session *s, const char *name)
{
	for (size_t i = 0; i < s->metric_count; i++) {
		const struct tf_metric *m = &s->metrics[i];
		size_t len = strlen(m->name);
		if (!m->host && strcmp(m->name, name) == 0)
			return m;
		if (m->host && strncmp(m->name, name, len) == 0 && name[len] == '@' && strcmp(name + len + 1, m->host) == 0)
			return m;
	}
	return NULL;
}
