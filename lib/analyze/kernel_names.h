/* What a kernel's name and launch details say (METRICS.md §7). */
#ifndef TF_ANALYZE_KERNEL_NAMES_H
#define TF_ANALYZE_KERNEL_NAMES_H

#include "lib/analyze/analyze.h"

/* The maker of a device, by its plane's device_vendor. */
enum tf_vendor { TF_VENDOR_UNKNOWN, TF_VENDOR_NVIDIA, TF_VENDOR_AMD };
enum tf_vendor tf_device_vendor(const struct tf_trace *t, const struct tf_plane *p);

/* True if a kernel of this name uses matrix units: NVIDIA's tensor cores, AMD's matrix instructions. */
bool tf_is_tensor_core(struct tf_bytes name, enum tf_vendor vendor);

/* A launch, from "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:32,1,1 occ_pct:100". */
struct tf_launch {
	int64_t registers; /* a thread's; TF_NONE if not recorded, as all that follow */
	int64_t static_bytes, dynamic_bytes; /* shared memory; TF 2.2's shm and AMD's group_mem count as static */
	int64_t grid[3], block[3];	     /* 1,1,1 if not recorded */
	bool has_grid, has_block;
	double occupancy; /* 0..1; NaN where it is not recorded, or 0: what runs occupies something */
};

/* Reads kernel_details: tokens between blanks and newlines; those that are not "key:value" are passed over. */
struct tf_launch tf_launch_parse(struct tf_bytes details);

/* A recorded percentage as a ratio; NaN unless it is over 0 and at most 100. */
double tf_occupancy(double pct);

#endif
