/* Rows of a query as an aligned table, CSV (RFC 4180), TSV, JSON, JSON lines or Markdown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/vec.h"
#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

/* Cells wider than this are cut in a table. */
enum { CELL_WIDTH = 60 };

/* A cell kept for an aligned table. */
struct kept {
	char *text;
	bool number;
};

struct writer {
	FILE *to;
	char **names;
	size_t columns, rows;
	struct kept *cells;
	size_t cell_count, cell_cap;
	bool lines; /* jsonl */
};

static struct writer *new_writer(FILE *to, struct tf_error *err)
{
	struct writer *w = calloc(1, sizeof *w);

	if (w)
		w->to = to;
	else
		tf_fail_nomem(err);
	return w;
}

static int keep_names(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;

	w->names = calloc(n + 1, sizeof *w->names);
	if (!w->names)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		w->names[i] = strdup(names[i]);
		if (!w->names[i])
			return tf_fail_nomem(err);
		w->columns++;
	}
	return 0;
}

static void free_writer(struct writer *w)
{
	for (size_t i = 0; i < w->columns; i++)
		free(w->names[i]);
	for (size_t i = 0; i < w->cell_count; i++)
		free(w->cells[i].text);
	free(w->names);
	free(w->cells);
	free(w);
}

static int finish(struct tf_row_receiver *r, int rc, struct tf_error *err)
{
	struct writer *w = r->ctx;

	if (rc == 0 && (fflush(w->to) != 0 || ferror(w->to)))
		rc = tf_fail_errno(err, TF_ESYSTEM, "cannot write");
	free_writer(w);
	r->ctx = NULL;
	return rc;
}

static void add_base64(struct tf_buf *b, struct tf_bytes data)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < data.len; i += 3) {
		size_t left = data.len - i;
		uint32_t v = (uint32_t)data.data[i] << 16 | (left > 1 ? (uint32_t)data.data[i + 1] << 8 : 0)
			     | (left > 2 ? data.data[i + 2] : 0);
		tf_buf_char(b, digits[v >> 18]);
		tf_buf_char(b, digits[v >> 12 & 63]);
		tf_buf_char(b, left > 1 ? digits[v >> 6 & 63] : '=');
		tf_buf_char(b, left > 2 ? digits[v & 63] : '=');
	}
}

/* The cell as plain text: NULL is empty. */
static void add_plain(struct tf_buf *b, const struct tf_cell *c)
{
	switch (c->kind) {
	case TF_CELL_INTEGER:
		tf_buf_printf(b, "%lld", (long long)c->integer);
		break;
	case TF_CELL_REAL:
		if (isfinite(c->real))
			tf_buf_json_double(b, c->real);
		else
			tf_buf_text(b, c->real > 0 ? "Infinity" : "-Infinity");
		break;
	case TF_CELL_TEXT:
		tf_buf_add(b, (const char *)c->bytes.data, c->bytes.len);
		break;
	case TF_CELL_BLOB:
		add_base64(b, c->bytes);
		break;
	case TF_CELL_NULL:
		break;
	}
}

/* ---- table and Markdown ---- */

/* The same for people: fractions of usual size have six decimals. The exact ones are in CSV and JSON. */
static void add_readable(struct tf_buf *b, const struct tf_cell *c)
{
	if (c->kind == TF_CELL_REAL && fabs(c->real) >= 1e-4 && fabs(c->real) < 1e15 && c->real != floor(c->real))
		tf_buf_printf(b, "%.6f", c->real);
	else
		add_plain(b, c);
}

/* The text on one line, cut to a width in characters. */
static char *one_line(struct tf_buf *b, size_t width)
{
	size_t chars = 0, i;

	tf_make_printable(b->data, b->len);
	for (i = 0; i < b->len; i++)
		if (((unsigned char)b->data[i] & 0xc0) != 0x80 && chars++ == width)
			break;
	bool cut = i < b->len;
	b->len = i;
	if (cut)
		tf_buf_text(b, "…");
	else
		tf_buf_add(b, "", 0);
	return b->failed ? NULL : strdup(b->data);
}

