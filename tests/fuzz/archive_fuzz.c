/* Bytes as an archive: what is listed can be read, in memory and piece by piece. */
#include "tests/fuzz/fuzz.h"

#include "lib/io/content.h"

/* A stream over the member gives as many bytes as were promised, or says that it is cut. */
static void check_stream(struct tf_member *m)
{
	struct tf_stored from = {.member = m, .fd = -1, .as_stored = true};
	struct tf_stream s;
	struct tf_bytes piece;
	struct tf_error err = {0};
	size_t at = 0;

	int rc = tf_stream_open(&s, &from, &err) < 0 ? -1 : 1;
	while (rc > 0 && (rc = tf_stream_next(&s, &piece, &err)) > 0)
		at += piece.len;
	HOLDS(rc == 0 || err.code == TF_EFORMAT || err.code == TF_ELIMIT);
	HOLDS(rc < 0 || at == (size_t)m->bytes || (s.cut && at < (size_t)m->bytes));
	tf_stream_close(&s);
}

static void check_member(struct tf_archive *a, struct tf_member *m)
{
	struct tf_error err = {0};

	HOLDS(m->path[0] && m->path[0] != '/' && strcmp(m->path, "..") != 0 && strncmp(m->path, "../", 3) != 0 && !strstr(m->path, "/../"));
	HOLDS(m->bytes >= 0);
	if (m->bytes > 1 << 20)
		return;
	HOLDS(tf_archive_hold(a, &m, 1, &err) == 0);
	if (!m->held.data)
		return;
	HOLDS(m->held.len <= (size_t)m->bytes && (m->is_cut || m->held.len == (size_t)m->bytes));
	check_stream(m);
	tf_member_let_go(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_stored stored = {.bytes = {data, size}, .fd = -1};
	struct tf_archive a = {0};
	struct tf_error err = {0};
	size_t stem_len;

	if (size == 0)
		return 0;
	tf_is_archive(stored.bytes);
	HOLDS(tf_archive_list(&a, &stored, &err) == 0);
	for (size_t i = 0; i < a.count; i++)
		check_member(&a, &a.members[i]);
	for (size_t i = 0; i < a.count; i++)
		tf_is_archive_name(a.members[i].path, &stem_len);
	tf_archive_release(&a);
	return 0;
}
