/*
 * Archives through libarchive, which gets its bytes from a tf_stream: so an archive may be compressed, or a member of another one, and
 * what can be sought (a plain tar or zip) is.
 */
#include "lib/io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/io/walk.h"

/*
 * libarchive reads a piece ahead of an entry. Damage inside a compressed zip member ends libarchive's reading: it is begun anew, but a
 * file made of such damage is given up.
 */
enum { READ_AHEAD = 1 << 18, ZEROS = 1 << 14, REVIVALS = 100 };

struct tf_member_reader {
	struct archive *archive;
	struct archive_entry *entry; /* the one that was met last */
	const char *name;	     /* of it; NULL if it cannot be read */
	struct tf_archive *of;
	struct tf_member *member;
	struct tf_stream from;
	struct tf_error failed; /* of that stream */
	locale_t utf8;		/* names in archives are UTF-8, or bytes that are kept; 0 where the system has no such locale */
	int64_t seekable_bytes;
	int64_t taken, taken_before; /* bytes on disk used in all, and before this entry */
	size_t lost_blocks;	     /* that are no header where one should be; the first of them at lost_at */
	int64_t lost_at;
	size_t next;		     /* the number of the entry whose header comes next */
	struct tf_bytes block;	     /* of the member, at `block_at`; holes before it are zeros */
	int64_t block_at, at;
	bool ended, dead;
};

static la_ssize_t on_read(struct archive *archive, void *ctx, const void **data)
{
	struct tf_member_reader *r = ctx;
	struct tf_bytes piece = {0};
	int64_t before = tf_stream_origin_bytes(&r->from);

	if (tf_stream_next(&r->from, &piece, &r->failed) < 0) {
		archive_set_error(archive, EIO, "%s", r->failed.text);
		return -1;
	}
	r->taken += tf_stream_origin_bytes(&r->from) - before;
	*data = piece.data;
	return (la_ssize_t)piece.len;
}

static la_int64_t on_skip(struct archive *archive, void *ctx, la_int64_t wish)
{
	struct tf_member_reader *r = ctx;
	int64_t left = r->seekable_bytes - r->from.at;

	(void)archive;
	if (r->seekable_bytes < 0)
		return 0;
	if (wish > left)
		wish = left;
	tf_stream_seek(&r->from, r->from.at + wish);
	return wish;
}

static la_int64_t on_seek(struct archive *archive, void *ctx, la_int64_t offset, int whence)
{
	struct tf_member_reader *r = ctx;
	int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? r->from.at : r->seekable_bytes, at;

	if (r->seekable_bytes < 0 || __builtin_add_overflow(from, offset, &at) || at < 0 || at > r->seekable_bytes) {
		archive_set_error(archive, ESPIPE, "no such place");
		return ARCHIVE_FATAL;
	}
	tf_stream_seek(&r->from, at);
	return at;
}

static void reader_free(struct tf_member_reader *r)
{
	if (!r)
		return;
	archive_read_free(r->archive);
	tf_stream_close(&r->from);
	if (r->utf8)
		freelocale(r->utf8);
	free(r);
}

static int begin(struct tf_member_reader *r)
{
	struct archive *a = r->archive;

	if (archive_read_support_format_tar(a) < ARCHIVE_WARN || archive_read_support_format_zip(a) < ARCHIVE_WARN)
		return ARCHIVE_FATAL;
	archive_read_set_callback_data(a, r);
	archive_read_set_read_callback(a, on_read);
	if (r->seekable_bytes >= 0) {
		archive_read_set_skip_callback(a, on_skip);
		archive_read_set_seek_callback(a, on_seek);
	}
	return archive_read_open1(a);
}

/* What libarchive or the stream below it says. */
static int fail(const struct tf_member_reader *r, struct tf_error *err)
{
	const char *text = r->archive ? archive_error_string(r->archive) : NULL;

	if (r->failed.code != TF_OK)
		*err = r->failed;
	else if (!r->archive || archive_errno(r->archive) == ENOMEM)
		tf_fail_nomem(err);
	else
		tf_fail(err, TF_EFORMAT, "the archive ends early or is damaged: %s", text ? text : "no archive");
	return -1;
}

/* A reader at the first entry. */
static struct tf_member_reader *reader_open(struct tf_archive *a, struct tf_error *err)
{
	struct tf_member_reader *r = calloc(1, sizeof *r);

