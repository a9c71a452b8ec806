/* The ledger of an ingest, as JSON (schema tfprof.ingest/1) and for a person. */
#include <stdint.h>

#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"
#include "lib/trace/trace.h"

static void put_file(struct tf_json *j, const struct tf_ledger_file *f)
{
	tf_json_object(j, NULL);
	tf_json_text(j, "path", f->path);
	tf_json_text(j, "kind", tf_file_kind_name(f->kind));
	tf_json_text(j, "state", tf_state_name(f->state));
	tf_json_i64(j, "records", f->records);
	tf_json_i64(j, "bytes", f->bytes);
	tf_json_i64(j, "skipped_records", f->skipped_records);
	tf_json_i64(j, "skipped_bytes", f->skipped_bytes);
	tf_json_i64(j, "first_bad_offset", f->first_bad_offset);
	tf_json_text(j, "tail_state", tf_tail_name(f->tail));
	tf_json_text(j, "writer_version", f->writer_version);
	tf_json_list(j, "issues");
	for (size_t i = 0; i < f->issue_count; i++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "code", tf_issue_name(f->issues[i].code));
		tf_json_i64(j, "offset", f->issues[i].offset);
		tf_json_text(j, "message", f->issues[i].message);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_object_end(j);
}

struct totals {
	int64_t rows, records, skipped_records, skipped_bytes, issues, states[TF_STATE_FAILED + 1];
};

static struct totals sum(const struct tf_ledger *l)
{
	struct totals t = {0};

	for (size_t i = 0; i < l->file_count; i++) {
		const struct tf_ledger_file *f = &l->files[i];
		t.rows += f->new_rows;
		t.records += f->records;
		t.skipped_records += f->skipped_records;
		t.skipped_bytes += f->skipped_bytes;
		t.issues += (int64_t)f->issue_total;
		t.states[f->state]++;
	}
	return t;
}

int tf_render_ledger_json(FILE *to, const struct tf_ledger *l, struct tf_error *err)
{
	struct tf_json j = {0};
	struct totals t = sum(l);

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.ingest/1");
	tf_json_list(&j, "files");
	for (size_t i = 0; i < l->file_count; i++)
		put_file(&j, &l->files[i]);
	tf_json_list_end(&j);
	tf_json_object(&j, "totals");
	tf_json_i64(&j, "files", (int64_t)l->file_count);
	tf_json_i64(&j, "new_rows", t.rows);
	tf_json_i64(&j, "records", t.records);
	tf_json_i64(&j, "skipped_records", t.skipped_records);
	tf_json_i64(&j, "skipped_bytes", t.skipped_bytes);
	tf_json_i64(&j, "issues", t.issues);
	tf_json_object_end(&j);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}

int tf_render_ledger_text(FILE *to, const struct tf_ledger *l, struct tf_error *err)
{
	struct totals t = sum(l);

	for (size_t i = 0; i < l->file_count; i++) {
		const struct tf_ledger_file *f = &l->files[i];
		for (size_t k = 0; k < f->issue_count; k++) {
			tf_put_text(to, f->path, SIZE_MAX);
			fprintf(to, ": %s", tf_issue_name(f->issues[k].code));
			if (f->issues[k].offset != TF_NONE)
				fprintf(to, " at byte %lld", (long long)f->issues[k].offset);
			fputs(": ", to);
			tf_put_text(to, f->issues[k].message, SIZE_MAX);
			fputc('\n', to);
		}
		if (f->issue_total > f->issue_count) {
			tf_put_text(to, f->path, SIZE_MAX);
			fprintf(to, ": %zu more issues\n", f->issue_total - f->issue_count);
		}
	}
	fprintf(to, "%zu files: %lld new, %lld replaced, %lld unchanged, %lld skipped, %lld failed; %lld records, %lld rows\n",
		l->file_count, (long long)t.states[TF_STATE_NEW], (long long)t.states[TF_STATE_REPLACED],
		(long long)t.states[TF_STATE_UNCHANGED], (long long)t.states[TF_STATE_SKIPPED],
		(long long)t.states[TF_STATE_FAILED], (long long)t.records, (long long)t.rows);
	return fflush(to) == 0 && !ferror(to) ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}
