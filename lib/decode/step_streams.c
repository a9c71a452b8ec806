/* Streams of GPUs, and the run around them. */
#include "lib/decode/step_streams.h"

#include <stdlib.h>

#include "lib/base/vec.h"
#include "lib/decode/step_names.h"

/* A GPU, by the index of its process. */
struct gpu {
	bool has_streams; /* that have a number */
	bool repeats_copies;
	size_t copy; /* the first event of /memcpy, SIZE_MAX: none */
};

struct folding {
	struct tf_tracks *k;
	struct tf_stream_name *names; /* by process */
	struct gpu *gpus;	      /* by process, of those that are a GPU's */
	size_t name_count;	      /* processes that there were */
};

static int intern(struct tf_tracks *k, struct tf_bytes text, uint32_t *id)
{
	return tf_trace_intern(k->t, text, id, k->err);
}

/* The process of a GPU, by what names it before "/stream:" (which may tell its job and task too). */
static int find_gpu(struct tf_tracks *k, const struct tf_stream_name *s, uint32_t *at)
{
	uint32_t pid, name;

	k->scratch.len = 0;
	tf_buf_printf(&k->scratch, "/device:GPU:%lld", (long long)s->ordinal);
	if (k->scratch.failed)
		return tf_fail_nomem(k->err);
	if (intern(k, (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len}, &name) < 0)
		return -1;
	k->scratch.len = 0;
	tf_buf_text(&k->scratch, "streams of ");
	tf_buf_add(&k->scratch, (const char *)s->device.data, s->device.len);
	if (k->scratch.failed)
		return tf_fail_nomem(k->err);
	if (intern(k, (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len}, &pid) < 0 || tf_tracks_process(k, pid, at) < 0)
		return -1;
	k->processes[*at].name = name;
	return 0;
}

/* "/device:GPU:0/sync" is the host's, and must not look like a device. */
static int rename_waits(struct tf_tracks *k, uint32_t process, const struct tf_stream_name *s)
{
	k->scratch.len = 0;
	tf_buf_printf(&k->scratch, "GPU:%lld sync", (long long)s->ordinal);
	return k->scratch.failed ? tf_fail_nomem(k->err)
				 : intern(k, (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len}, &k->processes[process].name);
}

static int find_homes(struct folding *f)
{
	struct tf_tracks *k = f->k;

	for (size_t i = 0; i < f->name_count; i++) {
		struct tf_stream_name s = f->names[i];
		uint32_t home;
		if (s.kind == TF_STREAM_WAITS && rename_waits(k, (uint32_t)i, &s) < 0)
			return -1;
		if (s.kind == TF_STREAM_NONE || s.kind == TF_STREAM_WAITS)
			continue;
		if (find_gpu(k, &s, &home) < 0)
			return -1;
		k->processes[i].home = home + 1;
	}
	return 0;
}

/* A track of a stream goes to its GPU: "stream:13", its second lane "stream:13 1". */
static int move_track(struct folding *f, struct tf_track *track)
{
	struct tf_tracks *k = f->k;
	const struct tf_stream_name *s = &f->names[track->process];
	const char *lane = tf_strtab_text(&k->t->strings, track->thread);

	k->scratch.len = 0;
	tf_buf_add(&k->scratch, (const char *)s->stream.data, s->stream.len);
	if (strcmp(lane, "0") != 0)
		tf_buf_printf(&k->scratch, " %s", lane);
	if (k->scratch.failed)
		return tf_fail_nomem(k->err);
	track->process = k->processes[track->process].home - 1;
	return intern(k, (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len}, &track->thread);
}

/* What kind of stream a track was of. */
static enum tf_stream_kind kind_of(const struct folding *f, uint32_t process)
{
	return process < f->name_count && f->k->processes[process].home ? f->names[process].kind : TF_STREAM_NONE;
}

/* The same copy once more: of one time, and of one name or op. */
static bool is_same(const struct tf_trace *t, size_t a, size_t b)
{
	const struct tf_events *e = &t->events;
	uint32_t op = tf_stat_text(t, tf_event_stats(t, a), TF_NAME_tf_op);

	return e->start_ps[a] == e->start_ps[b] && e->dur_ps[a] == e->dur_ps[b]
	       && (e->meta[a] == e->meta[b] || (op && op == tf_stat_text(t, tf_event_stats(t, b), TF_NAME_tf_op)));
}

/* Whether each GPU has streams with a number, and whether its streams tell of its copies. */
static void compare_streams(struct folding *f)
{
	const struct tf_tracks *k = f->k;
	const struct tf_events *e = &k->t->events;

	for (size_t i = 0; i < e->count; i++) {
		uint32_t process = k->tracks[k->track_of[i]].process;
		enum tf_stream_kind kind = kind_of(f, process);
		if (kind == TF_STREAM_NONE)
			continue;
		struct gpu *g = &f->gpus[k->processes[process].home - 1];
		g->has_streams |= kind == TF_STREAM_ONE;
		if (kind == TF_STREAM_COPIES && g->copy == SIZE_MAX)
			g->copy = i;
	}
	for (size_t i = 0; i < e->count; i++) {
		uint32_t process = k->tracks[k->track_of[i]].process;
		enum tf_stream_kind kind = kind_of(f, process);
		if (kind != TF_STREAM_ONE && kind != TF_STREAM_ALL)
			continue;
		struct gpu *g = &f->gpus[k->processes[process].home - 1];
		g->repeats_copies |= g->copy != SIZE_MAX && is_same(k->t, i, g->copy);
	}
}