static int keep_row(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;

	for (size_t i = 0; i < n; i++) {
		struct tf_buf b = {0};
		add_readable(&b, &cells[i]);
		char *text = one_line(&b, CELL_WIDTH);
		tf_buf_release(&b);
		if (!text || tf_vec_reserve((void **)&w->cells, &w->cell_cap, w->cell_count + 1, sizeof *w->cells) < 0) {
			free(text);
			return tf_fail_nomem(err);
		}
		bool number = cells[i].kind == TF_CELL_INTEGER || cells[i].kind == TF_CELL_REAL || cells[i].kind == TF_CELL_NULL;
		w->cells[w->cell_count++] = (struct kept){text, number};
	}
	w->rows++;
	return 0;
}

static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void put_cell(FILE *to, const char *text, size_t width, bool right, bool last)
{
	size_t pad = width - width_of(text);

	if (right)
		fprintf(to, "%*s%s", (int)pad, "", text);
	else if (last)
		fputs(text, to);
	else
		fprintf(to, "%s%*s", text, (int)pad, "");
	if (!last)
		fputs("  ", to);
}

static int end_table(struct tf_row_receiver *r, struct tf_error *err)
{
	struct writer *w = r->ctx;
	size_t *widths = calloc(w->columns + 1, sizeof *widths);
	bool *right = calloc(w->columns + 1, sizeof *right);
	int rc = widths && right ? 0 : tf_fail_nomem(err);

	for (size_t c = 0; rc == 0 && c < w->columns; c++) {
		widths[c] = width_of(w->names[c]);
		right[c] = w->rows > 0;
		for (size_t i = 0; i < w->rows; i++) {
			const struct kept *k = &w->cells[i * w->columns + c];
			size_t own = width_of(k->text);
			widths[c] = own > widths[c] ? own : widths[c];
			right[c] &= k->number;
		}
	}
	for (size_t c = 0; rc == 0 && c < w->columns; c++)
		put_cell(w->to, w->names[c], widths[c], right[c], c + 1 == w->columns);
	if (rc == 0 && w->columns)
		fputc('\n', w->to);
	for (size_t i = 0; rc == 0 && i < w->rows; i++) {
		for (size_t c = 0; c < w->columns; c++)
			put_cell(w->to, w->cells[i * w->columns + c].text, widths[c], right[c], c + 1 == w->columns);
		fputc('\n', w->to);
	}
	free(widths);
	free(right);
	return finish(r, rc, err);
}

static int begin_table(FILE *to, struct tf_row_receiver *r, struct tf_error *err)
{
	*r = (struct tf_row_receiver){new_writer(to, err), keep_names, keep_row};
	return r->ctx ? 0 : -1;
}

static void put_markdown(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', to);
		fputc(*text, to);
	}
}

static int markdown_names(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;

	for (size_t i = 0; i < n; i++) {
		fputs(i ? " | " : "| ", w->to);
		put_markdown(w->to, names[i]);
	}
	fputs(" |\n", w->to);
	for (size_t i = 0; i < n; i++)
		fputs(i ? "|---" : "|---", w->to);
	fputs("|\n", w->to);
	return keep_names(ctx, names, n, err);
}

static int markdown_row(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;
	struct tf_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		b.len = 0;
		add_readable(&b, &cells[i]);
		tf_buf_add(&b, "", 0);
		if (b.failed)
			break;
		tf_make_printable(b.data, b.len);
		fputs(i ? " | " : "| ", w->to);
		put_markdown(w->to, b.data);
	}
	fputs(" |\n", w->to);
	int rc = b.failed ? tf_fail_nomem(err) : 0;
	tf_buf_release(&b);
	return rc;
}

static int begin_markdown(FILE *to, struct tf_row_receiver *r, struct tf_error *err)
{
	*r = (struct tf_row_receiver){new_writer(to, err), markdown_names, markdown_row};
	return r->ctx ? 0 : -1;
}

static int end_plain(struct tf_row_receiver *r, struct tf_error *err)
{
	return finish(r, 0, err);
}

/* ---- CSV ---- */

static void put_csv(FILE *to, const char *data, size_t len)
{
	bool quote = false;

	for (size_t i = 0; i < len; i++)
		quote |= data[i] == ',' || data[i] == '"' || data[i] == '\n' || data[i] == '\r';
	if (quote)
		fputc('"', to);
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '"')
			fputc('"', to);
		fputc(data[i], to);
	}
	if (quote)
		fputc('"', to);
}

static int csv_names(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;

	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', w->to);
		put_csv(w->to, names[i], strlen(names[i]));
	}
	fputs("\r\n", w->to);
	return keep_names(ctx, names, n, err);
}

