/*
 * Runs a fuzz target over its corpus, $SRC/testdata/corpus/NAME, where NAME_fuzz is the program: what any compiler builds,
 * and what CI runs under the sanitizers. TAP; a file is named before it is read, so that a crash is known by it.
 */
#include <dirent.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static int order(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The file is read into a block of just its size, so that a read beyond its end is seen. */
static void replay(const char *path)
{
	uint8_t *data = NULL;
	FILE *from = fopen(path, "rb");
	long size;

	HOLDS(from && fseek(from, 0, SEEK_END) == 0 && (size = ftell(from)) >= 0 && fseek(from, 0, SEEK_SET) == 0);
	HOLDS((data = malloc(size ? (size_t)size : 1)) != NULL);
	HOLDS(fread(data, 1, (size_t)size, from) == (size_t)size);
	fclose(from);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
}

int main(int argc, char **argv)
{
	const char *source = getenv("SRC"), *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	char folder[4096], path[8192];
	struct dirent **entries;

	(void)argc;
	snprintf(folder, sizeof folder, "%s/testdata/corpus/%.*s", source ? source : ".", (int)(strlen(name) - strlen("_fuzz")), name);
	int count = scandir(folder, &entries, visible, order);
	printf("1..1\n");
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		printf("# %s\n", entries[i]->d_name);
		fflush(stdout);
		replay(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	printf("%s 1 - %s: %d files\n", count > 0 ? "ok" : "not ok", name, count);
	return count > 0 ? 0 : 1;
}