	if (!r) {
		tf_fail_nomem(err);
		return NULL;
	}
	r->of = a;
	r->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (tf_stream_open(&r->from, &a->stored, err) < 0) {
		reader_free(r);
		return NULL;
	}
	r->seekable_bytes = tf_stream_seekable_bytes(&r->from);
	r->archive = archive_read_new();
	if (!r->archive || begin(r) < ARCHIVE_WARN) {
		fail(r, err);
		reader_free(r);
		return NULL;
	}
	return r;
}

/* The next header. Blocks where one should be and none is (libarchive says: retry) are passed over. A libarchive code. */
static int next_header(struct tf_member_reader *r)
{
	locale_t before = r->utf8 ? uselocale(r->utf8) : (locale_t)0;
	int code;

	while ((code = archive_read_next_header(r->archive, &r->entry)) == ARCHIVE_RETRY && r->lost_blocks < TF_LIMIT_ARCHIVE_ENTRIES)
		if (r->lost_blocks++ == 0)
			r->lost_at = r->from.at;
	r->name = code == ARCHIVE_OK || code == ARCHIVE_WARN ? archive_entry_pathname(r->entry) : NULL;
	if (before)
		uselocale(before);
	return code;
}

/* The next entry. 1, 0 at the end, -1: as fail(), and nothing more can be read. */
static int next_entry(struct tf_member_reader *r, struct tf_error *err)
{
	r->taken_before = r->taken;
	r->block = (struct tf_bytes){0};
	r->block_at = r->at = 0;
	r->ended = false;
	int code = next_header(r);
	r->next++;
	if (code == ARCHIVE_OK || code == ARCHIVE_WARN)
		return 1;
	r->dead = true;
	return code == ARCHIVE_EOF ? 0 : fail(r, err);
}

/* The next part of a name; "", "." and ".." are left out, since they could lead out of the archive. Its length, 0 at the end. */
static size_t next_part(const char **name)
{
	for (;;) {
		*name += strspn(*name, "/");
		size_t len = strcspn(*name, "/");
		if (!(len == 1 && (*name)[0] == '.') && !(len == 2 && (*name)[0] == '.' && (*name)[1] == '.'))
			return len;
		*name += len;
	}
}

/* A copy of a name's parts. NULL: out of memory. */
static const char *clean_path(struct tf_arena *a, const char *name)
{
	char *copy = tf_arena_alloc(a, strlen(name) + 1), *to = copy;

	for (size_t len; copy && (len = next_part(&name)); name += len) {
		if (to > copy)
			*to++ = '/';
		memcpy(to, name, len);
		to += len;
	}
	return copy;
}

/* True if the entry at hand has the member's name: in a damaged zip libarchive finds other entries when it reads than when it skips. */
static bool is_at_member(const struct tf_member_reader *r, const struct tf_member *m)
{
	const char *name = r->name, *want = m->path;

	for (size_t len; name && (len = next_part(&name)); name += len, want += len) {
		if (want > m->path && *want++ != '/')
			return false;
		if (strncmp(want, name, len) != 0)
			return false;
	}
	return name && *want == '\0';
}

struct tf_member_reader *tf_member_open(struct tf_member *m, struct tf_error *err)
{
	struct tf_archive *a = m->archive;
	struct tf_member_reader *r = a->idle;

	a->idle = NULL;
	if (r && r->next > m->number) {
		reader_free(r);
		r = NULL;
	}
	if (!r && a->revived > REVIVALS) {
		tf_fail(err, TF_EFORMAT, "given up: %d members of the archive are damaged", REVIVALS);
		return NULL;
	}
	if (!r && !(r = reader_open(a, err)))
		return NULL;
	int rc = 1;
	while (rc > 0 && r->next <= m->number)
		rc = next_entry(r, err);
	if (rc >= 0 && (rc == 0 || !is_at_member(r, m)))
		rc = tf_fail(err, TF_EFORMAT, "the archive is damaged: this member is not found again");
	if (rc < 0) {
		reader_free(r);
		return NULL;
	}
	r->member = m;
	return r;
}

/*
 * The next block of the entry's data. The end is a block without bytes: behind a hole, if the entry ends in one. A warning is of sizes or
 * a checksum that do not hold, and comes with the last bytes.
 */
