/* Trace JSON: the text in a sliding window, one element after the other. */
#include "lib/decode/trace_json.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/base/vec.h"
#include "lib/decode/trace_element.h"

/* The part of the text that is at hand; `at` is where reading goes on. */
struct window {
	struct tf_stream *in;
	uint8_t *data;
	size_t len, cap, at;
	int64_t offset; /* of data[0] in the text */
	bool ended;
	struct tf_error *err;
};

struct reader {
	struct window w;
	struct tf_tracks tracks;
	struct tf_elements elements;
	struct tf_ledger_file *file;
	struct tf_arena *arena;
	size_t broken;		/* elements that could not be read, less the sound ones since */
	size_t repaired;	/* elements whose strings were not escaped */
	int64_t repaired_offset; /* the first one's */
};

/* Brings in the next piece; what lies before `at` is given up. 1, 0 at the end, -1. */
static int refill(struct window *w)
{
	struct tf_bytes piece;

	if (w->ended)
		return 0;
	int rc = tf_stream_next(w->in, &piece, w->err);
	if (rc <= 0) {
		w->ended = rc == 0;
		return rc;
	}
	if (w->at)
		memmove(w->data, w->data + w->at, w->len - w->at);
	w->offset += (int64_t)w->at;
	w->len -= w->at;
	w->at = 0;
	if (tf_vec_reserve((void **)&w->data, &w->cap, w->len + piece.len, 1) < 0)
		return tf_fail_nomem(w->err);
	memcpy(w->data + w->len, piece.data, piece.len);
	w->len += piece.len;
	return 1;
}

/* The next character that is neither space nor comma, without taking it. -1 at the end, -2 on an error. */
static int peek(struct window *w)
{
	for (;;) {
		while (w->at < w->len && w->data[w->at] && strchr(" \t\r\n,", w->data[w->at]))
			w->at++;
		if (w->at < w->len)
			return w->data[w->at];
		int rc = refill(w);
		if (rc <= 0)
			return rc == 0 ? -1 : -2;
	}
}

static struct tf_json_reader json_at(const struct window *w)
{
	return tf_json_of((struct tf_bytes){w->data + w->at, w->len - w->at});
}

/*
 * Reads the value at hand as a whole. 1, 0 with the fault that it has, -1. It is then still to be taken: *len bytes. What is at hand
 * doubles with each try, up to `limit`.
 */
static int whole_value(struct window *w, bool lenient, size_t limit, struct tf_json_value *v, size_t *len, enum tf_json_fault *fault)
{
	for (;;) {
		struct tf_json_reader j = json_at(w);
		j.lenient = lenient;
		if (tf_json_value(&j, v)) {
			*len = (size_t)(j.p - (w->data + w->at));
			return 1;
		}
		*fault = j.fault;
		size_t had = w->len - w->at;
		if (j.fault == TF_JSON_SYNTAX || had >= limit)
			return 0;
		do {
			int rc = refill(w);
			if (rc < 0 || (rc == 0 && w->len - w->at == had))
				return rc;
		} while (!w->ended && w->len - w->at < 2 * had);
	}
}

/* Passes over one value of any size. 1, 0 at the end of the text, -1. */
static int skip_value(struct window *w)
{
	size_t depth = 0;
	bool string = false, escape = false;

	for (;;) {
		for (; w->at < w->len; w->at++) {
			uint8_t c = w->data[w->at];
			if (escape) {
				escape = false;
			} else if (string) {
				escape = c == '\\';
				string = c != '"';
			} else if (c == '"') {
				string = true;
			} else if (c == '{' || c == '[') {
				depth++;
			} else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
				return 1;
			} else if (c == '}' || c == ']') {
				depth--;
			}
		}
		int rc = refill(w);
		if (rc <= 0)
			return rc;
	}
}

/* After a broken element: the next one begins where one ends, a comma follows, and an object opens. 1, 0 at the end, -1. */
static int find_element(struct window *w)
{
	int state = 0; /* 1: after a closing brace, 2: and a comma */

	w->at++;
	for (;;) {
		for (; w->at < w->len; w->at++) {
			uint8_t c = w->data[w->at];
			if (state == 2 && c == '{')
				return 1;
			if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
				continue;
			state = c == '}' ? 1 : c == ',' && state == 1 ? 2 : 0;
		}
		int rc = refill(w);
		if (rc <= 0)
			return rc;
	}
}

static int issue(struct reader *r, enum tf_issue_code code, int64_t offset, const char *text)
{
	return tf_ledger_issue(r->arena, r->file, code, offset, r->w.err, "%s", text);
}

