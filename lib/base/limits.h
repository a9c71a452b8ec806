/* Every limit on what input can make us allocate, loop or recurse, with its reason. */
#ifndef TF_BASE_LIMITS_H
#define TF_BASE_LIMITS_H

/* One inflated file. A capture over 4 GiB exists; 64 GiB is a bomb. */
#define TF_LIMIT_INFLATED_BYTES ((uint64_t)64 << 30)

/* Interned bytes of one string: names and shapes are short, HLO text is not. */
#define TF_LIMIT_STRING_BYTES ((size_t)1 << 20)

/* Stats of one event that are kept; real events carry at most 30. */
#define TF_LIMIT_EVENT_STATS 4096

/* Issues listed per file; more are counted. One damaged file must not fill the store. */
#define TF_LIMIT_FILE_ISSUES 100

/* One element of a trace JSON: call stacks and shapes make some long, none this long. */
#define TF_LIMIT_JSON_ELEMENT_BYTES ((size_t)64 << 20)

/* Nesting of events on a line (depth of the stack). */
#define TF_LIMIT_EVENT_DEPTH 65535

/* Numeric values of one tensor kept as JSON in `tensor.value`. */
#define TF_LIMIT_TENSOR_VALUES 1024

/* Memory timeline points per allocator that are stored; down-sampling keeps the maxima. */
#define TF_LIMIT_TIMELINE_POINTS 1000

/* Devices that a result file may count without telling of them: the largest pods have fewer a host. */
#define TF_LIMIT_SIDECAR_DEVICES 1024

/* Largest gaps that are kept per device. */
#define TF_LIMIT_DEVICE_GAPS 100

#endif
