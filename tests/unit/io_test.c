/* lib/io and sniffing: contents, walk, names, kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/decode/sniff.h"
#include "lib/io/content.h"
#include "lib/io/naming.h"
#include "lib/io/walk.h"
#include "tests/unit/support_proto.h"

static char folder[64];

static int enter(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tfprof-io-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const void *data, size_t len)
{
	FILE *to = fopen(path, "wb");
	assert_non_null(to);
	assert_int_equal(fwrite(data, 1, len, to), len);
	assert_int_equal(fclose(to), 0);
}

/* One gzip member of the text. */
static size_t squeeze(const char *text, uint8_t *out, size_t room)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)strlen(text), .next_out = out, .avail_out = (uInt)room};
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static void reads(const char *path, const char *want, bool cut)
{
	struct tf_content in;
	struct tf_error err = {0};
	assert_int_equal(tf_content_open(&in, path, &err), 0);
	assert_int_equal(in.content.len, strlen(want));
	assert_memory_equal(in.content.data, want, in.content.len);
	assert_int_equal(in.cut, cut);
	tf_content_close(&in);
}

static void plain_and_compressed_contents_are_the_same(void **state)
{
	(void)state;
	uint8_t z[256];
	size_t n = squeeze("hello hello hello", z, sizeof z);
	put("plain", "hello hello hello", 17);
	put("packed", z, n);
	reads("plain", "hello hello hello", false);
	reads("packed", "hello hello hello", false);
}

static void all_members_of_a_gzip_file_are_read(void **state)
{
	(void)state;
	uint8_t z[512];
	size_t n = squeeze("one ", z, sizeof z);
	n += squeeze("two", z + n, sizeof z - n);
	memset(z + n, 0, 100); /* padding */
	put("two", z, n + 100);
	reads("two", "one two", false);
}

static void a_cut_gzip_file_gives_what_came_before(void **state)
{
	(void)state;
	char text[4096];
	uint8_t z[8192];
	uint32_t seed = 1;
	struct tf_content in;
	struct tf_error err = {0};
	for (size_t i = 0; i < sizeof text - 1; i++)
		text[i] = (char)('a' + ((seed = seed * 1103515245 + 12345) >> 16) % 26);
	text[sizeof text - 1] = '\0';
	size_t n = squeeze(text, z, sizeof z);
	put("cut", z, n - 30);
	assert_int_equal(tf_content_open(&in, "cut", &err), 0);
	assert_true(in.cut && in.content.len > 0 && in.content.len < sizeof text - 1);
	assert_memory_equal(in.content.data, text, in.content.len);
	tf_content_close(&in);
}

static void pipes_and_folders_are_no_contents(void **state)
{
	(void)state;
	struct tf_content in;
	struct tf_error err = {0};
	mkfifo("pipe", 0600);
	assert_int_equal(tf_content_open(&in, "pipe", &err), -1);
	assert_int_equal(tf_content_open(&in, ".", &err), -1);
	assert_int_equal(tf_content_open(&in, "nothing", &err), -1);
	assert_int_equal(err.code, TF_EIO);
}

