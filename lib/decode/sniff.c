/* Telling files apart. */
#include "lib/decode/sniff.h"

#include <string.h>

#include "lib/decode/step_stats.h"
#include "lib/decode/wire.h"
#include "lib/io/archive.h"
#include "lib/io/tfrecord.h"

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);
	return n >= m && memcmp(name + n - m, suffix, m) == 0;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix), packed = ends(name, ".gz") ? 3 : ends(name, ".zst") ? 4 : 0;
	return ends(name, suffix) || (packed && n - packed >= m && memcmp(name + n - packed - m, suffix, m) == 0);
}

/* The file's own name: that of a folder or archive around it promises nothing. */
static bool is_event_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strstr(slash ? slash + 1 : path, "tfevents");
}

/* "run_metadata.pb", "run_metadata_120.pb", "RunMetadata.pb": TensorFlow names none, people do. */
static bool is_run_metadata_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return has_suffix(name, ".pb") && (strstr(name, "run_metadata") || strstr(name, "runmetadata") || strstr(name, "RunMetadata"));
}

enum tf_file_kind tf_sniff_name(const char *name)
{
	static const struct {
		const char *suffix;
		enum tf_file_kind kind;
	} names[] = {
		{".profile-empty", TF_FILE_PROFILE_EMPTY},  {".xplane.pb", TF_FILE_XSPACE},
		{"overview_page.pb", TF_FILE_OVERVIEW_PB},  {"input_pipeline.pb", TF_FILE_INPUT_PIPELINE_PB},
		{"tensorflow_stats.pb", TF_FILE_TENSORFLOW_STATS_PB}, {"kernel_stats.pb", TF_FILE_KERNEL_STATS_PB},
		{"memory_profile.pb", TF_FILE_MEMORY_PB},   {".hlo_proto.pb", TF_FILE_HLO_PROTO},
		{".trace", TF_FILE_TRACE_PB},		    {".prof", TF_FILE_PPROF},
		{".trace.json", TF_FILE_TRACE_JSON},	    {"memory_profile.json", TF_FILE_MEMORY_JSON},
	};
	size_t stem_len;

	if (tf_is_archive_name(name, &stem_len))
		return TF_FILE_ARCHIVE;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (has_suffix(name, names[i].suffix))
			return names[i].kind;
	if (is_run_metadata_name(name))
		return TF_FILE_RUN_METADATA;
	return is_event_name(name) ? TF_FILE_EVENTS : TF_FILE_UNKNOWN;
}

/* A valid record, at the start or (with damage in front) anywhere. */
static bool is_event_file(struct tf_bytes c, const char *name)
{
	struct tf_record_reader r = {.content = c};
	struct tf_record rec = tf_record_next(&r);

	if (rec.kind == TF_RECORD_DATA || rec.kind == TF_RECORD_BAD_DATA)
		return true;
	if (!is_event_name(name))
		return false;
	while (rec.kind != TF_RECORD_END && rec.kind != TF_RECORD_DATA)
		rec = tf_record_next(&r);
	return rec.kind == TF_RECORD_DATA || (c.len >= 12 && c.data[0] != '<' && r.content.len == c.len && rec.offset == 0);
}

/* The fields are those of a plane, a last one that is cut included. */
static bool is_plane(struct tf_wire *p)
{
	struct tf_field g = {.number = 1, .type = TF_WIRE_VARINT};
	bool more;

	do {
		more = tf_wire_next(p, &g);
		if (g.number > 6 || (g.number >= 2 && g.type != TF_WIRE_BYTES) || (g.number == 1 && g.type != TF_WIRE_VARINT))
			return false;
	} while (more);
	return true;
}

/* An XSpace: its fields are 1 to 4, all bytes, and its first plane has a name. It may be cut. */
static bool is_xspace(struct tf_bytes c)
{
	struct tf_wire w = tf_wire_of(c);
	struct tf_field f;
	int planes = 0;

	while (planes < 3 && tf_wire_next(&w, &f)) {
		if (f.number == 0 || f.number > 4 || f.type != TF_WIRE_BYTES)
			return false;
		if (f.number != 1)
			continue;
		struct tf_wire p = tf_wire_of(f.bytes);
		if (!is_plane(&p) || p.fault)
			return false;
		planes++;
	}
	if (planes)
		return true;
	/* Cut inside the first plane: what is there must begin like one. */
	uint64_t key, len;
	if (w.fault != TF_WIRE_TRUNCATED || c.len <= 4 || c.data[0] != 0x0a || !tf_wire_varint(&w, &key) || !tf_wire_varint(&w, &len))
		return false;
	w.fault = TF_WIRE_FINE;
	return is_plane(&w) && (w.fault == TF_WIRE_FINE || w.fault == TF_WIRE_TRUNCATED);
}

