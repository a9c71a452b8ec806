/* Scalar series on their way out. */
#include "lib/render/scalars_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/put_text.h"

static const char *const trends[] = {NULL, "up", "down"};

static const char *nonfinite_name(double x)
{
	return isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

static int flush(FILE *to, struct tf_error *err)
{
	return fflush(to) == 0 && !ferror(to) ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}

/* ---- text ---- */

static void put_remarks(FILE *to, const struct tf_series *s, const struct tf_scalar_summary *m)
{
	for (size_t i = 0; i < m->jump_count && i < 5; i++)
		fprintf(to, "      jumps from %.6g to %.6g at step %lld\n", m->jumps[i].before, m->jumps[i].after,
			(long long)m->jumps[i].step);
	if (m->jump_count > 5)
		fprintf(to, "      and %zu more times\n", m->jump_count - 5);
	if (m->trend != TF_TREND_NONE) {
		fprintf(to, "      %s by %.4g a step", m->trend == TF_TREND_UP ? "rises" : "falls", fabs(m->slope_per_step));
		fprintf(to, m->jump_count ? " from there on\n" : "\n");
	}
	if (m->nonfinite)
		fprintf(to, "      %zu %s not finite\n", m->nonfinite, m->nonfinite == 1 ? "value is" : "values are");
	if (s->superseded)
		fprintf(to, "      %lld %s written again later\n", (long long)s->superseded,
			s->superseded == 1 ? "point was" : "points were");
	if (m->gap_count)
		fprintf(to, "      %zu %s, the first between steps %lld and %lld\n", m->gap_count, m->gap_count == 1 ? "gap" : "gaps",
			(long long)m->gaps[0].after_step, (long long)m->gaps[0].next_step);
}

static int put_series(struct tf_scalars_out *o, const struct tf_series *s, const struct tf_scalar_summary *m, struct tf_error *err)
{
	if (!o->last_run || strcmp(o->last_run, s->run) != 0) {
		free(o->last_run);
		o->last_run = strdup(s->run);
		if (!o->last_run)
			return tf_fail_nomem(err);
		fputs(o->count ? "\n" : "", o->to);
		tf_put_text(o->to, s->run, 100);
		fprintf(o->to, "\n  %-36s %9s %12s %12s %12s %12s\n", "tag", "points", "first", "last", "min", "max");
	}
	fputs("  ", o->to);
	tf_put_padded(o->to, s->tag, 36);
	fprintf(o->to, " %9zu %12.6g %12.6g %12.6g %12.6g\n", m->count, m->first, m->last, m->min, m->max);
	put_remarks(o->to, s, m);
	for (size_t i = 0; o->points && i < s->count; i++)
		fprintf(o->to, "      %12lld %18.6f %.17g\n", (long long)s->points[i].step, s->points[i].wall_time, s->points[i].value);
	return flush(o->to, err);
}

/* ---- JSON ---- */

static void put_number(struct tf_json *j, const char *key, double x, bool exists)
{
	if (exists && !isfinite(x))
		tf_json_text(j, key, nonfinite_name(x));
	else
		tf_json_double(j, key, x);
}

static void put_lists(struct tf_json *j, const struct tf_scalar_summary *m)
{
	tf_json_list(j, "jumps");
	for (size_t i = 0; i < m->jump_count && i < TF_SCALAR_LISTED; i++) {
		tf_json_object(j, NULL);
		tf_json_integer(j, "step", m->jumps[i].step);
		tf_json_double(j, "before", m->jumps[i].before);
		tf_json_double(j, "after", m->jumps[i].after);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_i64(j, "jump_count", (int64_t)m->jump_count);
	tf_json_list(j, "gaps");
	for (size_t i = 0; i < m->gap_count && i < TF_SCALAR_LISTED; i++) {
		tf_json_object(j, NULL);
		tf_json_integer(j, "after_step", m->gaps[i].after_step);
		tf_json_integer(j, "next_step", m->gaps[i].next_step);
		tf_json_double(j, "seconds", m->gaps[i].seconds);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_i64(j, "gap_count", (int64_t)m->gap_count);
}

static void put_points(struct tf_json *j, const struct tf_series *s)
{
	tf_json_list(j, "points");
	for (size_t i = 0; i < s->count; i++) {
		tf_json_list(j, NULL);
		tf_json_integer(j, NULL, s->points[i].step);
		tf_json_double(j, NULL, s->points[i].wall_time);
		put_number(j, NULL, s->points[i].value, true);
		tf_json_list_end(j);
	}
	tf_json_list_end(j);
}

static int put_object(struct tf_scalars_out *o, const struct tf_series *s, const struct tf_scalar_summary *m, struct tf_error *err)
{
	struct tf_json *j = &o->json;

	tf_json_object(j, NULL);
	tf_json_text(j, "run", s->run);
	tf_json_text(j, "tag", s->tag);
	tf_json_i64(j, "count", (int64_t)m->count);
	tf_json_i64(j, "superseded", s->superseded);
	tf_json_i64(j, "nonfinite", (int64_t)m->nonfinite);
	tf_json_integer(j, "first_step", m->first_step);
	tf_json_integer(j, "last_step", m->last_step);
	put_number(j, "first", m->first, true);
	put_number(j, "last", m->last, true);
	tf_json_double(j, "min", m->min);
	tf_json_double(j, "max", m->max);
	tf_json_double(j, "mean", m->mean);
	tf_json_double(j, "slope_per_step", m->slope_per_step);
	tf_json_i64(j, "slope_from_step", m->slope_from);
	tf_json_text(j, "trend", trends[m->trend]);
	tf_json_double(j, "steps_per_s", m->steps_per_s);
	put_lists(j, m);
	if (o->points)
		put_points(j, s);
	tf_json_object_end(j);
	/* One series at a time: the points of all of them need not fit in memory. */
	if (j->buf.failed)
		return tf_fail_nomem(err);
	fwrite(j->buf.data, 1, j->buf.len, o->to);
	j->buf.len = 0;
	return 0;
}

/* ---- CSV ---- */

static struct tf_cell text_cell(const char *text)
{
	return (struct tf_cell){.kind = text ? TF_CELL_TEXT : TF_CELL_NULL, .bytes = tf_bytes_of(text ? text : "")};
}

static struct tf_cell integer_cell(int64_t x)
{
	return (struct tf_cell){.kind = TF_CELL_INTEGER, .integer = x};
}

static struct tf_cell number_cell(double x)
{
	return isfinite(x) ? (struct tf_cell){.kind = TF_CELL_REAL, .real = x} : text_cell(nonfinite_name(x));
}

static struct tf_cell figure_cell(double x)
{
	return isfinite(x) ? (struct tf_cell){.kind = TF_CELL_REAL, .real = x} : (struct tf_cell){.kind = TF_CELL_NULL};
}

static const char *const point_columns[] = {"run", "tag", "step", "wall_time", "value"};
static const char *const columns[] = {"run", "tag", "count", "superseded", "nonfinite", "first_step", "last_step", "first", "last", "min",
				      "max", "mean", "slope_per_step", "slope_from_step", "trend", "steps_per_s", "jump_count",
				      "gap_count"};
enum { POINT_COLUMNS = sizeof point_columns / sizeof *point_columns, COLUMNS = sizeof columns / sizeof *columns };

static int put_row(struct tf_scalars_out *o, const struct tf_series *s, const struct tf_scalar_summary *m, struct tf_error *err)
{
	struct tf_cell slope_from = m->slope_from == TF_NONE ? (struct tf_cell){.kind = TF_CELL_NULL} : integer_cell(m->slope_from);
	const struct tf_cell cells[COLUMNS] = {
		text_cell(s->run), text_cell(s->tag), integer_cell((int64_t)m->count), integer_cell(s->superseded),
		integer_cell((int64_t)m->nonfinite), integer_cell(m->first_step), integer_cell(m->last_step), number_cell(m->first),
		number_cell(m->last), figure_cell(m->min), figure_cell(m->max), figure_cell(m->mean), figure_cell(m->slope_per_step),
		slope_from, text_cell(trends[m->trend]), figure_cell(m->steps_per_s), integer_cell((int64_t)m->jump_count),
		integer_cell((int64_t)m->gap_count)};

	if (!o->points)
		return o->row.row(o->row.ctx, cells, COLUMNS, err);
	for (size_t i = 0; i < s->count; i++) {
		const struct tf_scalar_point *p = &s->points[i];
		const struct tf_cell point[POINT_COLUMNS] = {text_cell(s->run), text_cell(s->tag), integer_cell(p->step),
							     figure_cell(p->wall_time), number_cell(p->value)};
		if (o->row.row(o->row.ctx, point, POINT_COLUMNS, err) < 0)
			return -1;
	}
	return 0;
}

int tf_scalars_begin(struct tf_scalars_out *o, struct tf_error *err)
{
	if (o->form == TF_SCALARS_JSON) {
		tf_json_object(&o->json, NULL);
		tf_json_text(&o->json, "schema", "tfprof.scalars/1");
		tf_json_list(&o->json, "tags");
	} else if (o->form == TF_SCALARS_CSV) {
		o->csv = tf_table_format_find("csv");
		if (o->csv->begin(o->to, &o->row, err) < 0)
			return -1;
		return o->points ? o->row.columns(o->row.ctx, point_columns, POINT_COLUMNS, err)
				 : o->row.columns(o->row.ctx, columns, COLUMNS, err);
	}
	return 0;
}

int tf_scalars_add(struct tf_scalars_out *o, const struct tf_series *series, const struct tf_scalar_summary *summary, struct tf_error *err)
{
	int rc = o->form == TF_SCALARS_TEXT   ? put_series(o, series, summary, err)
		 : o->form == TF_SCALARS_JSON ? put_object(o, series, summary, err) : put_row(o, series, summary, err);

	o->count++;
	return rc;
}

int tf_scalars_end(struct tf_scalars_out *o, struct tf_error *err)
{
	free(o->last_run);
	if (o->form == TF_SCALARS_TEXT)
		return flush(o->to, err);
	if (o->form == TF_SCALARS_CSV)
		return o->csv->end(&o->row, err);
	tf_json_list_end(&o->json);
	tf_json_object_end(&o->json);
	return tf_json_finish(&o->json, o->to, err);
}
