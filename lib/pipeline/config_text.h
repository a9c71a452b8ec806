/* Strict JSON with line numbers, for files that people write: what a mistake is said of is a file and a line. */
#ifndef TF_PIPELINE_CONFIG_TEXT_H
#define TF_PIPELINE_CONFIG_TEXT_H

#include "lib/decode/json_reader.h"

/* One file. Zeroed but for arena and err before tf_config_text_read(). */
struct tf_config_text {
	struct tf_arena *arena; /* of all texts that are taken */
	struct tf_error *err;
	const char *path; /* as shown */
	struct tf_bytes bytes;
	const uint8_t *counted; /* up to here, `line` is the number of the line */
	int64_t line;
};

/* Reads the file, whose object is then *root. TF_EUSAGE if it cannot be read or is not one JSON object. 0 or -1. */
int tf_config_text_read(struct tf_config_text *t, const char *path, struct tf_json_value *root);

/* The line on which something of the text stands. */
int64_t tf_config_line(struct tf_config_text *t, const uint8_t *at);

/* Puts "FILE:LINE: " before the error that is there. Returns -1. */
int tf_config_blame(struct tf_config_text *t, const uint8_t *at);

/* A key that an object may have, and what takes its value into `to`. */
struct tf_config_key {
	const char *name;
	int (*take)(struct tf_config_text *t, const struct tf_json_value *v, void *to);
};

/*
 * Takes all members of an object by a table that ends with a zeroed row; one without a name takes all keys itself. Unknown keys, those
 * that stand twice and what is no object are TF_EUSAGE. `what` names the object in errors. 0 or -1.
 */
int tf_config_members(struct tf_config_text *t, const struct tf_json_value *object, const char *what, const struct tf_config_key *keys,
		      void *to);

/* Passes each element of a list to `take`; a value that is no list is the only one of its own. 0 or -1. */
int tf_config_elements(struct tf_config_text *t, const struct tf_json_value *list,
		       int (*take)(struct tf_config_text *t, const struct tf_json_value *v, void *to), void *to);

/* Members of an object whose keys are free: `take` gets each key. 0 or -1. */
int tf_config_free_members(struct tf_config_text *t, const struct tf_json_value *object, const char *what,
			   int (*take)(struct tf_config_text *t, const char *key, const uint8_t *at, const struct tf_json_value *v,
				       void *to),
			   void *to);

/* A string's text, of the arena; NULL with the error filled for another kind. */
const char *tf_config_string(struct tf_config_text *t, const struct tf_json_value *v);

/* The same, or a number as it is written. */
const char *tf_config_quantity(struct tf_config_text *t, const struct tf_json_value *v);

/* true or false. 0 or -1. */
int tf_config_bool(struct tf_config_text *t, const struct tf_json_value *v, bool *to);

/* A whole number from `least`. 0 or -1. */
int tf_config_integer(struct tf_config_text *t, const struct tf_json_value *v, int64_t least, int64_t *to);

#endif
