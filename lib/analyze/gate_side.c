/* What a rule needs of a session, and what keeps it from being judged. */
#include "lib/analyze/gate_side.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/metric_names.h"

static unsigned needs_of(const char *metric)
{
	static const struct {
		const char *prefix;
		unsigned needs;
	} kinds[] = {
		{"scalar[", TF_NEED_EVENTS},
		{"capture.dropped", 0}, /* says itself how incomplete the capture is */
		{"steps.", TF_NEED_CAPTURE | TF_NEED_STEPS},
		{"step_", TF_NEED_CAPTURE | TF_NEED_STEPS | TF_NEED_STEADY},
		{"input.", TF_NEED_CAPTURE | TF_NEED_STEPS | TF_NEED_STEADY},
		{"kernels.launches_per_step", TF_NEED_CAPTURE | TF_NEED_STEPS | TF_NEED_STEADY},
		{"device.count", TF_NEED_CAPTURE},
		{"device.", TF_NEED_CAPTURE | TF_NEED_WINDOW},
		{"", TF_NEED_CAPTURE},
	};
	size_t i = 0;

	while (strncmp(metric, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	return kinds[i].needs;
}

static int64_t steady_steps(const struct tf_session *s, const char *host)
{
	struct tf_buf name = {0};

	tf_buf_printf(&name, host ? "steps.steady_count@%s" : "steps.steady_count", host);
	const struct tf_metric *m = name.failed ? NULL : tf_metric_find(s, name.data);
	tf_buf_release(&name);
	return m && m->is_integer ? m->integer : 0;
}

/* What the figures of the devices are over; with several of them, steps if any is over steps. */
static const char *device_window(const struct tf_session *s)
{
	const char *window = NULL;

	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].device_count; k++) {
			const char *own = s->hosts[i].devices[k].window_source;
			if (own && (!window || strcmp(own, "steps") == 0))
				window = own;
		}
	return window;
}

static bool has_inferred_steps(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].steps.source == TF_STEPS_INFERRED)
			return true;
	return false;
}

/* What the session's figure leaves out: a host of which it is not known, but for hosts without any accelerator. */
static const char *unknown_of_host(const struct tf_session *s, const char *metric, const char *host)
{
	struct tf_buf name = {0};

	tf_buf_printf(&name, "%s@%s", metric, host);
	const struct tf_metric *m = name.failed ? NULL : tf_metric_find(s, name.data);
	tf_buf_release(&name);
	if (!m || m->known || (m->reason && strcmp(m->reason, "no_device_plane") == 0))
		return NULL;
	return m->reason ? m->reason : "unknown";
}

/*
 * Why a figure of all hosts cannot be judged by what one of them lacks; of step figures it is the slowest host's of each step. A
 * baseline read from JSON has no names of hosts, and was judged when it was made.
 */
static const char *host_doubt(const struct tf_gate *g, const struct tf_side *x)
{
	for (size_t i = 0; x->s->host_count > 1 && i < x->s->host_count; i++) {
		const char *host = x->s->hosts[i].name;
		const char *reason = host ? unknown_of_host(x->s, x->metric->name, host) : NULL;
		if (reason)
			return reason;
		if (host && (x->needs & TF_NEED_STEADY) && steady_steps(x->s, host) < g->min_steps)
			return "too_few_steps";
	}
	return NULL;
}

/* Where there are accelerators, the memory of the host is not what memory.peak_bytes is about. */
static bool lacks_device_memory(const struct tf_session *s, const char *metric)
{
	bool devices = false, memory = false, hosts = false;

	if (strcmp(metric, "memory.peak_bytes") != 0)
		return false;
	for (size_t i = 0; i < s->host_count; i++) {
		const struct tf_host *h = &s->hosts[i];
		devices |= h->device_count > 0;
		for (size_t k = 0; k < h->memory_count; k++) {
			memory |= h->memory[k].on_device;
			hosts = true;
		}
	}
	return devices && hosts && !memory;
}

/* Minimum, maximum and mean are over finite points: they say nothing of a run whose last point is none. */
static bool ends_nonfinite(const struct tf_session *s, const char *metric)
{
	const char *dot = strrchr(metric, '.');
	struct tf_buf name = {0};

	if (!dot)
		return false;
	tf_buf_printf(&name, "%.*s.last", (int)(dot - metric), metric);
	const struct tf_metric *last = name.failed ? NULL : tf_metric_find(s, name.data);
	tf_buf_release(&name);
	return last && !last->known && last->reason && strcmp(last->reason, "nonfinite") == 0;
}

/* Why a side cannot be judged; NULL if it can. */
static const char *doubt(const struct tf_gate *g, const struct tf_side *x)
{
	if (!x->metric)
		return "not_in_session";
	if (!x->metric->known)
		return x->metric->reason ? x->metric->reason : "unknown";
	if ((x->needs & TF_NEED_CAPTURE) && !x->s->complete)
		return "incomplete";
	if ((x->needs & TF_NEED_EVENTS) && x->s->damaged_events)
		return "damaged";
	if ((x->needs & TF_NEED_EVENTS) && ends_nonfinite(x->s, x->metric->name))
		return "nonfinite";
	if ((x->needs & TF_NEED_STEPS) && !g->accept_inferred && has_inferred_steps(x->s))
		return "inferred_steps";
	if ((x->needs & TF_NEED_STEADY) && x->steady < g->min_steps)
		return "too_few_steps";
	if (lacks_device_memory(x->s, x->metric->name))
		return "no_memory_events";
	return x->host ? NULL : host_doubt(g, x);
}

struct tf_side tf_side_of(const struct tf_gate *g, const struct tf_session *s, const char *metric)
{
	struct tf_side x = {.s = s, .metric = tf_metric_find(s, metric), .needs = needs_of(metric)};

	if (x.needs & TF_NEED_WINDOW)
		x.window = device_window(s);
	if (x.window && strcmp(x.window, "steps") == 0)
		x.needs |= TF_NEED_STEPS | TF_NEED_STEADY;
	x.host = tf_metric_host(metric);
	x.steady = steady_steps(s, x.host);
	x.reason = doubt(g, &x);
	return x;
}

double tf_side_value(const struct tf_side *x)
{
	return x->metric && x->metric->known ? x->metric->value : (double)NAN;
}

int64_t tf_side_samples(const struct tf_side *x)
{
	if (!x->metric || !x->metric->known)
		return TF_NONE;
	return x->needs & TF_NEED_STEADY ? x->steady : x->metric->n;
}
