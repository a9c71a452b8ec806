/* An inspection as text and as JSON (schema tfprof.inspect/1). */
#include <stdint.h>

#include "lib/render/inspection_out.h"
#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"

static void put_texts(struct tf_json *j, const char *key, const char *const *texts, size_t n)
{
	tf_json_list(j, key);
	for (size_t i = 0; i < n; i++)
		tf_json_text(j, NULL, texts[i]);
	tf_json_list_end(j);
}

static void put_capture(struct tf_json *j, const struct tf_inspected *f)
{
	const struct tf_host *h = f->host;

	put_texts(j, "hostnames", f->hostnames, f->hostname_count);
	put_texts(j, "errors", h->errors, h->error_count);
	put_texts(j, "warnings", h->warnings, h->warning_count);
	tf_json_i64(j, "start_ns", f->start_ns);
	tf_json_ms(j, "duration_ms", h->begin_ps == TF_NONE ? TF_NONE : h->end_ps - h->begin_ps);
	tf_json_bool(j, "complete", h->complete);
	tf_json_i64(j, "events", h->event_count);
	tf_json_i64(j, "anomalies", h->anomaly_count);
	tf_json_text(j, "step_source", tf_step_source_name(h->steps.source));
	tf_json_text(j, "step_event", h->steps.event);
	tf_json_i64(j, "steps", (int64_t)h->steps.count);
	tf_json_text(j, "looked_for", h->steps.looked_for);
	tf_json_list(j, "lines");
	for (size_t i = 0; i < f->line_count; i++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "plane", f->lines[i].plane);
		tf_json_text(j, "name", f->lines[i].name);
		tf_json_i64(j, "events", f->lines[i].events);
		tf_json_ms(j, "busy_ms", f->lines[i].busy_ps);
		tf_json_bool(j, "derived", f->lines[i].derived);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_list(j, "step_candidates");
	for (size_t i = 0; i < f->candidate_count; i++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "name", f->candidates[i].name);
		tf_json_i64(j, "count", f->candidates[i].count);
		tf_json_i64(j, "with_step_num", f->candidates[i].numbered);
		tf_json_ms(j, "total_ms", f->candidates[i].total_ps);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

int tf_render_inspection_json(FILE *to, const struct tf_inspection *in, struct tf_error *err)
{
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.inspect/1");
	tf_json_list(&j, "files");
	for (size_t i = 0; i < in->count; i++) {
		const struct tf_inspected *f = &in->files[i];
		tf_json_object(&j, NULL);
		tf_json_text(&j, "path", f->file.path);
		tf_json_text(&j, "kind", tf_file_kind_name(f->file.kind));
		tf_json_i64(&j, "bytes", f->file.bytes);
		tf_json_i64(&j, "records", f->file.records);
		tf_json_i64(&j, "skipped_records", f->file.skipped_records);
		tf_json_text(&j, "tail_state", tf_tail_name(f->file.tail));
		tf_json_list(&j, "issues");
		for (size_t k = 0; k < f->file.issue_count; k++) {
			tf_json_object(&j, NULL);
			tf_json_text(&j, "code", tf_issue_name(f->file.issues[k].code));
			tf_json_i64(&j, "offset", f->file.issues[k].offset);
			tf_json_text(&j, "message", f->file.issues[k].message);
			tf_json_object_end(&j);
		}
		tf_json_list_end(&j);
		tf_json_list(&j, "programs");
		for (size_t k = 0; k < f->program_count; k++) {
			tf_json_object(&j, NULL);
			tf_json_text(&j, "name", f->programs[k].name);
			tf_json_i64(&j, "instructions", f->programs[k].instructions);
			tf_json_i64(&j, "peak_bytes", f->programs[k].peak_bytes);
			tf_json_object_end(&j);
		}
		tf_json_list_end(&j);
		if (f->host)
			put_capture(&j, f);
		tf_json_object_end(&j);
	}
	tf_json_list_end(&j);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}

static void put_fact(FILE *to, const char *name, const char *text)
{
	fprintf(to, "  %s: ", name);
	tf_put_text(to, text, SIZE_MAX);
	fputc('\n', to);
}

static void print_capture(FILE *to, const struct tf_inspected *f)
{
	const struct tf_host *h = f->host;

	fprintf(to, "  capture: %s, %lld events, %lld anomalies", h->complete ? "complete" : "incomplete",
		(long long)h->event_count, (long long)h->anomaly_count);
	if (h->begin_ps != TF_NONE)
		fprintf(to, ", %.3f ms", (double)(h->end_ps - h->begin_ps) / 1e9);
	fputc('\n', to);
	for (size_t i = 0; i < f->hostname_count; i++)
		put_fact(to, "host", f->hostnames[i]);
	for (size_t i = 0; i < h->error_count; i++)
		put_fact(to, "profiler error", h->errors[i]);
	for (size_t i = 0; i < h->warning_count; i++)
		put_fact(to, "profiler warning", h->warnings[i]);
	fprintf(to, "  steps: %zu, source %s\n", h->steps.count, tf_step_source_name(h->steps.source));
	if (h->steps.event)
		put_fact(to, "step event", h->steps.event);
	if (h->steps.looked_for)
		put_fact(to, "no step", h->steps.looked_for);
	fprintf(to, "  %-24s %-38s %9s %12s\n", "plane", "line", "events", "busy ms");
	for (size_t i = 0; i < f->line_count; i++) {
		fputs("  ", to);
		tf_put_padded(to, f->lines[i].plane, 24);
		fputc(' ', to);
		tf_put_padded(to, f->lines[i].name, 38);
		fprintf(to, " %9lld %12.3f%s\n", (long long)f->lines[i].events, (double)f->lines[i].busy_ps / 1e9,
			f->lines[i].derived ? "  annotation" : "");
	}
	if (f->candidate_count)
		fprintf(to, "  %-63s %9s %12s\n", "could mark steps", "count", "total ms");
	for (size_t i = 0; i < f->candidate_count; i++) {
		fputs("  ", to);
		tf_put_padded(to, f->candidates[i].name, 63);
		fprintf(to, " %9lld %12.3f%s\n", (long long)f->candidates[i].count, (double)f->candidates[i].total_ps / 1e9,
			f->candidates[i].numbered ? "  step_num" : "");
	}
}

int tf_render_inspection_text(FILE *to, const struct tf_inspection *in, struct tf_error *err)
{
	for (size_t i = 0; i < in->count; i++) {
		const struct tf_inspected *f = &in->files[i];
		tf_put_text(to, f->file.path, SIZE_MAX);
		fprintf(to, ": %s, %lld bytes, %lld records, tail %s\n", tf_file_kind_name(f->file.kind), (long long)f->file.bytes,
			(long long)f->file.records, tf_tail_name(f->file.tail));
		for (size_t k = 0; k < f->file.issue_count; k++) {
			fprintf(to, "  %s", tf_issue_name(f->file.issues[k].code));
			if (f->file.issues[k].offset != TF_NONE)
				fprintf(to, " at byte %lld", (long long)f->file.issues[k].offset);
			fputs(": ", to);
			tf_put_text(to, f->file.issues[k].message, SIZE_MAX);
			fputc('\n', to);
		}
		for (size_t k = 0; k < f->program_count; k++) {
			fputs("  program ", to);
			tf_put_text(to, f->programs[k].name, SIZE_MAX);
			fprintf(to, ": %lld instructions", (long long)f->programs[k].instructions);
			if (f->programs[k].peak_bytes != TF_NONE)
				fprintf(to, ", plans %lld bytes", (long long)f->programs[k].peak_bytes);
			fputc('\n', to);
		}
		if (f->host)
			print_capture(to, f);
	}
	return fflush(to) == 0 && !ferror(to) ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}
