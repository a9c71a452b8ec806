/* Peaks of accelerators, from what their planes record of them. */
#include "lib/analyze/device_peaks.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/kernel_names.h"

/* The most operations of any precision that a multiprocessor does a cycle, by compute capability, newest first. */
static const struct {
	int64_t major, minor;
	double per_cycle;
} nvidia[] = {{10, 0, 8192}, {9, 0, 4096}, {8, 9, 1024}, {8, 6, 1024}, {8, 0, 2048}, {7, 5, 1024}, {7, 0, 1024},
	      {6, 1, 256},   {6, 0, 256},  {5, 0, 256},	 {3, 0, 384},  {2, 0, 64}};

/* The same of a compute unit. */
static const struct {
	const char *chip;
	double per_cycle;
} amd[] = {{"gfx908", 1024}, {"gfx90a", 1024}, {"gfx942", 2048}, {"gfx950", 4096}};

static double nvidia_per_cycle(int64_t major, int64_t minor)
{
	size_t last = sizeof nvidia / sizeof nvidia[0] - 1;

	if (major == TF_NONE)
		return NAN;
	for (size_t i = 0; i < last; i++)
		if (major > nvidia[i].major || (major == nvidia[i].major && minor >= nvidia[i].minor))
			return nvidia[i].per_cycle;
	return nvidia[last].per_cycle;
}

static double amd_per_cycle(const struct tf_trace *t, const struct tf_plane *p, int64_t major, int64_t minor)
{
	const char *name = tf_strtab_text(&t->strings, tf_stat_text(t, p->stats, TF_NAME_gpu_device_name));
	const char *chip = major == 9 && minor == 4 ? "gfx942" : major == 9 && minor == 5 ? "gfx950" : name;

	for (size_t i = 0; i < sizeof amd / sizeof amd[0]; i++)
		if (strstr(chip, amd[i].chip) || strstr(name, amd[i].chip))
			return amd[i].per_cycle;
	return NAN;
}

static double positive(double value)
{
	return value > 0 && isfinite(value) ? value : (double)NAN;
}

struct tf_device_peaks tf_device_peaks_of(const struct tf_trace *t, const struct tf_plane *p)
{
	int64_t major = tf_stat_i64(t, p->stats, TF_NAME_compute_cap_major), minor = tf_stat_i64(t, p->stats, TF_NAME_compute_cap_minor);
	double cores = positive(tf_stat_double(t, p->stats, TF_NAME_core_count));
	double clock_hz = 1000 * positive(tf_stat_double(t, p->stats, TF_NAME_clock_rate)); /* recorded in kHz */
	double recorded = positive(tf_stat_double(t, p->stats, TF_NAME_peak_teraflops_per_second));
	double per_cycle = tf_device_vendor(t, p) == TF_VENDOR_AMD ? amd_per_cycle(t, p, major, minor) : nvidia_per_cycle(major, minor);

	return (struct tf_device_peaks){
		.flops = isnan(recorded) ? cores * clock_hz * per_cycle : recorded * 1e12,
		.memory_bytes_per_s = positive(tf_stat_double(t, p->stats, TF_NAME_memory_bandwidth)),
	};
}
