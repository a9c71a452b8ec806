/* Content in pieces of 256 KiB; gzip members one after the other. */
#include "lib/io/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/limits.h"

enum { PIECE_BYTES = 1 << 18 };

int tf_stream_open(struct tf_stream *s, const struct tf_stored *from, struct tf_error *err)
{
	*s = (struct tf_stream){.from = *from, .ready = from->bytes};
	if (!from->bytes.data) {
		s->input = malloc(PIECE_BYTES);
		if (!s->input)
			return tf_fail_nomem(err);
	}
	if (!from->compressed)
		return 0;
	s->output = malloc(PIECE_BYTES);
	z_stream *z = calloc(1, sizeof *z);
	if (!s->output || !z || inflateInit2(z, 15 + 32) != Z_OK) {
		free(z);
		return tf_fail_nomem(err);
	}
	s->inflater = z;
	return 0;
}

/* Stored bytes at hand: more of them if there are none. A file that shrank ends where it now ends. */
static int refill(struct tf_stream *s, struct tf_error *err)
{
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

static void use(struct tf_stream *s, size_t n)
{
	s->ready.data += n;
	s->ready.len -= n;
	s->at += (int64_t)n;
}

/* After a member: another one, or padding of zeros up to the end. Anything else may have been a member: damage. */
static int begin_member(struct tf_stream *s, struct tf_error *err)
{
	inflateReset(s->inflater);
	if (refill(s, err) < 0)
		return -1;
	if (s->ready.len && s->ready.data[0] == 0x1f && (s->ready.len == 1 || s->ready.data[1] == 0x8b))
		return 0;
	while (s->ready.len && s->ready.data[0] == 0) {
		use(s, 1);
		if (refill(s, err) < 0)
			return -1;
	}
	s->ended = true;
	s->cut = s->ready.len > 0;
	return 0;
}

static int inflate_piece(struct tf_stream *s, struct tf_bytes *piece, struct tf_error *err)
{
	z_stream *z = s->inflater;
	size_t got = 0;

	while (!s->ended && got < PIECE_BYTES) {
		if (refill(s, err) < 0)
			return -1;
		size_t chunk = s->ready.len < PIECE_BYTES ? s->ready.len : PIECE_BYTES;
		z->next_in = (Bytef *)(uintptr_t)s->ready.data;
		z->avail_in = (uInt)chunk;
		z->next_out = s->output + got;
		z->avail_out = (uInt)(PIECE_BYTES - got);
		int code = inflate(z, Z_NO_FLUSH);
		use(s, chunk - z->avail_in);
		got = PIECE_BYTES - z->avail_out;
		if (code == Z_STREAM_END) {
			if (begin_member(s, err) < 0)
				return -1;
		} else if (code != Z_OK) { /* no progress is Z_BUF_ERROR: nothing is left to read */
			s->ended = s->cut = true;
		}
	}
	*piece = (struct tf_bytes){s->output, got};
	s->total_bytes += got;
	if (s->total_bytes > TF_LIMIT_INFLATED_BYTES)
		return tf_fail(err, TF_ELIMIT, "inflates to over %llu bytes", (unsigned long long)TF_LIMIT_INFLATED_BYTES);
	return got > 0;
}

int tf_stream_next(struct tf_stream *s, struct tf_bytes *piece, struct tf_error *err)
{
	if (s->from.compressed)
		return inflate_piece(s, piece, err);
	if (refill(s, err) < 0)
		return -1;
	size_t n = s->ready.len < PIECE_BYTES ? s->ready.len : PIECE_BYTES;
	*piece = (struct tf_bytes){s->ready.data, n};
	use(s, n);
	s->total_bytes += n;
	return n > 0;
}

void tf_stream_close(struct tf_stream *s)
{
	if (s->inflater)
		inflateEnd(s->inflater);
	free(s->inflater);
	free(s->input);
	free(s->output);
	*s = (struct tf_stream){0};
}
