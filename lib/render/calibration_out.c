/* Allowances as a configuration (schemas/config.schema.json), one metric a line. */
#include <math.h>

#include "lib/render/check_words.h"
#include "lib/render/render.h"

/* "3.2%", "+0.05", "+1.5ms", "+4096B". */
static void put_allowance(struct tf_buf *b, const struct tf_allowance *a)
{
	if (a->is_relative)
		tf_buf_printf(b, "%.1f%%", 100 * a->amount);
	else if (a->unit == TF_UNIT_BYTES)
		tf_buf_printf(b, "+%.0fB", ceil(a->amount));
	else
		tf_buf_printf(b, "+%.6g%s", a->amount, a->unit == TF_UNIT_MS ? "ms" : "");
}

int tf_render_calibration(FILE *to, const struct tf_calibration *c, struct tf_error *err)
{
	struct tf_buf b = {0};

	tf_buf_text(&b, "{\n  \"schema\": \"tfprof.config/1\",\n  \"limits\": {\n");
	for (size_t i = 0; i < c->count; i++) {
		const struct tf_allowance *a = &c->list[i];
		tf_buf_text(&b, "    ");
		tf_buf_json_string(&b, tf_bytes_of(a->metric));
		tf_buf_text(&b, ": {\"max_regress\": \"");
		put_allowance(&b, a);
		tf_buf_printf(&b, "\"%s}%s\n", a->worse == TF_WORSE_UP	   ? ", \"worse\": \"up\""
					       : a->worse == TF_WORSE_DOWN ? ", \"worse\": \"down\"" : "",
			      i + 1 < c->count ? "," : "");
	}
	tf_buf_text(&b, "  }\n}\n");
	return tf_check_write(to, &b, err);
}
