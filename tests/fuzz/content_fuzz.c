/* Contents of files: plain, gzip of several members, cut or damaged; and what kind they are taken for. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "lib/decode/sniff.h"
#include "lib/io/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"h.xplane.pb", "h.trace.json.gz", "h.memory_profile.pb", "x.prof",
					    "events.out.tfevents.1.h", "events.out.tfevents.1.h.profile-empty", "h.trace", ""};
	struct tf_content in;
	struct tf_error err = {0};
	uint64_t hash;

	HOLDS(tf_content_open(&in, fuzz_file(data, size), &err) == 0);
	HOLDS(tf_content_hash(&in, &hash, &err) == 0);
	HOLDS(in.disk_bytes == (int64_t)size);
	HOLDS(in.codec != TF_CODEC_NONE
	      || (in.whole && in.content.len == size && !in.cut && (size == 0 || memcmp(in.content.data, data, size) == 0)));
	if (tf_content_load(&in, &err) < 0) { /* a bomb */
		HOLDS(err.code == TF_ELIMIT);
		tf_content_close(&in);
		return 0;
	}
	HOLDS(in.whole);
	HOLDS(in.cut_offset >= 0 && in.cut_offset <= (int64_t)size);
	if (in.content.len > 4096) /* sniffing looks at every byte, eight times */
		in.content.len = 4096;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		tf_sniff(in.content, true, names[i]);
		tf_sniff(in.content, false, names[i]);
	}
	tf_content_close(&in);
	return 0;
}
