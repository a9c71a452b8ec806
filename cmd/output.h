/* Where a command writes. */
#ifndef TF_CMD_OUTPUT_H
#define TF_CMD_OUTPUT_H

#include <stdio.h>

#include "lib/base/error.h"

/* Opens a file for writing, stdout for NULL and "-". NULL (TF_ESYSTEM, or TF_EUSAGE for an SQLite file: it is never overwritten). */
FILE *tf_output_open(const char *path, struct tf_error *err);

/* Ends what tf_output_open() began; `rc` is that of the writing and goes on, -1 if the last bytes cannot be written. */
int tf_output_close(FILE *to, const char *path, int rc, struct tf_error *err);

#endif
