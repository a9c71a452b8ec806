/* What a device could do at best, for a roofline (METRICS.md §4). */
#ifndef TF_ANALYZE_DEVICE_PEAKS_H
#define TF_ANALYZE_DEVICE_PEAKS_H

#include "lib/analyze/analyze.h"

/* Floating-point operations a second, and bytes a second of its own memory; NaN where the plane does not tell enough. */
struct tf_device_peaks {
	double flops, memory_bytes_per_s;
};

/*
 * The plane's recorded peak_teraflops_per_second if it has one; else cores × clock × the most operations a core does a cycle, by
 * compute capability (NVIDIA) or chip (AMD). An unknown NVIDIA capability counts as the next lower known one.
 */
struct tf_device_peaks tf_device_peaks_of(const struct tf_trace *t, const struct tf_plane *p);

#endif
