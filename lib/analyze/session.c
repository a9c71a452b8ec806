/* What a session is as a whole, from its hosts. */
#include "lib/analyze/analyze.h"

static int note(struct tf_session *s, const char *code, const char *message, struct tf_error *err)
{
	struct tf_note *n = tf_arena_push(&s->arena, (void **)&s->issues, &s->issue_count, &s->issue_cap, sizeof *n);

	if (!n || !message)
		return tf_fail_nomem(err);
	*n = (struct tf_note){code, message};
	return 0;
}

int tf_session_settle(struct tf_session *s, struct tf_error *err)
{
	s->start_ns = TF_NONE;
	s->framework = NULL;
	s->complete = s->host_count > 0 && s->lost_count == 0;
	for (size_t i = 0; i < s->host_count; i++) {
		const struct tf_host *h = &s->hosts[i];
		s->complete &= h->complete;
		s->framework = s->framework ? s->framework : h->framework;
		if (h->start_ns != TF_NONE && (s->start_ns == TF_NONE || h->start_ns < s->start_ns))
			s->start_ns = h->start_ns;
		for (size_t k = 0; k < h->error_count; k++)
			if (note(s, "profiler_error", h->errors[k], err) < 0)
				return -1;
		for (size_t k = 0; k < h->warning_count; k++)
			if (note(s, "profiler_warning", h->warnings[k], err) < 0)
				return -1;
		if (h->anomaly_count && note(s, "anomalies", tf_arena_printf(&s->arena,
			"%lld events with absurd times or sizes take part in no figure", (long long)h->anomaly_count),
			err) < 0)
			return -1;
		if (h->steps.device_unreliable && note(s, "device_outside_steps",
			"over 20 % of device busy time lies outside every step: per-step device figures are unreliable", err) < 0)
			return -1;
	}
	return 0;
}
