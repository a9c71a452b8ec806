/*
 * The peak of a program in the device's main memory: allocations that live as long as the program, and the most that the temporaries
 * take at one time, found by replaying the compiler's trace. XProf's memory viewer does the same.
 */
#include "lib/analyze/xla_memory.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/text.h"

enum { MAIN_MEMORY = 0 };

/* A buffer during the replay. `owner` is the buffer whose memory it shares, itself if none. */
struct replayed {
	int64_t references;
	size_t owner, shown; /* shown: the buffer whose name the memory goes by */
	bool live;
};

struct replay {
	const struct tf_hlo *hlo;
	struct tf_map by_id; /* buffer id → index */
	struct replayed *buffers;
	int64_t heap_bytes, peak_bytes;
	size_t peak_event; /* events up to here make the peak */
	bool inconsistent;
};

const char *tf_xla_category_name(enum tf_xla_category category)
{
	static const char *const names[] = {"parameter", "output", "thread_local", "constant", "temporary"};
	return names[category];
}

static bool lives_always(const struct tf_hlo_allocation *a)
{
	return a->thread_local || a->parameter || a->constant || a->live_out;
}

static enum tf_xla_category category_of(const struct tf_hlo_allocation *a)
{
	return a->parameter	 ? TF_XLA_PARAMETER
	       : a->live_out	 ? TF_XLA_OUTPUT
	       : a->thread_local ? TF_XLA_THREAD_LOCAL
	       : a->constant	 ? TF_XLA_CONSTANT
				 : TF_XLA_TEMPORARY;
}

static size_t find(const struct replay *r, int64_t buffer_id)
{
	const uint64_t *at = tf_map_find(&r->by_id, (uint64_t)buffer_id);
	return at ? (size_t)*at : SIZE_MAX;
}

static void add_heap(struct replay *r, int64_t bytes)
{
	if (bytes < -r->heap_bytes || __builtin_add_overflow(r->heap_bytes, bytes, &r->heap_bytes))
		r->inconsistent = true;
}

static void step(struct replay *r, const struct tf_hlo_event *e)
{
	size_t b = find(r, e->buffer_id);

	if (b == SIZE_MAX || e->kind < TF_HLO_ALLOC || e->kind > TF_HLO_SHARE) {
		r->inconsistent = true;
		return;
	}
	if (e->kind == TF_HLO_SHARE) {
		size_t from = find(r, e->shared_id);
		if (from == SIZE_MAX) {
			r->inconsistent = true;
			return;
		}
		r->buffers[b].owner = r->buffers[from].owner;
	}
	struct replayed *owner = &r->buffers[r->buffers[b].owner];
	int64_t bytes = r->hlo->buffers[r->buffers[b].owner].bytes;
	if (e->kind == TF_HLO_FREE) {
		if (owner->references <= 0)
			r->inconsistent = true;
		else if (--owner->references == 0) {
			add_heap(r, -bytes);
			owner->live = false;
		}
		return;
	}
	if (owner->references++ == 0) {
		add_heap(r, bytes);
		owner->live = true;
		owner->shown = b;
	}
}

static void reset(struct replay *r)
{
	for (size_t i = 0; i < r->hlo->buffer_count; i++) {
		r->buffers[i].owner = r->buffers[i].shown = i;
		r->buffers[i].references = 0;
		r->buffers[i].live = false;
	}
	r->heap_bytes = 0;
}

/* Finds the peak, then replays up to it, so that what lives is what lived then. */
static void replay(struct replay *r, const struct tf_hlo_trace *t)
{
	const struct tf_hlo_event *events = r->hlo->events + t->event_first;

	reset(r);
	for (size_t i = 0; i < t->event_count && !r->inconsistent; i++) {
		step(r, &events[i]);
		if (r->heap_bytes > r->peak_bytes) {
			r->peak_bytes = r->heap_bytes;
			r->peak_event = i + 1;
		}
	}
	reset(r);
	for (size_t i = 0; i < r->peak_event && !r->inconsistent; i++)
		step(r, &events[i]);
}

