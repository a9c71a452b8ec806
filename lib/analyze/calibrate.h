/* Allowances from repeats of unchanged code (METRICS.md, "The gate"). */
#ifndef TF_ANALYZE_CALIBRATE_H
#define TF_ANALYZE_CALIBRATE_H

#include "lib/analyze/gate.h"

/* Runs below which their scatter is not known. */
enum { TF_CALIBRATION_RUNS = 3 };

/* What a metric may be worse by. Arena of the calibration. */
struct tf_allowance {
	const char *metric;
	enum tf_unit unit;
	enum tf_worse worse;	   /* that the rule tells; TF_WORSE_NONE where the metric has one of its own */
	double median, deviation; /* of the runs, in the metric's unit */
	bool is_relative;
	double amount; /* a share of the baseline, or in the metric's unit; rounded up */
};

struct tf_calibration {
	struct tf_arena arena;
	struct tf_allowance *list;
	size_t count, cap;
};

/*
 * The allowances of the gate's regressions, for runs of unchanged code (TF_CALIBRATION_RUNS at least). TF_EINCONCLUSIVE where a run
 * cannot be judged. `out` is zeroed by the caller, who releases its arena. 0 or -1.
 */
int tf_gate_calibrate(const struct tf_gate *g, struct tf_runs runs, struct tf_calibration *out, struct tf_error *err);

#endif
