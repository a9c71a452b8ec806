/* The fields of one trace event, by phase: X, B, E, b, e, i, C, M. */
#include "lib/decode/trace_element.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* The members of an event that are looked at. */
struct fields {
	struct tf_json_value ph, name, cat, pid, tid, ts, dur, id, args;
	bool has_ph, has_name, has_cat, has_pid, has_tid, has_ts, has_dur, has_id, has_args;
};

void tf_elements_release(struct tf_elements *e)
{
	tf_buf_release(&e->name);
	tf_buf_release(&e->value);
	tf_map_release(&e->open);
	tf_timeline_release(&e->timeline);
}

static void take_field(struct fields *f, struct tf_bytes key, const struct tf_json_value *v)
{
	const struct {
		const char *name;
		struct tf_json_value *value;
		bool *has;
	} known[] = {
		{"ph", &f->ph, &f->has_ph},    {"name", &f->name, &f->has_name}, {"cat", &f->cat, &f->has_cat},
		{"pid", &f->pid, &f->has_pid}, {"tid", &f->tid, &f->has_tid},	 {"ts", &f->ts, &f->has_ts},
		{"dur", &f->dur, &f->has_dur}, {"id", &f->id, &f->has_id},	 {"args", &f->args, &f->has_args},
	};

	for (size_t i = 0; key.len >= 2 && key.len <= 4 && i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i].name) == key.len && memcmp(key.data, known[i].name, key.len) == 0) {
			*known[i].value = *v;
			*known[i].has = true;
			return;
		}
}

static int intern(struct tf_elements *e, struct tf_bytes text, uint32_t *id)
{
	return tf_trace_intern(e->tracks->t, text, id, e->err);
}

/* The text of a value as a string id; 0 where it is absent. */
static int intern_value(struct tf_elements *e, bool has, const struct tf_json_value *v, struct tf_buf *scratch, uint32_t *id)
{
	*id = 0;
	if (!has)
		return 0;
	struct tf_bytes text = tf_json_as_text(v, scratch);
	return scratch->failed ? tf_fail_nomem(e->err) : intern(e, text, id);
}

/* ---- arguments ---- */

static int add_stat(struct tf_elements *e, uint32_t name, enum tf_stat_kind kind, int64_t value)
{
	return tf_trace_add_stat(e->tracks->t, name, kind, value, e->err);
}

static int add_text(struct tf_elements *e, uint32_t name, struct tf_bytes text)
{
	uint32_t id;
	return intern(e, text, &id) < 0 ? -1 : add_stat(e, name, TF_STAT_TEXT, id);
}

static int add_double(struct tf_elements *e, uint32_t name, double value)
{
	int64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return add_stat(e, name, TF_STAT_DOUBLE, bits);
}

static int add_arg(struct tf_elements *e, uint32_t name, const struct tf_json_value *v)
{
	double number;

	switch (v->kind) {
	case TF_JSON_NULL:
		return 0;
	case TF_JSON_BOOL:
		return add_stat(e, name, TF_STAT_I64, v->raw.data[0] == 't');
	case TF_JSON_NUMBER:
	case TF_JSON_STRING:
		if (v->kind == TF_JSON_NUMBER && memchr(v->raw.data, '.', v->raw.len) && tf_json_as_double(v, &number))
			return add_double(e, name, number);
		break;
	case TF_JSON_ARRAY:
	case TF_JSON_OBJECT:
		return add_text(e, name, v->raw);
	}
	struct tf_bytes text = tf_json_as_text(v, &e->value);
	return e->value.failed ? tf_fail_nomem(e->err) : tf_tracks_argument(e->tracks, name, text);
}

/* What Kineto records of a kernel's launch. */
struct launch {
	struct tf_json_value grid, block, registers, shared, occupancy;
	bool has_grid, has_block, has_registers, has_shared, has_occupancy;
	int64_t device; /* TF_NONE */
};

static void take_launch(struct launch *l, struct tf_bytes key, const struct tf_json_value *v)
{
	const struct {
		const char *name;
		struct tf_json_value *value;
		bool *has;
	} known[] = {
		{"grid", &l->grid, &l->has_grid},
		{"block", &l->block, &l->has_block},
		{"registers per thread", &l->registers, &l->has_registers},
		{"shared memory", &l->shared, &l->has_shared},
		{"est. achieved occupancy %", &l->occupancy, &l->has_occupancy},
	};

	if (tf_bytes_equal(key, tf_bytes_of("device")) && !tf_json_as_i64(v, &l->device))
		l->device = TF_NONE;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (tf_bytes_equal(key, tf_bytes_of(known[i].name))) {
			*known[i].value = *v;
			*known[i].has = true;
		}
}

