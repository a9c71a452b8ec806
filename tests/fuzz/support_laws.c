/* A trace through every analysis, and what METRICS.md promises of the results. */
#include "tests/fuzz/fuzz.h"

#include "lib/analyze/analyze.h"

static void check_order(const struct tf_trace *t)
{
	size_t events = 0;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		HOLDS(line->event_first == events);
		events += line->event_count;
		for (size_t i = line->event_first + 1; i < events; i++)
			HOLDS(t->events.start_ps[i - 1] <= t->events.start_ps[i]);
	}
	HOLDS(events == t->events.count);
	for (size_t i = 0; i < events; i++)
		HOLDS(t->events.meta[i] < t->meta_count
		      && (size_t)t->events.stat_first[i] + t->events.stat_count[i] <= t->stats.count);
}

static bool is_share(double x)
{
	return isnan(x) || (x >= 0 && x <= 1);
}

/* Law 3: parts of a step add up. Law 2: a union is no longer than what it lies in. */
static void check_steps(const struct tf_steps *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct tf_step *step = &s->list[i];
		int64_t sum = 0;
		HOLDS(step->step_ps >= 0);
		HOLDS(i == 0 || s->list[i - 1].start_ps <= step->start_ps);
		for (int p = 0; step->has_breakdown && p < TF_PART_COUNT; p++) {
			HOLDS(step->part_ps[p] >= 0);
			sum += step->part_ps[p];
		}
		HOLDS(!step->has_breakdown || sum == step->step_ps);
		HOLDS(step->input_ps == TF_NONE || (step->input_ps >= 0 && step->input_ps <= step->step_ps));
	}
}

static void check_host(const struct tf_host *h)
{
	check_steps(&h->steps);
	for (size_t i = 0; i < h->device_count; i++) {
		const struct tf_device *d = &h->devices[i];
		HOLDS(is_share(d->idle_ratio));
		if (d->window_source)
			HOLDS(d->busy_ps >= 0 && d->busy_ps <= d->window_ps && d->kernel_ps <= d->busy_ps
			      && d->exposed_comm_ps <= d->comm_ps);
	}
	for (size_t i = 0; i < h->memory_count; i++)
		HOLDS(is_share(h->memory[i].fragmentation));
}

void fuzz_analyze(struct tf_trace *t)
{
	struct tf_session session = {.id = TF_NONE, .run = "r", .name = "s"};
	struct tf_derived d = {0};
	struct tf_error err = {0};

	HOLDS(tf_trace_finish(t, &err) == 0);
	check_order(t);
	session.hosts = tf_arena_alloc(&session.arena, sizeof *session.hosts);
	HOLDS(session.hosts);
	session.host_count = session.host_cap = 1;
	session.hosts[0].name = "h";
	HOLDS(tf_analyze_host(t, NULL, &session.arena, session.hosts, &d, &err) == 0);
	check_host(session.hosts);
	HOLDS(tf_metrics_build(&session, &err) == 0);
	for (size_t i = 0; i < session.metric_count; i++) {
		const struct tf_metric *m = &session.metrics[i];
		HOLDS(m->known ? isfinite(m->value) : m->reason != NULL);
		HOLDS(!m->known || m->unit != TF_UNIT_RATIO || is_share(m->value));
	}
	tf_derived_release(&d);
	tf_session_release(&session);
}
