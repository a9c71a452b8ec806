/*
 * Reading inputs. Small files are read at once, of others only pieces. Who needs one whole gets it in memory, or as a map from
 * 64 MiB on: one that shrinks under a map kills the reader.
 */
#include "lib/io/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/base/vec.h"

#define MAP_FROM ((int64_t)64 << 20)

enum { HEAD_BYTES = 1 << 20 };

/* Reads to the end of a descriptor into the heap. */
static int read_all(int fd, size_t expected, uint8_t **data, size_t *len, struct tf_error *err)
{
	size_t cap = 0;

	*data = NULL;
	*len = 0;
	for (;;) {
		if (*len == cap && tf_vec_reserve((void **)data, &cap, *len ? *len * 2 : expected + 1, 1) < 0)
			return tf_fail_nomem(err);
		ssize_t n = read(fd, *data + *len, cap - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tf_fail_errno(err, TF_EIO, "cannot read");
		if (n == 0)
			return 0;
		*len += (size_t)n;
		if (*len > TF_LIMIT_HELD_BYTES)
			return tf_fail(err, TF_ELIMIT, "over %llu bytes in a pipe", (unsigned long long)TF_LIMIT_HELD_BYTES);
	}
}

/* What was inflated has bounds before it is kept. */
static int check_held(const struct tf_stream *s, struct tf_error *err)
{
	if (s->codec == TF_CODEC_NONE && !s->reader)
		return 0;
	if (s->total_bytes > TF_LIMIT_HELD_BYTES)
		return tf_fail(err, TF_ELIMIT, "over %llu bytes, which is more than is kept in memory",
			       (unsigned long long)TF_LIMIT_HELD_BYTES);
	if (tf_is_bomb(s->total_bytes, TF_LIMIT_HELD_FREE_BYTES, tf_stream_origin_bytes(s)))
		return tf_fail(err, TF_ELIMIT, "inflates to over %d times its size, which no log does", TF_LIMIT_INFLATED_RATIO);
	return 0;
}

/* Reads the stream into memory until `limit` bytes are there or it ends. */
static int gather(struct tf_content *in, size_t limit, struct tf_error *err)
{
	struct tf_stream s;
	struct tf_bytes piece;
	uint8_t *data = NULL;
	size_t len = 0, cap = 0;
	int rc = tf_stream_open(&s, &in->stored, err) < 0 ? -1 : 1;

	if (rc > 0 && limit == SIZE_MAX && s.codec == TF_CODEC_NONE && !s.reader
	    && tf_vec_reserve((void **)&data, &cap, (size_t)in->disk_bytes, 1) < 0)
		rc = tf_fail_nomem(err);
	while (rc > 0 && len < limit && (rc = tf_stream_next(&s, &piece, err)) > 0) {
		if (check_held(&s, err) < 0)
			rc = -1;
		else if (tf_vec_reserve((void **)&data, &cap, len + piece.len, 1) < 0)
			rc = tf_fail_nomem(err);
		else
			memcpy(data + len, piece.data, piece.len);
		len += piece.len;
	}
	if (rc < 0) {
		free(data);
	} else {
		free(in->inflated);
		in->inflated = data;
		in->content = (struct tf_bytes){data ? data : (uint8_t *)(uintptr_t) "", len};
		in->whole = rc == 0;
		in->cut |= s.cut;
		in->cut_offset = s.at;
		in->codec = s.codec;
	}
	tf_stream_close(&s);
	return rc < 0 ? -1 : 0;
}

static int open_input(struct tf_content *in, const char *path, struct tf_error *err)
{
	bool standard = path[0] == '-' && path[1] == '\0';
	struct stat st;
	uint8_t *data;
	size_t len;

	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) < 0)
		return tf_fail_errno(err, TF_EIO, "cannot open");
	if (!standard && !S_ISREG(st.st_mode))
		return tf_fail(err, TF_EIO, "not a regular file");
	in->stored.fd = in->fd;
	in->disk_bytes = (int64_t)st.st_size;
	if (!standard && st.st_size > HEAD_BYTES)
		return 0;
	int rc = read_all(in->fd, S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 65536, &data, &len, err);
	in->raw = data;
	in->stored.bytes = (struct tf_bytes){data ? data : (uint8_t *)(uintptr_t) "", len};
	in->disk_bytes = (int64_t)len;
	if (!standard)
		close(in->fd);
	in->fd = -1;
	return rc;
}

