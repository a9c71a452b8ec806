/* Rows of event files: tags, values, and which of them a later write or a restart replaced. */
#include <math.h>
#include <stdlib.h>

#include "lib/base/vec.h"
#include "lib/store/db.h"

/* Kinds of values that have a table, for the counts of each tag. */
enum row_kind { ROW_SCALAR, ROW_HISTOGRAM, ROW_TEXT, ROW_TENSOR, ROW_IMAGE, ROW_AUDIO, ROW_KINDS };
static const char *const kind_names[] = {"scalar", "histogram", "text", "tensor", "image", "audio"};

/* Tables whose rows of one file are removed by range. */
static const char *const ranged[] = {"_scalar", "_histogram", "_tensor", "_text", "_media", "_hparam", "_session_start", "_experiment",
				     "_hparam_info", "_metric_info", "_trial", "_trial_end", "_chart", "_mesh", "_graph", "_graph_node",
				     "_run_metadata_node"};

/* A file whose writer says no version, or one before SessionLog: there a step that falls means a restart. */
#define OLD_WRITER "kind = 'event_file' AND coalesce(first_bad_offset, 1) > 0" \
	" AND (writer_version IS NULL OR CAST(replace(writer_version, 'brain.Event:', '') AS REAL) < 2)"

/* What marks the values of a table. */
#define VALUES(table, record) \
	{"SELECT id, step, superseded, " record " FROM " table " WHERE tag_id = ? ORDER BY step DESC, wall_time DESC, file_id DESC," \
	 " byte_offset DESC, id DESC", \
	 "UPDATE " table " SET superseded = ? WHERE id = ?", \
	 "UPDATE " table " SET orphaned = superseded = 0 AND EXISTS (SELECT 1 FROM _session_start b WHERE b.run_id = ?1" \
	 " AND b.step <= " table ".step AND (b.wall_time > " table ".wall_time OR (b.wall_time = " table ".wall_time" \
	 " AND b.file_id = " table ".file_id AND b.byte_offset > " table ".byte_offset)))" \
	 " WHERE tag_id IN (SELECT tag_id FROM _tag WHERE run_id = ?1)", \
	 "UPDATE " table " SET orphaned = 1 WHERE superseded = 0 AND id IN (SELECT id FROM (SELECT v.id, v.step, min(v.step) OVER" \
	 " (PARTITION BY v.tag_id, v.file_id ORDER BY v.byte_offset DESC) AS least FROM " table " v JOIN _tag t ON t.tag_id = v.tag_id" \
	 " WHERE t.run_id = ?1 AND v.file_id IN (SELECT file_id FROM _source_file WHERE run_id = ?1 AND " OLD_WRITER "))" \
	 " WHERE least < step)"}

/* A record can hold several pictures of a tag, which are one value; of other kinds the last one is the value. */
static const struct {
	const char *select, *update, *orphan, *orphan_unversioned;
} values[] = {VALUES("_scalar", "id, 0"), VALUES("_histogram", "id, 0"), VALUES("_tensor", "id, 0"), VALUES("_text", "id, 0"),
	      VALUES("_media", "file_id, byte_offset")};

static int add_tag(struct tf_store *s, const struct tf_point *at, int64_t *id, struct tf_error *err)
{
	struct tf_arena a = {0};
	int rc = -1;

	if (tf_db_integer(s, err, id, "SELECT tag_id FROM _tag WHERE run_id = ? AND raw = ?", "iB", s->run_id, at->tag) < 0)
		goto out;
	char *name = tf_utf8_repair(&a, at->tag);
	char *plugin = at->plugin.len ? tf_utf8_repair(&a, at->plugin) : NULL;
	char *display = at->display_name.len ? tf_utf8_repair(&a, at->display_name) : NULL;
	char *description = at->description.len ? tf_utf8_repair(&a, at->description) : NULL;
	if (!name) {
		tf_fail_nomem(err);
		goto out;
	}
	if (*id == TF_NONE)
		rc = tf_db_run(s, err, id, "INSERT INTO _tag(run_id, name, raw, plugin, display_name, description) VALUES(?,?,?,?,?,?)",
			       "itBttt", s->run_id, name, at->tag, plugin, display, description);
	else if (plugin || display || description)
		rc = tf_db_run(s, err, NULL,
			       "UPDATE _tag SET plugin = coalesce(plugin, ?), display_name = coalesce(display_name, ?),"
			       " description = coalesce(description, ?) WHERE tag_id = ?",
			       "ttti", plugin, display, description, *id);
	else
		rc = 0;
out:
	tf_arena_release(&a);
	return rc;
}

