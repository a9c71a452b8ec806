/* Run, session and host from a path. */
#include "lib/io/naming.h"

#include <string.h>

static const char marker[] = "plugins/profile/";

/* The file's name without compression and profile extensions; dots of the host stay. Of an event file: its time and host. */
static char *stem(struct tf_arena *a, const char *name)
{
	static const char events[] = "tfevents.";
	const char *event_file = strstr(name, events);
	static const char *const extensions[] = {
		".gz", ".zst", ".xplane.pb", ".trace.json", ".memory_profile.json", ".memory_profile.pb", ".overview_page.pb",
		".input_pipeline.pb", ".tensorflow_stats.pb", ".kernel_stats.pb", ".hlo_proto.pb", ".trace", ".pb", ".json", ".prof"};
	static const char *const tools[] = {"xplane", "trace", "memory_profile", "overview_page", "input_pipeline", "tensorflow_stats",
					    "kernel_stats"};
	if (event_file && event_file[sizeof events - 1])
		name = event_file + sizeof events - 1;
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
		size_t n = strlen(extensions[i]);
		if (len >= n && memcmp(name + len - n, extensions[i], n) == 0) {
			len -= n;
			if (i > 1)
				break;
		}
	}
	/* "xplane.pb": the file is named by its tool alone. */
	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
		if (len == strlen(tools[i]) && memcmp(name, tools[i], len) == 0)
			len = 0;
	if (len == 0)
		return tf_arena_strdup(a, "localhost");
	return tf_arena_strndup(a, name, len);
}

/* Where "plugins/profile/" begins a path component, the last one; NULL if nowhere. */
static const char *find_marker(const char *path)
{
	const char *found = NULL;

	for (const char *p = path; (p = strstr(p, marker)); p++)
		if (p == path || p[-1] == '/')
			found = p;
	return found;
}

static char *join_run(struct tf_arena *a, const char *prefix, const char *run, size_t len)
{
	while (len && run[len - 1] == '/')
		len--;
	if (prefix && *prefix)
		return len ? tf_arena_printf(a, "%s/%.*s", prefix, (int)len, run) : tf_arena_strdup(a, prefix);
	return len ? tf_arena_strndup(a, run, len) : tf_arena_strdup(a, ".");
}

/* The name of the folder that a path's last part lies in; "." if the path has none. */
static char *parent_name(struct tf_arena *a, const char *full, const char *name)
{
	const char *end = name, *begin;

	while (end > full && end[-1] == '/')
		end--;
	for (begin = end; begin > full && begin[-1] != '/'; begin--)
		;
	return end > begin ? tf_arena_strndup(a, begin, (size_t)(end - begin)) : tf_arena_strdup(a, ".");
}

int tf_name_file(struct tf_arena *a, const char *full, const char *relative, int from_file, const char *prefix,
		 struct tf_names *out, struct tf_error *err)
{
	const char *in_relative = find_marker(relative), *in_full = find_marker(full);
	const char *slash = strrchr(relative, '/'), *name = strrchr(full, '/');

	name = name ? name + 1 : full;
	out->host = stem(a, name);
	if (in_full) {
		const char *session = in_full + strlen(marker), *end = strchr(session, '/');
		out->session = end ? tf_arena_strndup(a, session, (size_t)(end - session)) : out->host;
	} else {
		out->session = out->host;
	}
	out->program_session = in_full && out->session != out->host ? out->session : parent_name(a, full, name);
	out->folder = in_full && from_file ? NULL : join_run(a, prefix, relative, slash && !from_file ? (size_t)(slash - relative) : 0);
	if (in_relative && !from_file) {
		out->run = join_run(a, prefix, relative, (size_t)(in_relative - relative));
	} else if (in_full) {
		/* PATH lies at or below plugins/profile, or is the file: the folder that holds plugins names the run. */
		size_t end = (size_t)(in_full - full), begin;
		while (end && full[end - 1] == '/')
			end--;
		for (begin = end; begin && full[begin - 1] != '/'; begin--)
			;
		out->run = join_run(a, prefix, full + begin, end - begin);
	} else {
		out->run = out->folder;
	}
	if (in_full && from_file)
		out->folder = out->run;
	return out->run && out->folder && out->session && out->program_session && out->host ? 0 : tf_fail_nomem(err);
}