/* The allocation that a buffer lies in, of the main memory and not for always; NULL: none. */
static const struct tf_hlo_trace *trace_of_main_memory(const struct replay *r, const uint8_t *is_heap)
{
	const struct tf_hlo_trace *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < r->hlo->trace_count; i++) {
		const struct tf_hlo_trace *t = &r->hlo->traces[i];
		size_t of_color = 0, first = t->event_count ? find(r, r->hlo->events[t->event_first].buffer_id) : SIZE_MAX;
		if (first != SIZE_MAX && is_heap[first])
			return t;
		for (size_t k = 0; k < t->event_count; k++) {
			size_t b = find(r, r->hlo->events[t->event_first + k].buffer_id);
			of_color += b != SIZE_MAX && r->hlo->buffers[b].color == MAIN_MEMORY;
		}
		if (of_color > most) {
			most = of_color;
			best = t;
		}
	}
	return best;
}

struct writer {
	struct tf_session *s;
	struct tf_xla_module *to;
	struct tf_error *err;
};

/* Text of the file, NULL if it is empty. */
static int copy_text(struct writer *w, struct tf_bytes text, const char **to)
{
	*to = text.len ? tf_utf8_repair(&w->s->arena, text) : NULL;
	return text.len && !*to ? tf_fail_nomem(w->err) : 0;
}

static int put_buffer(struct writer *w, const struct tf_hlo_buffer *from, enum tf_xla_category category, int64_t bytes,
		      int64_t offset, bool live)
{
	struct tf_xla_buffer *b = tf_arena_push(&w->s->arena, (void **)&w->to->buffers, &w->to->buffer_count, &w->to->buffer_cap,
						sizeof *b);

	if (!b)
		return tf_fail_nomem(w->err);
	*b = (struct tf_xla_buffer){.category = category, .color = from->color, .offset = offset, .bytes = bytes, .live_at_peak = live};
	if (copy_text(w, from->instruction, &b->instruction) < 0 || copy_text(w, from->op_name, &b->op) < 0)
		return -1;
	b->shape = from->shape ? tf_arena_strdup(&w->s->arena, from->shape) : NULL;
	return from->shape && !b->shape ? tf_fail_nomem(w->err) : 0;
}

/* An allocation for always goes by its largest buffer. */
static int put_always(struct writer *w, const struct replay *r, const struct tf_hlo_allocation *a)
{
	static const struct tf_hlo_buffer unnamed;
	const struct tf_hlo_buffer *largest = NULL;
	struct tf_hlo_buffer shown = unnamed;

	for (size_t i = 0; i < a->assigned_count; i++) {
		size_t b = find(r, r->hlo->assigned[a->assigned_first + i].buffer_id);
		if (b != SIZE_MAX && (!largest || r->hlo->buffers[b].bytes > largest->bytes))
			largest = &r->hlo->buffers[b];
	}
	if (largest)
		shown = *largest;
	shown.color = a->color;
	return put_buffer(w, &shown, category_of(a), a->bytes, TF_NONE, a->color == MAIN_MEMORY);
}

/* The temporaries of an allocation: those that live at the peak, by the name that their memory went by, and the others. */
static int put_temporaries(struct writer *w, const struct replay *r, const struct tf_hlo_allocation *a)
{
	for (size_t i = 0; i < a->assigned_count; i++) {
		const struct tf_hlo_assigned *at = &r->hlo->assigned[a->assigned_first + i];
		size_t b = find(r, at->buffer_id);
		if (b == SIZE_MAX)
			continue;
		bool live = r->buffers[b].live;
		const struct tf_hlo_buffer *shown = &r->hlo->buffers[live ? r->buffers[b].shown : b];
		if (put_buffer(w, shown, TF_XLA_TEMPORARY, r->hlo->buffers[b].bytes, at->offset, live) < 0)
			return -1;
	}
	return 0;
}

static int by_liveness(const void *a, const void *b)
{
	const struct tf_xla_buffer *x = a, *y = b;

	if (x->live_at_peak != y->live_at_peak)
		return x->live_at_peak ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	int order = strcmp(x->instruction ? x->instruction : "", y->instruction ? y->instruction : "");
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static int64_t sum(int64_t a, int64_t b, bool *inconsistent)
{
	int64_t total;

	if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &total)) {
		*inconsistent = true;
		return 0;
	}
	return total;
}

