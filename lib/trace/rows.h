/*
 * Rows that come from files other than captures, and the ledger of an ingest: decoders pass them on, the store keeps
 * them, renderers print the ledger. All text and bytes are borrowed for the call.
 */
#ifndef TF_TRACE_ROWS_H
#define TF_TRACE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"
#include "lib/base/error.h"

/* Kinds of source files: identifier, name in ledger and store. */
#define TF_FILE_KINDS(X) \
	X(TF_FILE_UNKNOWN, "unknown") \
	X(TF_FILE_EVENTS, "event_file") \
	X(TF_FILE_XSPACE, "xspace") \
	X(TF_FILE_TRACE_JSON, "trace_json") \
	X(TF_FILE_MEMORY_JSON, "memory_profile_json") \
	X(TF_FILE_MEMORY_PB, "memory_profile_pb") \
	X(TF_FILE_OVERVIEW_PB, "overview_pb") \
	X(TF_FILE_INPUT_PIPELINE_PB, "input_pipeline_pb") \
	X(TF_FILE_TENSORFLOW_STATS_PB, "tensorflow_stats_pb") \
	X(TF_FILE_KERNEL_STATS_PB, "kernel_stats_pb") \
	X(TF_FILE_TRACE_PB, "trace_pb") \
	X(TF_FILE_RUN_METADATA, "run_metadata") \
	X(TF_FILE_HLO_PROTO, "hlo_proto") \
	X(TF_FILE_PPROF, "pprof") \
	X(TF_FILE_PROFILE_EMPTY, "profile_empty") \
	X(TF_FILE_VIEWER_JSON, "viewer_json") \
	X(TF_FILE_XPROF_CACHE, "xprof_cache") \
	X(TF_FILE_ARCHIVE, "archive") \
	X(TF_FILE_HOST_METRICS, "host_metrics")

enum tf_file_kind {
#define TF_FILE_ENUM(id, name) id,
	TF_FILE_KINDS(TF_FILE_ENUM)
#undef TF_FILE_ENUM
};

/* The kind's name in the ledger and in source_file.kind. Static. */
const char *tf_file_kind_name(enum tf_file_kind kind);

/* What can be wrong with a file or a record: identifier, name in the ledger. */
#define TF_ISSUE_CODES(X) \
	X(TF_ISSUE_LENGTH_CRC, "length_crc") \
	X(TF_ISSUE_DATA_CRC, "data_crc") \
	X(TF_ISSUE_ZERO_FILL, "zero_fill") \
	X(TF_ISSUE_PROTO_ERROR, "proto_error") \
	X(TF_ISSUE_TRUNCATED, "truncated") \
	X(TF_ISSUE_JSON_ERROR, "json_error") \
	X(TF_ISSUE_TOO_LONG, "too_long") \
	X(TF_ISSUE_NOT_A_PROFILE, "not_a_profile") \
	X(TF_ISSUE_EMPTY, "empty") \
	X(TF_ISSUE_IO_ERROR, "io_error") \
	X(TF_ISSUE_UNREADABLE, "unreadable") \
	X(TF_ISSUE_UNSUPPORTED, "unsupported") \
	X(TF_ISSUE_REPAIRED, "repaired") \
	X(TF_ISSUE_UNPAIRED, "unpaired") \
	X(TF_ISSUE_SUPERSEDED, "superseded") \
	X(TF_ISSUE_DIFFERS, "differs") \
	X(TF_ISSUE_SAME_FILE, "same_file") \
	X(TF_ISSUE_STEP_WRAP, "step_wrap_suspected") \
	X(TF_ISSUE_LIMIT, "limit")

enum tf_issue_code {
#define TF_ISSUE_ENUM(id, name) id,
	TF_ISSUE_CODES(TF_ISSUE_ENUM)
#undef TF_ISSUE_ENUM
};

const char *tf_issue_name(enum tf_issue_code code);

