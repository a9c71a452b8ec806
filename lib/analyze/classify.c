/* What kind of work an event is. */
#include "lib/analyze/classify.h"
#include "lib/analyze/loops.h"

#include <strings.h>

/* ASCII only, whatever the locale. */
static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c;
}

bool tf_bytes_contain_any(struct tf_bytes b, const char *const *needles, size_t count)
{
	bool begins[256] = {false};

	for (size_t k = 0; k < count; k++)
		begins[lower((uint8_t)needles[k][0])] = true;
	for (size_t i = 0; i < b.len; i++) {
		if (!begins[lower(b.data[i])])
			continue;
		for (size_t k = 0; k < count; k++) {
			size_t n = strlen(needles[k]);
			if (i + n <= b.len && strncasecmp((const char *)b.data + i, needles[k], n) == 0)
				return true;
		}
	}
	return false;
}

bool tf_bytes_contain(struct tf_bytes b, const char *needle)
{
	return tf_bytes_contain_any(b, &needle, 1);
}

static bool begins_nocase(struct tf_bytes b, const char *prefix)
{
	size_t n = strlen(prefix);
	return b.len >= n && strncasecmp((const char *)b.data, prefix, n) == 0;
}

static struct tf_bytes name_of(const struct tf_trace *t, size_t event)
{
	return tf_strtab_bytes(&t->strings, tf_event_name(t, event));
}

/* Copies by the names that CUPTI, ROCm and TensorFlow give them. */
static bool copy_work(struct tf_bytes name, enum tf_work *work)
{
	static const struct {
		const char *prefix;
		enum tf_work work;
	} copies[] = {
		{"MemcpyHToD", TF_WORK_H2D},	     {"MemcpyH2D", TF_WORK_H2D},
		{"MemcpyDToH", TF_WORK_D2H},	     {"MemcpyD2H", TF_WORK_D2H},
		{"MemcpyDToD", TF_WORK_D2D},	     {"MemcpyD2D", TF_WORK_D2D},
		{"MemcpyP2P", TF_WORK_D2D},	     {"MemcpyPToP", TF_WORK_D2D},
		{"CopyHostToDevice", TF_WORK_H2D},   {"CopyDeviceToHost", TF_WORK_D2H},
		{"CopyDeviceToDevice", TF_WORK_D2D}, {"Memcpy HtoD", TF_WORK_H2D},
		{"Memcpy DtoH", TF_WORK_D2H},	     {"Memcpy DtoD", TF_WORK_D2D},
		{"Memcpy PtoP", TF_WORK_D2D},	     {"MemcpyOther", TF_WORK_D2D},
		{"Memset", TF_WORK_SET},
	};

	for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
		if (begins_nocase(name, copies[i].prefix)) {
			*work = copies[i].work;
			return true;
		}
	return false;
}

/* Copies whose name says nothing are told by their details: "kind_src:pinned kind_dst:device …". */
static bool detailed_copy(const struct tf_trace *t, size_t event, enum tf_work *work)
{
	struct tf_stat_range stats = tf_event_stats(t, event);
	uint32_t details = tf_stat_text(t, stats, TF_NAME_memcpy_details);
	if (!details) {
		*work = TF_WORK_SET;
		return tf_stat_text(t, stats, TF_NAME_memset_details)
		       || tf_stat_text(t, stats, TF_NAME_memset_details_lower);
	}
	struct tf_bytes text = tf_strtab_bytes(&t->strings, details);
	bool from_device = tf_bytes_contain(text, "kind_src:device");
	bool to_device = tf_bytes_contain(text, "kind_dst:device");
	*work = from_device == to_device ? TF_WORK_D2D : to_device ? TF_WORK_H2D : TF_WORK_D2H;
	return true;
}

static bool is_communication(struct tf_bytes name)
{
	static const char *const marks[] = {"nccl",	      "rccl",	       "all-reduce",	  "allreduce",
					    "all_reduce",     "all-gather",    "allgather",	  "all_gather",
					    "reduce-scatter", "reducescatter", "reduce_scatter",  "all-to-all",
					    "alltoall",	      "all_to_all",    "sendrecv",	  "send-recv",
					    "collective-permute", "collectivepermute"};

	return tf_bytes_contain_any(name, marks, sizeof marks / sizeof marks[0]);
}

