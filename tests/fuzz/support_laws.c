/* A trace through every analysis, and what METRICS.md promises of the results. */
#include "tests/fuzz/fuzz.h"

#include "lib/analyze/analyze.h"
#include "lib/analyze/from_sidecar.h"
#include "lib/analyze/steps.h"

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
		int64_t sum = 0, dur_ps;
		HOLDS(step->step_ps >= 0);
		HOLDS(i == 0 || tf_step_marked_begin(&s->list[i - 1], &dur_ps) <= tf_step_marked_begin(step, &dur_ps));
		HOLDS(step->period_ps == TF_NONE || step->period_ps >= 0);
		for (int p = 0; step->has_breakdown && p < TF_PART_COUNT; p++) {
			HOLDS(step->part_ps[p] >= 0);
			HOLDS(!__builtin_add_overflow(sum, step->part_ps[p], &sum));
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

/* A session of one host, whose name is "h". */
static struct tf_session session_init(void)
{
	struct tf_session s = {.id = TF_NONE, .run = "r", .name = "s"};

	s.hosts = tf_arena_alloc(&s.arena, sizeof *s.hosts);
	HOLDS(s.hosts);
	s.host_count = s.host_cap = 1;
	s.hosts[0].name = "h";
	return s;
}

static void check_session(struct tf_session *s)
{
	struct tf_error err = {0};

	check_host(s->hosts);
	HOLDS(tf_metrics_build(s, &err) == 0);
	for (size_t i = 0; i < s->metric_count; i++) {
		const struct tf_metric *m = &s->metrics[i];
		HOLDS(m->known ? isfinite(m->value) : m->reason != NULL);
		HOLDS(!m->known || m->unit != TF_UNIT_RATIO || is_share(m->value));
	}
}

void fuzz_analyze(struct tf_trace *t)
{
	struct tf_session session = session_init();
	struct tf_derived d = {0};
	struct tf_error err = {0};

	HOLDS(tf_trace_finish(t, &err) == 0);
	check_order(t);
	HOLDS(tf_analyze_host(t, NULL, &session.arena, session.hosts, &d, &err) == 0);
	check_session(&session);
	tf_derived_release(&d);
	tf_session_release(&session);
}

int fuzz_trace(fuzz_decoder *decode, const uint8_t *data, size_t size)
{
	struct tf_trace t = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};

	HOLDS(tf_trace_init(&t, &err) == 0);
	if (size && decode((struct tf_bytes){data, size}, &t, &file, &arena, &err) == 0) {
		HOLDS(!t.truncated || file.issue_total > 0);
		fuzz_analyze(&t);
	}
	HOLDS(err.code == TF_OK || err.code == TF_EFORMAT);
	tf_trace_release(&t);
	tf_arena_release(&arena);
	return 0;
}

void fuzz_sidecar(const struct tf_sidecar *s, bool truncated)
{
	struct tf_session session = session_init();
	struct tf_error err = {0};

	HOLDS(tf_host_from_sidecar(s, truncated, &session.arena, session.hosts, &err) == 0);
	check_session(&session);
	tf_session_release(&session);
}