static const uint8_t *find(struct tf_bytes c, size_t within, const char *text)
{
	size_t n = strlen(text), end = c.len < within ? c.len : within;

	for (size_t i = 0; i + n <= end; i++)
		if (c.data[i] == (uint8_t)*text && memcmp(c.data + i, text, n) == 0)
			return c.data + i;
	return NULL;
}

/* What XProf keeps beside a capture for itself. Their formats change with its version. */
static bool is_xprof_cache(const char *path)
{
	static const char *const suffixes[] = {".op_stats.pb", ".op_stats_v2.pb", ".SSTABLE", ".cached_tools.json",
					       ".dcn_collective_stats.pb", ".smart_suggestion.pb"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
		if (ends(name, suffixes[i]))
			return true;
	return strncmp(name, "ALL_HOSTS.", 10) == 0 || strcmp(name, "cache_version.txt") == 0;
}

/* Tables and trees that XProf's pages show: overview, input pipeline, op profile, memory viewer, pod viewer. */
static bool is_viewer_json(struct tf_bytes c)
{
	static const char *const marks[] = {"\"cols\"", "\"byCategory\"", "\"byProgram\"", "\"hloModule\"", "\"totalBufferAllocationMib\"",
					    "\"podStatsSequence\"", "\"hloInfoMap\""};

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (find(c, 4096, marks[i]))
			return true;
	return false;
}

static enum tf_file_kind json_kind(struct tf_bytes c)
{
	size_t i = 0;

	while (i < c.len && strchr(" \t\r\n", c.data[i]) && c.data[i])
		i++;
	if (i == c.len || (c.data[i] != '{' && c.data[i] != '['))
		return TF_FILE_UNKNOWN;
	if (find(c, 1 << 20, "\"memoryProfilePerAllocator\""))
		return TF_FILE_MEMORY_JSON;
	if (find(c, 1 << 20, "\"traceEvents\"") || (c.data[i] == '[' && find(c, 4096, "\"ph\"")))
		return TF_FILE_TRACE_JSON;
	return is_viewer_json(c) ? TF_FILE_VIEWER_JSON : TF_FILE_UNKNOWN;
}

/* All of the message's fields can be read, as far as it is at hand. */
static bool is_message(struct tf_bytes c, bool whole)
{
	struct tf_wire w = tf_wire_of(c);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		;
	return c.len > 0 && (w.fault == TF_WIRE_FINE || (!whole && w.fault == TF_WIRE_TRUNCATED));
}

/* A pprof profile: its first field is a sample type of two small numbers, and a string table follows. */
static bool is_pprof(struct tf_bytes c)
{
	struct tf_wire w = tf_wire_of(c);
	struct tf_field f;
	bool types = false, strings = false;

	while (tf_wire_next(&w, &f)) {
		if (f.number > 15)
			return false;
		types |= f.number == 1 && f.type == TF_WIRE_BYTES && f.bytes.len <= 22;
		strings |= f.number == 6 && f.type == TF_WIRE_BYTES;
	}
	return w.fault == TF_WIRE_FINE && types && strings;
}

enum tf_file_kind tf_sniff(struct tf_bytes c, bool whole, const char *name)
{
	enum tf_file_kind named = tf_sniff_name(name), json;

	if (is_xprof_cache(name))
		return TF_FILE_XPROF_CACHE;
	if (c.len == 0)
		return named;
	if (tf_is_archive(c))
		return TF_FILE_ARCHIVE;
	if (is_event_file(c, name))
		return named == TF_FILE_PROFILE_EMPTY && c.len < 256 ? TF_FILE_PROFILE_EMPTY : TF_FILE_EVENTS;
	json = json_kind(c);
	if (json != TF_FILE_UNKNOWN)
		return json;
	if ((named == TF_FILE_UNKNOWN || named == TF_FILE_RUN_METADATA) && tf_is_step_stats(c))
		return TF_FILE_RUN_METADATA;
	if (named >= TF_FILE_MEMORY_PB && named <= TF_FILE_HLO_PROTO)
		return is_message(c, whole) ? named : TF_FILE_UNKNOWN;
	if (is_pprof(c))
		return TF_FILE_PPROF;
	return is_xspace(c) ? TF_FILE_XSPACE : TF_FILE_UNKNOWN;
}
