/* Memory and tables at their edges: arena limits and sizes, interned strings, the map's extreme keys. See base_test.c too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/base/strtab.h"
#include "lib/base/vec.h"

static void an_arena_gives_pieces_up_to_its_limit(void **state)
{
	(void)state;
	struct tf_arena a = {.limit_bytes = 64};
	assert_non_null(tf_arena_alloc(&a, 48));
	assert_null(tf_arena_alloc(&a, 17)); /* pieces are whole units of alignment */
	assert_non_null(tf_arena_alloc(&a, 16));
	assert_null(tf_arena_alloc(&a, 1));
	assert_int_equal(a.used_bytes, 64);
	tf_arena_reset(&a);
	assert_non_null(tf_arena_alloc(&a, 64));
	tf_arena_release(&a);
}

static void pieces_of_an_arena_do_not_overlap(void **state)
{
	(void)state;
	enum { N = 500 };
	struct tf_arena a = {0};
	unsigned char *pieces[N];
	size_t sizes[N];
	for (size_t i = 0; i < N; i++) {
		sizes[i] = i % 50 == 49 ? 100000 : i * 13 % 300; /* some larger than a chunk */
		pieces[i] = tf_arena_alloc(&a, sizes[i]);
		assert_non_null(pieces[i]);
		memset(pieces[i], (int)(i & 0xff), sizes[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], i & 0xff);
	tf_arena_release(&a);
}

static void pieces_after_a_reset_are_zeroed_again(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	memset(tf_arena_alloc(&a, 1000), 0xff, 1000);
	tf_arena_reset(&a);
	const unsigned char *p = tf_arena_alloc(&a, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(p[i], 0);
	tf_arena_release(&a);
}

static void sizes_that_overflow_are_refused(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	assert_null(tf_arena_alloc(&a, SIZE_MAX));
	assert_null(tf_arena_alloc(&a, SIZE_MAX / 2 + 1));
	assert_null(tf_arena_array(&a, SIZE_MAX / 8 + 1, 8));
	assert_null(tf_arena_array(&a, 8, SIZE_MAX / 8 + 1));
	assert_null(tf_arena_strndup(&a, "x", SIZE_MAX));
	assert_non_null(tf_arena_array(&a, 0, 8));
	assert_non_null(tf_arena_array(&a, 8, 0));
	tf_arena_release(&a);
}

static void texts_of_an_arena_are_terminated(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	assert_string_equal(tf_arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(tf_arena_strndup(&a, NULL, 0), "");
	assert_string_equal(tf_arena_strdup(&a, "abc"), "abc");
	char *text = tf_arena_printf(&a, "%s %1000d", "x", 7);
	assert_int_equal(strlen(text), 1002);
	tf_arena_release(&a);
}

static void a_push_that_fails_leaves_the_list(void **state)
{
	(void)state;
	struct tf_arena a = {.limit_bytes = 200};
	uint64_t *items = NULL;
	size_t count = 0, cap = 0;
	uint64_t *at;
	while ((at = tf_arena_push(&a, (void **)&items, &count, &cap, sizeof *items)))
		*at = count;
	assert_int_equal(count, 16); /* 8 of 64 bytes, then 16 of 128; 32 would pass the limit */
	for (size_t i = 0; i < count; i++)
		assert_int_equal(items[i], i + 1);
	tf_arena_release(&a);
}

static void the_empty_string_is_number_zero(void **state)
{
	(void)state;
	struct tf_error err = {0};
	for (int empty_first = 0; empty_first < 2; empty_first++) {
		struct tf_strtab t = {0};
		uint32_t id = 7;
		if (!empty_first) {
			assert_int_equal(tf_strtab_add(&t, tf_bytes_of("a"), &id, &err), 0);
			assert_int_equal(id, 1);
		}
		assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(const uint8_t *)"", 0}, &id, &err), 0);
		assert_int_equal(id, 0);
		assert_string_equal(tf_strtab_text(&t, 0), "");
		tf_strtab_release(&t);
	}
}

static void nothing_is_found_in_an_empty_table(void **state)
{
	(void)state;
	struct tf_strtab t = {0};
	assert_int_equal(tf_strtab_find(&t, tf_bytes_of("")), UINT32_MAX);
	tf_strtab_release(&t);
	tf_strtab_release(&t);
}

static void beginnings_of_strings_are_other_strings(void **state)
{
	(void)state;
	static const char text[] = "a long name of an event";
	struct tf_strtab t = {0};
	struct tf_error err = {0};
	uint32_t id;
	for (size_t len = 0; len < sizeof text; len++) { /* with its NUL, too */
		assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(const uint8_t *)text, len}, &id, &err), 0);
		assert_int_equal(id, len);
		assert_int_equal(tf_strtab_bytes(&t, id).len, len);
		assert_int_equal(tf_strtab_text(&t, id)[len], '\0');
	}
	tf_strtab_release(&t);
}

static void strings_are_copied_and_stay_where_they_are(void **state)
{
	(void)state;
	struct tf_strtab t = {0};
	struct tf_error err = {0};
	uint32_t id, other;
	char text[] = "first";
	assert_int_equal(tf_strtab_add(&t, tf_bytes_of(text), &id, &err), 0);
	const char *kept = tf_strtab_text(&t, id);
	memset(text, 'x', 5);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(const uint8_t *)&i, sizeof i}, &other, &err), 0);
	assert_ptr_equal(tf_strtab_text(&t, id), kept);
	assert_string_equal(kept, "first");
	assert_int_equal(t.count, 100002);
	tf_strtab_release(&t);
}