static int add_args(struct tf_elements *e, const struct fields *f, bool lenient, struct launch *launch)
{
	struct tf_json_reader j = tf_json_inside(&f->args);
	struct tf_json_value v;
	struct tf_bytes key;

	j.lenient = lenient;
	while (tf_json_member(&j, &key, &v)) {
		struct tf_json_value k = {TF_JSON_STRING, key, memchr(key.data, '\\', key.len) != NULL};
		struct tf_bytes text = tf_json_as_text(&k, &e->value);
		uint32_t name;
		if (e->value.failed)
			return tf_fail_nomem(e->err);
		take_launch(launch, text, &v);
		if (intern(e, tf_bytes_equal(text, tf_bytes_of("correlation")) ? tf_bytes_of("correlation_id") : text, &name) < 0)
			return -1;
		if (name && add_arg(e, name, &v) < 0)
			return -1;
	}
	return 0;
}

/* "[50, 1, 1]" as "50,1,1". */
static bool print_dimensions(struct tf_buf *b, const char *name, bool has, const struct tf_json_value *list)
{
	int64_t n[3];
	size_t count = 0;

	if (!has || list->kind != TF_JSON_ARRAY)
		return false;
	struct tf_json_reader j = tf_json_inside(list);
	struct tf_json_value v;
	while (count < 3 && tf_json_element(&j, &v) && tf_json_as_i64(&v, &n[count]))
		count++;
	if (count != 3)
		return false;
	tf_buf_printf(b, " %s:%lld,%lld,%lld", name, (long long)n[0], (long long)n[1], (long long)n[2]);
	return true;
}

/* The launch in the words that CUPTI's kernel_details have. */
static int add_kernel_details(struct tf_elements *e, const struct launch *l)
{
	struct tf_buf *b = &e->value;
	int64_t n;
	double occupancy;

	b->len = 0;
	tf_buf_printf(b, "regs:%lld", l->has_registers && tf_json_as_i64(&l->registers, &n) ? (long long)n : 0);
	tf_buf_printf(b, " static_shared:0 dynamic_shared:%lld", l->has_shared && tf_json_as_i64(&l->shared, &n) ? (long long)n : 0);
	if (!print_dimensions(b, "grid", l->has_grid, &l->grid) || !print_dimensions(b, "block", l->has_block, &l->block))
		return 0;
	if (l->has_occupancy && tf_json_as_double(&l->occupancy, &occupancy))
		tf_buf_printf(b, " occ_pct:%g", occupancy);
	return b->failed ? tf_fail_nomem(e->err)
			 : add_text(e, TF_NAME_kernel_details, (struct tf_bytes){(uint8_t *)b->data, b->len});
}

/* ---- where an event belongs ---- */

enum device_kind { DEVICE_NONE, DEVICE_WORK, DEVICE_NOTE };

/* Kineto's categories of what a device does, in the spellings of its versions; notes annotate the device. */
static enum device_kind device_kind(struct tf_bytes cat)
{
	static const char *const work[] = {"kernel", "concurrent_kernel", "gpu_op", "gpu_memcpy", "gpu_memset", "memcpy", "memset"};
	static const char *const notes[] = {"gpu_user_annotation", "cuda_sync"};

	for (size_t i = 0; i < sizeof work / sizeof work[0]; i++)
		if (cat.len == strlen(work[i]) && strncasecmp((const char *)cat.data, work[i], cat.len) == 0)
			return DEVICE_WORK;
	for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
		if (cat.len == strlen(notes[i]) && strncasecmp((const char *)cat.data, notes[i], cat.len) == 0)
			return DEVICE_NOTE;
	return DEVICE_NONE;
}

static bool same_text(const struct tf_json_value *v, const uint8_t *text, size_t len)
{
	return v->raw.len == len && memcmp(v->raw.data, text, len) == 0;
}

