/* Differences for a person, as text or as Markdown: the same tables either way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/diff_out.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

/* A document being written, one table at a time. */
struct sheet {
	FILE *to;
	const struct tf_diff *d;
	bool markdown, color;
	const struct tf_table_format *format;
	struct tf_row_receiver receiver;
	struct tf_buf *texts; /* of one row */
	struct tf_cell *cells;
	size_t used;
	struct tf_error *err;
	int rc; /* -1: failed, and nothing more is written */
};

/* The sessions are called A, B, C … in tables; after Z come numbers. */
static void put_letter(struct tf_buf *b, size_t side)
{
	if (side < 26)
		tf_buf_char(b, (char)('A' + side));
	else
		tf_buf_printf(b, "%zu", side + 1);
}

static void heading(struct sheet *s, const char *text)
{
	if (s->rc == 0)
		fprintf(s->to, s->markdown ? "\n#### %s\n\n" : s->color ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

/* The next cell of the row, empty. */
static struct tf_buf *cell(struct sheet *s)
{
	struct tf_buf *b = &s->texts[s->used++];

	b->len = 0;
	tf_buf_add(b, "", 0);
	return b;
}

/* Columns of figures are as wide as most of them, and lie to the right. */
enum { FIGURE_WIDTH = 11 };

static void pad(struct tf_buf *b)
{
	struct tf_buf padded = {0};

	if (b->failed)
		return;
	tf_buf_printf(&padded, "%*s", FIGURE_WIDTH, b->data);
	b->failed |= padded.failed;
	b->len = 0;
	if (!padded.failed)
		tf_buf_add(b, padded.data, padded.len);
	tf_buf_release(&padded);
}

static void end_row(struct sheet *s)
{
	bool failed = false;

	for (size_t i = 0; i < s->used; i++) {
		const struct tf_buf *b = &s->texts[i];
		failed |= b->failed;
		s->cells[i] = (struct tf_cell){.kind = TF_CELL_TEXT, .bytes = {(const uint8_t *)b->data, b->len}};
	}
	if (s->rc == 0)
		s->rc = failed ? tf_fail_nomem(s->err) : s->receiver.row(s->receiver.ctx, s->cells, s->used, s->err);
	s->used = 0;
}

/* A table with a column a session and one for the change; `what` names the things, first or last. */
static void begin(struct sheet *s, const char *what, bool first, bool change)
{
	size_t n = s->d->side_count + 1 + change;
	const char **names = calloc(n, sizeof *names);

	if (s->rc < 0 || !names || s->format->begin(s->to, &s->receiver, s->err) < 0) {
		s->rc = s->rc < 0 || names ? -1 : tf_fail_nomem(s->err);
		free(names);
		return;
	}
	if (first)
		tf_buf_text(cell(s), what);
	for (size_t i = 0; i < s->d->side_count; i++) {
		struct tf_buf *b = cell(s);
		put_letter(b, i);
		if (change)
			pad(b);
	}
	if (change) {
		struct tf_buf *b = cell(s);
		tf_buf_text(b, "change");
		pad(b);
	}
	if (!first)
		tf_buf_text(cell(s), what);
	for (size_t i = 0; i < n && s->rc == 0; i++) {
		names[i] = s->texts[i].data;
		if (s->texts[i].failed)
			s->rc = tf_fail_nomem(s->err);
	}
	s->used = 0;
	if (s->rc == 0)
		s->rc = s->receiver.columns(s->receiver.ctx, names, n, s->err);
	free(names);
}

static void end(struct sheet *s)
{
	if (!s->receiver.ctx)
		return;
	struct tf_error ignored = {0};
	if (s->format->end(&s->receiver, s->rc < 0 ? &ignored : s->err) < 0)
		s->rc = -1;
}

/* A time: in ms, and in ns where that would be 0. */
static void put_ps(struct tf_buf *b, int64_t ps, bool sign)
{
	double ms = (double)ps / 1e9;

	if (ps == TF_NONE)
		tf_buf_char(b, '-');
	else if (ps != 0 && fabs(ms) < 0.0005)
		tf_buf_printf(b, sign ? "%+.3g ns" : "%.3g ns", ms * 1e6);
	else
		tf_buf_printf(b, sign ? "%+.3f ms" : "%.3f ms", ms);
}

static void put_bytes_or_none(struct tf_buf *b, int64_t bytes, bool sign)
{
	if (bytes == TF_NONE)
		tf_buf_char(b, '-');
	else
		tf_buf_quantity(b, (double)bytes, TF_UNIT_BYTES, sign);
}

/* A long name in the middle cut: its ends tell most. */
static void put_name(struct tf_buf *b, const char *text)
{
	enum { HEAD = 20, TAIL = 34 };
	size_t len = strlen(text), head = HEAD, tail = len - TAIL;

	if (len <= HEAD + TAIL + 3) {
		tf_buf_text(b, text);
		return;
	}
	while ((text[head] & 0xc0) == 0x80)
		head--;
	while ((text[tail] & 0xc0) == 0x80)
		tail++;
	tf_buf_add(b, text, head);
	tf_buf_text(b, "…");
	tf_buf_text(b, text + tail);
}

/* What a change is besides its amount. */
static void put_kind(struct tf_buf *b, enum tf_change change)
{
	if (change == TF_CHANGE_ADDED || change == TF_CHANGE_REMOVED || change == TF_CHANGE_UNKNOWN)
		tf_buf_printf(b, "%s%s", b->len ? " " : "", tf_change_name(change));
	else if (change == TF_CHANGE_SOME)
		tf_buf_printf(b, "%sin some", b->len ? ", " : "");
}

static void put_sessions(struct sheet *s)
{
	if (s->markdown)
		fputs("### Differences\n\n", s->to);
	for (size_t i = 0; i < s->d->side_count; i++) {
		const struct tf_diff_side *side = &s->d->sides[i];
		struct tf_buf b = {0};
		put_letter(&b, i);
		if (b.failed)
			s->rc = tf_fail_nomem(s->err);
		else
			fprintf(s->to, s->markdown ? "- %s: `" : "%s  ", b.data);
		tf_buf_release(&b);
		tf_put_text(s->to, side->label, SIZE_MAX);
		if (side->session->name && !side->is_report) {
			fputs(s->markdown ? "`, `" : "  ", s->to);
			tf_put_text(s->to, side->session->run, SIZE_MAX);
			fputc('/', s->to);
			tf_put_text(s->to, side->session->name, SIZE_MAX);
		}
		fputs(s->markdown ? "`" : "", s->to);
		fputs(side->is_report ? " (a report)\n" : "\n", s->to);
	}
}

/* The step times in a sentence; of several sessions the last against the first. */
static void put_verdict(struct sheet *s)
{
	const struct tf_delta *step = &s->d->step;
	struct tf_buf last = {0}, delta = {0};

	put_letter(&last, s->d->side_count - 1);
	put_ps(&delta, step->delta == TF_NONE || step->delta >= 0 ? step->delta : -step->delta, false);
	if (last.failed || delta.failed)
		s->rc = tf_fail_nomem(s->err);
	else if (step->change == TF_CHANGE_UNKNOWN)
		fputs("\nThe step times cannot be compared: see below.\n", s->to);
	else if (step->delta == 0)
		fprintf(s->to, "\nA step of %s takes as long as one of A.\n", last.data);
	else if (step->values[0] > 0)
		fprintf(s->to, "\nA step of %s takes %s %s than one of A (%+.1f %%).\n", last.data, delta.data,
			step->delta > 0 ? "longer" : "less", 100 * (double)step->delta / (double)step->values[0]);
	tf_buf_release(&last);
	tf_buf_release(&delta);
}

static void put_facts(struct sheet *s)
{
	size_t different = 0;

	for (size_t k = 0; k < s->d->fact_count; k++)
		different += s->d->facts[k].differs;
	if (!different) {
		heading(s, "Environment and setup: no difference");
		return;
	}
	heading(s, "Environment and setup: what differs");
	begin(s, "what", true, false);
	for (size_t k = 0; k < s->d->fact_count; k++) {
		const struct tf_fact *f = &s->d->facts[k];
		if (!f->differs)
			continue;
		tf_buf_text(cell(s), f->key);
		for (size_t i = 0; i < s->d->side_count; i++)
			tf_buf_text(cell(s), f->values[i] ? f->values[i] : "-");
		end_row(s);
	}
	end(s);
}

/* The metrics that a person reads first; all are in JSON. */
static bool is_headline(const char *name)
{
	static const char *const names[] = {"step_time_ms.mean", "step_time_ms.median", "step_time_ms.p95", "input.exposed_share",
					    "input.stall_share", "device.idle_ratio.mean", "device.exposed_comm_ratio",
					    "kernels.launches_per_step", "memory.peak_bytes"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_known(const struct tf_metric *m)
{
	return m && m->known;
}

static void put_metric(struct sheet *s, const struct tf_metric_change *c)
{
	bool some = false;

	for (size_t i = 0; i < s->d->side_count; i++)
		some |= is_known(c->values[i]);
	if (!some || !is_headline(c->name))
		return;
	tf_buf_text(cell(s), c->name);
	for (size_t i = 0; i < s->d->side_count; i++) {
		struct tf_buf *b = cell(s);
		tf_buf_quantity(b, is_known(c->values[i]) ? c->values[i]->value : (double)NAN, c->unit, false);
		pad(b);
	}
	struct tf_buf *b = cell(s);
	if (isnan(c->change))
		tf_buf_text(b, "unknown");
	else
		tf_buf_quantity(b, c->change, c->unit, true);
	pad(b);
	if (isfinite(c->change_pct) && c->unit != TF_UNIT_RATIO)
		tf_buf_printf(b, " (%+.1f %%)", c->change_pct);
	end_row(s);
}

static void put_metrics(struct sheet *s)
{
	heading(s, "Figures");
	begin(s, "metric", true, true);
	for (size_t k = 0; k < s->d->metric_count; k++)
		put_metric(s, &s->d->metrics[k]);
	end(s);
}

/* A row of a tree: figures, then the name below that of its whole. */
static void put_node(struct sheet *s, const struct tf_delta *c, int depth, void (*put)(struct tf_buf *, int64_t, bool))
{
	for (size_t i = 0; i < s->d->side_count; i++) {
		struct tf_buf *b = cell(s);
		put(b, c->values[i], false);
		pad(b);
	}
	struct tf_buf *b = cell(s);
	if (c->delta != TF_NONE) {
		put(b, c->delta, true);
		pad(b);
	}
	put_kind(b, c->change);
	b = cell(s);
	for (int i = 0; i < depth; i++)
		tf_buf_text(b, s->markdown ? "› " : "  ");
	put_name(b, c->name);
	if (c->tensor && c->tensor->shape)
		tf_buf_printf(b, " %s", c->tensor->shape);
	if (c->tensor && c->tensor->dtype)
		tf_buf_printf(b, " %s", c->tensor->dtype);
	end_row(s);
}

/* What is the same everywhere is no difference. The tree is three deep. */
static void put_tree(struct sheet *s, const struct tf_delta *node, int depth, void (*put)(struct tf_buf *, int64_t, bool))
{
	put_node(s, node, depth, put);
	for (size_t i = 0; i < node->child_count; i++)
		if (node->children[i].change != TF_CHANGE_SAME)
			put_tree(s, &node->children[i], depth + 1, put);
}

static void put_waterfall(struct sheet *s)
{
	const struct tf_delta *step = &s->d->step;

	if (step->change == TF_CHANGE_UNKNOWN || step->child_count == 0)
		return;
	heading(s, "Where the time of a step goes (mean of the steady steps; parts sum to their whole)");
	begin(s, "part, op, kernel", false, true);
	put_tree(s, step, 0, put_ps);
	end(s);
}

static void put_input(struct sheet *s)
{
	bool some = false;

	for (size_t k = 0; k < s->d->stage_count; k++)
		some |= s->d->stages[k].change != TF_CHANGE_SAME;
	if (!some)
		return;
	heading(s, "Input stages (own time of a call)");
	begin(s, "stage", false, true);
	for (size_t k = 0; k < s->d->stage_count; k++) {
		const struct tf_stage_change *c = &s->d->stages[k];
		for (size_t i = 0; i < s->d->side_count; i++) {
			struct tf_buf *b = cell(s);
			put_ps(b, c->self_ps[i], false);
			pad(b);
		}
		struct tf_buf *b = cell(s);
		if (c->delta_ps != TF_NONE) {
			put_ps(b, c->delta_ps, true);
			pad(b);
		}
		put_kind(b, c->change);
		b = cell(s);
		tf_buf_printf(b, "%s ", c->pipeline);
		put_name(b, c->name);
		end_row(s);
	}
	end(s);
}

static void put_memory(struct sheet *s)
{
	bool some = false;

	for (size_t k = 0; k < s->d->memory_count; k++)
		some |= s->d->memory[k].change != TF_CHANGE_SAME || s->d->memory[k].child_count > 0;
	if (!some)
		return;
	heading(s, "Memory at its peak (tensors sum to it)");
	begin(s, "allocator, tensor", false, true);
	for (size_t k = 0; k < s->d->memory_count; k++)
		put_tree(s, &s->d->memory[k], 0, put_bytes_or_none);
	end(s);
}

static void put_notes(struct sheet *s)
{
	if (s->d->note_count)
		heading(s, "Not compared");
	for (size_t k = 0; k < s->d->note_count && s->rc == 0; k++) {
		fputs(s->markdown ? "- " : "", s->to);
		tf_put_text(s->to, s->d->notes[k], SIZE_MAX);
		fputc('\n', s->to);
	}
}

static int render(struct sheet *s)
{
	static void (*const parts[])(struct sheet *) = {put_sessions, put_verdict, put_facts, put_metrics,
							put_waterfall, put_input, put_memory, put_notes};
	size_t columns = s->d->side_count + 3;

	s->format = tf_table_format_find(s->markdown ? "md" : "table");
	s->texts = calloc(columns, sizeof *s->texts);
	s->cells = calloc(columns, sizeof *s->cells);
	if (!s->texts || !s->cells)
		s->rc = tf_fail_nomem(s->err);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0] && s->rc == 0; i++)
		parts[i](s);
	if (s->rc == 0 && (fflush(s->to) != 0 || ferror(s->to)))
		s->rc = tf_fail_errno(s->err, TF_ESYSTEM, "cannot write");
	for (size_t i = 0; s->texts && i < columns; i++)
		tf_buf_release(&s->texts[i]);
	free(s->texts);
	free(s->cells);
	return s->rc;
}

int tf_render_diff_text(FILE *to, const struct tf_diff *d, bool color, struct tf_error *err)
{
	struct sheet s = {.to = to, .d = d, .color = color, .err = err};

	return render(&s);
}

int tf_render_diff_md(FILE *to, const struct tf_diff *d, struct tf_error *err)
{
	struct sheet s = {.to = to, .d = d, .markdown = true, .err = err};

	return render(&s);
}
