/* What the fuzz targets share. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/trace/rows.h"
#include "lib/trace/sidecar.h"
#include "lib/trace/trace.h"

/* Feeds one input to the code under test. Returns 0. libFuzzer or support_replay.c call it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define HOLDS(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* The name of a file (one a process) that holds these bytes now. Static. support_file.c */
const char *fuzz_file(const uint8_t *data, size_t size);

/* Finishes a decoded trace and analyses it; the laws of METRICS.md must hold. support_laws.c */
void fuzz_analyze(struct tf_trace *t);

/* A decoder of whole contents into a trace. */
typedef int fuzz_decoder(struct tf_bytes, struct tf_trace *, struct tf_ledger_file *, struct tf_arena *, struct tf_error *);

/* Decodes one input and, if that succeeds, analyses it. Returns 0. support_laws.c */
int fuzz_trace(fuzz_decoder *decode, const uint8_t *data, size_t size);

/* Makes results of a result file's figures; the laws must hold for them too. support_laws.c */
void fuzz_sidecar(const struct tf_sidecar *s, bool truncated);

#endif
