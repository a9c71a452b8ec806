/*
 * What the gate found as annotations of GitHub Actions: "::error file=F,line=N,title=T::MESSAGE", in which "%", CR and LF are written
 * %25, %0D, %0A, and in properties ":" and "," too, %3A and %2C. Of one kind GitHub shows ten a step.
 */
#include <stdlib.h>

#include "lib/render/check_words.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

enum { MOST_ANNOTATIONS = 10 };

static void put_escaped(struct tf_buf *b, const char *text, bool property)
{
	for (; *text; text++) {
		bool special = *text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ','));
		if (special)
			tf_buf_printf(b, "%%%02X", *text);
		else
			tf_buf_char(b, *text);
	}
}

static void put_annotation(struct tf_buf *b, struct tf_buf *words, const struct tf_check *c, const struct tf_verdict *v)
{
	tf_buf_text(b, c->verdict == TF_FAIL || !v->lenient ? "::error " : "::warning ");
	if (c->rule.place.file) {
		tf_buf_text(b, "file=");
		put_escaped(b, c->rule.place.file, true);
		tf_buf_printf(b, ",line=%lld,", (long long)c->rule.place.line);
	}
	words->len = 0;
	tf_buf_printf(words, "tfprof: %s", c->rule.metric);
	if (words->failed)
		return;
	tf_make_printable(words->data, words->len);
	tf_buf_text(b, "title=");
	put_escaped(b, words->data, true);
	tf_buf_text(b, "::");
	tf_check_describe(words, c, v->alpha);
	if (words->failed)
		return;
	put_escaped(b, tf_verdict_name(c->verdict), false);
	tf_buf_text(b, ": ");
	put_escaped(b, words->data, false);
	tf_buf_char(b, '\n');
}

/* A verdict that no check explains. */
static void put_reason(struct tf_buf *b, const struct tf_verdict *v)
{
	tf_buf_printf(b, "%s title=tfprof::%s: %s\n", v->lenient ? "::warning" : "::error", tf_verdict_name(v->verdict), v->reason);
}

int tf_render_check_github(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	const struct tf_check **list = tf_verdict_worst_first(v);
	struct tf_buf text = {0}, words = {0};
	size_t bad = 0;

	if (v->reason)
		put_reason(&text, v);
	for (size_t i = 0; list && i < v->check_count; i++)
		bad += list[i]->verdict == TF_FAIL || list[i]->verdict == TF_INCONCLUSIVE;
	for (size_t i = 0; list && i < bad && i < MOST_ANNOTATIONS; i++)
		put_annotation(&text, &words, list[i], v);
	tf_verdict_describe_waivers(&words, v);
	tf_buf_printf(&text, v->waiver_count ? "::notice title=tfprof::%s\n" : "%s", words.failed ? "" : words.data);
	text.failed |= words.failed || !list;
	tf_buf_release(&words);
	free(list);
	return tf_check_write(to, &text, err);
}