/* True for the codes that mean lost or untrusted bytes (what --strict refuses). */
bool tf_issue_is_damage(enum tf_issue_code code);

struct tf_issue {
	enum tf_issue_code code;
	int64_t offset; /* byte in the (inflated) file, TF_NONE if the file as a whole */
	const char *message;
};

enum tf_tail_state { TF_TAIL_CLEAN, TF_TAIL_PARTIAL_RECORD, TF_TAIL_ZERO_FILL, TF_TAIL_GARBAGE };
const char *tf_tail_name(enum tf_tail_state state);

enum tf_file_state {
	TF_STATE_NEW,
	TF_STATE_APPENDED,
	TF_STATE_REPLACED,
	TF_STATE_UNCHANGED,
	TF_STATE_SKIPPED, /* known, nothing to load from it (yet) */
	TF_STATE_FAILED,  /* nothing in it can be read */
};
const char *tf_state_name(enum tf_file_state state);

/* One file of an ingest. Filled by decoder and pipeline. Strings and issues live in the ledger's arena. */
struct tf_ledger_file {
	const char *path; /* as found (a member: ARCHIVE/MEMBER); raw bytes repaired to UTF-8 */
	enum tf_file_kind kind;
	enum tf_file_state state;
	int64_t records;
	int64_t bytes;	    /* size on disk, or read from the pipe */
	int64_t bytes_read; /* decoded, after decompression */
	int64_t skipped_records, skipped_bytes;
	int64_t first_bad_offset; /* TF_NONE */
	enum tf_tail_state tail;
	struct tf_issue *issues;
	size_t issue_count, issue_cap, issue_total; /* listed; all of them */
	int64_t new_rows;
	const char *writer_version; /* "brain.Event:2", or NULL */
};

/* True if the file gave something now, or did so at an earlier time and is unchanged. An archive gives nothing but its members. */
bool tf_ledger_file_gave(const struct tf_ledger_file *file);

struct tf_ledger {
	struct tf_arena arena;
	struct tf_ledger_file *files;
	size_t file_count, file_cap;
	const char *missing; /* the first PATH that is not there, and why; NULL */
};

/*
 * Notes an issue (copied into the arena); beyond TF_LIMIT_FILE_ISSUES it is only counted. Sets first_bad_offset for
 * damage. Returns 0, or -1 when out of memory.
 */
