/* A sink of rows that writes down what it is given, a line a call. */
#ifndef TESTS_SUPPORT_SINK_H
#define TESTS_SUPPORT_SINK_H

#include "lib/base/text.h"
#include "lib/trace/rows.h"

/* The sink; the buffer is borrowed and grows. Session starts leave no line. */
struct tf_row_sink sk_sink(struct tf_buf *log);

#endif
