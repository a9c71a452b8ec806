/* Graphs of TensorFlow and PyTorch: their nodes, with device and shapes of outputs. */
#ifndef TF_DECODE_GRAPH_DEF_H
#define TF_DECODE_GRAPH_DEF_H

#include "lib/decode/summary.h"

/*
 * Passes on a GraphDef: a row that says what it is of ("graph", "meta_graph", "function"), its nodes, and those of its library.
 * Constants and other attributes are stepped over. False in *is_whole if it is malformed: the nodes up to there are passed on.
 * 0 or -1 (memory, or the sink's error).
 */
int tf_read_graph(struct tf_values *s, const struct tf_point *at, const char *kind, struct tf_bytes message, bool *is_whole,
		  struct tf_error *err);

/* The GraphDef in a MetaGraphDef. 0 or -1, as above. */
int tf_read_meta_graph(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool *is_whole, struct tf_error *err);

/* The functions' graphs, as they were before optimisation, in a RunMetadata. 0 or -1, as above. */
int tf_read_function_graphs(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool *is_whole,
			    struct tf_error *err);

#endif
