/* Reports for a person, of sessions made by hand: the verdict first, 100 columns, no escape sequence, what is missing and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support_session.h"

static struct tf_session s;

static int fresh(void **state)
{
	(void)state;
	ms_init(&s, "r", "t");
	return 0;
}

static int gone(void **state)
{
	(void)state;
	tf_session_release(&s);
	return 0;
}

/* The text of the session begins with, holds, or lacks a part. */
static void begins(const char *want)
{
	char *text = ms_text(&s, NULL);

	if (strncmp(text, want, strlen(want)) != 0)
		fail_msg("does not begin with '%s':\n%s", want, text);
	free(text);
}

static void holds(const char *part)
{
	char *text = ms_text(&s, NULL);

	ms_has(text, part);
	free(text);
}

static void lacks(const char *part)
{
	char *text = ms_text(&s, NULL);

	ms_lacks(text, part);
	free(text);
}

/* What METRICS.md §8 says of steps, as known. */
static void know_steps(double mean)
{
	ms_metric(&s, "step_time_ms.mean", mean);
	ms_metric(&s, "step_time_ms.median", mean);
	ms_metric(&s, "step_time_ms.p95", mean);
	ms_metric(&s, "step_time_ms.min", mean);
	ms_metric(&s, "step_time_ms.max", mean);
	ms_metric(&s, "step_time_ms.stddev", 0);
	ms_integer(&s, "steps.steady_count", 8);
}

static void an_input_bound_session_says_so_first(void **state)
{
	(void)state;
	ms_metric(&s, "input.share", 0.578);
	ms_metric(&s, "input.exposed_share", 0.578);
	begins("Highly input-bound: 57.8 % of a step waits for input.\nr/t: ");
}

static void the_words_go_by_the_exposed_share(void **state)
{
	(void)state;
	ms_metric(&s, "input.share", 0.9);
	ms_metric(&s, "input.exposed_share", 0.049);
	begins("Not input-bound: ");
	s.metrics[1].value = 0.05;
	begins("Moderately input-bound: ");
	s.metrics[1].value = 0.2;
	begins("Highly input-bound: ");
}

static void a_share_without_waits_is_no_nan(void **state)
{
	(void)state;
	ms_unknown(&s, "input.share", "not_recorded");
	ms_metric(&s, "input.exposed_share", 0.3);
	begins("Highly input-bound: 30.0 % of a step goes to input.\n");
	holds("\nInput\n  exposed 30.0 %\n");
	lacks("nan");
}

static void idle_devices_growth_and_cuts_are_in_the_verdict(void **state)
{
	(void)state;
	ms_metric(&s, "device.idle_ratio.mean", 0.25);
	begins("Devices are idle 25.0 %.\n");
	struct tf_host *h = ms_host(&s, "h");
	ms_growth(&s, ms_allocator(&s, h, "a", 1), "x", 1);
	begins("Devices are idle 25.0 %. Memory grows from step to step.\n");
	s.complete = false;
	begins("Devices are idle 25.0 %. Memory grows from step to step. The capture is incomplete.\n");
	ms_metric(&s, "input.share", 0);
	ms_metric(&s, "input.exposed_share", 0);
	begins("Not input-bound: 0.0 % of a step waits for input. Devices are idle 25.0 %. ");
}

static void without_a_verdict_the_session_comes_first(void **state)
{
	(void)state;
	know_steps(12.5);
	begins("r/t: a step takes 12.500 ms over 8 steady steps.\n");
}

static void an_unknown_step_time_has_its_reason(void **state)
{
	(void)state;
	ms_unknown(&s, "step_time_ms.mean", "no_step_marker");
	begins("r/t: the step time is unknown (no_step_marker).\n");
	lacks("Where a step goes");
}

static void an_empty_session_is_said_in_one_line(void **state)
{
	(void)state;
	char *text = ms_text(&s, NULL);
	assert_string_equal(text, "r/t: the step time is unknown (unknown).\n");
	free(text);
}

static void the_run_that_is_the_path_itself_is_not_named(void **state)
{
	(void)state;
	s.run = ".";
	begins("t: ");
}

