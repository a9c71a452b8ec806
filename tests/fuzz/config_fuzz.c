/* Configurations of the gate: what is no valid one is said, and what is one can be applied. */
#include "tests/fuzz/fuzz.h"

#include "lib/pipeline/gate_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_gate_config *config = NULL;
	struct tf_gate_settings settings;
	struct tf_gate gate = {0};
	struct tf_error err = {0};

	if (tf_gate_config_open(&config, fuzz_file(data, size), &err) < 0) {
		HOLDS(err.code == TF_EUSAGE);
		return 0;
	}
	HOLDS(tf_gate_config_apply(config, "main", NULL, &gate, &settings, &err) == 0);
	for (size_t i = 0; i < gate.rule_count; i++) {
		HOLDS(tf_utf8_valid(tf_bytes_of(gate.rules[i].metric)));
		HOLDS(gate.rules[i].place.file && gate.rules[i].place.line > 0);
		HOLDS(gate.rules[i].kind == TF_CHECK_REGRESS || isfinite(gate.rules[i].limit));
	}
	for (size_t i = 0; i < gate.waiver_count; i++)
		HOLDS(tf_date_valid(gate.waivers[i].expires));
	tf_gate_release(&gate);
	tf_gate_config_close(config);
	return 0;
}