/* tf_device_name_read() packs the work that a name means, if it decides, and its marks. */
enum { NAME_DECIDES = 8, NAME_IS_16_BIT = 16 };

/* Marks of 16-bit types. "f16[" is how shapes, and only they, write it. */
static bool says_16_bit(struct tf_bytes text, bool is_shape)
{
	static const char *const marks[] = {"half", "fp16", "bf16", "bfloat16", "f16["};

	return tf_bytes_contain_any(text, marks, is_shape ? 5 : 4);
}

uint8_t tf_device_name_read(struct tf_bytes name)
{
	enum tf_work work;
	unsigned packed = says_16_bit(name, false) ? NAME_IS_16_BIT : 0;

	if (copy_work(name, &work))
		return (uint8_t)(packed | NAME_DECIDES | work);
	return (uint8_t)(packed | (is_communication(name) ? TF_WORK_COMM : TF_WORK_KERNEL));
}

enum tf_work tf_device_work(const struct tf_derived *d, size_t event)
{
	const struct tf_trace *t = d->trace;
	uint8_t name = d->device_names[t->events.meta[event]];
	enum tf_work work;

	if (!(name & NAME_DECIDES) && t->events.stat_count[event] && detailed_copy(t, event, &work))
		return work;
	return (enum tf_work)(name & 7);
}

bool tf_is_16_bit(const struct tf_derived *d, size_t event)
{
	const struct tf_trace *t = d->trace;
	uint32_t shape = tf_stat_text(t, tf_event_stats(t, event), TF_NAME_shape);

	return shape ? says_16_bit(tf_strtab_bytes(&t->strings, shape), true)
		     : (d->device_names[t->events.meta[event]] & NAME_IS_16_BIT) != 0;
}

bool tf_is_kernel(const struct tf_derived *d, const struct tf_plane *p, size_t event)
{
	const struct tf_trace *t = d->trace;

	if ((p->kind != TF_PLANE_GPU && p->kind != TF_PLANE_DEVICE) || !tf_event_counts(t, event)
	    || (t->events.dur_ps[event] <= 0 && !d->info[t->events.meta[event]].is_kernel))
		return false;
	enum tf_work work = tf_device_work(d, event);
	return work == TF_WORK_KERNEL || work == TF_WORK_COMM;
}

bool tf_device_op(const struct tf_trace *t, size_t event, uint32_t *framework, uint32_t *hlo)
{
	struct tf_stat_range stats = tf_event_stats(t, event);

	*framework = tf_stat_text(t, stats, TF_NAME_tf_op);
	*hlo = tf_stat_text(t, stats, TF_NAME_hlo_op);
	/* XLA marks all work of a module so: that names no op. */
	if (*framework && tf_bytes_begin(tf_strtab_bytes(&t->strings, *framework), "XlaModule:"))
		*framework = 0;
	return *framework || *hlo;
}

enum tf_part tf_device_part(const struct tf_derived *d, size_t event)
{
	switch (tf_device_work(d, event)) {
	case TF_WORK_H2D:
		return TF_PART_HOST_TO_DEVICE;
	case TF_WORK_D2H:
		return TF_PART_DEVICE_TO_HOST;
	case TF_WORK_D2D:
		return TF_PART_DEVICE_TO_DEVICE;
	case TF_WORK_COMM:
		return TF_PART_DEVICE_COLLECTIVES;
	case TF_WORK_SET:
	case TF_WORK_KERNEL:
		break;
	}
	return tf_is_16_bit(d, event) ? TF_PART_DEVICE_COMPUTE_16 : TF_PART_DEVICE_COMPUTE_32;
}

