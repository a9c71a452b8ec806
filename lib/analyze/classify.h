/* What kind of work an event is, for breakdown and device figures (METRICS.md §3, §4). */
#ifndef TF_ANALYZE_CLASSIFY_H
#define TF_ANALYZE_CLASSIFY_H

#include "lib/analyze/analyze.h"

enum tf_work {
	TF_WORK_KERNEL, /* computation */
	TF_WORK_H2D,
	TF_WORK_D2H,
	TF_WORK_D2D, /* also peer to peer */
	TF_WORK_SET, /* memset: the device is busy, nothing moves */
	TF_WORK_COMM, /* collectives, sends and receives between devices */
};

/* What the name of device work says, packed: names are long, so each is read once. */
uint8_t tf_device_name_read(struct tf_bytes name);

/* The work of a raw device event, by its name and its copy details. */
enum tf_work tf_device_work(const struct tf_derived *d, size_t event);

/* True if a kernel computes in 16 bits: half, fp16, bf16 in its shape stat or, without one, in its name. */
bool tf_is_16_bit(const struct tf_derived *d, size_t event);

/*
 * The part of a step that an op of a TPU core or SparseCore is, by its hlo_category, or by its name where it has none: infeed waits
 * for input, outfeed and host send go to the host, host recv comes from it, send and recv go between devices, then collectives; all
 * else computes.
 */
enum tf_part tf_core_part(const struct tf_derived *d, size_t event);

/* The part of a step that a raw device event fills. */
enum tf_part tf_device_part(const struct tf_derived *d, size_t event);

/*
 * The part that a host event fills, or TF_PART_COUNT if it fills none (markers, and wrappers around real work).
 * `has_device`: launches count as such.
 */
enum tf_part tf_host_part(const struct tf_derived *d, size_t event, bool has_device);

/* True if some device plane of the trace has raw events that count. */
bool tf_has_device_events(const struct tf_trace *t);

/*
 * True if the event is a kernel: on a device other than a TPU (which runs ops), it computes or communicates, and takes
 * time. Kernels without recorded details are kernels too.
 */
bool tf_is_kernel(const struct tf_derived *d, const struct tf_plane *p, size_t event);

/* String ids of the framework op (tf_op) and the HLO instruction of a device event; 0: none. False: neither. */
bool tf_device_op(const struct tf_trace *t, size_t event, uint32_t *framework, uint32_t *hlo);

/* True if some of the needles occurs in the bytes, ASCII case folded. */
bool tf_bytes_contain_any(struct tf_bytes b, const char *const *needles, size_t count);

/* As above, of one needle. */
bool tf_bytes_contain(struct tf_bytes b, const char *needle);

#endif
