/* `report --json` documents read back as baselines, and judged by the default gate. */
#include "tests/fuzz/fuzz.h"

#include "lib/analyze/gate.h"
#include "lib/render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_session session = {0};
	struct tf_gate gate = {.min_steps = TF_GATE_MIN_STEPS};
	struct tf_verdict verdict = {0};
	struct tf_error err = {0};

	if (tf_report_read(fuzz_file(data, size), &session, &err) == 0) {
		for (size_t i = 0; i < session.metric_count; i++) {
			const struct tf_metric *m = &session.metrics[i];
			HOLDS(tf_utf8_valid(tf_bytes_of(m->name)));
			HOLDS(m->known ? isfinite(m->value) : m->reason != NULL);
		}
		HOLDS(tf_gate_add_default(&gate, &err) == 0);
		HOLDS(tf_gate_judge(&gate, &session, &session, &verdict, &err) == 0);
		HOLDS(verdict.verdict != TF_FAIL); /* nothing is worse than itself */
	} else {
		HOLDS(err.code == TF_EFORMAT);
	}
	tf_arena_release(&verdict.arena);
	tf_gate_release(&gate);
	tf_session_release(&session);
	return 0;
}