/* What is in memory as it is needs no stream. */
static int read_head(struct tf_content *in, struct tf_error *err)
{
	if (in->stored.bytes.data && tf_codec_of(in->stored.bytes) == TF_CODEC_NONE) {
		in->content = in->stored.bytes;
		in->whole = true;
		in->cut_offset = in->cut ? (int64_t)in->content.len : 0;
		return 0;
	}
	int rc = gather(in, HEAD_BYTES, err);
	if (rc < 0)
		tf_content_close(in);
	return rc;
}

int tf_content_open(struct tf_content *in, const char *path, struct tf_error *err)
{
	*in = (struct tf_content){.fd = -1};
	if (open_input(in, path, err) < 0) {
		tf_content_close(in);
		return -1;
	}
	return read_head(in, err);
}

int tf_content_open_member(struct tf_content *in, struct tf_member *member, struct tf_error *err)
{
	if (member->is_encrypted)
		return tf_fail(err, TF_EIO, "encrypted: there is no password to read it with");
	if (member->failed != TF_OK)
		return tf_fail(err, member->failed, "%s", member->failed_text);
	*in = (struct tf_content){.fd = -1, .disk_bytes = member->bytes, .cut = member->is_cut,
				  .is_partial = member->archive->stop.code != TF_OK,
				  .stored = {.bytes = member->held, .member = member, .fd = -1, .origin_bytes = member->origin_bytes}};
	return read_head(in, err);
}

const char *tf_content_cut_text(const struct tf_content *in)
{
	if (in->codec != TF_CODEC_NONE)
		return in->codec == TF_CODEC_ZSTD ? "the zstd stream ends early or is damaged" : "the gzip stream ends early or is damaged";
	return "the archive ends inside this member, or the member is damaged";
}

int tf_content_hash(struct tf_content *in, uint64_t *hash, struct tf_error *err)
{
	struct tf_stored plain = in->stored;
	struct tf_stream s;
	struct tf_bytes piece;
	int rc;

	plain.as_stored = true;
	rc = tf_stream_open(&s, &plain, err) < 0 ? -1 : 1;
	*hash = 0;
	in->disk_bytes = 0;
	while (rc > 0 && (rc = tf_stream_next(&s, &piece, err)) > 0) {
		*hash = tf_hash_u64(*hash) ^ tf_hash_bytes(piece.data, piece.len);
		in->disk_bytes += (int64_t)piece.len;
	}
	tf_stream_close(&s);
	return rc;
}

int tf_content_load(struct tf_content *in, struct tf_error *err)
{
	if (in->whole)
		return 0;
	if (in->codec != TF_CODEC_NONE || in->fd < 0 || in->disk_bytes < MAP_FROM)
		return gather(in, SIZE_MAX, err);
	void *map = mmap(NULL, (size_t)in->disk_bytes, PROT_READ, MAP_PRIVATE, in->fd, 0);
	if (map == MAP_FAILED)
		return gather(in, SIZE_MAX, err);
	in->mapped = map;
	in->mapped_len = (size_t)in->disk_bytes;
	in->content = (struct tf_bytes){map, in->mapped_len};
	in->whole = true;
	return 0;
}

void tf_content_close(struct tf_content *in)
{
	free(in->raw);
	free(in->inflated);
	if (in->mapped)
		munmap(in->mapped, in->mapped_len);
	if (in->fd > STDERR_FILENO)
		close(in->fd);
	*in = (struct tf_content){.fd = -1};
}
