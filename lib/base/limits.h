/* Every limit on what input can make us allocate, loop or recurse, with its reason. */
#ifndef TF_BASE_LIMITS_H
#define TF_BASE_LIMITS_H

/*
 * Inflated data. A capture over 4 GiB exists; 64 GiB is a bomb, and so is what is over 150 times the bytes on disk: zstd at its best
 * makes a 57th of a real trace and a 110th of one event repeated, gzip at its fastest a 229th of zeros. Small data may be anything: up
 * to 64 MiB where it is kept in memory as a whole, up to 1 GiB where it is read and passed on.
 */
#define TF_LIMIT_INFLATED_BYTES ((uint64_t)64 << 30)
#define TF_LIMIT_INFLATED_RATIO 150
#define TF_LIMIT_HELD_FREE_BYTES ((uint64_t)64 << 20)
#define TF_LIMIT_STREAM_FREE_BYTES ((uint64_t)1 << 30)

/* One content that was inflated, came by a pipe or lies in an archive, and is kept in memory as a whole. */
#define TF_LIMIT_HELD_BYTES ((uint64_t)8 << 30)

/* Members of archives that are kept in memory at once: what is larger is read by itself, piece by piece. */
#define TF_LIMIT_BATCH_BYTES ((int64_t)128 << 20)

/* Entries of one archive, and bytes of their names: a long training leaves some thousand files. */
#define TF_LIMIT_ARCHIVE_ENTRIES 100000
#define TF_LIMIT_ARCHIVE_NAME_BYTES ((size_t)64 << 20)

/* Archives inside archives: a CI service wraps what it is given once. */
#define TF_LIMIT_ARCHIVE_DEPTH 3

/* Interned bytes of one string: names and shapes are short, HLO text is not. */
#define TF_LIMIT_STRING_BYTES ((size_t)1 << 20)

/* Stats of one event that are kept; real events carry at most 30. */
#define TF_LIMIT_EVENT_STATS 4096

/* Issues listed per file; more are counted. One damaged file must not fill the store. */
#define TF_LIMIT_FILE_ISSUES 100

/* One element of a trace JSON: call stacks and shapes make some long, none this long. */
#define TF_LIMIT_JSON_ELEMENT_BYTES ((size_t)64 << 20)

/* Lines of one executor of TensorFlow 1: nodes that run at once are those of its threads, of which no machine has this many. */
#define TF_LIMIT_EXECUTOR_LINES 512

/* Nesting of events on a line (depth of the stack). */
#define TF_LIMIT_EVENT_DEPTH 65535

/* Numeric values of one tensor kept as JSON in `tensor.value`: a PR curve of 200 thresholds has 1200. */
#define TF_LIMIT_TENSOR_VALUES 4096

/* Buckets of one histogram: TensorFlow writes at most 30 or 1549, and a constant tensor can promise any number. */
#define TF_LIMIT_HISTOGRAM_BUCKETS 65536

/* Memory timeline points per allocator that are stored; down-sampling keeps the maxima. */
#define TF_LIMIT_TIMELINE_POINTS 1000

/* Devices that a result file may count without telling of them: the largest pods have fewer a host. */
#define TF_LIMIT_SIDECAR_DEVICES 1024

/* One file of the gate's configuration, files that it extends in all, and limits in all of them: people write these. */
#define TF_LIMIT_CONFIG_BYTES ((size_t)1 << 20)
#define TF_LIMIT_CONFIG_FILES 64
#define TF_LIMIT_CONFIG_RULES 4096

/* Largest gaps that are kept per device. */
#define TF_LIMIT_DEVICE_GAPS 100

/*
 * Owners of the time of steps: what each took of each step is kept, 16 MiB of numbers at most. A real step has a hundred or two; those
 * that took least are summed up.
 */
#define TF_LIMIT_OWNER_CELLS ((size_t)2 << 20)
#define TF_MOST_OWNERS ((size_t)2000)
#define TF_LEAST_OWNERS ((size_t)20)

#endif
