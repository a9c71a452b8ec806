/* Content in pieces of 256 KiB; compressed members one after the other. */
#include "lib/io/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/io/archive.h"

enum { PIECE_BYTES = 1 << 18 };

/* Stored bytes at hand: more of them if there are none. A file that shrank ends where it now ends. */
static int refill(struct tf_stream *s, struct tf_error *err)
{
	if (s->reader && s->ready.len == 0 && tf_member_next(s->reader, &s->ready, &s->cut, err) < 0)
		return -1;
	while (s->ready.len == 0 && s->input) {
		ssize_t n = pread(s->from.fd, s->input, PIECE_BYTES, (off_t)s->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tf_fail_errno(err, TF_EIO, "cannot read");
		s->ready = (struct tf_bytes){s->input, (size_t)n};
		break;
	}
	return 0;
}

static int open_source(struct tf_stream *s, struct tf_error *err)
{
	if (s->from.bytes.data)
		return 0;
	if (s->from.member)
		return (s->reader = tf_member_open(s->from.member, err)) ? 0 : -1;
	s->input = malloc(PIECE_BYTES);
	return s->input ? 0 : tf_fail_nomem(err);
}

int tf_stream_open(struct tf_stream *s, const struct tf_stored *from, struct tf_error *err)
{
	*s = (struct tf_stream){.from = *from, .ready = from->bytes};
	if (open_source(s, err) < 0)
		return -1;
	if (from->as_stored)
		return 0;
	if (refill(s, err) < 0)
		return -1;
	s->codec = tf_codec_of(s->ready);
	if (s->codec == TF_CODEC_NONE)
		return 0;
	s->output = malloc(PIECE_BYTES);
	s->inflater = tf_inflater_new(s->codec);
	return s->output && s->inflater ? 0 : tf_fail_nomem(err);
}

static void use(struct tf_stream *s, size_t n)
{
	s->ready.data += n;
	s->ready.len -= n;
	s->at += (int64_t)n;
}

/* After a member: another one, or padding of zeros up to the end. Anything else may have been a member: damage. */
static int begin_member(struct tf_stream *s, struct tf_error *err)
{
	if (refill(s, err) < 0)
		return -1;
	if (tf_inflater_continues(s->inflater, s->ready))
		return 0;
	while (s->ready.len && s->ready.data[0] == 0) {
		use(s, 1);
		if (refill(s, err) < 0)
			return -1;
	}
	s->ended = true;
	s->cut |= s->ready.len > 0;
	return 0;
}

static int inflate_piece(struct tf_stream *s, struct tf_bytes *piece, struct tf_error *err)
{
	size_t got = 0;

	while (!s->ended && got < PIECE_BYTES) {
		if (refill(s, err) < 0)
			return -1;
		struct tf_bytes rest = s->ready;
		enum tf_inflated how = tf_inflate(s->inflater, &rest, s->output, &got, PIECE_BYTES);
		use(s, s->ready.len - rest.len);
		if (how == TF_INFLATED_FAULT)
			s->ended = s->cut = true;
		else if (how == TF_INFLATED_END && begin_member(s, err) < 0)
			return -1;
	}
	*piece = (struct tf_bytes){s->output, got};
	return 0;
}

/* What was inflated, here or by an archive, has bounds. */
static int check_bounds(const struct tf_stream *s, struct tf_error *err)
{
	if (s->codec == TF_CODEC_NONE && !s->reader)
		return 0;
	if (s->total_bytes > TF_LIMIT_INFLATED_BYTES)
		return tf_fail(err, TF_ELIMIT, "inflates to over %llu bytes", (unsigned long long)TF_LIMIT_INFLATED_BYTES);
	if (tf_is_bomb(s->total_bytes, TF_LIMIT_STREAM_FREE_BYTES, tf_stream_origin_bytes(s)))
		return tf_fail(err, TF_ELIMIT, "inflates to over %d times its size, which no log does", TF_LIMIT_INFLATED_RATIO);
	return 0;
}

int tf_stream_next(struct tf_stream *s, struct tf_bytes *piece, struct tf_error *err)
{
	if (s->inflater) {
		if (inflate_piece(s, piece, err) < 0)
			return -1;
	} else {
		if (refill(s, err) < 0)
			return -1;
		size_t n = s->ready.len < PIECE_BYTES ? s->ready.len : PIECE_BYTES;
		*piece = (struct tf_bytes){s->ready.data, n};
		use(s, n);
	}
	s->total_bytes += piece->len;
	return check_bounds(s, err) < 0 ? -1 : piece->len > 0;
}

int64_t tf_stream_origin_bytes(const struct tf_stream *s)
{
	int64_t used = s->reader ? tf_member_origin_bytes(s->reader) : s->at;
	return s->from.origin_bytes && used > s->from.origin_bytes ? s->from.origin_bytes : used;
}

int64_t tf_stream_seekable_bytes(const struct tf_stream *s)
{
	struct stat st;

	if (s->inflater || s->reader)
		return -1;
	if (s->from.bytes.data)
		return (int64_t)s->from.bytes.len;
	return fstat(s->from.fd, &st) < 0 ? -1 : (int64_t)st.st_size;
}

void tf_stream_seek(struct tf_stream *s, int64_t at)
{
	s->at = at;
	s->ready = s->from.bytes.data ? (struct tf_bytes){s->from.bytes.data + at, s->from.bytes.len - (size_t)at} : (struct tf_bytes){0};
}

void tf_stream_close(struct tf_stream *s)
{
	tf_member_close(s->reader);
	tf_inflater_free(s->inflater);
	free(s->input);
	free(s->output);
	*s = (struct tf_stream){0};
}
