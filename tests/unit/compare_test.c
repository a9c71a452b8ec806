/* Whether two sessions ran in one environment: hosts, devices, framework, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "lib/analyze/gate.h"

/* A session of hosts with devices; all static. */
static struct tf_session session(struct tf_host *hosts, size_t n, const char *framework)
{
	return (struct tf_session){.hosts = hosts, .host_count = n, .framework = framework};
}

static struct tf_host host(struct tf_device *devices, size_t n)
{
	return (struct tf_host){.devices = devices, .device_count = n};
}

/* The difference in words; NULL: there must be none, either way. */
static void differ(const struct tf_session *now, const struct tf_session *before, const char *want)
{
	struct tf_arena a = {0};
	const char *got = tf_environment_difference(now, before, &a), *back = tf_environment_difference(before, now, &a);

	if (want) {
		assert_non_null(got);
		assert_string_equal(got, want);
		assert_non_null(back);
	} else {
		assert_null(got);
		assert_null(back);
	}
	tf_arena_release(&a);
}

static void empty_sessions_are_alike(void **state)
{
	(void)state;
	struct tf_session a = session(NULL, 0, NULL), b = session(NULL, 0, "");
	differ(&a, &b, NULL);
}

static void the_number_of_hosts_counts_and_not_their_names(void **state)
{
	(void)state;
	struct tf_host one[] = {{.name = "a"}}, other[] = {{.name = "b"}}, two[] = {{.name = "a"}, {.name = "b"}};
	struct tf_session a = session(one, 1, NULL), b = session(other, 1, NULL), c = session(two, 2, NULL);
	differ(&a, &b, NULL);
	differ(&a, &c, "1 hosts, not 2");
}

static void the_number_of_devices_counts(void **state)
{
	(void)state;
	struct tf_device gpus[] = {{.kind = "gpu", .model = "A100"}, {.kind = "gpu", .model = "A100"}};
	struct tf_host one[] = {host(gpus, 1)}, two[] = {host(gpus, 2)};
	struct tf_session a = session(one, 1, NULL), b = session(two, 1, NULL);
	differ(&a, &b, "1 devices, not 2");
}

static void kind_and_model_count(void **state)
{
	(void)state;
	struct tf_device a100 = {.kind = "gpu", .model = "A100"}, h100 = {.kind = "gpu", .model = "H100"}, tpu = {.kind = "tpu", .model = "A100"},
			 unnamed = {.kind = "gpu"}, nothing = {0};
	struct tf_device *devices[] = {&a100, &h100, &tpu, &unnamed, &nothing};
	static const char *const words[] = {"gpu 'A100'", "gpu 'H100'", "tpu 'A100'", "gpu ''", "device ''"};
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 5; k++) {
			struct tf_host x[] = {host(devices[i], 1)}, y[] = {host(devices[k], 1)};
			struct tf_session a = session(x, 1, NULL), b = session(y, 1, NULL);
			char want[64];
			snprintf(want, sizeof want, "device %s, not %s", words[i], words[k]);
			differ(&a, &b, i == k ? NULL : want);
		}
}

static void devices_may_lie_on_other_hosts(void **state)
{
	(void)state;
	struct tf_device mixed[] = {{.kind = "gpu", .model = "H100"}, {.kind = "gpu", .model = "A100"}},
			 sorted[] = {{.kind = "gpu", .model = "A100"}, {.kind = "gpu", .model = "H100"}};
	struct tf_host x[] = {host(mixed, 2), host(NULL, 0)}, y[] = {host(sorted, 1), host(sorted + 1, 1)};
	struct tf_session a = session(x, 2, NULL), b = session(y, 2, NULL);
	differ(&a, &b, NULL);
}

static void names_and_memory_of_devices_do_not_count(void **state)
{
	(void)state;
	struct tf_device x = {.name = "/device:GPU:0", .kind = "gpu", .model = "A100", .memory_bytes = 1, .ordinal = 0};
	struct tf_device y = {.name = "/device:GPU:7", .kind = "gpu", .model = "A100", .memory_bytes = 2, .ordinal = 7};
	struct tf_host hx[] = {host(&x, 1)}, hy[] = {host(&y, 1)};
	struct tf_session a = session(hx, 1, NULL), b = session(hy, 1, NULL);
	differ(&a, &b, NULL);
}

static void the_framework_counts(void **state)
{
	(void)state;
	struct tf_session a = session(NULL, 0, "jax"), b = session(NULL, 0, "tensorflow"), c = session(NULL, 0, NULL);
	differ(&a, &a, NULL);
	differ(&a, &b, "framework 'jax', not 'tensorflow'");
	differ(&c, &a, "framework '', not 'jax'"); /* unknown is not alike */
}

static void hosts_come_before_devices_and_devices_before_the_framework(void **state)
{
	(void)state;
	struct tf_device gpu = {.kind = "gpu", .model = "A100"};
	struct tf_host one[] = {host(&gpu, 1)}, none[] = {host(NULL, 0)}, two[] = {host(NULL, 0), host(NULL, 0)};
	struct tf_session a = session(one, 1, "jax"), b = session(none, 1, "tensorflow"), c = session(two, 2, "tensorflow");
	differ(&a, &b, "1 devices, not 0");
	differ(&a, &c, "1 hosts, not 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_sessions_are_alike),
		cmocka_unit_test(the_number_of_hosts_counts_and_not_their_names),
		cmocka_unit_test(the_number_of_devices_counts),
		cmocka_unit_test(kind_and_model_count),
		cmocka_unit_test(devices_may_lie_on_other_hosts),
		cmocka_unit_test(names_and_memory_of_devices_do_not_count),
		cmocka_unit_test(the_framework_counts),
		cmocka_unit_test(hosts_come_before_devices_and_devices_before_the_framework),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
