/* One file, read and decoded but not yet stored. */
#ifndef TF_PIPELINE_LOAD_H
#define TF_PIPELINE_LOAD_H

#include "lib/io/content.h"
#include "lib/pipeline/pipeline.h"

/* What was made of a capture. Zeroed is empty. */
struct tf_capture {
	struct tf_trace trace;
	struct tf_derived derived;
	struct tf_session results; /* one host, and the arena that holds it */
	bool loaded;
};

/* How a kind of file is loaded. */
struct tf_format {
	enum tf_file_kind kind;
	bool streams; /* reads in->stored piece by piece; all others need the content whole */
	bool has_rows; /* an event file: rows count, of which a capture may be a part */
	/* Before the transaction: decode and analyse into `c`. NULL: nothing to prepare. */
	int (*prepare)(struct tf_content *in, const char *host, const struct tf_ingest_options *o, struct tf_capture *c,
		       struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err);
	/* Inside the transaction: pass rows to the store. NULL: nothing is stored. */
	int (*store)(struct tf_store *s, const struct tf_content *in, const struct tf_capture *c,
		     const struct tf_ingest_options *o, struct tf_ledger_file *file, struct tf_arena *arena,
		     struct tf_error *err);
};

/* The format of a kind; NULL if files of this kind are only recognised. */
const struct tf_format *tf_format_find(enum tf_file_kind kind);

/* The issue of a file that is not loaded: empty, of a kind that is only recognised, or no profile. 0, or -1 when out of memory. */
int tf_note_unloaded(const struct tf_content *in, struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err);

/* The issues of an archive: what is wrong with it as a whole, and what it holds that is no file. 0, or -1 when out of memory. */
int tf_note_archive(const struct tf_archive *a, struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err);

void tf_capture_release(struct tf_capture *c);

#endif