static int csv_row(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;
	struct tf_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		b.len = 0;
		add_plain(&b, &cells[i]);
		if (i)
			fputc(',', w->to);
		if (b.len)
			put_csv(w->to, b.data, b.len);
	}
	fputs("\r\n", w->to);
	int rc = b.failed ? tf_fail_nomem(err) : 0;
	tf_buf_release(&b);
	return rc;
}

static int begin_csv(FILE *to, struct tf_row_receiver *r, struct tf_error *err)
{
	*r = (struct tf_row_receiver){new_writer(to, err), csv_names, csv_row};
	return r->ctx ? 0 : -1;
}

/* ---- TSV: one row a line, so tabs, ends of lines and backslashes are escaped ---- */

static void put_tsv(FILE *to, const char *text, size_t len)
{
	static const char plain[] = "\t\n\r\\", letters[] = "tnr\\";

	for (size_t i = 0; i < len; i++) {
		const char *special = text[i] ? strchr(plain, text[i]) : NULL;
		if (special)
			fputc('\\', to);
		fputc(special ? letters[special - plain] : text[i], to);
	}
}

static int tsv_names(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;

	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc('\t', w->to);
		put_tsv(w->to, names[i], strlen(names[i]));
	}
	fputc('\n', w->to);
	return keep_names(ctx, names, n, err);
}

static int tsv_row(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;
	struct tf_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		b.len = 0;
		add_plain(&b, &cells[i]);
		if (i)
			fputc('\t', w->to);
		put_tsv(w->to, b.data, b.len);
	}
	fputc('\n', w->to);
	int rc = b.failed ? tf_fail_nomem(err) : 0;
	tf_buf_release(&b);
	return rc;
}

static int begin_tsv(FILE *to, struct tf_row_receiver *r, struct tf_error *err)
{
	*r = (struct tf_row_receiver){new_writer(to, err), tsv_names, tsv_row};
	return r->ctx ? 0 : -1;
}

/* ---- JSON ---- */

static int json_row(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	struct writer *w = ctx;
	struct tf_json j = {0};

	if (!w->lines)
		fputs(w->rows ? ",\n" : "[\n", w->to);
	w->rows++;
	tf_json_object(&j, NULL);
	for (size_t i = 0; i < n; i++) {
		struct tf_buf text = {0};
		switch (cells[i].kind) {
		case TF_CELL_INTEGER:
			tf_json_integer(&j, w->names[i], cells[i].integer);
			break;
		case TF_CELL_REAL:
			if (isfinite(cells[i].real))
				tf_json_double(&j, w->names[i], cells[i].real);
			else
				tf_json_text(&j, w->names[i], cells[i].real > 0 ? "Infinity" : "-Infinity");
			break;
		case TF_CELL_NULL:
			tf_json_text(&j, w->names[i], NULL);
			break;
		default:
			add_plain(&text, &cells[i]);
			j.buf.failed |= text.failed;
			tf_json_bytes(&j, w->names[i], (struct tf_bytes){(const uint8_t *)text.data, text.len});
		}
		tf_buf_release(&text);
	}
	tf_json_object_end(&j);
	if (w->lines)
		return tf_json_finish(&j, w->to, err);
	fwrite(j.buf.data, 1, j.buf.len, w->to);
	int rc = j.buf.failed ? tf_fail_nomem(err) : 0;
	tf_buf_release(&j.buf);
	return rc;
}

static int begin_json(FILE *to, struct tf_row_receiver *r, struct tf_error *err)
{
	*r = (struct tf_row_receiver){new_writer(to, err), keep_names, json_row};
	return r->ctx ? 0 : -1;
}

static int end_json(struct tf_row_receiver *r, struct tf_error *err)
{
	struct writer *w = r->ctx;

	fputs(w->rows ? "\n]\n" : "[]\n", w->to);
	return finish(r, 0, err);
}

static int begin_jsonl(FILE *to, struct tf_row_receiver *r, struct tf_error *err)
{
	if (begin_json(to, r, err) < 0)
		return -1;
	((struct writer *)r->ctx)->lines = true;
	return 0;
}

const struct tf_table_format tf_table_formats[] = {
	{"table", begin_table, end_table}, {"csv", begin_csv, end_plain},   {"tsv", begin_tsv, end_plain},   {"json", begin_json, end_json},
	{"jsonl", begin_jsonl, end_plain}, {"md", begin_markdown, end_plain}, {0}};

const struct tf_table_format *tf_table_format_find(const char *name)
{
	for (const struct tf_table_format *f = tf_table_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
