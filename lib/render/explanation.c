/* Explanations of metrics as text and JSON. */
#include "lib/render/explanation.h"

#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"

static void put_value(FILE *to, const struct tf_explained *e)
{
	const struct tf_metric *m = e->recorded;

	tf_put_text(to, e->metric, SIZE_MAX);
	if (!m)
		fputs(" = unknown: the session has no such metric", to);
	else if (!m->known)
		fprintf(to, " = unknown: %s", m->reason ? m->reason : "");
	else if (m->is_integer)
		fprintf(to, " = %lld %s", (long long)m->integer, tf_unit_name(m->unit));
	else
		fprintf(to, " = %.9g %s", m->value, tf_unit_name(m->unit));
	if (m && m->n != TF_NONE)
		fprintf(to, " (n = %lld)", (long long)m->n);
	fputc('\n', to);
}

int tf_render_explained_text(FILE *to, const struct tf_explained *e, struct tf_error *err)
{
	put_value(to, e);
	fputs("in ", to);
	tf_put_text(to, e->session, SIZE_MAX);
	fprintf(to, "\n\n%s\n%s\n\n%s\n\n", e->definition, e->source, e->value_sql);
	if (isnan(e->recomputed))
		fputs("gives nothing\n\n", to);
	else
		fprintf(to, "gives %.9g\n\n", e->recomputed);
	fprintf(to, "%s\n\n", e->rows_sql);
	return fflush(to) == 0 && !ferror(to) ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}

int tf_render_explained_json(FILE *to, const struct tf_explained *e, struct tf_error *err)
{
	const struct tf_metric *m = e->recorded;
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.explain/1");
	tf_json_text(&j, "metric", e->metric);
	tf_json_text(&j, "session", e->session);
	if (m && m->known && m->is_integer)
		tf_json_integer(&j, "value", m->integer);
	else
		tf_json_double(&j, "value", m && m->known ? m->value : (double)NAN);
	tf_json_text(&j, "reason", m ? m->reason : "not_in_session");
	tf_json_text(&j, "unit", m ? tf_unit_name(m->unit) : NULL);
	tf_json_text(&j, "definition", e->definition);
	tf_json_text(&j, "source", e->source);
	tf_json_text(&j, "sql", e->value_sql);
	tf_json_text(&j, "rows_sql", e->rows_sql);
	tf_json_double(&j, "recomputed", e->recomputed);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}