static int next_block(struct tf_member_reader *r, bool *cut, struct tf_error *err)
{
	const void *data = NULL;
	size_t len = 0;
	la_int64_t at = r->at;
	int code = archive_read_data_block(r->archive, &data, &len, &at);

	r->ended = code != ARCHIVE_OK && code != ARCHIVE_WARN;
	r->block = (struct tf_bytes){data, r->ended ? 0 : len};
	r->block_at = at;
	if (code == ARCHIVE_OK || code == ARCHIVE_EOF)
		return 0;
	*cut |= code == ARCHIVE_WARN || !r->member || r->at < r->member->bytes; /* else only padding is missing */
	if (code == ARCHIVE_WARN)
		return 0;
	r->block_at = r->at;
	r->dead = code == ARCHIVE_FATAL;
	r->of->revived += r->dead;
	if (r->failed.code == TF_OK && archive_errno(r->archive) != ENOMEM)
		return 0;
	return fail(r, err);
}

int tf_member_next(struct tf_member_reader *r, struct tf_bytes *piece, bool *cut, struct tf_error *err)
{
	static const uint8_t zeros[ZEROS];

	while (r->block.len == 0 && r->at >= r->block_at && !r->ended)
		if (next_block(r, cut, err) < 0)
			return -1;
	if (r->at < r->block_at) {
		*piece = (struct tf_bytes){zeros, r->block_at - r->at < ZEROS ? (size_t)(r->block_at - r->at) : ZEROS};
	} else {
		*piece = r->block;
		r->block.len = 0;
	}
	if (r->member && r->at + (int64_t)piece->len > r->member->bytes) { /* more than its header promised */
		piece->len = (size_t)(r->member->bytes - r->at);
		r->block = (struct tf_bytes){0};
		r->block_at = r->at + (int64_t)piece->len;
		r->ended = *cut = true;
	}
	r->at += (int64_t)piece->len;
	if (piece->len == 0) {
		*piece = (struct tf_bytes){zeros, 0};
		*cut |= r->member && r->at < r->member->bytes;
	}
	return 0;
}

int64_t tf_member_origin_bytes(const struct tf_member_reader *r)
{
	return r->taken - r->taken_before + READ_AHEAD;
}

void tf_member_close(struct tf_member_reader *r)
{
	if (r && !r->of->idle && !r->dead)
		r->of->idle = r;
	else
		reader_free(r);
}

static bool wants_file(struct tf_archive *a, const struct tf_member_reader *r)
{
	mode_t type = archive_entry_filetype(r->entry);

	if (type == AE_IFDIR)
		return false;
	if (type == AE_IFREG && !archive_entry_hardlink(r->entry) && r->name)
		return true;
	a->passed_over++;
	return false;
}

/* All that an archive holds is bounded before any of it is read. */
static int check_size(struct tf_archive *a, const struct tf_member_reader *r, uint64_t total_bytes)
{
	int64_t origin = r->seekable_bytes < 0 ? r->taken + READ_AHEAD : r->seekable_bytes;

	if (a->stored.origin_bytes && a->stored.origin_bytes < origin)
		origin = a->stored.origin_bytes;
	if (total_bytes > TF_LIMIT_INFLATED_BYTES)
		return tf_fail(&a->stop, TF_ELIMIT, "the archive's members have over %llu bytes",
			       (unsigned long long)TF_LIMIT_INFLATED_BYTES);
	if (tf_is_bomb(total_bytes, TF_LIMIT_STREAM_FREE_BYTES, origin))
		return tf_fail(&a->stop, TF_ELIMIT, "the archive's members have over %d times its size, which no log has",
			       TF_LIMIT_INFLATED_RATIO);
	if (r->next > TF_LIMIT_ARCHIVE_ENTRIES || a->arena.used_bytes > TF_LIMIT_ARCHIVE_NAME_BYTES)
		return tf_fail(&a->stop, TF_ELIMIT, "more than %d entries, or too long names: the rest of the archive is not read",
			       TF_LIMIT_ARCHIVE_ENTRIES);
	return 0;
}