/* What follows is lost: the text ends inside an element. */
static int note_cut(struct reader *r)
{
	struct window *w = &r->w;

	r->elements.tracks->t->truncated = true;
	r->file->tail = TF_TAIL_PARTIAL_RECORD;
	r->file->skipped_records++;
	r->file->skipped_bytes += (int64_t)(w->len - w->at);
	int rc = issue(r, TF_ISSUE_TRUNCATED, w->offset + (int64_t)w->at, "the text ends inside an element");
	w->at = w->len;
	return rc;
}

/* The element at hand cannot be read: on to the next one, if there is one. 1, 0 if the text ended inside this one, -1. */
static int skip_broken(struct reader *r, enum tf_json_fault fault)
{
	struct window *w = &r->w;
	int64_t from = w->offset + (int64_t)w->at;
	size_t at = w->at;
	bool last = w->ended && fault == TF_JSON_CUT;
	int rc = find_element(w);

	if (rc < 0)
		return -1;
	if (rc == 0 && last) {
		w->at = at; /* all of it is still at hand */
		return note_cut(r);
	}
	r->elements.tracks->t->truncated = true;
	r->file->skipped_records++;
	r->file->skipped_bytes += w->offset + (int64_t)w->at - from;
	return issue(r, TF_ISSUE_JSON_ERROR, from, "an element that is no JSON") < 0 ? -1 : 1;
}

typedef int element_fn(struct tf_elements *, const struct tf_json_value *, bool);

static int device_element(struct tf_elements *e, const struct tf_json_value *object, bool lenient)
{
	(void)lenient;
	return tf_element_device(e, object);
}

/* True if the element can be read member by member, strictly or as `lenient` says. */
static bool is_sound(const struct tf_json_value *v, bool lenient)
{
	struct tf_json_reader j = tf_json_inside(v);
	struct tf_json_value member;
	struct tf_bytes key;

	j.lenient = lenient;
	while (v->kind == TF_JSON_OBJECT && tf_json_member(&j, &key, &member))
		;
	return j.fault == TF_JSON_FINE;
}

/* How long an element may be: less after broken ones, each of which costs that much. */
static size_t element_limit(const struct reader *r)
{
	size_t limit = TF_LIMIT_JSON_ELEMENT_BYTES >> (r->broken < 32 ? r->broken : 32);
	return limit > 4096 ? limit : 4096;
}

/* Reads the element at hand, strictly or else with its quotes as meant. 1, 0 if neither is possible, -1. */
static int sound_element(struct reader *r, struct tf_json_value *v, size_t *len, bool *lenient, enum tf_json_fault *fault)
{
	for (int i = 0; i < 2; i++) {
		*lenient = i > 0;
		int rc = whole_value(&r->w, *lenient, element_limit(r), v, len, fault);
		if (rc < 0 || (rc > 0 && is_sound(v, *lenient)))
			return rc;
	}
	return 0;
}

/* One element. 1, 0 where the text ended inside it, -1. */
static int read_element(struct reader *r, element_fn *handle)
{
	struct window *w = &r->w;
	struct tf_json_value v;
	enum tf_json_fault fault = TF_JSON_SYNTAX;
	size_t len;
	bool lenient;
	int rc = sound_element(r, &v, &len, &lenient, &fault);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		r->broken++;
		return skip_broken(r, fault);
	}
	r->broken -= r->broken > 0;
	if (lenient && r->repaired++ == 0)
		r->repaired_offset = w->offset + (int64_t)w->at;
	if (v.kind == TF_JSON_OBJECT && handle(&r->elements, &v, lenient) < 0)
		return -1;
	w->at += len;
	return 1;
}

/* The elements of an array whose bracket is at hand. 1 at its end, 0 where the text ended before, -1. */
static int read_array(struct reader *r, element_fn *handle)
{
	r->w.at++;
	for (;;) {
		int c = peek(&r->w);
		if (c == -2)
			return -1;
		if (c == -1)
			return 0;
		if (c == ']') {
			r->w.at++;
			return 1;
		}
		int rc = read_element(r, handle);
		if (rc <= 0)
			return rc;
	}
}

