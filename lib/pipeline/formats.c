/* The formats that are loaded: one line of the table each. */
#include <math.h>

#include "lib/analyze/from_sidecar.h"
#include "lib/analyze/xla_memory.h"
#include "lib/decode/event.h"
#include "lib/decode/hlo_proto.h"
#include "lib/decode/memory_profile.h"
#include "lib/decode/run_metadata.h"
#include "lib/decode/sidecar_pb.h"
#include "lib/decode/sniff.h"
#include "lib/decode/trace_json.h"
#include "lib/decode/trace_pb.h"
#include "lib/decode/xspace.h"
#include "lib/pipeline/load.h"

/* Ends the building of the capture and analyses it. */
static int analyse(struct tf_capture *c, const struct tf_content *in, const char *host, const struct tf_ingest_options *o,
		   struct tf_error *err)
{
	struct tf_analyze_options options = {.step_event = o->step_event};
	struct tf_session *s = &c->results;

	c->trace.truncated |= in->cut || in->is_partial;
	if (tf_trace_finish(&c->trace, err) < 0)
		return -1;
	s->hosts = tf_arena_alloc(&s->arena, sizeof *s->hosts);
	if (!s->hosts)
		return tf_fail_nomem(err);
	s->host_count = s->host_cap = 1;
	s->hosts->name = host;
	if (tf_analyze_host(&c->trace, &options, &s->arena, s->hosts, &c->derived, err) < 0)
		return -1;
	c->loaded = true;
	return 0;
}

/* The formats that fill a trace from whole contents. */
static const struct {
	enum tf_file_kind kind;
	int (*decode)(struct tf_bytes, struct tf_trace *, struct tf_ledger_file *, struct tf_arena *, struct tf_error *);
} trace_decoders[] = {
	{TF_FILE_XSPACE, tf_decode_xspace},
	{TF_FILE_TRACE_PB, tf_decode_trace_pb},
	{TF_FILE_MEMORY_JSON, tf_decode_memory_json},
	{TF_FILE_MEMORY_PB, tf_decode_memory_pb},
	{TF_FILE_RUN_METADATA, tf_decode_run_metadata},
};

/* One XLA program into the results. What damage ended is said by its place in the content. */
static int add_program(struct tf_program program, struct tf_bytes content, struct tf_capture *c, struct tf_ledger_file *file,
		       struct tf_arena *arena, struct tf_error *err)
{
	struct tf_hlo hlo = {0};
	struct tf_hlo_fault fault;
	int rc = tf_decode_hlo(program.content, &hlo, &fault, err);

	if (rc == 0 && fault.reason) {
		file->skipped_records++;
		rc = tf_ledger_issue(arena, file, fault.cut ? TF_ISSUE_TRUNCATED : TF_ISSUE_PROTO_ERROR, fault.at - content.data, err,
				     "HLO program: %s", fault.reason);
	}
	if (rc == 0)
		rc = tf_measure_xla(&hlo, program.name, &c->results, err);
	tf_arena_release(&hlo.arena);
	return rc;
}

static int prepare_hlo(struct tf_content *in, const char *host, const struct tf_ingest_options *o, struct tf_capture *c,
		       struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	(void)o;
	if (add_program((struct tf_program){tf_bytes_of(host), in->content}, in->content, c, file, arena, err) < 0)
		return -1;
	c->loaded = true;
	return 0;
}

static int prepare_trace(struct tf_content *in, const char *host, const struct tf_ingest_options *o, struct tf_capture *c,
			 struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	size_t i = 0;

	while (trace_decoders[i].kind != file->kind)
		i++;
	if (tf_trace_init(&c->trace, err) < 0 || trace_decoders[i].decode(in->content, &c->trace, file, arena, err) < 0)
		return -1;
	for (size_t p = 0; p < c->trace.program_count; p++)
		if (add_program(c->trace.programs[p], in->content, c, file, arena, err) < 0)
			return -1;
	return analyse(c, in, host, o, err);
}

