/* What the gate found as Markdown for a pull request's comment or a step's summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/check_words.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

/* A comment of GitHub has at most so many characters; what says how many checks are left out needs some of them. */
enum { MOST_BYTES = 65536, LAST_BYTES = 512 };

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/*
 * Text that Markdown takes for nothing else: no markup, table, HTML, mention, emoji or link comes of it. An underscore within a word
 * and a colon before a space mean nothing there.
 */
static void put_md(struct tf_buf *b, const char *text)
{
	char before = ' ';

	for (; *text; before = *text++) {
		bool harmless = (*text == '_' && is_word(before) && is_word(text[1])) || (*text == ':' && text[1] == ' ');
		if (!harmless && strchr("&<>|`*_[]\\@#~$:!", *text))
			tf_buf_printf(b, "&#%d;", *text);
		else
			tf_buf_char(b, *text);
	}
}

static void put_printable(struct tf_buf *b, struct tf_buf *scratch, const char *text)
{
	scratch->len = 0;
	tf_buf_text(scratch, text);
	if (scratch->failed)
		return;
	tf_make_printable(scratch->data, scratch->len);
	put_md(b, scratch->data);
}

static void put_figure(struct tf_buf *b, double value, enum tf_unit unit)
{
	if (isnan(value))
		tf_buf_text(b, "–");
	else
		tf_check_put_value(b, value, unit);
	tf_buf_text(b, " | ");
}

static void put_row(struct tf_buf *b, struct tf_buf *scratch, const struct tf_check *c)
{
	tf_buf_printf(b, "| %s | <code>", tf_verdict_name(c->verdict));
	put_printable(b, scratch, c->rule.metric);
	tf_buf_printf(b, "</code> | %s | ", tf_check_kind_name(c->rule.kind));
	put_figure(b, c->value, c->rule.unit);
	put_figure(b, c->baseline, c->rule.unit);
	if (isfinite(c->change_pct))
		tf_buf_printf(b, "%+.1f %%", c->change_pct);
	tf_buf_text(b, " | ");
	put_figure(b, c->rule.limit, c->rule.unit);
	if (isfinite(c->p_adjusted))
		tf_buf_printf(b, "%.2g", c->p_adjusted);
	tf_buf_text(b, " | ");
	put_printable(b, scratch, c->reason ? c->reason : "");
	if (c->detail) {
		tf_buf_text(b, " (");
		put_printable(b, scratch, c->detail);
		tf_buf_text(b, ")");
	}
	tf_buf_text(b, " |\n");
}

/* Names of hundreds of sessions are cut, between characters. */
static void put_head(struct tf_buf *b, struct tf_buf *scratch, const struct tf_verdict *v)
{
	size_t most = MOST_BYTES / 16;

	tf_buf_printf(b, "### tfprof check: %s\n\n", tf_verdict_name(v->verdict));
	tf_verdict_describe(scratch, v);
	while (!scratch->failed && scratch->len > most + 3 && most && ((unsigned char)scratch->data[most] & 0xc0) == 0x80)
		most--;
	if (!scratch->failed && scratch->len > most + 3)
		memcpy(scratch->data + most, "...", 4);
	if (!scratch->failed)
		put_md(b, scratch->data);
	tf_buf_text(b, "\n\n");
}

int tf_render_check_md(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	const struct tf_check **list = tf_verdict_worst_first(v);
	struct tf_buf text = {0}, scratch = {0};
	size_t shown = 0;

	put_head(&text, &scratch, v);
	if (v->check_count)
		tf_buf_text(&text, "| | metric | | value | baseline | change | limit | p | |\n|---|---|---|--:|--:|--:|--:|--:|---|\n");
	for (size_t before; list && shown < v->check_count; shown++) {
		before = text.len;
		put_row(&text, &scratch, list[shown]);
		if (text.len > MOST_BYTES - LAST_BYTES) {
			text.len = before;
			break;
		}
	}
	if (shown < v->check_count)
		tf_buf_printf(&text, "\n%zu more checks are not shown.\n", v->check_count - shown);
	tf_verdict_describe_waivers(&scratch, v);
	if (v->waiver_count)
		tf_buf_printf(&text, "\n%s\n", scratch.failed ? "" : scratch.data);
	text.failed |= scratch.failed || !list;
	tf_buf_release(&scratch);
	free(list);
	return tf_check_write(to, &text, err);
}