/* The value of a member of the document. 1, 0 where the text ended, -1. */
static int read_member(struct reader *r, struct tf_bytes key)
{
	struct window *w = &r->w;
	bool events = tf_bytes_equal(key, tf_bytes_of("traceEvents")), devices = tf_bytes_equal(key, tf_bytes_of("deviceProperties"));
	bool base = tf_bytes_equal(key, tf_bytes_of("baseTimeNanoseconds"));
	struct tf_json_value v;
	enum tf_json_fault fault;
	size_t len;
	int c = peek(w);

	if (c < 0)
		return c == -1 ? 0 : -1;
	if (c == '[' && (events || devices))
		return read_array(r, events ? tf_element_event : device_element);
	if (base) {
		int rc = whole_value(w, false, TF_LIMIT_JSON_ELEMENT_BYTES, &v, &len, &fault);
		if (rc > 0 && !tf_json_as_i64(&v, &r->tracks.base_ns))
			r->tracks.base_ns = 0;
		if (rc < 0)
			return -1;
	}
	return skip_value(w);
}

/* The document is an object. 1, 0 where the text ended before it, -1. */
static int read_document(struct reader *r)
{
	struct window *w = &r->w;
	struct tf_json_value k;
	enum tf_json_fault fault;
	size_t len;

	w->at++;
	for (;;) {
		char key[64];
		int c = peek(w);
		if (c < 0)
			return c == -1 ? 0 : -1;
		if (c != '"') /* its end, or no JSON: nothing more is expected */
			return 1;
		int rc = whole_value(w, false, TF_LIMIT_JSON_ELEMENT_BYTES, &k, &len, &fault);
		if (rc <= 0)
			return rc;
		size_t n = k.raw.len < sizeof key ? k.raw.len : sizeof key;
		memcpy(key, k.raw.data, n);
		w->at += len;
		if ((c = peek(w)) < 0)
			return c == -1 ? 0 : -1;
		if (c != ':')
			return 1;
		w->at++;
		rc = read_member(r, (struct tf_bytes){(uint8_t *)key, n});
		if (rc <= 0)
			return rc;
	}
}

static int read_text(struct reader *r)
{
	int c = peek(&r->w);

	if (c == 0xef && r->w.len - r->w.at >= 3) { /* a byte order mark */
		r->w.at += 3;
		c = peek(&r->w);
	}
	if (c == -2)
		return -1;
	if (c == '[') /* the array form needs no closing bracket */
		return read_array(r, tf_element_event) < 0 ? -1 : 0;
	if (c != '{')
		return tf_fail(r->w.err, TF_EFORMAT, "no trace events in the text");
	int64_t issues = (int64_t)r->file->issue_total;
	int rc = read_document(r);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	r->tracks.t->truncated = true;
	if ((int64_t)r->file->issue_total != issues && r->file->tail == TF_TAIL_PARTIAL_RECORD)
		return 0; /* told already */
	r->file->tail = TF_TAIL_PARTIAL_RECORD;
	return issue(r, TF_ISSUE_TRUNCATED, r->w.offset + (int64_t)r->w.len, "the text ends before the document does");
}

/* What the ledger says of all elements together. */
static int note_oddities(struct reader *r)
{
	struct tf_error *err = r->w.err;

	r->file->records = (int64_t)r->elements.events;
	if (r->repaired
	    && tf_ledger_issue(r->arena, r->file, TF_ISSUE_REPAIRED, r->repaired_offset, err,
			       "%zu elements with quotes that are not escaped, read as meant", r->repaired) < 0)
		return -1;
	if (r->elements.untimed
	    && tf_ledger_issue(r->arena, r->file, TF_ISSUE_JSON_ERROR, TF_NONE, err, "%zu events without a time, left out",
			       r->elements.untimed) < 0)
		return -1;
	r->file->skipped_records += (int64_t)r->elements.untimed;
	if (r->tracks.unpaired
	    && tf_ledger_issue(r->arena, r->file, TF_ISSUE_UNPAIRED, TF_NONE, err, "%zu begins without an end, or ends without a begin",
			       r->tracks.unpaired) < 0)
		return -1;
	return 0;
}

int tf_decode_trace_json(struct tf_stream *in, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			 struct tf_error *err)
{
	struct reader r = {.w = {.in = in, .err = err}, .tracks = {.t = t, .err = err}, .elements = {.err = err}, .file = file,
			   .arena = arena};
	int rc = -1;

	r.elements.tracks = r.elements.timeline.tracks = r.elements.timeline.memory.tracks = &r.tracks;
	if (read_text(&r) < 0)
		goto out;
	if (r.elements.events == 0) {
		tf_fail(err, TF_EFORMAT, "no events in the trace");
		goto out;
	}
	if (tf_timeline_end(&r.elements.timeline) < 0 || tf_tracks_settle(&r.tracks) < 0 || note_oddities(&r) < 0)
		goto out;
	rc = 0;
out:
	tf_elements_release(&r.elements);
	tf_tracks_release(&r.tracks);
	free(r.w.data);
	return rc;
}
