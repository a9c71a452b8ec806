/* Peaks of devices (METRICS.md §4; case C79, whose figures are TFLOP/s to five digits). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "lib/analyze/device_peaks.h"
#include "tests/unit/support_analyze.h"

static struct tf_device_peaks peaks_of(const char *plane, const char *stats)
{
	struct tf_trace *t = mk_trace();
	mk_plane(t, plane, stats);
	mk_line(t, 1, "s", 0);
	mk_event(t, "k", 0, 1, "");
	mk_finish(t);
	struct tf_device_peaks p = tf_device_peaks_of(t, &t->planes[0]);
	mk_free(t);
	return p;
}

static void is_tera(double flops, double want)
{
	if (!(fabs(flops / 1e12 - want) < 0.01))
		fail_msg("%f TFLOP/s instead of %f", flops / 1e12, want);
}

static void c79_cores_times_clock_times_width(void **state)
{
	(void)state;
	/* V100: 80 × 1.53e9 × 1024 */
	is_tera(peaks_of("/device:GPU:0", "device_vendor=Nvidia;compute_cap_major=7;compute_cap_minor=0;core_count=80;clock_rate=1530000").flops,
		125.34);
	/* gfx942: 304 × 2.1e9 × 2048 */
	is_tera(peaks_of("/device:GPU:0", "device_vendor=AMD;compute_cap_major=9;compute_cap_minor=4;core_count=304;clock_rate=2100000").flops,
		1307.44);
	/* MI250 by its name: 104 × 1.7e9 × 1024 */
	is_tera(peaks_of("/device:GPU:0", "device_vendor=AMD;gpu_device_name=gfx90a:sramecc+;core_count=104;clock_rate=1700000").flops, 181.04);
	/* MI100 and MI355X */
	is_tera(peaks_of("/device:GPU:0", "device_vendor=AMD;gpu_device_name=gfx908;core_count=120;clock_rate=1502000").flops, 184.57);
	is_tera(peaks_of("/device:GPU:0", "device_vendor=AMD;gpu_device_name=gfx950;core_count=256;clock_rate=2400000").flops, 2516.58);
	is_tera(peaks_of("/device:GPU:0", "compute_cap_major=10;compute_cap_minor=0;core_count=148;clock_rate=1830000").flops, 2218.72);
	is_tera(peaks_of("/device:GPU:0", "compute_cap_major=9;compute_cap_minor=0;core_count=114;clock_rate=1620000").flops, 756.45);
	is_tera(peaks_of("/device:GPU:0", "compute_cap_major=8;compute_cap_minor=0;core_count=108;clock_rate=1410000").flops, 311.87);
}

static void c79_the_recorded_peak_counts(void **state)
{
	(void)state;
	struct tf_device_peaks p = peaks_of("/device:TPU:0", "peak_teraflops_per_second=141.0;memory_bandwidth=900000000000");
	is_tera(p.flops, 141);
	assert_true(p.memory_bytes_per_s == 900e9);
}

static void zeros_are_not_recorded(void **state)
{
	(void)state;
	struct tf_device_peaks p = peaks_of("/device:GPU:0", "peak_teraflops_per_second=0.0;compute_cap_major=7;compute_cap_minor=0;core_count=80;"
							     "clock_rate=1530000;memory_bandwidth=0");
	is_tera(p.flops, 125.34);
	assert_true(isnan(p.memory_bytes_per_s));
}

static void an_unknown_capability_counts_as_the_next_lower(void **state)
{
	(void)state;
	is_tera(peaks_of("/device:GPU:0", "compute_cap_major=8;compute_cap_minor=7;core_count=10;clock_rate=1000000").flops, 10.24); /* 8.6 */
	is_tera(peaks_of("/device:GPU:0", "compute_cap_major=1;compute_cap_minor=0;core_count=10;clock_rate=1000000").flops, 0.64); /* 2.0 */
}

static void without_clock_or_cores_nothing_is_known(void **state)
{
	(void)state;
	assert_true(isnan(peaks_of("/device:GPU:0", "compute_cap_major=8;compute_cap_minor=0;core_count=108").flops));
	assert_true(isnan(peaks_of("/device:GPU:0", "compute_cap_major=8;compute_cap_minor=0;clock_rate=1410000").flops));
	assert_true(isnan(peaks_of("/device:GPU:0", "").flops));
}

static void a_device_has_its_peaks(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "device_vendor=Nvidia;compute_cap_major=7;compute_cap_minor=0;core_count=80;clock_rate=1530000;memory_bandwidth=900000000000");
	mk_line(t, 1, "s", 0);
	mk_event(t, "k", 0, 1, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	is_tera(a->host.devices[0].peak_flops, 125.34);
	assert_true(a->host.devices[0].memory_bytes_per_s == 900e9);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c79_cores_times_clock_times_width),
		cmocka_unit_test(c79_the_recorded_peak_counts),
		cmocka_unit_test(zeros_are_not_recorded),
		cmocka_unit_test(an_unknown_capability_counts_as_the_next_lower),
		cmocka_unit_test(without_clock_or_cores_nothing_is_known),
		cmocka_unit_test(a_device_has_its_peaks),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