/* The state of the point's tag, found by its bytes. */
static struct tf_tag_state *tag_of(struct tf_store *s, const struct tf_point *at, struct tf_error *err)
{
	uint32_t id;

	/* Every tag gets an id above 0: the empty tag is looked up as one NUL byte. */
	struct tf_bytes key = at->tag.len ? at->tag : (struct tf_bytes){(const uint8_t *)"", 1};
	if (tf_strtab_add(&s->tags, key, &id, err) < 0)
		return NULL;
	if (id - 1 < s->tag_count)
		return &s->tag_states[id - 1];
	if (tf_vec_reserve((void **)&s->tag_states, &s->tag_cap, s->tag_count + 1, sizeof *s->tag_states) < 0) {
		tf_fail_nomem(err);
		return NULL;
	}
	struct tf_tag_state *t = &s->tag_states[s->tag_count];
	*t = (struct tf_tag_state){0};
	if (add_tag(s, at, &t->tag_id, err) < 0)
		return NULL;
	s->tag_count++;
	return t;
}

int64_t tf_store_tag_id(struct tf_store *s, const struct tf_point *at, struct tf_error *err)
{
	const struct tf_tag_state *t = tag_of(s, at, err);
	return t ? t->tag_id : TF_NONE;
}

/* Notes a value of a tag; `ordered` kinds remember whether steps rise. */
static struct tf_tag_state *count_value(struct tf_store *s, const struct tf_point *at, enum row_kind kind,
					struct tf_error *err)
{
	struct tf_tag_state *t = tag_of(s, at, err);

	if (!t)
		return NULL;
	t->counts[kind]++;
	t->unordered |= t->any && at->step <= t->last_step;
	t->any = true;
	t->last_step = at->step;
	return t;
}

static int put_scalar(void *ctx, const struct tf_point *at, double value, struct tf_error *err)
{
	struct tf_store *s = ctx;
	struct tf_tag_state *t = count_value(s, at, ROW_SCALAR, err);

	return t ? tf_store_add_scalar(s, t->tag_id, at, value, err) : -1;
}

static int put_histogram(void *ctx, const struct tf_point *at, const struct tf_histogram *h, struct tf_error *err)
{
	struct tf_store *s = ctx;
	struct tf_tag_state *t = count_value(s, at, ROW_HISTOGRAM, err);
	struct tf_buf b = {0};
	int rc = -1;

	if (!t)
		return -1;
	tf_buf_char(&b, '[');
	for (size_t i = 0; i < h->bucket_count; i++) {
		tf_buf_text(&b, i ? ",[" : "[");
		tf_buf_json_double(&b, h->left[i]);
		tf_buf_char(&b, ',');
		tf_buf_json_double(&b, h->right[i]);
		tf_buf_char(&b, ',');
		tf_buf_json_double(&b, h->weight[i]);
		tf_buf_char(&b, ']');
	}
	tf_buf_char(&b, ']');
	if (b.failed)
		tf_fail_nomem(err);
	else
		rc = tf_db_run(s, err, NULL, "INSERT INTO _histogram VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,0,0)", "iidddddd" "tii",
			       t->tag_id, at->step, at->wall_time, h->count, h->min, h->max, h->sum, h->sum_squares, b.data,
			       s->file_id, at->offset);
	tf_buf_release(&b);
	return rc;
}

static int put_text(void *ctx, const struct tf_point *at, struct tf_bytes value, struct tf_error *err)
{
	struct tf_store *s = ctx;
	struct tf_tag_state *t = count_value(s, at, ROW_TEXT, err);
	struct tf_arena a = {0};

	if (!t)
		return -1;
	char *text = tf_utf8_repair(&a, value);
	int rc = !text ? tf_fail_nomem(err)
		       : tf_db_run(s, err, NULL, "INSERT INTO _text VALUES(NULL,?,?,?,?,?,?,0,0)", "iidtii", t->tag_id, at->step,
				   at->wall_time, text, s->file_id, at->offset);
	tf_arena_release(&a);
	return rc;
}