static void a_run_without_a_profile_says_so(void **state)
{
	(void)state;
	s.name = NULL;
	s.complete = false;
	ms_scalar(&s, "loss", 0.25);
	ms_unknown(&s, "step_time_ms.mean", "no_profile");
	begins("r: no profile, scalars only.\n");
	holds("\nScalars of the run\n");
	lacks("incomplete");
	lacks("What is missing");
}

static void parts_are_shares_of_the_step(void **state)
{
	(void)state;
	know_steps(8);
	ms_metric(&s, "step_breakdown_ms.device_compute_32", 6);
	ms_metric(&s, "step_breakdown_ms.input_wait", 0);
	ms_metric(&s, "step_breakdown_ms.host_compute", 0);
	ms_metric(&s, "step_breakdown_ms.other", 2);
	/* 6 of 8 ms are 75 %: 37.5 of 50 marks, rounded */
	holds("  device_compute_32           6.000 ms   75.0 %  ######################################\n");
	holds("  input_wait                  0.000 ms    0.0 %\n");
	holds("  other                       2.000 ms   25.0 %  #############\n");
	holds("  step                        8.000 ms\n");
	lacks("host_compute"); /* nothing of it */
	lacks("device_to_host"); /* unknown */
}

static void a_step_of_no_time_has_no_shares(void **state)
{
	(void)state;
	know_steps(0);
	ms_metric(&s, "step_breakdown_ms.other", 0);
	holds("  other                       0.000 ms    0.0 %\n");
	lacks("nan");
}

static void steps_are_listed_when_asked_for(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_step(&s, h, 1, 0, 5 * MS)->warmup = true;
	ms_step(&s, h, 2, 5 * MS, 4 * MS)->input_ps = 3 * MS;
	ms_step(&s, h, 3, 9 * MS, 4 * MS)->complete = false;
	lacks("\nSteps\n");
	char *text = ms_text(&s, &(struct tf_report_options){.has_steps = true, .step_first = 1, .step_last = 2});
	ms_has(text, "\nSteps\n");
	ms_has(text, "         1          0.000          5.000              - warm-up\n");
	ms_has(text, "         2          5.000          4.000          3.000\n");
	ms_lacks(text, "         3 ");
	free(text);
	text = ms_text(&s, &(struct tf_report_options){.has_steps = true, .step_first = 3, .step_last = 9});
	ms_has(text, "         3          9.000          4.000              - cut\n");
	free(text);
}

static void calls_of_get_next_stand_below_the_shares(void **state)
{
	(void)state;
	ms_metric(&s, "input.share", 0.5);
	ms_metric(&s, "input.exposed_share", 0.25);
	ms_metric(&s, "input.wait_ms_per_step", 4);
	holds("\nInput\n  share 50.0 %, exposed 25.0 %, 4.000 ms a step\n");
	lacks("GetNext");
	ms_integer(&s, "iterator_get_next.count", 21);
	ms_metric(&s, "iterator_get_next.mean_ms", 4);
	ms_metric(&s, "iterator_get_next.max_ms", 9.5);
	holds("ms a step\n  21 calls of GetNext, mean 4.000 ms, slowest 9.500 ms\n");
}

static void a_bottleneck_is_marked_and_explained(void **state)
{
	(void)state;
	ms_metric(&s, "input.share", 0.5);
	ms_metric(&s, "input.exposed_share", 0.5);
	struct tf_host *h = ms_host(&s, "h");
	ms_stage(&s, h, "Iterator::Root")->calls = 7;
	lacks("  * ");
	struct tf_stage *g = ms_stage(&s, h, "Iterator::Root::Map");
	g->bottleneck = true;
	g->parallelism = 16;
	holds("\n  Iterator::Root                                       7 ");
	holds("\n* Iterator::Root::Map ");
	holds("    16\n  * holds its pipeline's slowest call up most\n");
}