/* The size of the entry at hand, -1 on failure: where the header does not tell it (a zip that was streamed), all of it is read. */
static int64_t size_of(struct tf_member_reader *r, struct tf_error *err)
{
	struct tf_bytes piece;
	int64_t total = 0;
	bool cut = false;

	if (archive_entry_size_is_set(r->entry))
		return archive_entry_size(r->entry) < 0 ? 0 : archive_entry_size(r->entry);
	do {
		if (tf_member_next(r, &piece, &cut, err) < 0)
			return -1;
		total += (int64_t)piece.len;
	} while (piece.len);
	return total;
}

/* Of several entries of one name the last counts, as if they were unpacked one after the other. */
static int add_member(struct tf_archive *a, const struct tf_member *m, struct tf_map *by_path, struct tf_error *err)
{
	uint64_t key = tf_hash_bytes(m->path, strlen(m->path)), *before = tf_map_find(by_path, key);

	if (before && strcmp(a->members[*before].path, m->path) == 0) {
		a->members[*before] = *m;
		return 0;
	}
	struct tf_member *slot = tf_arena_push(&a->arena, (void **)&a->members, &a->count, &a->cap, sizeof *slot);
	if (!slot)
		return tf_fail_nomem(err);
	*slot = *m;
	return tf_map_put(by_path, key, a->count - 1, err);
}

/* One entry. 1: go on, 0: stop, -1: TF_ENOMEM. */
static int list_entry(struct tf_archive *a, struct tf_member_reader *r, struct tf_map *by_path, uint64_t *total_bytes,
		      struct tf_error *err)
{
	struct tf_member m = {.archive = a, .number = r->next - 1};

	if (check_size(a, r, *total_bytes) < 0)
		return 0;
	if (!wants_file(a, r))
		return 1;
	m.path = clean_path(&a->arena, r->name);
	m.is_encrypted = archive_entry_is_data_encrypted(r->entry);
	if (!m.path)
		return tf_fail_nomem(err);
	if (!*m.path || (m.bytes = size_of(r, &a->stop)) < 0)
		return *m.path == '\0';
	*total_bytes += (uint64_t)m.bytes;
	if (check_size(a, r, *total_bytes) < 0)
		return 0;
	return add_member(a, &m, by_path, err) < 0 ? -1 : 1;
}

struct placed {
	struct tf_member member;
	uint64_t folder; /* by which of its members came first */
};

static int compare_placed(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;

	if (a->folder != b->folder)
		return a->folder < b->folder ? -1 : 1;
	return tf_walk_compare(a->member.path, b->member.path);
}

/* Inside a folder the order is that of a walk; folder after folder, one pass through the archive meets them nearly in this order. */
static int sort_members(struct tf_archive *a, struct tf_error *err)
{
	struct tf_map folders = {0};
	struct placed *list = calloc(a->count ? a->count : 1, sizeof *list);
	int rc = list ? 0 : tf_fail_nomem(err);

	for (size_t i = 0; rc == 0 && i < a->count; i++) {
		const char *path = a->members[i].path, *slash = strrchr(path, '/');
		uint64_t key = tf_hash_bytes(path, slash ? (size_t)(slash - path) : 0), *known = tf_map_find(&folders, key);
		list[i] = (struct placed){a->members[i], known ? *known : i};
		if (!known)
			rc = tf_map_put(&folders, key, i, err);
	}
	if (rc == 0 && a->count)
		qsort(list, a->count, sizeof *list, compare_placed);
	for (size_t i = 0; rc == 0 && i < a->count; i++)
		a->members[i] = list[i].member;
	free(list);
	tf_map_release(&folders);
	return rc;
}

int tf_archive_list(struct tf_archive *a, const struct tf_stored *stored, struct tf_error *err)
{
	struct tf_map by_path = {0};
	uint64_t total_bytes = 0;
	int rc = 1;

	a->stored = *stored;
	a->stop_offset = INT64_MIN;
	struct tf_member_reader *r = reader_open(a, &a->stop);
	while (r && rc > 0 && (rc = next_entry(r, &a->stop)) > 0)
		rc = list_entry(a, r, &by_path, &total_bytes, err);
	tf_map_release(&by_path);
	if (rc < 0 && a->stop.code == TF_OK)
		a->stop = *err;
	if (r && a->stop.code == TF_OK && r->from.cut)
		tf_fail(&a->stop, TF_EFORMAT, "the %s stream around the archive ends early or is damaged", tf_codec_name(r->from.codec));
	if (r && a->stop.code == TF_EFORMAT)
		a->stop_offset = r->from.at;
	if (r && a->stop.code == TF_OK && r->lost_blocks) {
		tf_fail(&a->stop, TF_EFORMAT, "the archive is damaged: %zu blocks of it belong to no member", r->lost_blocks);
		a->stop_offset = r->lost_at;
	}
	reader_free(r);
	if (a->stop.code == TF_ENOMEM)
		return tf_fail_nomem(err);
	return sort_members(a, err);
}