static int put_tensor(void *ctx, const struct tf_point *at, const char *dtype, const char *shape, int64_t bytes,
		      const char *value, struct tf_error *err)
{
	struct tf_store *s = ctx;
	struct tf_tag_state *t = count_value(s, at, ROW_TENSOR, err);

	return !t ? -1
		  : tf_db_run(s, err, NULL, "INSERT INTO _tensor VALUES(NULL,?,?,?,?,?,?,?,?,?,0,0)", "iidttitii", t->tag_id,
			      at->step, at->wall_time, dtype, shape, bytes, value, s->file_id, at->offset);
}

static int put_media(void *ctx, const struct tf_point *at, const struct tf_media *m, struct tf_error *err)
{
	struct tf_store *s = ctx;
	bool image = m->kind == TF_MEDIA_IMAGE;
	struct tf_tag_state *t = count_value(s, at, image ? ROW_IMAGE : ROW_AUDIO, err);

	return !t ? -1
		  : tf_db_run(s, err, NULL, "INSERT INTO _media VALUES(NULL,?,?,?,?,?,?,?,?,?,?,0,0,?,?,?)", "iidttiiiii" "dii",
			      t->tag_id, at->step, at->wall_time, image ? "image" : "audio", m->encoding, m->width, m->height,
			      m->bytes, s->file_id, at->offset, m->sample_rate_hz, m->channels, m->frames);
}

static int put_counted(void *ctx, const struct tf_point *at, const char *kind, struct tf_error *err)
{
	struct tf_store *s = ctx;
	struct tf_tag_state *t = tag_of(s, at, err);

	return !t ? -1
		  : tf_db_run(s, err, NULL,
			      "INSERT INTO _tag_count VALUES(?,?,?,1) ON CONFLICT(tag_id, file_id, kind) DO UPDATE SET count = count + 1",
			      "iit", t->tag_id, s->file_id, kind);
}

static int put_session_start(void *ctx, int64_t step, double wall_time, int64_t offset, struct tf_error *err)
{
	struct tf_store *s = ctx;
	return tf_db_run(s, err, NULL, "INSERT INTO _session_start VALUES(NULL,?,?,?,?,?)", "iiidi", s->run_id, s->file_id, step,
			 wall_time, offset);
}

struct tf_row_sink tf_store_row_sink(struct tf_store *s)
{
	return (struct tf_row_sink){.ctx = s, .scalar = put_scalar, .histogram = put_histogram, .text = put_text,
				    .tensor = put_tensor, .media = put_media, .counted = put_counted, .hparam = tf_store_put_hparam,
				    .session_start = put_session_start, .plugin = tf_store_put_plugin_row,
				    .graph_node = tf_store_put_graph_node, .metadata_node = tf_store_put_metadata_node};
}

/* A row that is superseded, or not. */
struct mark {
	int64_t id;
	bool superseded;
};

/* Marks all but the last write of each step of a tag, by wall time, then file, then offset. */
static int mark_tag(struct tf_store *s, int64_t tag_id, const char *select, const char *update, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, select, "i", tag_id);
	struct mark *marks = NULL;
	size_t count = 0, cap = 0;
	int64_t kept[3] = {0};
	bool any = false;
	int code, rc = -1;

	if (!q)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t row[] = {sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 3), sqlite3_column_int64(q, 4)};
		bool superseded = any && row[0] == kept[0] && (row[1] != kept[1] || row[2] != kept[2]);
		if (superseded != (sqlite3_column_int(q, 2) != 0)) {
			if (tf_vec_reserve((void **)&marks, &cap, count + 1, sizeof *marks) < 0)
				break;
			marks[count++] = (struct mark){sqlite3_column_int64(q, 0), superseded};
		}
		if (!superseded)
			memcpy(kept, row, sizeof kept);
		any = true;
	}
	tf_db_done(q);
	if (code != SQLITE_DONE) {
		if (code == SQLITE_ROW)
			tf_fail_nomem(err);
		else
			tf_db_fail(s, err, "store");
		goto out;
	}
	for (size_t i = 0; i < count; i++)
		if (tf_db_run(s, err, NULL, update, "bi", (int)marks[i].superseded, marks[i].id) < 0)
			goto out;
	rc = 0;
out:
	free(marks);
	return rc;
}

