/* Devices of TensorFlow 1 on the tracks of a trace: RunMetadata and Timelines name a process for each stream of a GPU. */
#ifndef TF_DECODE_STEP_STREAMS_H
#define TF_DECODE_STEP_STREAMS_H

#include "lib/decode/trace_tracks.h"

/*
 * Makes the processes that are streams of a GPU tracks of one process for it. What is told twice (all streams beside each of them,
 * copies beside streams that have them) becomes derived. A GPU of which only its executor tells gets a process without tracks: it was
 * not traced. Does nothing where no process is named so. 0 or -1 (memory).
 */
int tf_tracks_fold_streams(struct tf_tracks *k);

/*
 * Adds the Session.run() that all of one step's statistics are of, on a track of its own. `run` is its number in the file, `number` that of
 * the step. tf_tracks_link_to_run() adds the stats by which the event that is added next belongs to a run. 0 or -1 (memory).
 */
int tf_tracks_add_session_run(struct tf_tracks *k, int64_t run, int64_t begin_ns, int64_t end_ns, int64_t number);
int tf_tracks_link_to_run(struct tf_tracks *k, int64_t run);

#endif