static void a_buffer_shows_its_fill_and_size(void **state)
{
	(void)state;
	ms_metric(&s, "input.share", 0.5);
	ms_metric(&s, "input.exposed_share", 0.5);
	struct tf_stage *g = ms_stage(&s, ms_host(&s, "h"), "Iterator::Root::Prefetch");
	holds("             -     -\n");
	g->buffered_elements = 0.44;
	holds("           0.4     -\n");
	g->buffer_limit = 8;
	holds("         0.4/8     -\n");
	g->buffered_elements = 9999.6;
	g->buffer_limit = 100000; /* a usual size of a shuffle's buffer */
	holds("  10000/100000     -\n");
}

static void devices_show_ratios_of_their_window(void **state)
{
	(void)state;
	struct tf_device *d = ms_device(&s, ms_host(&s, "h"), "/device:GPU:0");
	d->window_ps = 200 * MS;
	d->busy_ps = 150 * MS;
	d->idle_ratio = 0.25;
	d->kernel_ps = 100 * MS;
	d->memcpy_ps = 50 * MS;
	d->comm_ps = 10 * MS;
	holds("\n  /device:GPU:0                 200.000      150.000   25.0 %   50.0 %   25.0 %    5.0 %\n");
	lacks("gap");
	struct tf_gap *g = ms_gap(&s, d, 0, 3 * MS);
	g->before = "gemm";
	holds("    longest gap 3.000 ms, after 'gemm', host: '-'\n");
}

static void a_device_without_figures_has_its_reason(void **state)
{
	(void)state;
	struct tf_device *d = ms_device(&s, ms_host(&s, "h"), "/device:GPU:0");
	holds("/device:GPU:0            unknown\n");
	d->reason = "device_not_traced";
	holds("/device:GPU:0            device_not_traced\n");
	lacks("nan");
}

static void bytes_have_units_of_1024(void **state)
{
	(void)state;
	static const struct {
		int64_t bytes;
		const char *text;
	} cases[] = {{0, ": peak       0 B  "}, {1023, ": peak    1023 B  "}, {1024, ": peak    1.00 KiB"},
		     {1536, ": peak    1.50 KiB"}, {INT64_C(1) << 20, ": peak    1.00 MiB"}, {INT64_C(5) << 30, ": peak    5.00 GiB"},
		     {INT64_C(3) << 40, ": peak    3.00 TiB"}, {INT64_C(2048) << 40, ": peak 2048.00 TiB"}, {TF_NONE, ": peak           -"}};
	struct tf_allocator *m = ms_allocator(&s, ms_host(&s, "h"), "a", 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		m->peak_bytes = cases[i].bytes;
		holds(cases[i].text);
	}
}

static void the_peak_names_its_step_and_tensors(void **state)
{
	(void)state;
	struct tf_allocator *m = ms_allocator(&s, ms_host(&s, "h"), "mklcpu", 3072);
	m->peak_ps = 5 * MS;
	m->peak_step_number = 4;
	m->capacity_bytes = INT64_C(1) << 30;
	struct tf_tensor_group *g = ms_tensor(&s, m, "dense/Relu", 2048);
	g->shape = "[16,32]";
	g->dtype = "float";
	ms_tensor(&s, m, "(over_counted)", -1024);
	holds("\nMemory\n  mklcpu: peak    3.00 KiB at 5.000 ms in step 4, capacity    1.00 GiB\n");
	holds("        2.00 KiB     1 x  float [16,32]               dense/Relu\n");
	holds("       -1.00 KiB     1 x  -                           (over_counted)\n");
}

static void growth_names_what_grows(void **state)
{
	(void)state;
	struct tf_allocator *m = ms_allocator(&s, ms_host(&s, "h"), "a", 1);
	ms_growth(&s, m, "dense/Relu", 1 << 20)->shape = "[16,32]";
	ms_growth(&s, m, NULL, 1024);
	holds("    grows by    1.00 MiB a step over 4 steps: dense/Relu [16,32]\n");
	holds("    grows by    1.00 KiB a step over 4 steps: the allocator as a whole\n");
}

static void tables_show_ten_rows_unless_told(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	for (int i = 0; i < 12; i++)
		ms_op(&s, h, "anop", 1, MS);
	for (size_t top = 0; top < 15; top += 7) { /* 0, 7, 14 */
		char *text = ms_text(&s, &(struct tf_report_options){.top = top});
		size_t n = 0, want = top == 0 ? 10 : top == 7 ? 7 : 12;
		for (const char *p = text; (p = strstr(p, "anop")); p++)
			n++;
		assert_int_equal(n, want);
		free(text);
	}
}