/* Process and thread of the event. */
static int find_thread(struct tf_elements *e, const struct fields *f)
{
	uint32_t pid;

	if (e->remembered && f->has_pid && f->has_tid && same_text(&f->pid, e->pid, e->pid_len) && same_text(&f->tid, e->tid, e->tid_len))
		return 0;
	if (intern_value(e, f->has_pid, &f->pid, &e->value, &pid) < 0 || intern_value(e, f->has_tid, &f->tid, &e->value, &e->thread) < 0
	    || tf_tracks_process(e->tracks, pid, &e->process) < 0)
		return -1;
	e->remembered = f->has_pid && f->has_tid && f->pid.raw.len <= sizeof e->pid && f->tid.raw.len <= sizeof e->tid;
	if (e->remembered) {
		e->pid_len = f->pid.raw.len;
		e->tid_len = f->tid.raw.len;
		memcpy(e->pid, f->pid.raw.data, e->pid_len);
		memcpy(e->tid, f->tid.raw.data, e->tid_len);
	}
	return 0;
}

/* The process's own name says that it is a device. */
static bool is_device_process(const struct tf_elements *e)
{
	uint32_t name = e->tracks->processes[e->process].name;
	return name && strstr(tf_strtab_text(&e->tracks->t->strings, name), "/device:");
}

/* Kineto names a stream by its number, in its first versions "stream 7". */
static int find_stream(struct tf_elements *e, const struct fields *f, uint32_t *stream)
{
	struct tf_bytes text = f->has_tid ? f->tid.raw : tf_bytes_of("0");

	if (tf_bytes_begin(text, "stream "))
		text = (struct tf_bytes){text.data + 7, text.len - 7};
	return intern(e, text, stream);
}

static int find_track(struct tf_elements *e, const struct fields *f, struct tf_bytes cat, int64_t device, bool aside, uint32_t *track)
{
	enum device_kind kind = device_kind(cat);
	uint32_t stream;

	if (find_thread(e, f) < 0)
		return -1;
	if (kind == DEVICE_NONE || is_device_process(e))
		return tf_tracks_find(e->tracks, e->process, 0, e->thread, aside || kind == DEVICE_NOTE, track);
	if (device == TF_NONE && (!f->has_pid || !tf_json_as_i64(&f->pid, &device)))
		device = 0;
	if (find_stream(e, f, &stream) < 0)
		return -1;
	return tf_tracks_find(e->tracks, UINT32_MAX, device, stream, aside || kind == DEVICE_NOTE, track);
}

/* ---- times ---- */

/* µs as text → ns and ps. Beyond int64: its ends, which makes the event absurd. False if it is no number. */
static bool read_time(const struct tf_json_value *v, struct tf_fine_time *at)
{
	int64_t us;
	int32_t ps;
	double value;

	if (tf_json_as_millionths(v, &us, &ps) && !__builtin_mul_overflow(us, INT64_C(1000), &at->ns)
	    && !__builtin_add_overflow(at->ns, (int64_t)(ps / 1000), &at->ns)) {
		at->ps = (int16_t)(ps % 1000);
		return true;
	}
	at->ps = 0;
	if (!tf_json_as_double(v, &value))
		return false;
	at->ns = value < 0 ? INT64_MIN + 1 : INT64_MAX;
	return true;
}

static int64_t read_duration(const struct tf_json_value *v)
{
	int64_t us, ps;
	int32_t rest;
	double value;

	if (tf_json_as_millionths(v, &us, &rest) && !__builtin_mul_overflow(us, INT64_C(1000000), &ps)
	    && !__builtin_add_overflow(ps, (int64_t)rest, &ps))
		return ps;
	if (!tf_json_as_double(v, &value))
		return 0;
	return value < 0 ? INT64_MIN + 1 : INT64_MAX;
}

/* ---- phases ---- */

/* "ProfilerStep#7" marks step 7 on the host. */
static int add_step_number(struct tf_elements *e, uint32_t name)
{
	struct tf_bytes text = tf_strtab_bytes(&e->tracks->t->strings, name);
	int64_t number;

	if (!tf_bytes_begin(text, "ProfilerStep#") || !tf_parse_i64((const char *)text.data + 13, &number))
		return 0;
	return add_stat(e, TF_NAME_step_num, TF_STAT_I64, number);
}