/* Points from before a restart, at its step or later, that nothing has rewritten: TensorBoard hides them. */
static int mark_orphans(struct tf_store *s, struct tf_error *err)
{
	int64_t starts, unversioned;

	if (tf_db_integer(s, err, &starts, "SELECT 1 FROM _session_start WHERE run_id = ? LIMIT 1", "i", s->run_id) < 0
	    || tf_db_integer(s, err, &unversioned, "SELECT 1 FROM _source_file WHERE run_id = ? AND " OLD_WRITER " LIMIT 1", "i",
			     s->run_id) < 0)
		return -1;
	if (starts == TF_NONE && unversioned == TF_NONE && !s->replaced)
		return 0;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		if (tf_db_run(s, err, NULL, values[i].orphan, "i", s->run_id) < 0
		    || (unversioned != TF_NONE && tf_db_run(s, err, NULL, values[i].orphan_unversioned, "i", s->run_id) < 0))
			return -1;
	return 0;
}

int tf_store_note_stale_tags(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, "SELECT DISTINCT tag_id FROM _tag_count WHERE file_id = ?", "i", file_id);
	int code;

	s->stale_count = 0;
	if (!q)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		if (tf_vec_reserve((void **)&s->stale_tags, &s->stale_cap, s->stale_count + 1, sizeof *s->stale_tags) < 0)
			break;
		s->stale_tags[s->stale_count++] = sqlite3_column_int64(q, 0);
	}
	tf_db_done(q);
	return code == SQLITE_DONE ? 0 : code == SQLITE_ROW ? tf_fail_nomem(err) : tf_db_fail(s, err, "store");
}

/* Marks the values of a tag anew. */
static int mark_values(struct tf_store *s, int64_t tag_id, struct tf_error *err)
{
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		if (mark_tag(s, tag_id, values[i].select, values[i].update, err) < 0)
			return -1;
	return 0;
}

static int end_tag(struct tf_store *s, const struct tf_tag_state *t, struct tf_error *err)
{
	int64_t elsewhere;

	for (int k = 0; k < ROW_KINDS; k++)
		if (t->counts[k]
		    && tf_db_run(s, err, NULL, "INSERT OR REPLACE INTO _tag_count VALUES(?,?,?,?)", "iiti", t->tag_id, s->file_id,
				 kind_names[k], t->counts[k]) < 0)
			return -1;
	if (tf_db_integer(s, err, &elsewhere, "SELECT 1 FROM _tag_count WHERE tag_id = ? AND file_id <> ? LIMIT 1", "ii",
			  t->tag_id, s->file_id) < 0)
		return -1;
	return t->unordered || elsewhere != TF_NONE ? mark_values(s, t->tag_id, err) : 0;
}

/* The first row of this file in a table whose rows are appended: the one after the last of all other files. */
static int note_table(struct tf_store *s, const char *table, struct tf_error *err)
{
	char *sql = sqlite3_mprintf("SELECT min(rowid) FROM %s WHERE file_id = %lld AND rowid > (SELECT coalesce(max(last_id), 0) FROM"
				    " _row_range WHERE table_name = '%q')", table, (long long)s->file_id, table);
	sqlite3_stmt *stmt = NULL;
	int64_t first = TF_NONE;

	if (!sql || sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW) {
		sqlite3_free(sql);
		sqlite3_finalize(stmt);
		return tf_db_fail(s, err, "store");
	}
	first = tf_db_i64(stmt, 0);
	sqlite3_free(sql);
	sqlite3_finalize(stmt);
	return first == TF_NONE ? 0 : tf_db_note_range(s, table, first, err);
}

int tf_store_end_rows(struct tf_store *s, struct tf_error *err)
{
	if (tf_store_flush_scalars(s, err) < 0)
		return -1;
	for (size_t i = 0; i < s->stale_count; i++)
		if (mark_values(s, s->stale_tags[i], err) < 0)
			return -1;
	for (size_t i = 0; i < s->tag_count; i++)
		if (end_tag(s, &s->tag_states[i], err) < 0)
			return -1;
	for (size_t i = 0; i < sizeof ranged / sizeof ranged[0]; i++)
		if (note_table(s, ranged[i], err) < 0)
			return -1;
	if (s->tag_count == 0 && s->stale_count == 0)
		return 0;
	return mark_orphans(s, err) < 0 ? -1 : tf_store_end_plugin_rows(s, err);
}
