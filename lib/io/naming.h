/* Run, session and host from a path, as TensorBoard and XProf name them. */
#ifndef TF_IO_NAMING_H
#define TF_IO_NAMING_H

#include "lib/base/arena.h"
#include "lib/base/error.h"

struct tf_names {
	const char *run;     /* of a profile; "." for PATH itself */
	const char *folder;  /* the run of an event file: its own folder below PATH */
	const char *session; /* of a profile: the folder below plugins/profile, else the file's stem; of an event file its time and host */
	const char *program_session; /* of an XLA program, which is no host's: the folder below plugins/profile, else its folder's name */
	const char *host;    /* the file's stem; "localhost" where the file's name has no host part */
};

/*
 * Names of a file. `full` is its whole path as found, `relative` the part below the PATH given; for a single file (from_file)
 * the run is the last folder before plugins/profile, else ".". `prefix` (--run, may be NULL) goes before the run. Arena.
 */
int tf_name_file(struct tf_arena *a, const char *full, const char *relative, int from_file, const char *prefix,
		 struct tf_names *out, struct tf_error *err);

#endif