static int name_thing(struct tf_elements *e, const struct fields *f)
{
	struct tf_json_reader j;
	struct tf_json_value v;
	struct tf_bytes key;
	bool process = same_text(&f->name, (const uint8_t *)"process_name", 12);
	bool thread = same_text(&f->name, (const uint8_t *)"thread_name", 11);
	uint32_t name;

	if ((!process && !thread) || !f->has_args || f->args.kind != TF_JSON_OBJECT)
		return 0;
	if (find_thread(e, f) < 0)
		return -1;
	for (j = tf_json_inside(&f->args); tf_json_member(&j, &key, &v);) {
		if (!tf_bytes_equal(key, tf_bytes_of("name")))
			continue;
		if (intern_value(e, true, &v, &e->value, &name) < 0)
			return -1;
		struct tf_process *p = &e->tracks->processes[e->process];
		if (process)
			p->name = name;
		else if (tf_map_put(&e->tracks->thread_names, (uint64_t)p->pid << 32 | e->thread, name, e->err) < 0)
			return -1;
	}
	return 0;
}

/* The key that b and e of one operation share. */
static uint64_t operation_key(const struct tf_elements *e, const struct fields *f, uint32_t name, uint32_t cat)
{
	uint64_t id = f->has_id ? tf_hash_bytes(f->id.raw.data, f->id.raw.len) : 0;
	return tf_hash_u64(id ^ tf_hash_u64((uint64_t)name << 32 | cat)) ^ e->process;
}

/* The end of an operation: the event that its begin added gets its length. */
static int end_operation(struct tf_elements *e, uint64_t key, struct tf_fine_time at)
{
	struct tf_tracks *k = e->tracks;
	const uint64_t *open = tf_map_find(&e->open, key);
	int64_t ns, ps;

	if (!open) {
		k->unpaired++;
		return 0;
	}
	size_t i = (size_t)*open;
	if (__builtin_sub_overflow(at.ns, k->t->events.start_ps[i], &ns) || __builtin_mul_overflow(ns, INT64_C(1000), &ps))
		ps = INT64_MAX;
	k->t->events.dur_ps[i] = ps < INT64_MAX - 1000 ? ps + at.ps - k->ps_of[i] : ps;
	tf_map_remove(&e->open, key);
	return 0;
}

/* An event with a name: X, B, b, i, C. */
static int add_event(struct tf_elements *e, const struct fields *f, char phase, struct tf_fine_time at, uint32_t name, uint32_t cat,
		     bool lenient)
{
	struct tf_trace *t = e->tracks->t;
	struct tf_bytes category = tf_strtab_bytes(&t->strings, cat);
	struct launch launch = {.device = TF_NONE};
	enum device_kind kind = device_kind(category);
	struct tf_timeline_op op;
	uint32_t meta, track;
	bool timed = phase == 'X' || phase == 'B', is_op = false;

	if (phase == 'X' && f->has_args && f->args.kind == TF_JSON_OBJECT && tf_bytes_equal(category, tf_bytes_of("Op"))
	    && (find_thread(e, f) < 0 || tf_timeline_read_op(&e->timeline, &f->args, e->process, &op, &is_op) < 0))
		return -1;
	if (tf_tracks_meta(e->tracks, is_op ? op.event_name : name, cat, &meta) < 0)
		return -1;
	size_t stat_first = t->stats.count;
	if (f->has_args && f->args.kind == TF_JSON_OBJECT && add_args(e, f, lenient, &launch) < 0)
		return -1;
	if (kind == DEVICE_WORK && launch.has_grid && add_kernel_details(e, &launch) < 0)
		return -1;
	if (kind == DEVICE_NONE && add_step_number(e, name) < 0)
		return -1;
	/* Operations, counters and the profiler's own span are no thread's work; instants are no device's. */
	if (find_thread(e, f) < 0)
		return -1;
	bool aside = phase == 'b' || phase == 'C' || tf_bytes_equal(category, tf_bytes_of("Trace"))
		     || (!timed && (kind != DEVICE_NONE || is_device_process(e)));
	if (find_track(e, f, category, launch.device, aside, &track) < 0)
		return -1;
	int64_t dur_ps = phase == 'X' && f->has_dur ? read_duration(&f->dur) : 0;
	if (is_op && tf_timeline_add(&e->timeline, &op, at, dur_ps) < 0)
		return -1;
	bool unset = phase == 'X' && f->has_dur && dur_ps == 0 && at.ns == 0 && at.ps == 0 && (kind == DEVICE_WORK || is_device_process(e));
	e->events++;
	if (tf_tracks_add(e->tracks, track, meta, at, dur_ps, stat_first, unset) < 0)
		return -1;
	if (phase == 'B')
		return tf_tracks_mark(e->tracks, track, at, true, t->stats.count);
	if (phase == 'b')
		return tf_map_put(&e->open, operation_key(e, f, name, cat), t->events.count - 1, e->err);
	return 0;
}

