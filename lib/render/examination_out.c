/* What an examination of a store found. */
#include "lib/render/examination_out.h"

#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"

enum { LISTED = 20 };

static const char *const fates[TF_SOURCE_FATES] = {"unchanged", "changed", "gone", "unreadable"};

static void put_paths(FILE *to, const struct tf_examination *e, enum tf_source_fate fate, const char *heading)
{
	int64_t listed = 0;

	if (e->fates[fate] == 0)
		return;
	fprintf(to, "%lld %s:\n", (long long)e->fates[fate], heading);
	for (size_t i = 0; i < e->source_count; i++) {
		if (e->sources[i].fate != fate || listed++ >= LISTED)
			continue;
		fputs("  ", to);
		tf_put_text(to, e->sources[i].path, SIZE_MAX);
		fputc('\n', to);
	}
	if (listed > LISTED)
		fprintf(to, "  and %lld more\n", (long long)(listed - LISTED));
}

int tf_render_examination_text(FILE *to, const struct tf_examination *e, struct tf_error *err)
{
	tf_put_text(to, e->store, SIZE_MAX);
	fprintf(to, ": version %lld, %s\n", (long long)e->version, tf_examination_is_sound(e) ? "sound" : "not sound");
	for (size_t i = 0; i < e->damage_count && i < LISTED; i++) {
		fputs("damaged: ", to);
		tf_put_text(to, e->damage[i], SIZE_MAX);
		fputc('\n', to);
	}
	for (size_t i = 0; i < e->orphan_count; i++)
		fprintf(to, "%lld rows of %s have a %s that is not there\n", (long long)e->orphans[i].count, e->orphans[i].table,
			e->orphans[i].column);
	fprintf(to, "%lld files are as they were read\n", (long long)e->fates[TF_SOURCE_SAME]);
	put_paths(to, e, TF_SOURCE_CHANGED, "changed since; the next ingest reads them again");
	put_paths(to, e, TF_SOURCE_GONE, "gone; what was read of them stays");
	put_paths(to, e, TF_SOURCE_UNREAD, "could not be opened at the last ingest");
	if (e->incomplete_count)
		fprintf(to, "%zu sessions of which something is missing:\n", e->incomplete_count);
	for (size_t i = 0; i < e->incomplete_count && i < LISTED; i++) {
		fputs("  ", to);
		tf_put_text(to, e->incomplete[i], SIZE_MAX);
		fputc('\n', to);
	}
	if (e->incomplete_count > LISTED)
		fprintf(to, "  and %zu more\n", e->incomplete_count - LISTED);
	return fflush(to) == 0 && !ferror(to) ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}

static void put_list(struct tf_json *j, const char *key, const char *const *list, size_t n)
{
	tf_json_list(j, key);
	for (size_t i = 0; i < n; i++)
		tf_json_text(j, NULL, list[i]);
	tf_json_list_end(j);
}

int tf_render_examination_json(FILE *to, const struct tf_examination *e, struct tf_error *err)
{
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.doctor/1");
	tf_json_text(&j, "store", e->store);
	tf_json_i64(&j, "version", e->version);
	tf_json_bool(&j, "sound", tf_examination_is_sound(e));
	put_list(&j, "damage", e->damage, e->damage_count);
	tf_json_list(&j, "orphans");
	for (size_t i = 0; i < e->orphan_count; i++) {
		tf_json_object(&j, NULL);
		tf_json_text(&j, "table", e->orphans[i].table);
		tf_json_text(&j, "column", e->orphans[i].column);
		tf_json_i64(&j, "count", e->orphans[i].count);
		tf_json_object_end(&j);
	}
	tf_json_list_end(&j);
	tf_json_i64(&j, "unchanged_files", e->fates[TF_SOURCE_SAME]);
	tf_json_list(&j, "files");
	for (size_t i = 0; i < e->source_count; i++) {
		tf_json_object(&j, NULL);
		tf_json_text(&j, "path", e->sources[i].path);
		tf_json_text(&j, "fate", fates[e->sources[i].fate]);
		tf_json_object_end(&j);
	}
	tf_json_list_end(&j);
	put_list(&j, "incomplete_sessions", e->incomplete, e->incomplete_count);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}