static void kernels_show_their_mean_and_tensor_cores(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_kernel(&s, h, "gemm", 4, 6 * MS)->tensor_core = true;
	ms_kernel(&s, h, "relu", 2, MS);
	holds("         4       6.000    1500.000  tensor core\n");
	holds("         2       1.000     500.000\n");
}

static void hosts_are_compared_when_there_are_several(void **state)
{
	(void)state;
	ms_step(&s, ms_host(&s, "h0"), 1, 0, 10 * MS);
	lacks("\nHosts\n");
	ms_step(&s, ms_host(&s, "h1"), 1, 0, 10 * MS);
	ms_step(&s, ms_host(&s, "h2"), 1, 0, 20 * MS);
	ms_host(&s, "h3");
	holds("\nHosts\n");
	holds("\n  h0                                                     10.000 ");
	holds("\n  h3                                                          - ");
	holds("  straggler\n");
}

static void what_is_missing_is_grouped_by_reason(void **state)
{
	(void)state;
	ms_metric(&s, "steps.count", 3);
	ms_unknown(&s, "device.idle_ratio.mean", "no_device_plane");
	ms_unknown(&s, "device.busy_ms", "no_device_plane");
	ms_unknown(&s, "input.share", "no_input_events");
	ms_metric(&s, "input.wait_ms_per_step", 1);
	ms_unknown(&s, "kernels.count", "no_device_plane");
	ms_unknown(&s, "kernels.total_ms", "other");
	holds("\nWhat is missing, and why\n  no_device_plane: device.* kernels.count\n  no_input_events: input.share\n"
	      "  other: kernels.total_ms\n");
}

static void one_figure_is_no_group(void **state)
{
	(void)state;
	ms_unknown(&s, "ops.eager_ratio", "no_op_events");
	holds("  no_op_events: ops.eager_ratio\n");
}

static void figures_of_single_hosts_are_not_missed(void **state)
{
	(void)state;
	ms_unknown(&s, "input.share", "no_input_events")->host = "h0";
	lacks("What is missing");
	ms_unknown(&s, "input.share", "no_input_events");
	ms_metric(&s, "input.wait_ms_per_step", 1);
	holds("  no_input_events: input.share\n"); /* once, the session's */
}

static void what_was_looked_for_is_told(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	h->steps.looked_for = "step_num, executor loops; what repeats: Foo";
	holds("  step_num, executor loops; what repeats: Foo\n");
}

static void issues_come_last(void **state)
{
	(void)state;
	ms_unknown(&s, "input.share", "no_input_events");
	ms_issue(&s, "truncated", "a.xplane.pb: byte 7: it ends early");
	char *text = ms_text(&s, NULL);
	const char *want = "\nIssues\n  truncated: a.xplane.pb: byte 7: it ends early\n";
	assert_string_equal(text + strlen(text) - strlen(want), want);
	free(text);
}

static void values_that_are_no_numbers_are_named_in_scalars(void **state)
{
	(void)state;
	ms_scalar(&s, "loss", NAN);
	struct tf_scalar_series *t = ms_scalar(&s, "acc", INFINITY);
	t->min = -1;
	holds("  loss                                                   1          nan          nan          nan\n");
	holds("  acc                                                    1          inf           -1          inf\n");
}