enum tf_part tf_core_part(const struct tf_derived *d, size_t event)
{
	static const struct {
		const char *category;
		enum tf_part part;
	} categories[] = {
		{"infeed", TF_PART_INPUT_WAIT},
		{"outfeed", TF_PART_DEVICE_TO_HOST},
		{"host send", TF_PART_DEVICE_TO_HOST},
		{"host recv", TF_PART_HOST_TO_DEVICE},
		{"send", TF_PART_DEVICE_TO_DEVICE},
		{"recv", TF_PART_DEVICE_TO_DEVICE},
		{"all-reduce", TF_PART_DEVICE_COLLECTIVES},
		{"all-gather", TF_PART_DEVICE_COLLECTIVES},
		{"all-to-all", TF_PART_DEVICE_COLLECTIVES},
		{"reduce-scatter", TF_PART_DEVICE_COLLECTIVES},
		{"collective-", TF_PART_DEVICE_COLLECTIVES},
	};
	const struct tf_trace *t = d->trace;
	uint32_t id = tf_stat_text(t, tf_event_meta_of(t, event)->stats, TF_NAME_hlo_category);
	struct tf_bytes category = id ? tf_strtab_bytes(&t->strings, id) : name_of(t, event);

	if (!id && category.len && category.data[0] == '%') /* "%infeed.1 = …": the instruction as HLO text */
		category = (struct tf_bytes){category.data + 1, category.len - 1};
	for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
		if (tf_bytes_begin(category, categories[i].category))
			return categories[i].part;
	return tf_is_16_bit(d, event) ? TF_PART_DEVICE_COMPUTE_16 : TF_PART_DEVICE_COMPUTE_32;
}

/* Markers by name, and wrappers around real work. */
static bool is_no_work(struct tf_bytes name)
{
	static const char *const wrappers[] = {"EagerExecute", "EagerLocalExecute", "EagerKernelExecute",
					       "FunctionRun"};
	static const char *const markers[] = {"train", "test", "TraceContext"};

	for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
		if (tf_bytes_begin(name, wrappers[i]))
			return true;
	for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++)
		if (tf_bytes_begin(name, markers[i]))
			return !memchr(name.data, '/', name.len);
	return false;
}

/* An input-pipeline stage (PyGrain) that no other stage stands around and that runs for no other event. */
static bool is_root_stage(const struct tf_derived *d, size_t event)
{
	const struct tf_trace *t = d->trace;
	int hops = 0;

	if (!tf_stat_text(t, tf_event_stats(t, event), TF_NAME_ipl_stage_name) || tf_map_find(&d->fed_stages, event))
		return false;
	for (uint32_t p = d->parent[event]; p != UINT32_MAX && hops < 64; p = d->parent[p], hops++)
		if (tf_stat_text(t, tf_event_stats(t, p), TF_NAME_ipl_stage_name))
			return false;
	return true;
}

enum tf_part tf_host_part(const struct tf_derived *d, size_t event, bool has_device)
{
	const struct tf_trace *t = d->trace;
	const struct tf_name_info *info = &d->info[t->events.meta[event]];
	struct tf_bytes name = name_of(t, event);
	bool stats = t->events.stat_count[event] > 0;

	bool root = d->group[event] >= 0 && d->group_root[d->group[event]] == event
		    && !tf_is_implicit_root(tf_event_name(t, event));
	if (root || is_no_work(name) || (stats && tf_step_number(t, event) != TF_NONE))
		return TF_PART_COUNT;
	if (info->category == TF_OP_MEMCPY_H2D
	    || (info->category == TF_OP_TENSORFLOW && tf_bytes_begin(info->op_type, "InfeedEnqueue")))
		return TF_PART_HOST_TO_DEVICE;
	if (info->category == TF_OP_MEMCPY_H2H)
		return TF_PART_HOST_TO_HOST;
	if (has_device
	    && (begins_nocase(name, "ExecutorState::Process")
		|| (stats && tf_stat_i64(t, tf_event_stats(t, event), TF_NAME_correlation_id) >= 0)))
		return TF_PART_KERNEL_LAUNCH;
	if (info->input_wait || info->loader_wait || (stats && is_root_stage(d, event)))
		return TF_PART_INPUT_WAIT;
	return info->compile ? TF_PART_COMPILE : TF_PART_HOST_COMPUTE;
}

bool tf_has_device_events(const struct tf_trace *t)
{
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first; tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++)
			if (tf_event_counts(t, i))
				return true;
	}
	return false;
}
