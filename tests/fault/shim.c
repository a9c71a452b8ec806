/*
 * A library to preload that makes the program's N-th call of one kind fail, or be short, or be interrupted: FAULT=KIND:N[:sticky].
 * Kinds: alloc open read write sync size map, and short or eintr (of read and write alike). FAULT_HIT names a file that is made when it
 * happens, so that a test knows when N is past the last call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ALLOC, OPEN, READ, WRITE, SYNC, SIZE, MAP, SHORT, EINTR_ONCE, KINDS };
static const char *const names[KINDS] = {"alloc", "open", "read", "write", "sync", "size", "map", "short", "eintr"};

static enum kind chosen = KINDS;
static long at, count;
static bool sticky;

/* The next definition of a function, found once. */
#define NEXT(name) \
	static __typeof__(name) *next; \
	if (!next) \
		*(void **)&next = dlsym(RTLD_NEXT, #name)

static void tell(void)
{
	const char *path = getenv("FAULT_HIT");
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0600) : -1;

	if (fd >= 0)
		syscall(SYS_close, fd);
}

static bool fails(enum kind kind)
{
	if (kind != chosen)
		return false;
	long n = ++count;
	if (n != at && !(sticky && n > at))
		return false;
	if (n == at)
		tell();
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAULT"), *colon = text ? strchr(text, ':') : NULL;

	for (int k = 0; colon && k < KINDS; k++)
		if (strlen(names[k]) == (size_t)(colon - text) && strncmp(names[k], text, strlen(names[k])) == 0)
			chosen = (enum kind)k;
	if (colon) {
		char *end;
		at = strtol(colon + 1, &end, 10);
		sticky = strcmp(end, ":sticky") == 0;
	}
}

/* dlsym() itself allocates: what it takes before the real calloc is known comes from here, and is never given back. */
static char early[4096];
static size_t early_used;

void *calloc(size_t n, size_t size)
{
	static void *(*next)(size_t, size_t);
	static bool asking;

	if (!next && asking) {
		size_t bytes = (n * size + 15) & ~(size_t)15;
		void *p = early_used + bytes <= sizeof early ? early + early_used : NULL;
		early_used += bytes;
		return p;
	}
	if (!next) {
		asking = true;
		*(void **)&next = dlsym(RTLD_NEXT, "calloc");
		asking = false;
	}
	if (fails(ALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	return next(n, size);
}

void free(void *p)
{
	NEXT(free);
	if ((char *)p < early || (char *)p >= early + sizeof early)
		next(p);
}

void *malloc(size_t size)
{
	NEXT(malloc);
	if (fails(ALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	return next(size);
}

void *realloc(void *p, size_t size)
{
	NEXT(realloc);
	if (fails(ALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	return next(p, size);
}

#define OPENS(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list ap; \
		va_start(ap, flags); \
		mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0; \
		va_end(ap); \
		NEXT(name); \
		if (fails(OPEN)) { \
			errno = EMFILE; \
			return -1; \
		} \
		return next(path, flags, mode); \
	}
OPENS(open)
OPENS(open64)

/* How many bytes of a transfer to ask for; -1: it fails. */
static ssize_t transfer(enum kind kind, size_t n)
{
	if (fails(kind)) {
		errno = kind == READ ? EIO : ENOSPC;
		return -1;
	}
	if (fails(EINTR_ONCE)) {
		errno = EINTR;
		return -1;
	}
	return fails(SHORT) && n > 1 ? (ssize_t)(n / 2) : (ssize_t)n;
}

ssize_t read(int fd, void *to, size_t n)
{
	NEXT(read);
	ssize_t ask = transfer(READ, n);
	return ask < 0 ? -1 : next(fd, to, (size_t)ask);
}

ssize_t write(int fd, const void *from, size_t n)
{
	NEXT(write);
	ssize_t ask = transfer(WRITE, n);
	return ask < 0 ? -1 : next(fd, from, (size_t)ask);
}

#define POSITIONED(name, kind, pointer) \
	ssize_t name(int fd, pointer data, size_t n, off_t where) \
	{ \
		NEXT(name); \
		ssize_t ask = transfer(kind, n); \
		return ask < 0 ? -1 : next(fd, data, (size_t)ask, where); \
	}
POSITIONED(pread, READ, void *)
POSITIONED(pread64, READ, void *)
POSITIONED(pwrite, WRITE, const void *)
POSITIONED(pwrite64, WRITE, const void *)

#define SYNCS(name) \
	int name(int fd) \
	{ \
		NEXT(name); \
		if (fails(SYNC)) { \
			errno = EIO; \
			return -1; \
		} \
		return next(fd); \
	}
SYNCS(fsync)
SYNCS(fdatasync)

#define SIZES(name) \
	int name(int fd, off_t size) \
	{ \
		NEXT(name); \
		if (fails(SIZE)) { \
			errno = ENOSPC; \
			return -1; \
		} \
		return next(fd, size); \
	}
SIZES(ftruncate)
SIZES(ftruncate64)

#define MAPS(name) \
	void *name(void *near, size_t n, int protection, int flags, int fd, off_t from) \
	{ \
		NEXT(name); \
		if (fails(MAP)) { \
			errno = ENOMEM; \
			return MAP_FAILED; \
		} \
		return next(near, n, protection, flags, fd, from); \
	}
MAPS(mmap)
MAPS(mmap64)