static int prepare_trace_json(struct tf_content *in, const char *host, const struct tf_ingest_options *o, struct tf_capture *c,
			      struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	struct tf_stream stream;
	int rc = -1;

	if (tf_stream_open(&stream, &in->stored, err) < 0 || tf_trace_init(&c->trace, err) < 0)
		goto out;
	rc = tf_decode_trace_json(&stream, &c->trace, file, arena, err);
	file->bytes_read = (int64_t)stream.total_bytes;
	in->cut |= stream.cut;
	in->codec = stream.codec;
	in->cut_offset = stream.at;
out:
	tf_stream_close(&stream);
	return rc < 0 ? -1 : analyse(c, in, host, o, err);
}

/* A result file has no events: its trace is empty. */
static int prepare_sidecar(struct tf_content *in, const char *host, const struct tf_ingest_options *o, struct tf_capture *c,
			   struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	struct tf_sidecar sidecar = {0};
	struct tf_session *s = &c->results;
	bool truncated;
	int rc = -1;

	(void)o;
	if (tf_trace_init(&c->trace, err) < 0 || tf_trace_finish(&c->trace, err) < 0 || tf_derived_init(&c->derived, &c->trace, err) < 0
	    || tf_decode_sidecar(in->content, file->kind, &sidecar, &truncated, file, arena, err) < 0)
		goto out;
	s->hosts = tf_arena_alloc(&s->arena, sizeof *s->hosts);
	if (!s->hosts) {
		tf_fail_nomem(err);
		goto out;
	}
	s->host_count = s->host_cap = 1;
	s->hosts->name = host;
	if (tf_host_from_sidecar(&sidecar, truncated || in->cut || in->is_partial, &s->arena, s->hosts, err) < 0)
		goto out;
	c->loaded = true;
	rc = 0;
out:
	tf_arena_release(&sidecar.arena);
	return rc;
}

static int store_capture(struct tf_store *s, const struct tf_content *in, const struct tf_capture *c,
			const struct tf_ingest_options *o, struct tf_ledger_file *file, struct tf_arena *arena,
			struct tf_error *err)
{
	(void)in;
	(void)file;
	(void)arena;
	if (c->results.host_count && tf_store_put_host(s, &c->trace, c->results.hosts, &c->derived, o->events, err) < 0)
		return -1;
	return tf_store_put_xla(s, &c->results, err);
}

/* What TensorFlow 1 put into an event file besides: its RunMetadata are a capture. */
static int prepare_events(struct tf_content *in, const char *host, const struct tf_ingest_options *o, struct tf_capture *c,
			  struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	if (tf_trace_init(&c->trace, err) < 0 || tf_decode_event_runs(in->content, &c->trace, file, arena, err) < 0)
		return -1;
	return c->trace.events.count ? analyse(c, in, host, o, err) : 0;
}

static int store_events(struct tf_store *s, const struct tf_content *in, const struct tf_capture *c,
			const struct tf_ingest_options *o, struct tf_ledger_file *file, struct tf_arena *arena,
			struct tf_error *err)
{
	struct tf_row_sink sink = tf_store_row_sink(s);

	if (c->loaded && store_capture(s, in, c, o, file, arena, err) < 0)
		return -1;
	return tf_decode_events(in->content, &sink, file, arena, err);
}

/* A RunMetadata is a capture, and its nodes are rows too. */
static int store_run_metadata(struct tf_store *s, const struct tf_content *in, const struct tf_capture *c,
			      const struct tf_ingest_options *o, struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	struct tf_row_sink sink = tf_store_row_sink(s);
	struct tf_point at = {.step = 0, .wall_time = NAN};

	return store_capture(s, in, c, o, file, arena, err) < 0 ? -1 : tf_pass_run_metadata(in->content, &sink, &at, err);
}

