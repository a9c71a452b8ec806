/* The walk: what is found, in which order, once each; links, pipes, depth, what cannot be read, names that are no text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/io/walk.h"

static char folder[64];

/* Each test has a folder of its own. */
static int enter(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tfprof-walk-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char command[160];
	(void)state;
	snprintf(command, sizeof command, "chmod -R u+rwX '%s'; rm -rf '%s'", folder, folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* Makes a file, and the folders above it. */
static void put(const char *path)
{
	char copy[512];
	snprintf(copy, sizeof copy, "%s", path);
	for (char *slash = copy; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		assert_true(mkdir(copy, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	FILE *to = fopen(path, "wb");
	assert_non_null(to);
	assert_int_equal(fputs("x", to) >= 0 && fclose(to) == 0, 1);
}

/* The walk of these paths finds the files listed, one a line, those with an error marked by '!'. */
static void finds(const char *const *paths, size_t n, const char *want)
{
	struct tf_walk w = {0};
	struct tf_error err = {0};
	struct tf_buf got = {0};

	tf_buf_text(&got, "");
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tf_walk(&w, paths[i], &err), 0);
	for (size_t i = 0; i < w.count; i++)
		tf_buf_printf(&got, "%s%s\n", w.files[i].error ? "!" : "", w.files[i].path);
	assert_string_equal(got.data, want);
	tf_buf_release(&got);
	tf_walk_release(&w);
}

static void folder_finds(const char *path, const char *want)
{
	finds(&path, 1, want);
}

static void files_and_folders_are_in_order_of_name(void **state)
{
	(void)state;
	put("d/b");
	put("d/a/z");
	put("d/a/y/f");
	put("d/c");
	put("d/B");
	put("d/.hidden");
	folder_finds("d", "d/.hidden\nd/B\nd/a/y/f\nd/a/z\nd/b\nd/c\n");
}

static void digits_count_as_numbers(void **state)
{
	(void)state;
	put("d/e.2");
	put("d/e.10");
	put("d/e.1");
	put("d/e.02"); /* equal numbers: then by byte */
	put("d/e.1.9");
	put("d/e.");
	put("d/e.99999999999999999999999999999998"); /* beyond any integer */
	put("d/e.99999999999999999999999999999999");
	put("d/e.100000000000000000000000000000000");
	folder_finds("d", "d/e.\nd/e.1\nd/e.1.9\nd/e.02\nd/e.2\nd/e.10\nd/e.99999999999999999999999999999998\n"
			  "d/e.99999999999999999999999999999999\nd/e.100000000000000000000000000000000\n");
}

static void an_empty_folder_has_no_files(void **state)
{
	(void)state;
	mkdir("d", 0700);
	mkdir("d/e", 0700);
	folder_finds("d", "");
}

static void a_slash_at_the_end_is_not_doubled(void **state)
{
	(void)state;
	put("d/e/f");
	folder_finds("d/", "d/e/f\n");
}

static void relative_names_begin_below_the_path_given(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	put("d/e/f");
	put("d/g");
	assert_int_equal(tf_walk(&w, "d", &err), 0);
	assert_string_equal(w.files[0].relative, "e/f");
	assert_string_equal(w.files[1].relative, "g");
	assert_false(w.files[0].from_file);
	tf_walk_release(&w);
}

static void a_file_may_be_given_itself(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	put("d/e/f");
	put("g");
	assert_int_equal(tf_walk(&w, "d/e/f", &err), 0);
	assert_int_equal(tf_walk(&w, "g", &err), 0);
	assert_int_equal(w.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(w.files[i].from_file);
		assert_string_equal(w.files[i].relative, i ? "g" : "f");
		assert_int_equal(w.files[i].st.st_size, 1);
	}
	tf_walk_release(&w);
}

static void several_paths_find_each_file_once(void **state)
{
	(void)state;
	static const char *const paths[] = {"d/e", "d", "d/e/f", "d/../d"};
	put("d/e/f");
	put("d/g");
	finds(paths, 4, "d/e/f\nd/g\n");
}

/* Where a link and what it leads to are both below the path, the file has the name of its own place. */
static void a_link_does_not_take_a_files_name(void **state)
{
	(void)state;
	put("d/run_42/f");
	put("d/z");
	assert_int_equal(symlink("run_42", "d/latest"), 0);
	assert_int_equal(symlink("z", "d/a"), 0);
	folder_finds("d", "d/run_42/f\nd/z\n");
}

/* Reading it twice would count it twice; that its folder lacks it is said. */
static void hard_links_are_one_file(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	put("d/a");
	assert_int_equal(link("d/a", "d/b"), 0);
	assert_int_equal(tf_walk(&w, "d", &err), 0);
	assert_int_equal(tf_walk(&w, "d/a", &err), 0); /* the same path again is no link */
	assert_int_equal(w.count, 2);
	assert_null(w.files[0].same_as);
	assert_string_equal(w.files[1].path, "d/b");
	assert_string_equal(w.files[1].same_as, "d/a");
	tf_walk_release(&w);
}

static void files_behind_links_are_in_order_of_name(void **state)
{
	(void)state;
	put("real/e.2");
	put("d/e.1");
	put("d/e.10");
	put("d/x/f");
	put("d/x.y");
	assert_int_equal(symlink("../real/e.2", "d/e.2"), 0);
	folder_finds("d", "d/e.1\nd/e.2\nd/e.10\nd/x/f\nd/x.y\n");
}

static void real_is(const char *path, const char *want)
{
	struct tf_arena a = {0};
	struct tf_buf whole = {0};
	char here[256];

	assert_non_null(getcwd(here, sizeof here)); /* not `folder`: /tmp may itself be a link */
	tf_buf_printf(&whole, "%s/%s", here, want);
	assert_string_equal(tf_real_path(&a, path), whole.data);
	tf_buf_release(&whole);
	tf_arena_release(&a);
}

/* A link that leads nowhere has the path that its file would have, so that it is the same source once it is there. */
static void a_real_path_is_that_of_the_file_there_or_not(void **state)
{
	(void)state;
	put("d/f");
	mkdir("e", 0700);
	assert_int_equal(symlink("../d/f", "e/there"), 0);
	assert_int_equal(symlink("../d/g", "e/nowhere"), 0);
	assert_int_equal(symlink("nowhere", "e/again"), 0);
	assert_int_equal(symlink("self", "e/self"), 0);
	real_is("e/there", "d/f");
	real_is("e/nowhere", "d/g");
	real_is("e/again", "d/g");
	real_is("e/self", "e/self");
	assert_int_equal(symlink("../x/y/z", "e/far"), 0); /* not even the folder */
	real_is("e/far", "x/y/z");
	real_is("e/../d/f", "d/f");
	real_is("h", "h");
	assert_int_equal(rename("d/f", "d/g"), 0);
	real_is("e/nowhere", "d/g");
}

static void links_to_files_and_folders_are_followed(void **state)
{
	(void)state;
	put("real/f");
	put("single");
	mkdir("d", 0700);
	assert_int_equal(symlink("../real", "d/a"), 0);
	assert_int_equal(symlink("../single", "d/b"), 0);
	assert_int_equal(symlink("d", "link"), 0);
	folder_finds("link", "link/a/f\nlink/b\n");
}

static void circles_of_links_end(void **state)
{
	(void)state;
	put("d/f");
	assert_int_equal(symlink(".", "d/self"), 0);
	assert_int_equal(symlink("..", "d/up"), 0);
	assert_int_equal(symlink("../d", "d/again"), 0);
	folder_finds("d", "d/f\n"); /* "up" leads to the folder above, and from there back */
}

static void links_that_lead_nowhere_are_told(void **state)
{
	(void)state;
	put("d/f");
	assert_int_equal(symlink("nothing", "d/a"), 0);
	assert_int_equal(symlink("b2", "d/b1"), 0);
	assert_int_equal(symlink("b1", "d/b2"), 0);
	struct tf_walk w = {0};
	struct tf_error err = {0};
	assert_int_equal(tf_walk(&w, "d", &err), 0);
	assert_int_equal(w.count, 4);
	assert_int_equal(w.files[0].error, ENOENT);
	assert_int_equal(w.files[1].error, ELOOP);
	assert_int_equal(w.files[2].error, ELOOP);
	assert_int_equal(w.files[3].error, 0);
	tf_walk_release(&w);
}

/* Opening a pipe would block, and a device may never end. */
static void pipes_sockets_and_devices_are_passed_over(void **state)
{
	(void)state;
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "d/socket"};
	put("d/f");
	assert_int_equal(mkfifo("d/pipe", 0600), 0);
	assert_int_equal(symlink("/dev/zero", "d/device"), 0);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	folder_finds("d", "d/f\n");
	close(fd);
}

static void a_pipe_given_itself_is_refused(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(tf_walk(&w, "pipe", &err), -1);
	assert_int_equal(err.code, TF_EIO);
	assert_int_equal(w.count, 0);
	tf_walk_release(&w);
}

static void a_path_that_is_not_there_is_refused(void **state)
{
	(void)state;
	static const char *const paths[] = {"nothing", "", "file/below"};
	put("file");
	for (size_t i = 0; i < 3; i++) {
		struct tf_walk w = {0};
		struct tf_error err = {0};
		assert_int_equal(tf_walk(&w, paths[i], &err), -1);
		assert_int_equal(err.code, TF_EIO);
		tf_walk_release(&w);
	}
}

/* Root may read everything: another user looks. */
static void a_folder_that_may_not_be_read_is_told(void **state)
{
	(void)state;
	put("d/closed/f");
	put("d/open");
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod("d", 0755), 0);
	assert_int_equal(chmod("d/closed", 0), 0);
	uid_t own = geteuid();
	if (own == 0)
		assert_int_equal(seteuid(65534), 0);
	struct tf_walk w = {0};
	struct tf_error err = {0};
	int rc = tf_walk(&w, "d", &err);
	if (own == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(rc, 0);
	assert_int_equal(w.count, 2);
	assert_string_equal(w.files[0].path, "d/closed");
	assert_int_equal(w.files[0].error, EACCES);
	assert_int_equal(w.files[1].error, 0);
	tf_walk_release(&w);
}

static void names_that_are_no_text_are_kept_as_they_are(void **state)
{
	(void)state;
	put("d/caf\xe9");
	put("d/\xff\xfe/new\nline");
	put("d/\xf0\x9f\x98\x80");
	folder_finds("d", "d/caf\xe9\nd/\xf0\x9f\x98\x80\nd/\xff\xfe/new\nline\n"); /* by unsigned byte */
}

/* As deep as the system can name: the file at 4,095 bytes of path is found, the folder that leads further is told. */
static void folders_may_be_as_deep_as_a_path_can_name(void **state)
{
	(void)state;
	struct tf_buf path = {0};
	struct tf_walk w = {0};
	struct tf_error err = {0};
	tf_buf_text(&path, "d");
	assert_int_equal(mkdir("d", 0700), 0);
	int at = open("d", O_RDONLY | O_DIRECTORY);
	while (path.len < 4095 + 10) { /* one level a time: no call could name the deepest */
		if (path.len == 4093)
			close(openat(at, "f", O_CREAT | O_WRONLY, 0600));
		assert_int_equal(mkdirat(at, "s", 0700), 0);
		int below = openat(at, "s", O_RDONLY | O_DIRECTORY);
		assert_true(below >= 0);
		close(at);
		at = below;
		tf_buf_text(&path, "/s");
	}
	close(at);
	assert_int_equal(tf_walk(&w, "d", &err), 0);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.files[0].error, 0);
	assert_int_equal(strlen(w.files[0].path), 4095);
	assert_int_equal(w.files[1].error, ENAMETOOLONG);
	tf_walk_release(&w);
	tf_buf_release(&path);
}

static void a_dash_is_standard_input(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	assert_int_equal(tf_walk(&w, "-", &err), 0);
	assert_int_equal(w.count, 1);
	assert_string_equal(w.files[0].path, "-");
	assert_true(w.files[0].from_file);
	tf_walk_release(&w);
}

static void what_a_path_leads_into_is_the_file_on_it(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	put("d/logs.tar");
	assert_string_equal(tf_file_around(&a, "d/logs.tar"), "d/logs.tar");
	assert_string_equal(tf_file_around(&a, "d/logs.tar/run/h.xplane.pb"), "d/logs.tar");
	assert_null(tf_file_around(&a, "d"));
	assert_null(tf_file_around(&a, "d/none"));
	assert_null(tf_file_around(&a, "d/none/h.xplane.pb"));
	tf_arena_release(&a);
}

static void what_is_skipped_is_not_found(void **state)
{
	(void)state;
	struct tf_walk w = {0};
	struct tf_error err = {0};
	put("d/a");
	put("d/b");
	assert_int_equal(tf_walk_skip(&w, "d/a", &err), 0);
	assert_int_equal(tf_walk_skip(&w, "d/nothing", &err), 0);
	assert_int_equal(tf_walk(&w, "d", &err), 0);
	assert_int_equal(w.count, 1);
	assert_string_equal(w.files[0].path, "d/b");
	tf_walk_release(&w);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(files_and_folders_are_in_order_of_name),
		IN_A_FOLDER(digits_count_as_numbers),
		IN_A_FOLDER(an_empty_folder_has_no_files),
		IN_A_FOLDER(a_slash_at_the_end_is_not_doubled),
		IN_A_FOLDER(relative_names_begin_below_the_path_given),
		IN_A_FOLDER(a_file_may_be_given_itself),
		IN_A_FOLDER(several_paths_find_each_file_once),
		IN_A_FOLDER(hard_links_are_one_file),
		IN_A_FOLDER(a_link_does_not_take_a_files_name),
		IN_A_FOLDER(files_behind_links_are_in_order_of_name),
		IN_A_FOLDER(a_real_path_is_that_of_the_file_there_or_not),
		IN_A_FOLDER(links_to_files_and_folders_are_followed),
		IN_A_FOLDER(circles_of_links_end),
		IN_A_FOLDER(links_that_lead_nowhere_are_told),
		IN_A_FOLDER(pipes_sockets_and_devices_are_passed_over),
		IN_A_FOLDER(a_pipe_given_itself_is_refused),
		IN_A_FOLDER(a_path_that_is_not_there_is_refused),
		IN_A_FOLDER(a_folder_that_may_not_be_read_is_told),
		IN_A_FOLDER(names_that_are_no_text_are_kept_as_they_are),
		IN_A_FOLDER(folders_may_be_as_deep_as_a_path_can_name),
		IN_A_FOLDER(a_dash_is_standard_input),
		IN_A_FOLDER(what_a_path_leads_into_is_the_file_on_it),
		IN_A_FOLDER(what_is_skipped_is_not_found),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
