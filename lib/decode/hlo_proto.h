/* HloProto: *.hlo_proto.pb, and the programs in an XSpace's /host:metadata. Source: xla/service/hlo.proto, xla/xla_data.proto. */
#ifndef TF_DECODE_HLO_PROTO_H
#define TF_DECODE_HLO_PROTO_H

#include "lib/base/error.h"
#include "lib/trace/hlo.h"
#include "lib/trace/rows.h"

/* What ended the reading of a program. */
struct tf_hlo_fault {
	const uint8_t *at;  /* in the content */
	const char *reason; /* static; NULL: all was read */
	bool cut;
};

/*
 * Decodes one program into `hlo` (zeroed; the caller releases its arena). Text is borrowed from the content. Damage ends the message
 * that it is in. Returns 0, or -1 when out of memory.
 */
int tf_decode_hlo(struct tf_bytes content, struct tf_hlo *hlo, struct tf_hlo_fault *fault, struct tf_error *err);

#endif