static const struct tf_format formats[] = {
	{TF_FILE_XSPACE, false, false, prepare_trace, store_capture},
	{TF_FILE_TRACE_JSON, true, false, prepare_trace_json, store_capture},
	{TF_FILE_TRACE_PB, false, false, prepare_trace, store_capture},
	{TF_FILE_RUN_METADATA, false, false, prepare_trace, store_run_metadata},
	{TF_FILE_MEMORY_JSON, false, false, prepare_trace, store_capture},
	{TF_FILE_MEMORY_PB, false, false, prepare_trace, store_capture},
	{TF_FILE_OVERVIEW_PB, false, false, prepare_sidecar, store_capture},
	{TF_FILE_INPUT_PIPELINE_PB, false, false, prepare_sidecar, store_capture},
	{TF_FILE_TENSORFLOW_STATS_PB, false, false, prepare_sidecar, store_capture},
	{TF_FILE_KERNEL_STATS_PB, false, false, prepare_sidecar, store_capture},
	{TF_FILE_HLO_PROTO, false, false, prepare_hlo, store_capture},
	{TF_FILE_EVENTS, false, true, prepare_events, store_events},
	{TF_FILE_PROFILE_EMPTY, false, true, NULL, store_events},
};

const struct tf_format *tf_format_find(enum tf_file_kind kind)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (formats[i].kind == kind)
			return &formats[i];
	return NULL;
}

/* Why files of a kind that is recognised are not loaded. */
static const char *reason_of(enum tf_file_kind kind)
{
	switch (kind) {
	case TF_FILE_VIEWER_JSON:
		return "a page of XProf's viewer, made from a capture: the capture says more";
	case TF_FILE_XPROF_CACHE:
		return "XProf's own cache, made from a capture: left alone";
	case TF_FILE_ARCHIVE:
		return "an archive that is not named like one: it is read where it is PATH itself";
	default:
		return "recognised; this version does not load it";
	}
}

int tf_note_unloaded(const struct tf_content *in, struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	enum tf_file_kind named = tf_sniff_name(file->path);

	if (in->content.len == 0)
		return tf_ledger_issue(arena, file, TF_ISSUE_EMPTY, TF_NONE, err, "the file is empty");
	if (file->kind != TF_FILE_UNKNOWN)
		return tf_ledger_issue(arena, file, TF_ISSUE_UNSUPPORTED, TF_NONE, err, "%s", reason_of(file->kind));
	if (named != TF_FILE_UNKNOWN)
		return tf_ledger_issue(arena, file, TF_ISSUE_NOT_A_PROFILE, TF_NONE, err,
				       "named like %s, but no such content: damaged, or something else", tf_file_kind_name(named));
	return tf_ledger_issue(arena, file, TF_ISSUE_NOT_A_PROFILE, TF_NONE, err, "neither event file nor profile");
}

int tf_note_archive(const struct tf_archive *a, struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	enum tf_issue_code code = a->stop.code == TF_EFORMAT  ? TF_ISSUE_TRUNCATED
				  : a->stop.code == TF_ELIMIT ? TF_ISSUE_LIMIT
							      : TF_ISSUE_IO_ERROR;

	if (a->stop.code != TF_OK && tf_ledger_issue(arena, file, code, a->stop_offset, err, "%s", a->stop.text) < 0)
		return -1;
	if (a->passed_over && tf_ledger_issue(arena, file, TF_ISSUE_UNSUPPORTED, TF_NONE, err,
					      "%zu links, devices or entries without a name: passed over", a->passed_over) < 0)
		return -1;
	if (a->count == 0 && a->stop.code == TF_OK)
		return tf_ledger_issue(arena, file, TF_ISSUE_EMPTY, TF_NONE, err, "the archive holds no file");
	return 0;
}

void tf_capture_release(struct tf_capture *c)
{
	tf_derived_release(&c->derived);
	tf_trace_release(&c->trace);
	tf_session_release(&c->results);
	*c = (struct tf_capture){0};
}
