/* What the gate found, a line a check. */
#include "lib/render/check_words.h"
#include "lib/render/render.h"

int tf_render_check_text(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_buf text = {0}, words = {0};

	for (size_t i = 0; i < v->check_count; i++) {
		tf_check_describe(&words, &v->checks[i], v->alpha);
		tf_buf_printf(&text, "%-12s  %s\n", tf_verdict_name(v->checks[i].verdict), words.failed ? "" : words.data);
	}
	if (v->waiver_count) {
		tf_verdict_describe_waivers(&words, v);
		tf_buf_printf(&text, "%s\n", words.failed ? "" : words.data);
	}
	tf_verdict_describe(&words, v);
	tf_buf_printf(&text, "%s\n", words.failed ? "" : words.data);
	text.failed |= words.failed;
	tf_buf_release(&words);
	return tf_check_write(to, &text, err);
}