static void files_are_found_in_order_of_their_numbers(void **state)
{
	(void)state;
	static const char *const want[] = {"d/e.9", "d/e.10", "d/e.10b", "d/e.999", "d/e.1000"};
	struct tf_walk w = {0};
	struct tf_error err = {0};
	mkdir("d", 0700);
	for (size_t i = 0; i < 5; i++)
		put(want[i], "x", 1);
	assert_int_equal(tf_walk(&w, "d", &err), 0);
	assert_int_equal(w.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(w.files[i].path, want[i]);
	tf_walk_release(&w);
}

static void links_are_followed_and_circles_end(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	mkdir("w", 0700);
	mkdir("w/real", 0700);
	put("w/real/f", "x", 1);
	mkdir("w/l", 0700);
	assert_int_equal(symlink("../real", "w/l/a"), 0);
	assert_int_equal(symlink("..", "w/real/up"), 0);
	assert_int_equal(symlink("nowhere", "w/l/gone"), 0);
	assert_int_equal(tf_walk(&w, "w/l", &err), 0);
	size_t files = 0, broken = 0;
	for (size_t i = 0; i < w.count; i++) {
		files += !w.files[i].error;
		broken += w.files[i].error != 0;
	}
	assert_int_equal(files, 1);
	assert_int_equal(broken, 1);
	tf_walk_release(&w);
}

static const struct {
	const char *full, *relative;
	int from_file;
	const char *prefix, *run, *folder, *session, *host;
} name_cases[] = {
	{"logs/exp/train/plugins/profile/2026_01/h.xplane.pb", "exp/train/plugins/profile/2026_01/h.xplane.pb", 0, NULL, "exp/train",
	 "exp/train/plugins/profile/2026_01", "2026_01", "h"},
	{"logs/plugins/profile/2026_01/h.xplane.pb", "plugins/profile/2026_01/h.xplane.pb", 0, NULL, ".", "plugins/profile/2026_01",
	 "2026_01", "h"},
	{"logs/plugins/profile/2026_01/h.xplane.pb", "plugins/profile/2026_01/h.xplane.pb", 0, "job", "job",
	 "job/plugins/profile/2026_01", "2026_01", "h"},
	{"logs/exp/plugins/profile/2026_01/node.with.dots.xplane.pb.gz", "node.with.dots.xplane.pb.gz", 1, NULL, "exp", "exp", "2026_01",
	 "node.with.dots"},
	{"a/x01_good.xplane.pb", "x01_good.xplane.pb", 0, NULL, ".", ".", "x01_good", "x01_good"},
	{"a/b/xplane.pb", "b/xplane.pb", 0, NULL, "b", "b", "localhost", "localhost"},
	{"logs/train/events.out.tfevents.1.h", "train/events.out.tfevents.1.h", 0, "ci/7", "ci/7/train", "ci/7/train",
	 "1.h", "1.h"},
};

static void runs_sessions_and_hosts_are_named(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_error err = {0};
	for (size_t i = 0; i < sizeof name_cases / sizeof name_cases[0]; i++) {
		struct tf_names n;
		assert_int_equal(tf_name_file(&a, name_cases[i].full, name_cases[i].relative, name_cases[i].from_file,
					      name_cases[i].prefix, &n, &err), 0);
		assert_string_equal(n.run, name_cases[i].run);
		assert_string_equal(n.folder, name_cases[i].folder);
		assert_string_equal(n.session, name_cases[i].session);
		assert_string_equal(n.host, name_cases[i].host);
	}
	tf_arena_release(&a);
}

static void kinds_are_told_by_content(void **state)
{
	(void)state;
	static const struct {
		const char *content, *name;
		enum tf_file_kind kind;
	} cases[] = {
		{"<html>404</html>\n", "h.xplane.pb", TF_FILE_UNKNOWN},
		{"{\"traceEvents\":[]}", "any", TF_FILE_TRACE_JSON},
		{"[{\"ph\":\"X\"}]", "any", TF_FILE_TRACE_JSON},
		{"{\"memoryProfilePerAllocator\":{}}", "any", TF_FILE_MEMORY_JSON},
		{"{\"x\":1}", "any", TF_FILE_UNKNOWN},
		{"", "h.kernel_stats.pb", TF_FILE_KERNEL_STATS_PB},
		{"", "events.out.tfevents.1.h", TF_FILE_EVENTS},
		{"", "h.xplane.pb", TF_FILE_XSPACE},
		{"", "notes.txt", TF_FILE_UNKNOWN},
		{"plain text that goes on for a while", "events.out.tfevents.txt", TF_FILE_EVENTS},
	};
	for (size_t i = 0; i + 1 < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(tf_sniff(tf_bytes_of(cases[i].content), true, cases[i].name), cases[i].kind);
	uint8_t junk[64];
	memset(junk, 0xff, sizeof junk);
	assert_int_equal(tf_sniff((struct tf_bytes){junk, sizeof junk}, true, "h.xplane.pb"), TF_FILE_UNKNOWN);
}

static void an_event_file_needs_no_name(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_version(&b);
	assert_int_equal(tf_sniff(pb_view(&b), true, "anything"), TF_FILE_EVENTS);
	assert_int_equal(tf_sniff(pb_view(&b), true, "events.out.tfevents.1.h.profile-empty"), TF_FILE_PROFILE_EMPTY);
	tf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_and_compressed_contents_are_the_same),
		cmocka_unit_test(all_members_of_a_gzip_file_are_read),
		cmocka_unit_test(a_cut_gzip_file_gives_what_came_before),
		cmocka_unit_test(pipes_and_folders_are_no_contents),
		cmocka_unit_test(files_are_found_in_order_of_their_numbers),
		cmocka_unit_test(links_are_followed_and_circles_end),
		cmocka_unit_test(runs_sessions_and_hosts_are_named),
		cmocka_unit_test(kinds_are_told_by_content),
		cmocka_unit_test(an_event_file_needs_no_name),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, enter, leave);
}
