/* Names of runs as TensorBoard makes them (the folder's path below the one given), of sessions and hosts as XProf does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lib/io/naming.h"

static struct tf_arena arena;

static struct tf_names name(const char *full, const char *relative, int from_file, const char *prefix)
{
	struct tf_names n;
	struct tf_error err = {0};
	assert_int_equal(tf_name_file(&arena, full, relative, from_file, prefix, &n, &err), 0);
	return n;
}

/* A file below the folder "logs". */
static struct tf_names below(const char *relative)
{
	char full[256];
	snprintf(full, sizeof full, "logs/%s", relative);
	return name(full, relative, 0, NULL);
}

static int release(void **state)
{
	(void)state;
	tf_arena_release(&arena);
	return 0;
}

static void the_run_of_an_event_file_is_its_folder(void **state)
{
	(void)state;
	assert_string_equal(below("events.out.tfevents.1.h").run, ".");
	assert_string_equal(below("train/events.out.tfevents.1.h").run, "train");
	assert_string_equal(below("a/b/c/events.out.tfevents.1.h").run, "a/b/c");
	assert_string_equal(below("a/b/c/events.out.tfevents.1.h").folder, "a/b/c");
}

static void the_run_of_a_capture_holds_its_plugins_folder(void **state)
{
	(void)state;
	struct tf_names n = below("exp/train/plugins/profile/2026_01_02/h.xplane.pb");
	assert_string_equal(n.run, "exp/train");
	assert_string_equal(n.session, "2026_01_02");
	assert_string_equal(n.host, "h");
	assert_string_equal(n.folder, "exp/train/plugins/profile/2026_01_02");
	assert_string_equal(below("plugins/profile/s/h.xplane.pb").run, ".");
}

/* ingest logs/exp/plugins/profile, or a session's folder below it. */
static void a_path_inside_plugins_still_finds_the_run(void **state)
{
	(void)state;
	assert_string_equal(name("logs/exp/plugins/profile/s/h.xplane.pb", "s/h.xplane.pb", 0, NULL).run, "exp");
	assert_string_equal(name("logs/exp/plugins/profile/s/h.xplane.pb", "h.xplane.pb", 0, NULL).run, "exp");
	assert_string_equal(name("logs/exp/plugins/profile/s/h.xplane.pb", "h.xplane.pb", 0, NULL).session, "s");
	assert_string_equal(name("plugins/profile/s/h.xplane.pb", "h.xplane.pb", 0, NULL).run, ".");
	assert_string_equal(name("/plugins/profile/s/h.xplane.pb", "h.xplane.pb", 0, NULL).run, ".");
}

static void a_file_alone_is_named_by_where_it_lies(void **state)
{
	(void)state;
	struct tf_names n = name("x/exp/plugins/profile/s/h.xplane.pb", "h.xplane.pb", 1, NULL);
	assert_string_equal(n.run, "exp");
	assert_string_equal(n.folder, "exp");
	assert_string_equal(n.session, "s");
	n = name("somewhere/h.xplane.pb", "h.xplane.pb", 1, NULL);
	assert_string_equal(n.run, ".");
	assert_string_equal(n.session, "h"); /* no folder names it */
}

static void the_last_plugins_folder_counts(void **state)
{
	(void)state;
	struct tf_names n = below("old/plugins/profile/1/new/plugins/profile/2/h.xplane.pb");
	assert_string_equal(n.run, "old/plugins/profile/1/new");
	assert_string_equal(n.session, "2");
}

static void only_whole_folder_names_are_plugins(void **state)
{
	(void)state;
	assert_string_equal(below("myplugins/profile/s/h.xplane.pb").run, "myplugins/profile/s");
	assert_string_equal(below("plugins/profiles/s/h.xplane.pb").run, "plugins/profiles/s");
}

static void a_capture_right_in_profile_names_its_own_session(void **state)
{
	(void)state;
	struct tf_names n = below("exp/plugins/profile/h.xplane.pb");
	assert_string_equal(n.run, "exp");
	assert_string_equal(n.session, "h");
}

static void deeper_folders_stay_in_their_session(void **state)
{
	(void)state;
	struct tf_names n = below("exp/plugins/profile/s/more/h.xplane.pb");
	assert_string_equal(n.session, "s");
	assert_string_equal(n.host, "h");
}

