/* One element of traceEvents or deviceProperties. */
#ifndef TF_DECODE_TRACE_ELEMENT_H
#define TF_DECODE_TRACE_ELEMENT_H

#include "lib/decode/json_reader.h"
#include "lib/decode/timeline.h"

/* Room that elements share, and what they counted. Zeroed but for `tracks` is empty. */
struct tf_elements {
	struct tf_tracks *tracks;
	struct tf_buf name, value; /* strings with their escapes resolved, one for each that is needed at once */
	struct tf_map open;	   /* b…e: hash of pid, category, id and name → index of the event + 1 */
	struct tf_timeline timeline; /* its `tracks` too are the caller's */
	size_t events;		   /* added to the trace */
	size_t untimed;		   /* events without a time that can be read: left out */
	/* The pid and tid of the last event, as text, and its track: mostly the next one's too. */
	uint8_t pid[40], tid[40];
	size_t pid_len, tid_len;
	uint32_t process, thread;
	bool remembered;
	struct tf_error *err;
};

void tf_elements_release(struct tf_elements *e);

/* An element of traceEvents (its object). Objects without "ph" say nothing. 0 or -1 (memory). */
int tf_element_event(struct tf_elements *e, const struct tf_json_value *object, bool lenient);

/* An element of deviceProperties. 0 or -1 (memory). */
int tf_element_device(struct tf_elements *e, const struct tf_json_value *object);

#endif
