/*
 * What the gate found as SARIF 2.1.0 (OASIS), each check a result at the line of the configuration that asks for it; a rule of the
 * command line has no place. By §3.27.9 and §3.27.10 what does not fail has level "none".
 */
#include <string.h>

#include "lib/base/version.h"
#include "lib/render/check_words.h"
#include "lib/render/json_writer.h"
#include "lib/render/render.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* By enum tf_check_kind. */
static const struct {
	const char *id, *text;
} rules[] = {
	{"tfprof/max", "A metric is above its limit."},
	{"tfprof/min", "A metric is below its limit."},
	{"tfprof/regress", "A metric is worse than that of the baseline by more than its allowances."},
};

/* Braces in a message stand for arguments unless they are doubled (§3.11.5). */
static void put_message(struct tf_json *j, const char *key, const char *text)
{
	struct tf_buf doubled = {0};

	tf_buf_text(&doubled, "");
	for (; *text; text++)
		for (int times = *text == '{' || *text == '}' ? 2 : 1; times > 0; times--)
			tf_buf_char(&doubled, *text);
	tf_json_object(j, key);
	tf_json_text(j, "text", doubled.failed ? "" : doubled.data);
	tf_json_object_end(j);
	j->buf.failed |= doubled.failed;
	tf_buf_release(&doubled);
}

static void put_tool(struct tf_json *j)
{
	tf_json_object(j, "tool");
	tf_json_object(j, "driver");
	tf_json_text(j, "name", "tfprof");
	tf_json_text(j, "version", TF_VERSION);
	tf_json_list(j, "rules");
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "id", rules[i].id);
		put_message(j, "shortDescription", rules[i].text);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
	tf_json_object_end(j);
	tf_json_object_end(j);
}

/* A path as a URI (RFC 3986): a relative one is of the repository. */
static void put_location(struct tf_json *j, struct tf_buf *uri, const struct tf_place *place)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

	uri->len = 0;
	tf_buf_text(uri, *place->file == '/' ? "file://" : "");
	for (const char *p = place->file; *p; p++)
		if (strchr(plain, *p))
			tf_buf_char(uri, *p);
		else
			tf_buf_printf(uri, "%%%02X", (unsigned char)*p);
	tf_json_list(j, "locations");
	tf_json_object(j, NULL);
	tf_json_object(j, "physicalLocation");
	tf_json_object(j, "artifactLocation");
	tf_json_text(j, "uri", uri->failed ? "" : uri->data);
	if (*place->file != '/')
		tf_json_text(j, "uriBaseId", "%SRCROOT%");
	tf_json_object_end(j);
	tf_json_object(j, "region");
	tf_json_i64(j, "startLine", place->line);
	tf_json_object_end(j);
	tf_json_object_end(j);
	tf_json_object_end(j);
	tf_json_list_end(j);
}

/* A waiver is a suppression that lies outside the source. */
static void put_suppression(struct tf_json *j, const struct tf_check *c)
{
	tf_json_list(j, "suppressions");
	tf_json_object(j, NULL);
	tf_json_text(j, "kind", "external");
	tf_json_text(j, "status", "accepted");
	tf_json_text(j, "justification", c->detail);
	tf_json_object_end(j);
	tf_json_list_end(j);
}

static void put_result(struct tf_json *j, struct tf_buf *words, const struct tf_check *c, const struct tf_verdict *v)
{
	const char *const kinds[TF_VERDICT_KINDS] = {"pass", "fail", "fail", "notApplicable", "fail"};
	const char *const levels[TF_VERDICT_KINDS] = {"none", "error", v->lenient ? "note" : "warning", "none", "error"};

	tf_json_object(j, NULL);
	tf_json_text(j, "ruleId", rules[c->rule.kind].id);
	tf_json_i64(j, "ruleIndex", c->rule.kind);
	tf_json_text(j, "kind", kinds[c->verdict]);
	tf_json_text(j, "level", levels[c->verdict]);
	tf_check_describe(words, c, v->alpha);
	put_message(j, "message", words->failed ? "" : words->data);
	if (c->rule.place.file)
		put_location(j, words, &c->rule.place);
	tf_json_object(j, "partialFingerprints");
	tf_json_text(j, "tfprofMetric/v1", c->rule.metric);
	tf_json_object_end(j);
	if (c->verdict == TF_WAIVED)
		put_suppression(j, c);
	tf_json_object_end(j);
}

/* The verdict as a whole, and the waivers. */
static void put_invocation(struct tf_json *j, struct tf_buf *words, const struct tf_verdict *v)
{
	size_t count[3];

	tf_verdict_count_waivers(v, count);
	tf_json_list(j, "invocations");
	tf_json_object(j, NULL);
	tf_json_bool(j, "executionSuccessful", true);
	tf_json_object_end(j);
	tf_json_list_end(j);
	tf_json_object(j, "properties");
	tf_verdict_describe(words, v);
	tf_json_text(j, "verdict", words->failed ? "" : words->data);
	tf_json_i64(j, "waiversUsed", (int64_t)count[TF_WAIVER_USED]);
	tf_json_i64(j, "waiversExpired", (int64_t)count[TF_WAIVER_EXPIRED]);
	tf_json_i64(j, "waiversUnused", (int64_t)count[TF_WAIVER_UNUSED]);
	tf_json_object_end(j);
}

int tf_render_check_sarif(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_json j = {0};
	struct tf_buf words = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "$schema", SCHEMA);
	tf_json_text(&j, "version", "2.1.0");
	tf_json_list(&j, "runs");
	tf_json_object(&j, NULL);
	put_tool(&j);
	tf_json_list(&j, "results");
	for (size_t i = 0; i < v->check_count; i++)
		put_result(&j, &words, &v->checks[i], v);
	tf_json_list_end(&j);
	put_invocation(&j, &words, v);
	tf_json_object_end(&j);
	tf_json_list_end(&j);
	tf_json_object_end(&j);
	j.buf.failed |= words.failed;
	tf_buf_release(&words);
	return tf_json_finish(&j, to, err);
}
