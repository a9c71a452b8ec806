/* What the gate found as JSON (schema tfprof.check/1). */
#include "lib/render/check_words.h"
#include "lib/render/json_writer.h"
#include "lib/render/render.h"

/* Where the rule was written: null for the command line. */
static void put_place(struct tf_json *j, const struct tf_place *place)
{
	tf_json_text(j, "file", place->file);
	tf_json_i64(j, "line", place->file ? place->line : TF_NONE);
}

static void put_waivers(struct tf_json *j, const struct tf_verdict *v)
{
	size_t count[3];

	tf_verdict_count_waivers(v, count);
	tf_json_object(j, "waivers");
	tf_json_i64(j, "used", (int64_t)count[TF_WAIVER_USED]);
	tf_json_i64(j, "expired", (int64_t)count[TF_WAIVER_EXPIRED]);
	tf_json_i64(j, "unused", (int64_t)count[TF_WAIVER_UNUSED]);
	tf_json_list(j, "list");
	for (size_t i = 0; i < v->waiver_count; i++) {
		const struct tf_waiver_use *u = &v->waivers[i];
		tf_json_object(j, NULL);
		tf_json_text(j, "metric", u->waiver.metric);
		tf_json_text(j, "kind", u->waiver.kind < 0 ? NULL : tf_check_kind_name((enum tf_check_kind)u->waiver.kind));
		tf_json_text(j, "expires", u->waiver.expires);
		tf_json_text(j, "reason", u->waiver.reason);
		tf_json_text(j, "state", tf_waiver_state_name(u->state));
		tf_json_i64(j, "checks", (int64_t)u->checks);
		put_place(j, &u->waiver.place);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_object_end(j);
}

int tf_render_check_json(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.check/1");
	tf_json_text(&j, "verdict", tf_verdict_name(v->verdict));
	tf_json_text(&j, "reason", v->reason);
	tf_json_text(&j, "session", v->session);
	tf_json_text(&j, "baseline", v->baseline);
	tf_json_list(&j, "checks");
	for (size_t i = 0; i < v->check_count; i++) {
		const struct tf_check *c = &v->checks[i];
		tf_json_object(&j, NULL);
		tf_json_text(&j, "metric", c->rule.metric);
		tf_json_text(&j, "kind", tf_check_kind_name(c->rule.kind));
		tf_json_double(&j, "value", c->value);
		tf_json_double(&j, "limit", c->rule.limit);
		tf_json_double(&j, "baseline", c->baseline);
		tf_json_double(&j, "change", c->change);
		tf_json_double(&j, "change_pct", c->change_pct);
		tf_json_double(&j, "p_value", c->p_value);
		tf_json_i64(&j, "n", c->n);
		tf_json_i64(&j, "n_baseline", c->n_baseline);
		tf_json_text(&j, "verdict", tf_verdict_name(c->verdict));
		tf_json_text(&j, "reason", c->reason);
		tf_json_text(&j, "detail", c->detail);
		tf_json_double(&j, "p_adjusted", c->p_adjusted);
		tf_json_double(&j, "shift", c->shift);
		tf_json_double(&j, "ci_low", c->ci_low);
		tf_json_double(&j, "ci_high", c->ci_high);
		put_place(&j, &c->rule.place);
		tf_json_object_end(&j);
	}
	tf_json_list_end(&j);
	tf_json_double(&j, "alpha", v->alpha);
	tf_json_i64(&j, "runs", (int64_t)v->run_count);
	tf_json_i64(&j, "baseline_runs", (int64_t)v->baseline_run_count);
	put_waivers(&j, v);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}
