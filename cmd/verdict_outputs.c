/* Writing a verdict to all places that were asked for. */
#include "cmd/verdict_outputs.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/output.h"
#include "lib/render/render.h"

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

int tf_verdict_outputs_check(const struct tf_verdict_outputs *o, struct tf_error *err)
{
	const struct {
		bool there;
		const char *option;
	} documents[] = {{o->json, "--json"}, {o->github, "--github"}, {is_stdout(o->junit), "--junit -"},
			 {is_stdout(o->sarif), "--sarif -"}, {is_stdout(o->md), "--md -"}};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
		if (documents[i].there && first)
			return tf_fail(err, TF_EUSAGE, "both '%s' and '%s' write to stdout", first, documents[i].option);
		if (documents[i].there)
			first = documents[i].option;
	}
	return 0;
}

typedef int render_verdict(FILE *to, const struct tf_verdict *v, struct tf_error *err);

static int write_file(const char *path, render_verdict *render, const struct tf_verdict *v, struct tf_error *err)
{
	FILE *to = tf_output_open(path, err);
	return to ? tf_output_close(to, path, render(to, v, err), err) : -1;
}

/* What steps before this one left in the summary stays. */
static int add_summary(const struct tf_verdict *v, struct tf_error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *to = path && *path ? fopen(path, "a") : NULL;

	if (!path || !*path)
		return 0;
	if (!to)
		return tf_fail_errno(err, TF_ESYSTEM, "cannot write '%s'", path);
	return tf_output_close(to, path, tf_render_check_md(to, v, err), err);
}

int tf_verdict_write(const struct tf_verdict_outputs *o, const struct tf_verdict *v, struct tf_error *err)
{
	const struct {
		const char *path;
		render_verdict *render;
	} files[] = {{o->junit, tf_render_check_junit}, {o->sarif, tf_render_check_sarif}, {o->md, tf_render_check_md}};
	bool taken = false;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		taken |= is_stdout(files[i].path);
		if (files[i].path && write_file(files[i].path, files[i].render, v, err) < 0)
			return -1;
	}
	if (taken)
		return 0;
	if (o->github && (add_summary(v, err) < 0 || tf_render_check_github(stdout, v, err) < 0))
		return -1;
	return (o->json ? tf_render_check_json : tf_render_check_text)(stdout, v, err);
}
