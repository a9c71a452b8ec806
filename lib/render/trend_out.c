/* The history of a metric as text and as JSON. */
#include "lib/render/trend_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/analyze/metric_names.h"
#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

/* The change that begins at a point, NULL if none does. */
static const struct tf_trend_change *change_at(const struct tf_metric_trend *t, size_t point)
{
	for (size_t i = 0; i < t->change_count; i++)
		if (t->changes[i].point == point)
			return &t->changes[i];
	return NULL;
}

static void put_points_json(struct tf_json *j, const struct tf_metric_trend *t)
{
	tf_json_list(j, "sessions");
	for (size_t i = 0; i < t->point_count; i++) {
		const struct tf_trend_point *p = &t->points[i];
		tf_json_object(j, NULL);
		tf_json_i64(j, "session_id", p->session_id);
		tf_json_text(j, "run", p->run);
		tf_json_text(j, "name", p->name);
		tf_json_i64(j, "start_ns", p->start_ns);
		tf_json_double(j, "value", p->value);
		tf_json_bool(j, "used", !p->reason);
		tf_json_text(j, "reason", p->reason);
		tf_json_text(j, "environment", p->environment);
		tf_json_bool(j, "change_point", change_at(t, i) != NULL);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_segments_json(struct tf_json *j, const struct tf_metric_trend *t)
{
	tf_json_list(j, "segments");
	for (size_t i = 0; i < t->segment_count; i++) {
		const struct tf_trend_segment *g = &t->segments[i];
		tf_json_object(j, NULL);
		tf_json_i64(j, "first", (int64_t)g->first);
		tf_json_i64(j, "last", (int64_t)g->last);
		tf_json_i64(j, "count", (int64_t)g->count);
		tf_json_double(j, "median", g->median);
		tf_json_double(j, "mean", g->mean);
		tf_json_double(j, "min", g->min);
		tf_json_double(j, "max", g->max);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_changes_json(struct tf_json *j, const struct tf_metric_trend *t)
{
	tf_json_list(j, "change_points");
	for (size_t i = 0; i < t->change_count; i++) {
		const struct tf_trend_change *c = &t->changes[i];
		tf_json_object(j, NULL);
		tf_json_i64(j, "index", (int64_t)c->point);
		tf_json_double(j, "before", c->before);
		tf_json_double(j, "after", c->after);
		tf_json_double(j, "change", c->change);
		tf_json_double(j, "change_pct", c->change_pct);
		tf_json_double(j, "p_value", c->p_value);
		tf_json_double(j, "q", c->q);
		tf_json_text(j, "verdict", tf_trend_verdict_name(c->verdict));
		tf_json_bool(j, "environment_differs", c->environment_differs);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

int tf_render_trend_json(FILE *to, const struct tf_metric_trend *t, const struct tf_trend_view *v, struct tf_error *err)
{
	static const char *const worse[] = {NULL, "up", "down"};
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.trend/1");
	tf_json_text(&j, "metric", v->metric);
	tf_json_text(&j, "unit", tf_unit_name(v->unit));
	tf_json_text(&j, "worse", worse[v->options->worse]);
	tf_json_text(&j, "verdict", tf_trend_verdict_name(t->verdict));
	tf_json_text(&j, "reason", t->reason);
	tf_json_object(&j, "method");
	tf_json_text(&j, "name", "e_divisive");
	tf_json_i64(&j, "permutations", TF_CHANGE_PERMUTATIONS);
	tf_json_double(&j, "alpha", v->options->find.alpha);
	tf_json_i64(&j, "min_size", (int64_t)v->options->find.min_size);
	tf_json_double(&j, "min_effect", v->options->min_effect);
	tf_json_object_end(&j);
	tf_json_i64(&j, "used", (int64_t)t->used_count);
	put_points_json(&j, t);
	put_segments_json(&j, t);
	put_changes_json(&j, t);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}

/* Points that fit a line of the terminal. */
enum { SPARKS = 80 };

/* Heights of the used values among them; a dot or a space stands for one that is not used. Marks where changes begin below. */
static void put_sparks(FILE *to, const struct tf_metric_trend *t, const struct tf_trend_view *v)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char signs[] = "_.-~=+*#";
	size_t first = t->point_count > SPARKS ? t->point_count - SPARKS : 0;
	double low = INFINITY, high = -INFINITY;
	bool marked = false;

	for (size_t i = first; i < t->point_count; i++)
		if (!t->points[i].reason) {
			low = fmin(low, t->points[i].value);
			high = fmax(high, t->points[i].value);
		}
	if (!(low <= high))
		return;
	for (size_t i = first; i < t->point_count; i++) {
		double share = high > low ? t->points[i].value / (high - low) - low / (high - low) : 0.5;
		size_t level = share >= 1 ? 7 : share > 0 ? (size_t)(8 * share) : 0;
		if (t->points[i].reason)
			fputs(v->utf8 ? "·" : " ", to);
		else if (v->utf8)
			fputs(blocks[level], to);
		else
			fputc(signs[level], to);
		marked |= change_at(t, i) != NULL;
	}
	struct tf_buf range = {0};
	tf_buf_quantity(&range, low, v->unit, false);
	tf_buf_text(&range, " to ");
	tf_buf_quantity(&range, high, v->unit, false);
	fprintf(to, "  %s\n", range.failed ? "" : range.data);
	tf_buf_release(&range);
	for (size_t i = first; marked && i < t->point_count; i++)
		fputc(change_at(t, i) ? '^' : ' ', to);
	if (marked)
		fputc('\n', to);
}

/* "+3.9 ms (+34.8 %), p = 0.001". */
static void describe(struct tf_buf *b, const struct tf_trend_change *c, enum tf_unit unit)
{
	tf_buf_quantity(b, c->change, unit, true);
	if (isfinite(c->change_pct))
		tf_buf_printf(b, " (%+.1f %%)", c->change_pct);
	tf_buf_printf(b, ", p = %.3g", c->p_value);
	if (c->environment_differs)
		tf_buf_text(b, ", other environment");
}

static void put_name(struct tf_buf *b, const struct tf_trend_point *p)
{
	tf_buf_printf(b, "%s%s%s", p->run, p->name ? "/" : "", p->name ? p->name : "");
}

/* The verdict in a line. */
static void put_verdict(struct tf_buf *b, const struct tf_metric_trend *t, const struct tf_trend_view *v)
{
	const struct tf_trend_change *last = t->change_count ? &t->changes[t->change_count - 1] : NULL;

	tf_buf_text(b, tf_trend_verdict_name(t->verdict));
	if (t->reason)
		tf_buf_printf(b, " (%s)", t->reason);
	if (last) {
		tf_buf_text(b, ": since ");
		put_name(b, &t->points[last->point]);
		tf_buf_text(b, " the median went from ");
		tf_buf_quantity(b, last->before, v->unit, false);
		tf_buf_text(b, " to ");
		tf_buf_quantity(b, last->after, v->unit, false);
		tf_buf_text(b, ", ");
		describe(b, last, v->unit);
	} else if (t->used_count >= TF_TREND_LEAST) {
		tf_buf_printf(b, ": no change in %zu values", t->used_count);
	}
}

static void put_start(struct tf_buf *b, int64_t start_ns)
{
	time_t seconds = (time_t)(start_ns / 1000000000);
	struct tm when;
	char text[32];

	if (start_ns == TF_NONE || !gmtime_r(&seconds, &when) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &when))
		tf_buf_char(b, '-');
	else
		tf_buf_text(b, text);
}

/* A row: session, start, value, what there is to say of it. */
static int put_row(const struct tf_row_receiver *r, const struct tf_metric_trend *t, size_t i, enum tf_unit unit, struct tf_buf texts[4],
		   struct tf_error *err)
{
	const struct tf_trend_point *p = &t->points[i];
	const struct tf_trend_change *c = change_at(t, i);
	struct tf_cell cells[4];
	struct tf_buf value = {0};

	for (int k = 0; k < 4; k++) {
		texts[k].len = 0;
		tf_buf_add(&texts[k], "", 0);
	}
	put_name(&texts[0], p);
	put_start(&texts[1], p->start_ns);
	tf_buf_quantity(&value, p->value, unit, false);
	tf_buf_printf(&texts[2], "%11s", value.failed ? "" : value.data);
	if (p->reason)
		tf_buf_printf(&texts[3], "not used: %s", p->reason);
	else if (c)
		tf_buf_printf(&texts[3], "<- %s: ", tf_trend_verdict_name(c->verdict));
	if (c)
		describe(&texts[3], c, unit);
	bool failed = value.failed;
	for (int k = 0; k < 4; k++) {
		failed |= texts[k].failed;
		cells[k] = (struct tf_cell){.kind = TF_CELL_TEXT, .bytes = {(const uint8_t *)texts[k].data, texts[k].len}};
	}
	tf_buf_release(&value);
	return failed ? tf_fail_nomem(err) : r->row(r->ctx, cells, 4, err);
}

static int put_table(FILE *to, const struct tf_metric_trend *t, enum tf_unit unit, struct tf_error *err)
{
	static const char *const names[] = {"session", "start (UTC)", "value", ""};
	const struct tf_table_format *format = tf_table_format_find("table");
	struct tf_row_receiver r;
	struct tf_buf texts[4] = {{0}};
	struct tf_error ignored;

	if (format->begin(to, &r, err) < 0)
		return -1;
	int rc = r.columns(r.ctx, names, 4, err);
	for (size_t i = 0; i < t->point_count && rc == 0; i++)
		rc = put_row(&r, t, i, unit, texts, err);
	if (format->end(&r, rc < 0 ? &ignored : err) < 0)
		rc = -1;
	for (int k = 0; k < 4; k++)
		tf_buf_release(&texts[k]);
	return rc;
}

int tf_render_trend_text(FILE *to, const struct tf_metric_trend *t, const struct tf_trend_view *v, struct tf_error *err)
{
	struct tf_buf b = {0};

	tf_put_text(to, v->metric, SIZE_MAX);
	fprintf(to, ": %zu %s", t->point_count, tf_metric_is_scalar(v->metric) ? "runs" : "sessions");
	if (t->used_count < t->point_count)
		fprintf(to, ", %zu of them not used", t->point_count - t->used_count);
	fputc('\n', to);
	put_sparks(to, t, v);
	put_verdict(&b, t, v);
	if (b.failed) {
		tf_buf_release(&b);
		return tf_fail_nomem(err);
	}
	fputs(v->color ? "\033[1m" : "", to);
	tf_put_text(to, b.data, SIZE_MAX);
	fputs(v->color ? "\033[0m\n\n" : "\n\n", to);
	tf_buf_release(&b);
	return put_table(to, t, v->unit, err);
}
