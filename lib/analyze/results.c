/* Names of the result enums, and the end of a session's results. */
#include "lib/analyze/results.h"

const char *tf_part_name(enum tf_part part)
{
	static const char *const names[] = {
#define TF_PART_ROW(id, name) name,
		TF_PARTS(TF_PART_ROW)
#undef TF_PART_ROW
	};
	return names[part];
}

const char *tf_part_report_name(enum tf_part part)
{
	return part == TF_PART_DEVICE_COMPUTE_16 || part == TF_PART_DEVICE_COMPUTE_32 ? "device_compute" : tf_part_name(part);
}

const char *tf_step_source_name(enum tf_step_source source)
{
	static const char *const names[] = {"host_marker", "executor", "device_marker", "inferred", "none"};
	return names[source];
}

void tf_session_release(struct tf_session *s)
{
	tf_arena_release(&s->arena);
	*s = (struct tf_session){0};
}
