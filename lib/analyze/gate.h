/*
 * The gate: limits and baselines against a session's metrics, or those of several runs. Unknown, missing or damaged never passes.
 * Rules and precedence: METRICS.md beside this file, "The gate".
 */
#ifndef TF_ANALYZE_GATE_H
#define TF_ANALYZE_GATE_H

#include "lib/analyze/results.h"

enum tf_check_kind { TF_CHECK_MAX, TF_CHECK_MIN, TF_CHECK_REGRESS };
enum tf_verdict_kind { TF_PASS, TF_FAIL, TF_INCONCLUSIVE, TF_SKIPPED, TF_WAIVED };
enum { TF_VERDICT_KINDS = TF_WAIVED + 1 };
const char *tf_check_kind_name(enum tf_check_kind kind);       /* "max", "min", "regress" */
const char *tf_verdict_name(enum tf_verdict_kind verdict);     /* "pass", "fail", "inconclusive", "skipped", "waived" */

/* Where a rule or waiver was written. */
struct tf_place {
	const char *file; /* as shown; NULL: the command line */
	int64_t line;	  /* from 1 */
};

/* One rule, as typed: METRIC=V, METRIC=5%+0.1ms. Arena of the gate. */
struct tf_rule {
	enum tf_check_kind kind;
	const char *metric; /* or a pattern over names (metric_pattern.h) */
	struct tf_place place;
	enum tf_unit unit;
	double limit;		   /* max, min */
	double relative, absolute; /* regress: allowances; relative 0..1, absolute in the metric's unit */
	enum tf_worse worse;
	bool by_default; /* of the default gate: skipped when null on both sides for one reason */
};

/* What may fail until a day, and why. Arena of the gate. */
struct tf_waiver {
	const char *metric; /* or a pattern */
	int kind;	    /* enum tf_check_kind, -1: any */
	const char *expires; /* the last day on which it holds, "2026-12-31" (UTC) */
	const char *reason;
	struct tf_place place;
};

/* Machines and programs: what is not told may be anything. Texts are globs, of the gate's arena. */
struct tf_environment {
	int64_t hosts, devices;		/* TF_NONE: any number */
	const char *model, *framework;	/* NULL: any; model: of all devices */
};

struct tf_gate {
	struct tf_arena arena;
	struct tf_rule *rules;
	size_t rule_count, rule_cap;
	struct tf_waiver *waivers;
	size_t waiver_count, waiver_cap;
	struct tf_environment *environments; /* in one of which sessions must have run; none: anywhere */
	size_t environment_count, environment_cap;
	/* The sides' keys (tf_environment_key()) where the baseline was found by one, else NULL: two that differ are two environments.
	 * Borrowed. */
	const char *env_key, *baseline_env_key;
	const char *today; /* "2026-12-07": by which waivers expire; needed where there are any. Borrowed */
	int64_t min_steps; /* steady steps a side that figures of steps need */
	bool allow_env;	   /* compare with a baseline from another environment */
	bool accept_inferred; /* judge figures of inferred steps */
	double alpha;	      /* the chance of calling noise a regression, over all metrics; 0..1 */
	double min_effect;    /* a shift of the steps counts by what it exceeds this share of the baseline */
};

/* Steady steps a side, unless told otherwise. */
enum { TF_GATE_MIN_STEPS = 5 };
/* Level of significance, unless told otherwise. */
#define TF_GATE_ALPHA 0.01

/*
 * Parses and adds a rule ("METRIC=V" or "METRIC=5%+0.1ms", "METRIC:up=…" for metrics without direction). TF_EUSAGE for a
 * malformed one or a metric name that does not exist, with the nearest names as hint.
 */
int tf_gate_add(struct tf_gate *g, enum tf_check_kind kind, const char *text, struct tf_error *err);

/*
 * The same in pieces: `metric` is a name or pattern, with or without ":up" or ":down", `value` what stands behind the "=". A pattern
 * must mean names of one unit and direction. Both are borrowed only for the call, the place's file for the gate's life. A rule without
 * a file replaces those from files of the same kind and metric.
 */
int tf_gate_add_rule(struct tf_gate *g, enum tf_check_kind kind, const char *metric, const char *value, struct tf_place place,
		     struct tf_error *err);

/*
 * Adds a waiver, whose texts are copied. TF_EUSAGE for a metric that does not exist, for what is no date and for an empty reason.
 * gate_waivers.c
 */
int tf_gate_add_waiver(struct tf_gate *g, const struct tf_waiver *w, struct tf_error *err);

/* True for "YYYY-MM-DD" that is a day. gate_waivers.c */
bool tf_date_valid(const char *text);

/* Whether the session ran in such an environment. compare.c */
bool tf_environment_holds(const struct tf_environment *e, const struct tf_session *s);

/* The rules that --baseline alone means. */
int tf_gate_add_default(struct tf_gate *g, struct tf_error *err);
void tf_gate_release(struct tf_gate *g);