/* A session in which every name is `name`, and every figure as wide as machines of today make it. */
static void fill(const char *name)
{
	struct tf_host *h = NULL;
	know_steps(123456.789);
	ms_metric(&s, "step_breakdown_ms.other", 123456.789);
	ms_metric(&s, "input.share", 1);
	ms_metric(&s, "input.exposed_share", 1);
	ms_metric(&s, "input.wait_ms_per_step", 123456.789);
	ms_integer(&s, "iterator_get_next.count", 1000000);
	ms_metric(&s, "iterator_get_next.mean_ms", 123456.789);
	ms_metric(&s, "iterator_get_next.max_ms", 123456.789);
	ms_metric(&s, "device.idle_ratio.mean", 1);
	for (int i = 0; i < 2; i++) {
		h = ms_host(&s, name);
		ms_step(&s, h, 100000, 1000000 * MS, 123457 * MS)->complete = false;
		h->steps.looked_for = "step_num, executor loops, the Steps line of a device, a period; what repeats: "
				      "IteratorGetNext 21 times, ExecutorState::Process 130 times, train 10 times";
	}
	struct tf_stage *g = ms_stage(&s, h, name);
	g->calls = 1000000;
	g->total_ps = g->self_ps = 1234567 * MS;
	g->buffered_elements = g->buffer_limit = 999999;
	g->parallelism = 128;
	struct tf_device *d = ms_device(&s, h, name);
	d->idle_ratio = 1;
	d->window_ps = d->busy_ps = d->kernel_ps = d->memcpy_ps = d->comm_ps = 1234567 * MS;
	struct tf_gap *gap = ms_gap(&s, d, 0, 1234567 * MS);
	gap->before = gap->host_event = name;
	struct tf_allocator *m = ms_allocator(&s, h, name, INT64_C(80) << 30);
	m->capacity_bytes = m->peak_bytes;
	m->peak_ps = 1234567 * MS;
	m->peak_step_number = 100000;
	struct tf_tensor_group *t = ms_tensor(&s, m, name, INT64_C(80) << 30);
	t->shape = t->dtype = name;
	t->count = 10000;
	ms_growth(&s, m, name, INT64_C(80) << 30)->shape = name;
	struct tf_op *o = ms_op(&s, h, name, 1000000, 1234567 * MS);
	o->p50_ps = 12 * MS;
	o->p99_ps = o->max_ps = 60 * MS;
	o->max_start_ps = 123456 * MS;
	o->count = 21;
	ms_kernel(&s, h, name, 1000000, 1234567 * MS)->tensor_core = true;
	ms_scalar(&s, name, -1.23456e-100);
	ms_issue(&s, "truncated", "the gzip stream ends early or is damaged, and so on until nobody wants to read on, and then a little "
				  "more, so that it takes three lines at least to say all of it in words that fit, and that is that");
	for (int i = 0; i < 40; i++)
		ms_unknown(&s, i % 2 ? "memory.fragmentation[GPU_0_bfc]" : "memory.capacity_bytes[gpu_host_bfc]", "not_recorded");
}

static const struct tf_report_options all_steps = {.has_steps = true, .step_last = INT64_MAX};

/* The verdict is one line of sentences; all below it keeps to 100 columns. */
static void fits(const char *text)
{
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		char *one = strndup(line + 1, strcspn(line + 1, "\n"));
		if (ms_widest(one) > 100)
			fail_msg("%zu columns: %s", ms_widest(one), one);
		free(one);
	}
}

static void no_line_is_wider_than_100_columns(void **state)
{
	(void)state;
	static char name[300];
	memset(name, 'x', sizeof name - 1);
	fill(name);
	char *text = ms_text(&s, &all_steps);
	fits(text);
	free(text);
}

static void nor_with_names_in_other_scripts(void **state)
{
	(void)state;
	static char name[300];
	for (size_t i = 0; i + 3 < sizeof name; i += 3)
		memcpy(name + i, "\xe2\x82\xac", 3);
	fill(name);
	char *text = ms_text(&s, &all_steps);
	fits(text);
	assert_true(tf_utf8_valid(tf_bytes_of(text)));
	free(text);
}

static void no_control_character_reaches_a_terminal(void **state)
{
	(void)state;
	static const char odd[] = "a\x1b[31m\n\r\t\x07\x7f\xc2\x9b""b";
	fill(odd);
	s.run = s.name = odd;
	s.hosts[0].steps.looked_for = odd;
	ms_issue(&s, "truncated", odd);
	ms_unknown(&s, odd, "not_recorded");
	char *text = ms_text(&s, &all_steps);
	for (const char *p = text; *p; p++)
		if (((unsigned char)*p < 0x20 && *p != '\n') || *p == 0x7f)
			fail_msg("control character %02x before '%.20s'", (unsigned char)*p, p + 1);
	ms_lacks(text, "\xc2\x9b");
	ms_has(text, "a?[31m???????b/a?[31m???????b: a step takes"); /* one mark a byte: \n \r \t \a DEL, two of C1 */
	free(text);
}