static void hosts_lose_what_their_tool_adds(void **state)
{
	(void)state;
	static const char *const endings[] = {".xplane.pb",	    ".xplane.pb.gz",	 ".xplane.pb.zst",    ".trace.json",	    ".trace.json.gz",
					      ".memory_profile.json.gz", ".memory_profile.pb", ".overview_page.pb", ".input_pipeline.pb",
					      ".tensorflow_stats.pb",	 ".kernel_stats.pb",   ".trace",	    ".prof",		".pb",
					      ".json",			 ""};
	static const char *const hosts[] = {"vm", "node.cluster.example", "10.0.0.1", "worker-0_7"};
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
		for (size_t k = 0; k < sizeof hosts / sizeof hosts[0]; k++) {
			char path[128];
			snprintf(path, sizeof path, "plugins/profile/s/%s%s", hosts[k], endings[i]);
			assert_string_equal(below(path).host, hosts[k]);
		}
}

static void one_ending_goes_and_no_more(void **state)
{
	(void)state;
	assert_string_equal(below("plugins/profile/s/a.xplane.pb.xplane.pb").host, "a.xplane.pb");
	assert_string_equal(below("plugins/profile/s/h.json.trace.json").host, "h.json");
}

static void a_file_named_by_its_tool_is_of_the_local_host(void **state)
{
	(void)state;
	static const char *const names[] = {"xplane.pb", "xplane.pb.gz", ".xplane.pb", "trace.json.gz", "memory_profile.pb", "overview_page.pb",
					    "kernel_stats.pb", "input_pipeline.pb", "tensorflow_stats.pb"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char path[128];
		snprintf(path, sizeof path, "plugins/profile/s/%s", names[i]);
		assert_string_equal(below(path).host, "localhost");
	}
	assert_string_equal(below("plugins/profile/s/xplane2.pb").host, "xplane2");
}

static void a_prefix_goes_before_every_run(void **state)
{
	(void)state;
	assert_string_equal(name("logs/train/e", "train/e", 0, "ci/7").run, "ci/7/train");
	assert_string_equal(name("logs/e", "e", 0, "ci/7").run, "ci/7"); /* no "ci/7/." */
	assert_string_equal(name("logs/a/plugins/profile/s/h.xplane.pb", "a/plugins/profile/s/h.xplane.pb", 0, "ci").run, "ci/a");
	assert_string_equal(name("x/a/plugins/profile/s/h.xplane.pb", "h.xplane.pb", 1, "ci").run, "ci/a");
	assert_string_equal(name("logs/train/e", "train/e", 0, "").run, "train");
}

static void slashes_too_many_leave_no_trace(void **state)
{
	(void)state;
	assert_string_equal(name("logs/a//plugins/profile/s/h.xplane.pb", "a//plugins/profile/s/h.xplane.pb", 0, NULL).run, "a");
	assert_string_equal(name("logs/a//e", "a//e", 0, NULL).run, "a");
}

static void bytes_that_are_no_text_stay(void **state)
{
	(void)state;
	struct tf_names n = below("r\xff\xfe/plugins/profile/s\x01/h\xe9.xplane.pb");
	assert_string_equal(n.run, "r\xff\xfe");
	assert_string_equal(n.session, "s\x01");
	assert_string_equal(n.host, "h\xe9");
}

static void a_full_arena_is_an_error(void **state)
{
	(void)state;
	struct tf_arena small = {.limit_bytes = 1};
	struct tf_names n;
	struct tf_error err = {0};
	assert_int_equal(tf_name_file(&small, "logs/a/e", "a/e", 0, NULL, &n, &err), -1);
	assert_int_equal(err.code, TF_ENOMEM);
	tf_arena_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_run_of_an_event_file_is_its_folder),
		cmocka_unit_test(the_run_of_a_capture_holds_its_plugins_folder),
		cmocka_unit_test(a_path_inside_plugins_still_finds_the_run),
		cmocka_unit_test(a_file_alone_is_named_by_where_it_lies),
		cmocka_unit_test(the_last_plugins_folder_counts),
		cmocka_unit_test(only_whole_folder_names_are_plugins),
		cmocka_unit_test(a_capture_right_in_profile_names_its_own_session),
		cmocka_unit_test(deeper_folders_stay_in_their_session),
		cmocka_unit_test(hosts_lose_what_their_tool_adds),
		cmocka_unit_test(one_ending_goes_and_no_more),
		cmocka_unit_test(a_file_named_by_its_tool_is_of_the_local_host),
		cmocka_unit_test(a_prefix_goes_before_every_run),
		cmocka_unit_test(slashes_too_many_leave_no_trace),
		cmocka_unit_test(bytes_that_are_no_text_stay),
		cmocka_unit_test(a_full_arena_is_an_error),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, release);
}
