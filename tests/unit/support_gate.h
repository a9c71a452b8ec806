/* Sessions for tests of the gate. */
#ifndef TESTS_SUPPORT_GATE_H
#define TESTS_SUPPORT_GATE_H

#include "lib/analyze/gate.h"

/* A session "r/NAME" of one host "h" without devices, with steps of these lengths in ms; released by the caller. */
void gate_session(struct tf_session *s, const char *name, const double *ms, size_t n);

/* Gives it a scalar tag whose points are all of this value. */
void gate_add_scalar(struct tf_session *s, const char *tag, double last);

#endif
