/* Reading whole inputs. Files below 64 MiB are read, since one that shrinks under a map kills the reader; larger ones are mapped. */
#include "lib/io/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/base/vec.h"

#define MAP_FROM ((off_t)64 << 20)

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
	}
}

static int load(struct tf_content *in, int fd, off_t size, struct tf_error *err)
{
	uint8_t *data;
	size_t len;

	if (size >= MAP_FROM) {
		void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED) {
			in->mapped = map;
			in->mapped_len = (size_t)size;
			in->content = (struct tf_bytes){map, (size_t)size};
			return 0;
		}
	}
	int rc = read_all(fd, size > 0 ? (size_t)size : 65536, &data, &len, err);
	in->owned = data;
	in->content = (struct tf_bytes){data, len};
	return rc;
}

static void release_bytes(struct tf_content *in)
{
	free(in->owned);
	if (in->mapped)
		munmap(in->mapped, in->mapped_len);
	in->owned = in->mapped = NULL;
}

/* Inflates one member after the other into `out`. What came before damage stays. */
static int inflate_members(struct tf_content *in, uint8_t **out, size_t *len, struct tf_error *err)
{
	struct tf_bytes from = in->content;
	z_stream z = {0};
	size_t cap = 0, at = 0;
	int code = Z_OK, rc = -1;

	if (inflateInit2(&z, 15 + 32) != Z_OK)
		return tf_fail_nomem(err);
	while (at < from.len && code != Z_DATA_ERROR && code != Z_BUF_ERROR) {
		size_t chunk = from.len - at < (1u << 30) ? from.len - at : (1u << 30), room;
		if (tf_vec_reserve((void **)out, &cap, *len + (1 << 16), 1) < 0) {
			tf_fail_nomem(err);
			goto out;
		}
		room = cap - *len < (1u << 30) ? cap - *len : (1u << 30);
		z.next_in = (Bytef *)(uintptr_t)(from.data + at);
		z.avail_in = (uInt)chunk;
		z.next_out = *out + *len;
		z.avail_out = (uInt)room;
		code = inflate(&z, Z_NO_FLUSH);
		at += chunk - z.avail_in;
		*len += room - z.avail_out;
		if (*len > TF_LIMIT_INFLATED_BYTES) {
			tf_fail(err, TF_ELIMIT, "inflates to over %llu bytes", (unsigned long long)TF_LIMIT_INFLATED_BYTES);
			goto out;
		}
		if (code != Z_STREAM_END)
			continue;
		/* Another member, or padding of zeros, or the end. */
		if (from.len - at < 2 || from.data[at] != 0x1f || from.data[at + 1] != 0x8b)
			break;
		inflateReset(&z);
		code = Z_OK;
	}
	in->cut = code != Z_STREAM_END;
	in->cut_offset = (int64_t)at;
	rc = 0;
out:
	inflateEnd(&z);
	return rc;
}

static int decompress(struct tf_content *in, struct tf_error *err)
{
	uint8_t *out = NULL;
	size_t len = 0;

	if (in->content.len < 18 || in->content.data[0] != 0x1f || in->content.data[1] != 0x8b)
		return 0;
	in->compressed = true;
	if (inflate_members(in, &out, &len, err) < 0) {
		free(out);
		return -1;
	}
	release_bytes(in);
	in->owned = out;
	in->content = (struct tf_bytes){out ? out : (uint8_t *)(uintptr_t) "", len};
	return 0;
}

int tf_content_open(struct tf_content *in, const char *path, struct tf_error *err)
{
	bool standard = path[0] == '-' && path[1] == '\0';
	struct stat st;
	int rc = -1;

	*in = (struct tf_content){0};
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		tf_fail_errno(err, TF_EIO, "cannot open");
		goto out;
	}
	if (!standard && !S_ISREG(st.st_mode)) {
		tf_fail(err, TF_EIO, "not a regular file");
		goto out;
	}
	if (load(in, fd, S_ISREG(st.st_mode) ? st.st_size : 0, err) < 0)
		goto out;
	in->disk_bytes = (int64_t)in->content.len;
	in->hash = tf_hash_bytes(in->content.data, in->content.len);
	rc = decompress(in, err);
out:
	if (fd >= 0 && !standard)
		close(fd);
	if (rc < 0)
		tf_content_close(in);
	return rc;
}

void tf_content_close(struct tf_content *in)
{
	release_bytes(in);
	*in = (struct tf_content){0};
}