/* A rule and what came of it. */
struct tf_check {
	struct tf_rule rule; /* its limit is, for a regression, the last value that passes; NaN without a baseline */
	double value, baseline; /* NaN: unknown */
	double change, change_pct; /* NaN where there is none */
	int64_t n, n_baseline; /* samples, TF_NONE; runs where a side has several of them */
	/* Where both sides have a value a step, else NaN: p of the test, after Holm's correction, the least that so few steps can give. */
	double p_value, p_adjusted, p_least;
	bool of_runs; /* the test is of runs rather than of steps */
	double shift, ci_low, ci_high; /* of the steps or runs, in the metric's unit; its interval of level 1 − alpha, NaN: too few */
	enum tf_verdict_kind verdict;
	const char *reason; /* a code (METRICS.md, "The gate"), NULL when it passes plainly */
	const char *detail; /* what the code leaves open, in words, or NULL */
};

enum tf_waiver_state { TF_WAIVER_UNUSED, TF_WAIVER_USED, TF_WAIVER_EXPIRED };
const char *tf_waiver_state_name(enum tf_waiver_state state); /* "unused", "used", "expired" */

/* A waiver and how many checks it let through, or would have if it had not expired. */
struct tf_waiver_use {
	struct tf_waiver waiver;
	enum tf_waiver_state state;
	size_t checks;
};

struct tf_verdict {
	struct tf_arena arena;
	enum tf_verdict_kind verdict; /* of all checks: fail › inconclusive › pass */
	const char *reason; /* "nothing_compared": all checks were skipped; else NULL */
	struct tf_check *checks;
	size_t check_count, check_cap;
	struct tf_waiver_use *waivers;
	size_t waiver_count;
	const char *session, *baseline; /* names, for output; of several runs all */
	size_t run_count, baseline_run_count;
	double alpha; /* the gate's */
	bool lenient; /* set by the caller: what is inconclusive stops no build (--inconclusive pass or warn) */
};

/* One side of a comparison: sessions of unchanged code. */
struct tf_runs {
	const struct tf_session *list;
	size_t count;
};

/*
 * Judges. `baseline` has no runs if no rule needs one. `out` is zeroed but for `lenient` by the caller, who releases its
 * arena; it borrows nothing. 0, or -1 when out of memory.
 */
int tf_gate_judge_runs(const struct tf_gate *g, struct tf_runs now, struct tf_runs baseline, struct tf_verdict *out,
		       struct tf_error *err);

/* The same for one run a side; `baseline` may be NULL. */
int tf_gate_judge(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *baseline,
		  struct tf_verdict *out, struct tf_error *err);

/*
 * Tests the figures of runs, `n` now and `m` before, three or more together: fills in p_value, p_least, shift, ci_low and ci_high.
 * gate_runs.c
 */
void tf_gate_test_runs(const struct tf_gate *g, const double *now, size_t n, const double *before, size_t m, struct tf_check *c);

/*
 * Lets through what a waiver covers, and counts the waivers' uses. Texts are borrowed from the gate. 0, or -1 when out of memory.
 * gate_waivers.c
 */
int tf_gate_waive(const struct tf_gate *g, struct tf_verdict *v, struct tf_error *err);

/*
 * Tests a regression of a figure of steps, whose two sides are known and comparable: fills in p_value, p_least, shift, ci_low and
 * ci_high where both sides list their steps. 0, or -1 when out of memory. gate_significance.c
 */
int tf_gate_test(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *baseline, struct tf_check *c,
		 struct tf_error *err);

/*
 * Corrects the p of all tested checks for their number, and makes what fails without being significant inconclusive. 0, or -1
 * when out of memory. gate_significance.c
 */
int tf_gate_weigh(const struct tf_gate *g, struct tf_verdict *v, struct tf_error *err);

/*
 * Where the machines and programs of two sessions differ, in words (static or of the arena); NULL if they do not.
 * Compared are the number of hosts, kind and model of the devices, and the framework. compare.c
 */
const char *tf_environment_difference(const struct tf_session *now, const struct tf_session *before,
				      struct tf_arena *arena);

/*
 * Where a session ran, as one text by which named baselines are kept: "hosts=1 devices=8*gpu 'NVIDIA A100' framework=jax batch=64", with
 * facts that no capture tells ("batch=64") in order. NULL when out of memory. Arena. compare.c
 */
const char *tf_environment_key(const struct tf_session *s, const char *const *facts, size_t fact_count, struct tf_arena *arena);

/* What a metric's name means: unit, direction. False if no metric can have this name (bracketed and @host forms included). */
bool tf_metric_known(const char *name, enum tf_unit *unit, enum tf_worse *worse);

/* Cuts ":up" or ":down" off a name: the direction that is worse by it. gate_rules.c */
enum tf_worse tf_metric_take_direction(char *name);

#endif