void tf_archive_release(struct tf_archive *a)
{
	for (size_t i = 0; i < a->count; i++)
		tf_member_let_go(&a->members[i]);
	reader_free(a->idle);
	tf_arena_release(&a->arena);
	*a = (struct tf_archive){0};
}

/* All of a member into memory. */
static int read_member(struct tf_member *m, struct tf_error *err)
{
	struct tf_member_reader *r = tf_member_open(m, err);
	uint8_t *data = malloc(m->bytes ? (size_t)m->bytes : 1);
	struct tf_bytes piece = {0};
	size_t len = 0;
	int rc = r ? 0 : -1;

	if (rc == 0 && !data)
		rc = tf_fail_nomem(err);
	while (rc == 0 && (rc = tf_member_next(r, &piece, &m->is_cut, err)) == 0 && piece.len) {
		memcpy(data + len, piece.data, piece.len);
		len += piece.len;
	}
	if (rc == 0) {
		m->origin_bytes = tf_member_origin_bytes(r);
		m->held = (struct tf_bytes){data, len};
	} else {
		free(data);
	}
	tf_member_close(r);
	return rc;
}

static int compare_numbers(const void *a, const void *b)
{
	size_t x = (*(struct tf_member *const *)a)->number, y = (*(struct tf_member *const *)b)->number;
	return x < y ? -1 : x > y;
}

int tf_archive_hold(struct tf_archive *a, struct tf_member *const *members, size_t count, struct tf_error *err)
{
	struct tf_member **sorted = malloc((count + 1) * sizeof *sorted);
	struct tf_error failed = {0};
	int rc = sorted ? 0 : tf_fail_nomem(err);

	for (size_t i = 0; rc == 0 && i < count; i++)
		sorted[i] = members[i];
	if (rc == 0)
		qsort(sorted, count, sizeof *sorted, compare_numbers);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		failed.code = TF_OK;
		if (sorted[i]->is_encrypted || read_member(sorted[i], &failed) == 0)
			continue;
		sorted[i]->failed = failed.code;
		sorted[i]->failed_text = tf_arena_strdup(&a->arena, failed.text);
		if (failed.code == TF_ENOMEM || !sorted[i]->failed_text)
			rc = tf_fail_nomem(err);
	}
	free(sorted);
	return rc;
}

void tf_member_let_go(struct tf_member *m)
{
	free((void *)(uintptr_t)m->held.data);
	m->held = (struct tf_bytes){0};
}

/* A tar header: the sum of its bytes stands in it, in octal digits. */
static bool is_tar(struct tf_bytes head)
{
	enum { HEADER = 512, SUM = 148, SUM_LEN = 8 };
	uint32_t sum = 0, told = 0;
	int digits = 0;

	if (head.len < HEADER || head.data[0] == 0)
		return false;
	for (size_t i = 0; i < HEADER; i++)
		sum += i >= SUM && i < SUM + SUM_LEN ? ' ' : head.data[i];
	for (size_t i = SUM; i < SUM + SUM_LEN; i++) {
		if (head.data[i] >= '0' && head.data[i] <= '7') {
			told = told * 8 + head.data[i] - '0';
			digits++;
		} else if (digits || head.data[i] != ' ') {
			break;
		}
	}
	return digits > 0 && told == sum;
}

bool tf_is_archive(struct tf_bytes head)
{
	return tf_bytes_begin(head, "PK\3\4") || tf_bytes_begin(head, "PK\5\6") || is_tar(head);
}

bool tf_is_archive_name(const char *name, size_t *stem_len)
{
	static const char *const ends[] = {".tar.gz", ".tar.zst", ".tgz", ".tzst", ".tar", ".zip"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		size_t n = strlen(ends[i]);
		if (len > n && name[len - n - 1] != '/' && memcmp(name + len - n, ends[i], n) == 0) {
			*stem_len = len - n;
			return true;
		}
	}
	return false;
}