/* E: only its place, its time and its arguments count. */
static int end_slice(struct tf_elements *e, const struct fields *f, struct tf_fine_time at, uint32_t cat, bool lenient)
{
	struct launch launch = {.device = TF_NONE};
	size_t stat_first = e->tracks->t->stats.count;
	uint32_t track;

	if (f->has_args && f->args.kind == TF_JSON_OBJECT && add_args(e, f, lenient, &launch) < 0)
		return -1;
	if (find_track(e, f, tf_strtab_bytes(&e->tracks->t->strings, cat), launch.device, false, &track) < 0)
		return -1;
	return tf_tracks_mark(e->tracks, track, at, false, stat_first);
}

/* N, O, D: objects, of which the tensors of a Timeline are read. */
static int add_object(struct tf_elements *e, const struct fields *f, char phase)
{
	struct tf_fine_time at;
	uint32_t name;

	if (!f->has_id || !f->has_ts || !f->has_cat || !same_text(&f->cat, (const uint8_t *)"Tensor", 6) || !read_time(&f->ts, &at))
		return 0;
	if (intern_value(e, f->has_name, &f->name, &e->name, &name) < 0 || find_thread(e, f) < 0)
		return -1;
	return tf_timeline_tensor(&e->timeline, phase, operation_key(e, f, 0, 0), name, at, f->has_args ? &f->args : NULL);
}

int tf_element_event(struct tf_elements *e, const struct tf_json_value *object, bool lenient)
{
	struct tf_json_reader j = tf_json_inside(object);
	struct tf_json_value v;
	struct tf_bytes key;
	struct fields f = {0};
	struct tf_fine_time at;
	uint32_t name, cat;

	j.lenient = lenient;
	while (tf_json_member(&j, &key, &v))
		take_field(&f, key, &v);
	char phase = f.has_ph && f.ph.kind == TF_JSON_STRING && f.ph.raw.len == 1 ? (char)f.ph.raw.data[0] : '\0';
	switch (phase) {
	case 'M':
		return f.has_name ? name_thing(e, &f) : 0;
	case 'N':
	case 'O':
	case 'D':
		return add_object(e, &f, phase);
	case 'S':
		phase = 'b';
		break;
	case 'F':
		phase = 'e';
		break;
	case 'I':
	case 'R':
	case 'n':
		phase = 'i';
		break;
	default:
		if (!phase || !strchr("XBEbeiC", phase))
			return 0; /* flows, samples, and what has no phase: no event */
	}
	if (!f.has_ts || !read_time(&f.ts, &at)) {
		e->untimed++;
		return 0;
	}
	if (intern_value(e, f.has_name, &f.name, &e->name, &name) < 0 || intern_value(e, f.has_cat, &f.cat, &e->name, &cat) < 0)
		return -1;
	if (phase == 'E')
		return end_slice(e, &f, at, cat, lenient);
	if (phase != 'e')
		return add_event(e, &f, phase, at, name, cat, lenient);
	return find_thread(e, &f) < 0 ? -1 : end_operation(e, operation_key(e, &f, name, cat), at);
}

int tf_element_device(struct tf_elements *e, const struct tf_json_value *object)
{
	static const struct {
		const char *key;
		uint32_t name;
	} known[] = {{"name", TF_NAME_gpu_device_name},	  {"computeMajor", TF_NAME_compute_cap_major},
		     {"computeMinor", TF_NAME_compute_cap_minor}, {"totalGlobalMem", TF_NAME_memory_size},
		     {"numSms", TF_NAME_core_count}};
	struct tf_json_reader j = tf_json_inside(object);
	struct tf_json_value v;
	struct tf_bytes key;
	size_t first = e->tracks->t->stats.count;
	int64_t ordinal = TF_NONE;

	while (tf_json_member(&j, &key, &v)) {
		if (tf_bytes_equal(key, tf_bytes_of("id")) && !tf_json_as_i64(&v, &ordinal))
			ordinal = TF_NONE;
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			if (tf_bytes_equal(key, tf_bytes_of(known[i].key)) && add_arg(e, known[i].name, &v) < 0)
				return -1;
	}
	if (ordinal == TF_NONE)
		return 0;
	return tf_map_put(&e->tracks->facts_of, (uint64_t)ordinal, (uint64_t)first << 32 | (e->tracks->t->stats.count - first), e->err);
}