static void strings_beyond_the_limit_are_cut(void **state)
{
	(void)state;
	struct tf_strtab t = {0};
	struct tf_error err = {0};
	uint32_t a, b;
	char *text = malloc(TF_LIMIT_STRING_BYTES + 2);
	memset(text, 'x', TF_LIMIT_STRING_BYTES + 2);
	assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(uint8_t *)text, TF_LIMIT_STRING_BYTES + 1}, &a, &err), 0);
	assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(uint8_t *)text, TF_LIMIT_STRING_BYTES + 2}, &b, &err), 0);
	assert_int_equal(a, b);
	assert_int_equal(tf_strtab_bytes(&t, a).len, TF_LIMIT_STRING_BYTES);
	free(text);
	tf_strtab_release(&t);
}

static void extreme_keys_are_keys(void **state)
{
	(void)state;
	static const uint64_t keys[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, INT64_MAX};
	struct tf_map m = {0};
	struct tf_error err = {0};
	assert_null(tf_map_find(&m, 0));
	tf_map_remove(&m, 0);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(tf_map_put(&m, keys[i], ~keys[i], &err), 0);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(*tf_map_find(&m, keys[i]), ~keys[i]);
	assert_int_equal(m.count, 6);
	assert_null(tf_map_find(&m, 2));
	tf_map_release(&m);
	tf_map_release(&m);
}

static void a_key_put_again_has_its_last_value(void **state)
{
	(void)state;
	struct tf_map m = {0};
	struct tf_error err = {0};
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(tf_map_put(&m, 5, i, &err), 0);
	assert_int_equal(m.count, 1);
	assert_int_equal(*tf_map_find(&m, 5), 999);
	tf_map_remove(&m, 5);
	assert_null(tf_map_find(&m, 5));
	assert_int_equal(m.count, 0);
	tf_map_release(&m);
}

/* Same hash slot, a hole in the middle of a run: what lies behind it must still be found. */
static void removal_from_a_crowded_table_loses_nothing(void **state)
{
	(void)state;
	for (uint64_t hole = 0; hole < 30; hole++) {
		struct tf_map m = {0};
		struct tf_error err = {0};
		uint64_t keys[30], n = 0;
		for (uint64_t key = 0; n < 30; key++)
			if ((tf_hash_u64(key) & 63) >= 56) { /* runs that wrap around the end of 64 slots */
				keys[n++] = key;
				assert_int_equal(tf_map_put(&m, key, key + 1, &err), 0);
			}
		assert_int_equal(m.slot_count, 64);
		tf_map_remove(&m, keys[hole]);
		for (uint64_t i = 0; i < 30; i++) {
			const uint64_t *found = tf_map_find(&m, keys[i]);
			assert_int_equal(found ? *found : 0, i == hole ? 0 : keys[i] + 1);
		}
		tf_map_release(&m);
	}
}

static void hashes_see_length_and_every_byte(void **state)
{
	(void)state;
	uint8_t bytes[40] = {0};
	for (size_t len = 0; len < sizeof bytes; len++) {
		uint64_t hash = tf_hash_bytes(bytes, len);
		assert_int_equal(hash, tf_hash_bytes(bytes, len));
		assert_int_not_equal(hash, tf_hash_bytes(bytes, len + 1)); /* zeros differ by their number */
		for (size_t i = 0; i < len; i++) {
			bytes[i] = 1;
			assert_int_not_equal(hash, tf_hash_bytes(bytes, len));
			bytes[i] = 0;
		}
	}
}

static void room_grows_by_half_at_least(void **state)
{
	(void)state;
	int *items = NULL;
	size_t cap = 0, grown = 0;
	for (size_t n = 1; n <= 100000; n++) {
		size_t before = cap;
		assert_int_equal(tf_vec_reserve((void **)&items, &cap, n, sizeof *items), 0);
		assert_true(cap >= n);
		assert_true(cap == before || cap >= before + before / 2);
		grown += cap != before;
		items[n - 1] = (int)n;
	}
	assert_true(grown < 40);
	for (size_t n = 0; n < 100000; n++)
		assert_int_equal(items[n], n + 1);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_arena_gives_pieces_up_to_its_limit),
		cmocka_unit_test(pieces_of_an_arena_do_not_overlap),
		cmocka_unit_test(pieces_after_a_reset_are_zeroed_again),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(texts_of_an_arena_are_terminated),
		cmocka_unit_test(a_push_that_fails_leaves_the_list),
		cmocka_unit_test(the_empty_string_is_number_zero),
		cmocka_unit_test(nothing_is_found_in_an_empty_table),
		cmocka_unit_test(beginnings_of_strings_are_other_strings),
		cmocka_unit_test(strings_are_copied_and_stay_where_they_are),
		cmocka_unit_test(strings_beyond_the_limit_are_cut),
		cmocka_unit_test(extreme_keys_are_keys),
		cmocka_unit_test(a_key_put_again_has_its_last_value),
		cmocka_unit_test(removal_from_a_crowded_table_loses_nothing),
		cmocka_unit_test(hashes_see_length_and_every_byte),
		cmocka_unit_test(room_grows_by_half_at_least),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