/* Buffers of allocations in main memory that are no allocation for always. */
static void mark_heap(const struct replay *r, uint8_t *is_heap)
{
	for (size_t i = 0; i < r->hlo->allocation_count; i++) {
		const struct tf_hlo_allocation *a = &r->hlo->allocations[i];
		for (size_t k = 0; k < a->assigned_count && a->color == MAIN_MEMORY && !lives_always(a); k++) {
			size_t b = find(r, r->hlo->assigned[a->assigned_first + k].buffer_id);
			if (b != SIZE_MAX)
				is_heap[b] = 1;
		}
	}
}

/* Of negative buffers no figure is made; nor of a heap whose live buffers lie in no allocation. */
static void check(struct replay *r, const uint8_t *is_heap)
{
	for (size_t i = 0; i < r->hlo->buffer_count; i++)
		r->inconsistent |= r->hlo->buffers[i].bytes < 0 || (r->buffers[i].live && !is_heap[i]);
}

static int measure(struct writer *w, struct replay *r, uint8_t *is_heap)
{
	struct tf_xla_module *to = w->to;
	bool bad = false;

	mark_heap(r, is_heap);
	const struct tf_hlo_trace *t = trace_of_main_memory(r, is_heap);
	if (t)
		replay(r, t);
	else
		reset(r);
	check(r, is_heap);
	to->always_bytes = to->allocated_bytes = 0;
	for (size_t i = 0; i < r->hlo->allocation_count; i++) {
		const struct tf_hlo_allocation *a = &r->hlo->allocations[i];
		if (a->color == MAIN_MEMORY)
			to->allocated_bytes = sum(to->allocated_bytes, a->bytes, &bad);
		if (a->color == MAIN_MEMORY && lives_always(a))
			to->always_bytes = sum(to->always_bytes, a->bytes, &bad);
	}
	to->heap_bytes = r->peak_bytes;
	to->peak_bytes = sum(to->always_bytes, to->heap_bytes, &bad);
	if (bad || r->inconsistent) {
		to->peak_bytes = to->always_bytes = to->heap_bytes = to->allocated_bytes = TF_NONE;
		to->reason = "inconsistent";
		return 0;
	}
	for (size_t i = 0; i < r->hlo->allocation_count; i++) {
		const struct tf_hlo_allocation *a = &r->hlo->allocations[i];
		if ((lives_always(a) ? put_always : put_temporaries)(w, r, a) < 0)
			return -1;
	}
	if (to->buffer_count)
		qsort(to->buffers, to->buffer_count, sizeof *to->buffers, by_liveness);
	return 0;
}

int tf_measure_xla(const struct tf_hlo *hlo, struct tf_bytes label, struct tf_session *s, struct tf_error *err)
{
	struct tf_xla_module *to = tf_arena_push(&s->arena, (void **)&s->xla, &s->xla_count, &s->xla_cap, sizeof *to);
	struct writer w = {s, to, err};
	struct replay r = {.hlo = hlo};
	int rc = -1;

	if (!to)
		return tf_fail_nomem(err);
	*to = (struct tf_xla_module){.instruction_count = hlo->instruction_count, .peak_bytes = TF_NONE, .always_bytes = TF_NONE,
				     .heap_bytes = TF_NONE, .allocated_bytes = TF_NONE};
	bool labelled = label.len > hlo->name.len && memcmp(label.data, hlo->name.data, hlo->name.len) == 0;
	to->name = tf_utf8_repair(&s->arena, labelled ? label : hlo->name);
	if (!to->name)
		return tf_fail_nomem(err);
	if (!hlo->has_buffers) {
		to->reason = "not_recorded";
		return 0;
	}
	r.buffers = calloc(hlo->buffer_count + 1, sizeof *r.buffers);
	uint8_t *is_heap = calloc(hlo->buffer_count + 1, 1);
	if (!r.buffers || !is_heap) {
		tf_fail_nomem(err);
		goto out;
	}
	for (size_t i = 0; i < hlo->buffer_count; i++)
		if (tf_map_put(&r.by_id, (uint64_t)hlo->buffers[i].id, i, err) < 0)
			goto out;
	rc = measure(&w, &r, is_heap);
out:
	tf_map_release(&r.by_id);
	free(r.buffers);
	free(is_heap);
	return rc;
}