static void colour_is_for_headings_alone(void **state)
{
	(void)state;
	know_steps(1);
	char *text = ms_text(&s, &(struct tf_report_options){.color = true});
	ms_has(text, "\n\033[1mWhere a step goes (mean of the steady steps)\033[0m\n");
	free(text);
	lacks("\033");
}

static void no_line_ends_with_a_space(void **state)
{
	(void)state;
	fill("x");
	char *text = ms_text(&s, &all_steps);
	ms_lacks(text, " \n");
	free(text);
}

static void sections_choose_what_is_shown(void **state)
{
	(void)state;
	static const struct {
		const char *section, *heading;
	} parts[] = {{"steps", "\nWhere a step goes"}, {"steps", "\nSteps\n"}, {"input", "\nInput\n"}, {"devices", "\nDevices\n"},
		     {"memory", "\nMemory\n"}, {"ops", "\nOps by self time\n"}, {"ops", "\nOps with a long tail\n"},
		     {"kernels", "\nKernels by total time\n"}, {"hosts", "\nHosts\n"}, {"metrics", "\nScalars of the run\n"},
		     {"metrics", "\nWhat is missing"}};
	fill("x");
	char *whole = ms_text(&s, &all_steps);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		struct tf_report_options o = all_steps;
		const char *const one[] = {parts[i].section, NULL};
		ms_has(whole, parts[i].heading);
		o.sections = one;
		char *text = ms_text(&s, &o);
		for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
			(strcmp(parts[k].section, parts[i].section) == 0 ? ms_has : ms_lacks)(text, parts[k].heading);
		assert_true(strncmp(text, "Highly input-bound", 18) == 0);
		free(text);
	}
	free(whole);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	struct tf_error err = {0};
	struct tf_report_options o = {0};
	FILE *to = fopen("/dev/full", "w");
	if (!to)
		skip();
	assert_int_equal(tf_render_report_text(to, &s, &o, &err), -1);
	assert_int_equal(err.code, TF_ESYSTEM);
	fclose(to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_input_bound_session_says_so_first),
		TEST(the_words_go_by_the_exposed_share),
		TEST(a_share_without_waits_is_no_nan),
		TEST(idle_devices_growth_and_cuts_are_in_the_verdict),
		TEST(without_a_verdict_the_session_comes_first),
		TEST(an_unknown_step_time_has_its_reason),
		TEST(an_empty_session_is_said_in_one_line),
		TEST(the_run_that_is_the_path_itself_is_not_named),
		TEST(a_run_without_a_profile_says_so),
		TEST(parts_are_shares_of_the_step),
		TEST(a_step_of_no_time_has_no_shares),
		TEST(steps_are_listed_when_asked_for),
		TEST(calls_of_get_next_stand_below_the_shares),
		TEST(a_bottleneck_is_marked_and_explained),
		TEST(a_buffer_shows_its_fill_and_size),
		TEST(devices_show_ratios_of_their_window),
		TEST(a_device_without_figures_has_its_reason),
		TEST(bytes_have_units_of_1024),
		TEST(the_peak_names_its_step_and_tensors),
		TEST(growth_names_what_grows),
		TEST(tables_show_ten_rows_unless_told),
		TEST(kernels_show_their_mean_and_tensor_cores),
		TEST(hosts_are_compared_when_there_are_several),
		TEST(what_is_missing_is_grouped_by_reason),
		TEST(one_figure_is_no_group),
		TEST(figures_of_single_hosts_are_not_missed),
		TEST(what_was_looked_for_is_told),
		TEST(issues_come_last),
		TEST(values_that_are_no_numbers_are_named_in_scalars),
		TEST(no_line_is_wider_than_100_columns),
		TEST(nor_with_names_in_other_scripts),
		TEST(no_control_character_reaches_a_terminal),
		TEST(colour_is_for_headings_alone),
		TEST(no_line_ends_with_a_space),
		TEST(sections_choose_what_is_shown),
		TEST(a_full_disk_is_an_error),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