int tf_ledger_issue(struct tf_arena *arena, struct tf_ledger_file *file, enum tf_issue_code code, int64_t offset,
		    struct tf_error *err, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* ---- rows of event files ---- */

/* What each row of a tag shares. wall_time is NaN where the record's is not finite. */
struct tf_point {
	struct tf_bytes tag;	/* raw bytes */
	struct tf_bytes plugin; /* of this value's metadata; empty if it carries none */
	struct tf_bytes display_name, description;
	int64_t step;
	double wall_time;
	int64_t offset; /* of the record */
};

struct tf_histogram {
	double count, min, max, sum, sum_squares;
	const double *left, *right, *weight; /* buckets */
	size_t bucket_count;
};

enum tf_media_kind { TF_MEDIA_IMAGE, TF_MEDIA_AUDIO };

struct tf_media {
	enum tf_media_kind kind;
	const char *encoding; /* "png", "wav", … or NULL */
	int64_t width, height; /* pixels; TF_NONE for audio or if unknown */
	double sample_rate_hz; /* of audio; NaN for images or if unknown */
	int64_t channels, frames; /* of audio; a frame is one sample of each channel; TF_NONE as above */
	int64_t bytes; /* of the encoded clip */
};

struct tf_hparam {
	struct tf_bytes name;
	const char *type; /* "number", "string", "bool" */
	double number;	  /* for number and bool */
	struct tf_bytes text;
};

/* What plugins say beside their values. Bytes are raw and empty where nothing was recorded, numbers then NaN. */
enum tf_plugin_row_kind {
	TF_ROW_EXPERIMENT,  /* hparams: what is searched */
	TF_ROW_HPARAM_INFO, /* a hyperparameter that the experiment declares */
	TF_ROW_METRIC_INFO, /* a metric that the experiment declares */
	TF_ROW_TRIAL_START, /* the run is a trial; its hparams follow as rows of their own */
	TF_ROW_TRIAL_END,
	TF_ROW_CHART, /* one curve of a chart of the custom scalars layout */
	TF_ROW_MESH,  /* what the tag's tensors are of a mesh */
	TF_ROW_GRAPH, /* a graph begins; its nodes follow */
};

struct tf_plugin_row {
	enum tf_plugin_row_kind kind;
	union {
		struct {
			struct tf_bytes name, description, user;
			double created_s; /* since 1970 */
		} experiment;
		struct {
			struct tf_bytes name, display_name, description;
			const char *type;	 /* "number", "string", "bool", or NULL */
			const char *domain_json; /* the list of its values, or NULL */
			double min, max;	 /* of its interval */
		} hparam;
		struct {
			struct tf_bytes group, tag, display_name, description;
			const char *dataset; /* "training", "validation", or NULL */
		} metric;
		struct {
			struct tf_bytes group, monitor_url, model_uri;
			double at_s;	    /* since 1970: start or end */
			const char *status; /* of an end: "success", "failure", "running", or NULL */
		} trial;
		struct {
			struct tf_bytes category, title, value, lower, upper; /* patterns of tags; bounds of margin charts */
			bool is_margin;
		} chart;
		struct {
			struct tf_bytes name, config_json;
			const char *content; /* "vertex", "face", "color", or NULL */
		} mesh;
		const char *graph; /* "graph", "meta_graph", "function" */
	} u;
};

struct tf_graph_node {
	struct tf_bytes function; /* of the graph's library that it lies in; empty: in the graph itself */
	struct tf_bytes name, op, device;
	const char *shapes_json; /* a list of shapes, one an output; NULL: not recorded */
	const char *inputs_json; /* a list of names */
};

/* One execution of a node in a RunMetadata. Integers that are not recorded are TF_NONE, text is empty. */
struct tf_metadata_node {
	struct tf_bytes device, name, op;
	int64_t start_us, dur_us; /* wall clock; of all that the executor did for it; dur_us TF_NONE where times are absurd */
	int64_t output_bytes;	  /* of its output tensors */
	int64_t peak_bytes;	  /* the most that it had of each allocator, summed over them */
	int64_t temp_bytes;
};

/*
 * Receives the rows of an event file in file order. Every member must be set; each returns 0, or -1 to stop the file
 * with `err`. `session_start` is SessionLog.START. `counted` is a value of a kind that is only counted per tag
 * ("image", "mesh", …).
 */
struct tf_row_sink {
	void *ctx;
	int (*scalar)(void *ctx, const struct tf_point *at, double value, struct tf_error *err);
	int (*histogram)(void *ctx, const struct tf_point *at, const struct tf_histogram *h, struct tf_error *err);
	int (*text)(void *ctx, const struct tf_point *at, struct tf_bytes value, struct tf_error *err);
	int (*tensor)(void *ctx, const struct tf_point *at, const char *dtype, const char *shape_json, int64_t bytes,
		      const char *value_json, struct tf_error *err);
	int (*media)(void *ctx, const struct tf_point *at, const struct tf_media *m, struct tf_error *err);
	int (*counted)(void *ctx, const struct tf_point *at, const char *kind, struct tf_error *err);
	int (*hparam)(void *ctx, const struct tf_point *at, const struct tf_hparam *h, struct tf_error *err);
	int (*session_start)(void *ctx, int64_t step, double wall_time, int64_t offset, struct tf_error *err);
	int (*plugin)(void *ctx, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *err);
	int (*graph_node)(void *ctx, const struct tf_graph_node *node, struct tf_error *err);
	int (*metadata_node)(void *ctx, const struct tf_point *at, const struct tf_metadata_node *node, struct tf_error *err);
};

#endif
