/* What a command is asked about: a path, or a selector into the store. */
#ifndef TF_CMD_TARGET_H
#define TF_CMD_TARGET_H

#include "lib/pipeline/pipeline.h"

/*
 * Loads the session (or run) that `what` names: a path that exists, else a selector (NULL: latest); "run:NAME" is never a
 * path. Several matches are TF_EUSAGE. Session zeroed by the caller, released by it. 0 or -1.
 */
int tf_load_target(const char *db, const char *what, const char *step_event, struct tf_session *session,
		   struct tf_error *err);

/*
 * Loads what a `report --json` document says, *is_report then true, or else as tf_load_target() does. Of a file that is neither the
 * error says what it lacks as a report. Session zeroed by the caller, released by it. 0 or -1.
 */
int tf_load_session_or_report(const char *db, const char *what, struct tf_session *session, bool *is_report, struct tf_error *err);

/* One line on stderr about what a ledger says was lost, and where to read more; `cmd` is "" or " NAME". True if anything was. */
bool tf_tell_damage(const char *cmd, const struct tf_ledger *ledger, const char *where);

#endif
