/*
 * How often the default gate calls noise a regression, and misses a true one: pairs of runs drawn from the steady steps of a real
 * capture, in blocks, so that their autocorrelation is kept. PAIRS=1000 for more of them (default 100).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate.h"
#include "lib/pipeline/pipeline.h"

/* Steps that are drawn together. */
enum { BLOCK = 5 };

static int pair_count(void)
{
	const char *text = getenv("PAIRS");
	int n = text ? atoi(text) : 0;

	return n > 0 ? n : 100;
}

static void load(const char *name, struct tf_session *s)
{
	const char *root = getenv("SRC");
	char path[4096];
	const char *paths[] = {path};
	struct tf_ingest_options options = {.progress_to = stderr};
	struct tf_ledger ledger = {0};
	struct tf_error err = {0};

	snprintf(path, sizeof path, "%s/testdata/logs/%s", root ? root : ".", name);
	*s = (struct tf_session){0};
	if (tf_report_paths(paths, 1, &options, s, &ledger, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	tf_arena_release(&ledger.arena);
}

/* The same stream of numbers each time: Knuth's MMIX generator, its upper bits. */
static size_t draw(uint64_t *state, size_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(*state >> 33) % limit;
}

/* A run of `count` steady steps drawn from those of the capture in circular blocks, its steps `factor` as long with all parts. */
static void draw_run(const struct tf_session *from, size_t count, double factor, uint64_t *state, struct tf_session *to)
{
	const struct tf_steps *all = &from->hosts[0].steps;
	struct tf_error err = {0};
	size_t steady = 0, filled = 0;

	*to = *from;
	to->arena = (struct tf_arena){0};
	to->hosts = tf_arena_alloc(&to->arena, sizeof *to->hosts);
	to->hosts[0] = from->hosts[0];
	const struct tf_step **pool = tf_arena_array(&to->arena, all->count, sizeof *pool);
	for (size_t i = 0; i < all->count; i++)
		if (tf_step_is_steady(&all->list[i]))
			pool[steady++] = &all->list[i];
	struct tf_steps *steps = &to->hosts[0].steps;
	steps->list = tf_arena_array(&to->arena, count, sizeof *steps->list);
	steps->count = count;
	while (filled < count) {
		size_t start = draw(state, steady);
		for (size_t i = 0; i < BLOCK && filled < count; i++) {
			struct tf_step *s = &steps->list[filled];
			*s = *pool[(start + i) % steady];
			s->number = (int64_t)filled++;
			s->step_ps = (int64_t)((double)s->step_ps * factor);
			s->input_ps = s->input_ps == TF_NONE ? TF_NONE : (int64_t)((double)s->input_ps * factor);
			for (enum tf_part p = 0; p < TF_PART_COUNT; p++)
				s->part_ps[p] = (int64_t)((double)s->part_ps[p] * factor);
		}
	}
	assert_int_equal(tf_metrics_build(to, &err), 0);
}

/* Verdicts of the default gate over many pairs, by kind. */
static void judge_pairs(const char *name, size_t steps, double factor, int verdicts[4])
{
	struct tf_gate g = {.min_steps = TF_GATE_MIN_STEPS, .alpha = TF_GATE_ALPHA};
	struct tf_session real;
	struct tf_error err = {0};
	uint64_t state = 1;

	load(name, &real);
	assert_int_equal(tf_gate_add_default(&g, &err), 0);
	memset(verdicts, 0, 4 * sizeof *verdicts);
	for (int i = 0; i < pair_count(); i++) {
		struct tf_session now, before;
		struct tf_verdict v = {0};
		draw_run(&real, steps, factor, &state, &now);
		draw_run(&real, steps, 1, &state, &before);
		assert_int_equal(tf_gate_judge(&g, &now, &before, &v, &err), 0);
		verdicts[v.verdict]++;
		tf_arena_release(&v.arena);
		tf_session_release(&now);
		tf_session_release(&before);
	}
	printf("# %s, %zu steps times %.2f: %d pass, %d fail, %d inconclusive\n", name, steps, factor, verdicts[TF_PASS],
	       verdicts[TF_FAIL], verdicts[TF_INCONCLUSIVE]);
	tf_gate_release(&g);
	tf_session_release(&real);
}

static void unchanged_runs_rarely_fail(void **state)
{
	(void)state;
	int v[4];
	judge_pairs("keras3_fast_input", 21, 1, v);
	assert_true(v[TF_FAIL] * 100 <= pair_count());
}

static void a_true_tenth_is_found(void **state)
{
	(void)state;
	int v[4];
	judge_pairs("keras3_fast_input", 21, 1.1, v);
	/* Of 1,000 pairs 95 % and more; of fewer, what they may fall short of by chance, 3 standard deviations. */
	double share = pair_count() < 1000 ? 0.95 - 3 * sqrt(0.95 * 0.05 / pair_count()) : 0.95;
	assert_true(v[TF_FAIL] >= share * pair_count());
}

/* A noisier capture: 13 % from step to step, with a lag-1 autocorrelation of 0.27. Its means differ by over 5 % often enough. */
static void noise_that_passes_the_allowance_seldom_fails(void **state)
{
	(void)state;
	int v[4];
	judge_pairs("keras3_slow_input", 21, 1, v);
	assert_true(v[TF_FAIL] * 100 <= pair_count());
	assert_true(v[TF_INCONCLUSIVE] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_runs_rarely_fail),
		cmocka_unit_test(a_true_tenth_is_found),
		cmocka_unit_test(noise_that_passes_the_allowance_seldom_fails),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
