/* A file without a name that takes one input after the other. */
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		char name[] = "/tmp/tfprof-fuzz-XXXXXX";
		fd = mkstemp(name);
		HOLDS(fd >= 0 && unlink(name) == 0);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	HOLDS(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}