static int move_tracks(struct folding *f)
{
	struct tf_tracks *k = f->k;

	for (size_t i = 0; i < k->track_count; i++) {
		struct tf_track *track = &k->tracks[i];
		enum tf_stream_kind kind = track->process == UINT32_MAX ? TF_STREAM_NONE : kind_of(f, track->process);
		if (kind == TF_STREAM_NONE)
			continue;
		const struct gpu *g = &f->gpus[k->processes[track->process].home - 1];
		track->derived |= (kind == TF_STREAM_ALL && g->has_streams) || (kind == TF_STREAM_COPIES && g->repeats_copies);
		if (move_track(f, track) < 0)
			return -1;
	}
	return 0;
}

/* "/job:…/device:GPU:0 Compute": the executor of a GPU. Other tools call a GPU itself "/device:GPU:0". */
static bool is_gpu_executor(const struct tf_stream_name *s)
{
	return s->kind == TF_STREAM_NONE && s->ordinal >= 0 && tf_bytes_begin(s->device, "/job:");
}

/* GPUs of which only their executor tells. */
static int add_untraced(struct folding *f)
{
	struct tf_map traced = {0};
	uint32_t at;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->name_count; i++)
		if (f->k->processes[i].home)
			rc = tf_map_put(&traced, (uint64_t)f->names[i].ordinal, 1, f->k->err);
	for (size_t i = 0; rc == 0 && i < f->name_count; i++)
		if (is_gpu_executor(&f->names[i]) && !tf_map_find(&traced, (uint64_t)f->names[i].ordinal))
			rc = find_gpu(f->k, &f->names[i], &at);
	tf_map_release(&traced);
	return rc;
}

int tf_tracks_fold_streams(struct tf_tracks *k)
{
	struct folding f = {.k = k, .name_count = k->process_count};
	bool any = false;
	int rc = -1;

	f.names = calloc(f.name_count + 1, sizeof *f.names);
	if (!f.names)
		return tf_fail_nomem(k->err);
	for (size_t i = 0; i < f.name_count; i++) {
		f.names[i] = tf_stream_name_read(tf_strtab_bytes(&k->t->strings, k->processes[i].name));
		any |= f.names[i].kind != TF_STREAM_NONE || is_gpu_executor(&f.names[i]);
	}
	if (!any) {
		rc = 0;
		goto out;
	}
	if (find_homes(&f) < 0 || add_untraced(&f) < 0)
		goto out;
	f.gpus = calloc(k->process_count + 1, sizeof *f.gpus);
	if (!f.gpus) {
		tf_fail_nomem(k->err);
		goto out;
	}
	for (size_t i = 0; i < k->process_count; i++)
		f.gpus[i].copy = SIZE_MAX;
	compare_streams(&f);
	if (move_tracks(&f) < 0)
		goto out;
	rc = 0;
out:
	free(f.names);
	free(f.gpus);
	return rc;
}

/* The type of the context that a run and its nodes share; others are those of real profilers, and small. */
enum { RUN_CONTEXT = 1001 };

static int add_integers(struct tf_tracks *k, size_t count, const uint32_t *names, const int64_t *values)
{
	for (size_t i = 0; i < count; i++)
		if (tf_trace_add_stat(k->t, names[i], TF_STAT_I64, values[i], k->err) < 0)
			return -1;
	return 0;
}

int tf_tracks_link_to_run(struct tf_tracks *k, int64_t run)
{
	return add_integers(k, 2, (const uint32_t[]){TF_NAME_consumer_type, TF_NAME_consumer_id}, (const int64_t[]){RUN_CONTEXT, run});
}

int tf_tracks_add_session_run(struct tf_tracks *k, int64_t run, int64_t begin_ns, int64_t end_ns, int64_t number)
{
	static const uint32_t names[] = {TF_NAME_step_num, TF_NAME_producer_type, TF_NAME_producer_id};
	uint32_t pid, thread, process, track, meta;
	size_t first = k->t->stats.count;
	int64_t ns, ps;

	if (__builtin_sub_overflow(end_ns, begin_ns, &ns) || __builtin_mul_overflow(ns, INT64_C(1000), &ps))
		ps = INT64_MAX;
	if (intern(k, tf_bytes_of("Session.run()"), &pid) < 0 || intern(k, tf_bytes_of("runs"), &thread) < 0
	    || tf_tracks_process(k, pid, &process) < 0)
		return -1;
	k->processes[process].name = TF_NAME_host_cpu;
	if (tf_tracks_find(k, process, 0, thread, false, &track) < 0 || tf_tracks_meta(k, TF_NAME_session_run, 0, &meta) < 0
	    || add_integers(k, 3, names, (const int64_t[]){number, RUN_CONTEXT, run}) < 0)
		return -1;
	return tf_tracks_add(k, track, meta, (struct tf_fine_time){begin_ns, 0}, ps, first, false);
}
