/* The report for a person: 100 columns, the verdict first. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/op_tails.h"
#include "lib/analyze/xla_memory.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

enum { WIDTH = 100, ROWS = 10 };

struct page {
	FILE *to;
	const struct tf_session *s;
	const struct tf_report_options *o;
};

static bool wanted(const struct page *p, const char *section)
{
	if (!p->o->sections || !p->o->sections[0])
		return true;
	for (size_t i = 0; p->o->sections[i]; i++)
		if (strcmp(p->o->sections[i], section) == 0)
			return true;
	return false;
}

static double value(const struct page *p, const char *name)
{
	const struct tf_metric *m = tf_metric_find(p->s, name);
	return m && m->known ? m->value : NAN;
}

static const char *reason(const struct page *p, const char *name)
{
	const struct tf_metric *m = tf_metric_find(p->s, name);
	return m && m->reason ? m->reason : "unknown";
}

static size_t rows(const struct page *p, size_t n)
{
	size_t most = p->o->top ? p->o->top : ROWS;
	return n < most ? n : most;
}

static void heading(const struct page *p, const char *text)
{
	fprintf(p->to, p->o->color ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

static void put_bytes(FILE *to, int64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double n = (double)bytes;
	int unit = 0;

	if (bytes == TF_NONE) {
		fprintf(to, "%12s", "-");
		return;
	}
	while (fabs(n) >= 1024 && unit < 4) {
		n /= 1024;
		unit++;
	}
	fprintf(to, unit ? "%8.2f %-3s" : "%8.0f %-3s", n, units[unit]);
}

static bool memory_grows(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].memory_count; k++)
			if (s->hosts[i].memory[k].growth_count > 0)
				return true;
	return false;
}

/* What is wrong, in sentences, on one line; nothing where nothing is known to be. */
static void put_verdict(const struct page *p)
{
	double share = value(p, "input.share"), exposed = value(p, "input.exposed_share");
	double idle = value(p, "device.idle_ratio.mean");
	static const char *const verdicts[] = {"", "Not input-bound", "Moderately input-bound", "Highly input-bound"};
	const char *gap = "";

	if (!isnan(exposed)) {
		fprintf(p->to, isnan(share) ? "%s: %.1f %% of a step goes to input." : "%s: %.1f %% of a step waits for input.",
			verdicts[tf_input_classify(exposed)], 100 * (isnan(share) ? exposed : share));
		gap = " ";
	}
	if (!isnan(idle)) {
		fprintf(p->to, "%sDevices are idle %.1f %%.", gap, 100 * idle);
		gap = " ";
	}
	if (memory_grows(p->s)) {
		fprintf(p->to, "%sMemory grows from step to step.", gap);
		gap = " ";
	}
	if (p->s->host_count && !p->s->complete) {
		fprintf(p->to, "%sThe capture is incomplete.", gap);
		gap = " ";
	}
	if (*gap)
		fputc('\n', p->to);
}

static void put_session(const struct page *p)
{
	double step = value(p, "step_time_ms.mean");

	if (!p->s->name || strcmp(p->s->run, ".") != 0)
		tf_put_text(p->to, p->s->run, SIZE_MAX);
	if (!p->s->name) {
		fputs(": no profile, scalars only.\n", p->to);
		return;
	}
	if (strcmp(p->s->run, ".") != 0)
		fputc('/', p->to);
	tf_put_text(p->to, p->s->name, SIZE_MAX);
	if (!p->s->host_count && p->s->xla_count)
		fputs(": programs of XLA, no capture.\n", p->to);
	else if (isnan(step))
		fprintf(p->to, ": the step time is unknown (%s).\n", reason(p, "step_time_ms.mean"));
	else
		fprintf(p->to, ": a step takes %.3f ms over %.0f steady steps.\n", step, value(p, "steps.steady_count"));
}

static void put_parts(const struct page *p)
{
	double step = value(p, "step_time_ms.mean");

	if (isnan(step) || !wanted(p, "steps"))
		return;
	heading(p, "Where a step goes (mean of the steady steps)");
	for (enum tf_part part = 0; part < TF_PART_COUNT; part++) {
		char name[64];
		snprintf(name, sizeof name, "step_breakdown_ms.%s", tf_part_name(part));
		double ms = value(p, name);
		if (isnan(ms) || (ms == 0 && part != TF_PART_INPUT_WAIT && part != TF_PART_OTHER))
			continue;
		int bar = step > 0 ? (int)(ms / step * 50 + 0.5) : 0;
		fprintf(p->to, "  %-20s %12.3f ms %6.1f %%%s%.*s\n", tf_part_name(part), ms, step > 0 ? 100 * ms / step : 0,
			bar ? "  " : "", bar, "##################################################");
	}
	fprintf(p->to, "  %-20s %12.3f ms\n", "step", step);
	fprintf(p->to, "    median %.3f, p95 %.3f, min %.3f, max %.3f, stddev %.3f\n", value(p, "step_time_ms.median"),
		value(p, "step_time_ms.p95"), value(p, "step_time_ms.min"), value(p, "step_time_ms.max"),
		value(p, "step_time_ms.stddev"));
}

static void put_step_list(const struct page *p)
{
	if (!p->o->has_steps || !wanted(p, "steps"))
		return;
	heading(p, "Steps");
	fprintf(p->to, "  %8s %14s %14s %14s %s\n", "number", "start ms", "step ms", "input ms", "flags");
	for (size_t i = 0; i < p->s->host_count; i++)
		for (size_t k = 0; k < p->s->hosts[i].steps.count; k++) {
			const struct tf_step *s = &p->s->hosts[i].steps.list[k];
			if (s->number < p->o->step_first || s->number > p->o->step_last)
				continue;
			fprintf(p->to, "  %8lld %14.3f %14.3f ", (long long)s->number, (double)s->start_ps / 1e9,
				(double)s->step_ps / 1e9);
			if (s->input_ps == TF_NONE)
				fprintf(p->to, "%14s", "-");
			else
				fprintf(p->to, "%14.3f", (double)s->input_ps / 1e9);
			fprintf(p->to, "%s%s\n", s->complete ? "" : " cut", s->warmup ? " warm-up" : "");
		}
}

/* "0.4/8": elements in a stage's buffer when a call came, on average, and what it may hold. */
static void put_buffer(FILE *to, const struct tf_stage *g)
{
	char text[64] = "-", limit[32] = "";

	if (!isnan(g->buffer_limit))
		snprintf(limit, sizeof limit, "/%.0f", g->buffer_limit);
	if (!isnan(g->buffered_elements))
		snprintf(text, sizeof text, g->buffered_elements < 1000 ? "%.1f%s" : "%.0f%s", g->buffered_elements, limit);
	fprintf(to, " %13s", text);
}

static void put_stage(FILE *to, const struct tf_stage *g)
{
	fputs(g->bottleneck ? "* " : "  ", to);
	tf_put_padded(to, g->long_name, 46);
	fprintf(to, " %7lld %11.3f %11.3f", (long long)g->calls, (double)g->total_ps / 1e9, (double)g->self_ps / 1e9);
	put_buffer(to, g);
	if (isnan(g->parallelism))
		fprintf(to, " %5s\n", "-");
	else
		fprintf(to, " %5.4g\n", g->parallelism);
}

/* "  share 57.8 %, exposed 57.8 %, 16.933 ms a step", of which some may be unknown. */
static void put_shares(const struct page *p)
{
	double share = value(p, "input.share"), exposed = value(p, "input.exposed_share"), wait = value(p, "input.wait_ms_per_step");

	if (!isnan(share))
		fprintf(p->to, "  share %.1f %%", 100 * share);
	if (!isnan(exposed))
		fprintf(p->to, "%s %.1f %%", isnan(share) ? "  exposed" : ", exposed", 100 * exposed);
	if (!isnan(wait))
		fprintf(p->to, "%s%.3f ms a step", isnan(share) && isnan(exposed) ? "  " : ", ", wait);
	fputc('\n', p->to);
}

static void put_input(const struct page *p)
{
	bool head = false, bottleneck = false;

	if (!wanted(p, "input") || (isnan(value(p, "input.share")) && isnan(value(p, "input.exposed_share"))))
		return;
	heading(p, "Input");
	put_shares(p);
	if (!isnan(value(p, "iterator_get_next.count")))
		fprintf(p->to, "  %.0f calls of GetNext, mean %.3f ms, slowest %.3f ms\n", value(p, "iterator_get_next.count"),
			value(p, "iterator_get_next.mean_ms"), value(p, "iterator_get_next.max_ms"));
	for (size_t i = 0; i < p->s->host_count; i++)
		for (size_t k = 0; k < rows(p, p->s->hosts[i].input.stage_count); k++) {
			const struct tf_stage *g = &p->s->hosts[i].input.stages[k];
			if (!head)
				fprintf(p->to, "  %-46s %7s %11s %11s %13s %5s\n", "stage", "calls", "total ms", "self ms", "buffered",
					"tasks");
			head = true;
			bottleneck |= g->bottleneck;
			put_stage(p->to, g);
		}
	if (bottleneck)
		fputs("  * holds its pipeline's slowest call up most\n", p->to);
}

static void put_gap(FILE *to, const struct tf_gap *g)
{
	fprintf(to, "    longest gap %.3f ms, after '", (double)g->dur_ps / 1e9);
	tf_put_text(to, g->before, 25);
	fputs("', host: '", to);
	tf_put_text(to, g->host_event, 25);
	fputs("'\n", to);
}

static void put_devices(const struct page *p)
{
	bool any = false;

	for (size_t i = 0; i < p->s->host_count; i++)
		any |= p->s->hosts[i].device_count > 0;
	if (!any || !wanted(p, "devices"))
		return;
	heading(p, "Devices");
	fprintf(p->to, "  %-24s %12s %12s %8s %8s %8s %8s\n", "device", "window ms", "busy ms", "idle", "kernels", "copies", "comm");
	for (size_t i = 0; i < p->s->host_count; i++)
		for (size_t k = 0; k < p->s->hosts[i].device_count; k++) {
			const struct tf_device *d = &p->s->hosts[i].devices[k];
			fputs("  ", p->to);
			tf_put_padded(p->to, d->name, 24);
			if (isnan(d->idle_ratio)) {
				fprintf(p->to, " %s\n", d->reason ? d->reason : "unknown");
				continue;
			}
			double w = (double)d->window_ps / 100;
			fprintf(p->to, " %12.3f %12.3f %6.1f %% %6.1f %% %6.1f %% %6.1f %%\n", (double)d->window_ps / 1e9,
				(double)d->busy_ps / 1e9, 100 * d->idle_ratio, (double)d->kernel_ps / w,
				(double)d->memcpy_ps / w, (double)d->comm_ps / w);
			if (d->gap_count)
				put_gap(p->to, &d->gaps[0]);
		}
}

static void put_allocator(const struct page *p, const struct tf_allocator *m)
{
	fputs("  ", p->to);
	tf_put_text(p->to, m->name, 25);
	fputs(": peak", p->to);
	put_bytes(p->to, m->peak_bytes);
	if (m->peak_bytes != TF_NONE)
		fprintf(p->to, " at %.3f ms", (double)m->peak_ps / 1e9);
	if (m->peak_step_number != TF_NONE)
		fprintf(p->to, " in step %lld", (long long)m->peak_step_number);
	fputs(", capacity", p->to);
	put_bytes(p->to, m->capacity_bytes);
	fputc('\n', p->to);
	for (size_t i = 0; i < rows(p, m->at_peak_count); i++) {
		const struct tf_tensor_group *g = &m->at_peak[i];
		char shape[64];
		snprintf(shape, sizeof shape, "%s %s", g->dtype ? g->dtype : "-", g->shape ? g->shape : "");
		fputs("    ", p->to);
		put_bytes(p->to, g->bytes);
		fprintf(p->to, " %5lld x  ", (long long)g->count);
		tf_put_padded(p->to, shape, 26);
		fputs("  ", p->to);
		tf_put_text(p->to, g->op, 46);
		fputc('\n', p->to);
	}
	for (size_t i = 0; i < m->growth_count; i++) {
		const struct tf_growth *g = &m->growth[i];
		fputs("    grows by", p->to);
		put_bytes(p->to, g->bytes_per_step);
		fprintf(p->to, " a step over %lld steps: ", (long long)g->step_count);
		tf_put_text(p->to, g->op ? g->op : "the allocator as a whole", 30);
		if (g->shape) {
			fputc(' ', p->to);
			tf_put_text(p->to, g->shape, 20);
		}
		fputc('\n', p->to);
	}
}

static void put_memory(const struct page *p)
{
	bool any = false;

	for (size_t i = 0; i < p->s->host_count && wanted(p, "memory"); i++)
		for (size_t k = 0; k < p->s->hosts[i].memory_count; k++) {
			if (!any)
				heading(p, "Memory");
			any = true;
			put_allocator(p, &p->s->hosts[i].memory[k]);
		}
}

static void put_xla_buffers(const struct page *p, const struct tf_xla_module *m)
{
	fputs("  at the peak of ", p->to);
	tf_put_text(p->to, m->name, 70);
	fputs(":\n", p->to);
	for (size_t k = 0; k < rows(p, m->buffer_count); k++) {
		const struct tf_xla_buffer *b = &m->buffers[k];
		fputs("    ", p->to);
		put_bytes(p->to, b->bytes);
		fprintf(p->to, "  %-12s  ", tf_xla_category_name(b->category));
		tf_put_padded(p->to, b->shape ? b->shape : "-", 26);
		fputs("  ", p->to);
		tf_put_text(p->to, b->op ? b->op : b->instruction ? b->instruction : "-", 38);
		fputc('\n', p->to);
	}
}

/* The XLA programs that need most memory, and what lives at the peak of the first. */
static void put_xla(const struct page *p)
{
	if (!p->s->xla_count || p->s->xla[0].peak_bytes == TF_NONE || !wanted(p, "memory"))
		return;
	heading(p, "Memory that XLA programs plan");
	fputs("          peak  temporaries  program\n", p->to);
	for (size_t i = 0; i < rows(p, p->s->xla_count) && p->s->xla[i].peak_bytes != TF_NONE; i++) {
		const struct tf_xla_module *m = &p->s->xla[i];
		fputs("  ", p->to);
		put_bytes(p->to, m->peak_bytes);
		fputc(' ', p->to);
		put_bytes(p->to, m->heap_bytes);
		fputs("  ", p->to);
		tf_put_text(p->to, m->name, 70);
		fputc('\n', p->to);
	}
	put_xla_buffers(p, &p->s->xla[0]);
}

static void put_tables(const struct page *p)
{
	for (size_t i = 0; i < p->s->host_count; i++) {
		const struct tf_host *h = &p->s->hosts[i];
		if (h->op_count && wanted(p, "ops")) {
			heading(p, "Ops by self time");
			fprintf(p->to, "  %-6s %-56s %9s %11s %11s\n", "side", "op", "count", "self ms", "total ms");
			for (size_t k = 0; k < rows(p, h->op_count); k++) {
				const struct tf_op *o = &h->ops[k];
				fprintf(p->to, "  %-6s ", o->side);
				tf_put_padded(p->to, o->name, 56);
				fprintf(p->to, " %9lld %11.3f %11.3f\n", (long long)o->count, (double)o->self_ps / 1e9,
					(double)o->total_ps / 1e9);
			}
		}
		if (h->kernel_count && wanted(p, "kernels")) {
			heading(p, "Kernels by total time");
			fprintf(p->to, "  %-51s %9s %11s %11s\n", "kernel", "count", "total ms", "mean us");
			for (size_t k = 0; k < rows(p, h->kernel_count); k++) {
				const struct tf_kernel *n = &h->kernels[k];
				fputs("  ", p->to);
				tf_put_padded(p->to, n->name, 51);
				fprintf(p->to, " %9lld %11.3f %11.3f%s\n", (long long)n->count, (double)n->total_ps / 1e9,
					(double)n->total_ps / (double)n->count / 1e6, n->tensor_core ? "  tensor core" : "");
			}
		}
	}
}

/* Ops of which some executions take far longer than most. */
static int put_long_tails(const struct page *p, struct tf_error *err)
{
	struct tf_arena a = {0};
	size_t count;
	const struct tf_tail *list = tf_long_tails(p->s, &a, &count, err);

	if (count && wanted(p, "ops")) {
		heading(p, "Ops with a long tail");
		fprintf(p->to, "  %-34s %7s %10s %10s %10s %10s %9s\n", "op", "count", "median us", "p99 us", "worst us", "at ms",
			"excess ms");
		for (size_t i = 0; i < rows(p, count); i++) {
			const struct tf_op *o = list[i].op;
			fputs("  ", p->to);
			tf_put_padded(p->to, o->name, 34);
			fprintf(p->to, " %7lld %10.1f %10.1f %10.1f %10.3f %9.3f\n", (long long)o->count, (double)o->p50_ps / 1e6,
				(double)o->p99_ps / 1e6, (double)o->max_ps / 1e6, (double)o->max_start_ps / 1e9,
				(double)tf_op_excess_ps(o) / 1e9);
		}
	}
	tf_arena_release(&a);
	return list ? 0 : -1;
}

/* A number with a space in front; "-" for NaN. */
static void put_number(FILE *to, int width, double x)
{
	if (isnan(x))
		fprintf(to, " %*s", width, "-");
	else
		fprintf(to, " %*.3f", width, x);
}

static int put_hosts(const struct page *p, struct tf_error *err)
{
	struct tf_arena a = {0};
	const struct tf_host_standing *list = tf_compare_hosts(p->s, &a, err);

	if (list && p->s->host_count > 1 && wanted(p, "hosts")) {
		heading(p, "Hosts");
		fprintf(p->to, "  %-48s %12s %22s\n", "host", "step ms", "steps begin later ms");
		for (size_t i = 0; i < p->s->host_count; i++) {
			fputs("  ", p->to);
			tf_put_padded(p->to, p->s->hosts[i].name, 48);
			put_number(p->to, 12, list[i].step_ps / 1e9);
			put_number(p->to, 22, list[i].offset_ps == TF_NONE ? NAN : (double)list[i].offset_ps / 1e9);
			fputs(list[i].straggler ? "  straggler\n" : "\n", p->to);
		}
	}
	tf_arena_release(&a);
	return list ? 0 : -1;
}

/* Words of printable text in lines of WIDTH columns. */
static void put_words(FILE *to, const char *text)
{
	int column = 0;

	while (*text) {
		int len = (int)strcspn(text, " ");
		if (column == 0 || column + 1 + len > WIDTH)
			column = fprintf(to, column ? "\n    " : "  ") - (column ? 1 : 0);
		else
			column += fprintf(to, " ");
		column += fprintf(to, "%.*s", len, text);
		text += len + (text[len] == ' ');
	}
	fputc('\n', to);
}

static int put_wrapped(FILE *to, const char *text, struct tf_error *err)
{
	char *copy = strdup(text);

	if (!copy)
		return tf_fail_nomem(err);
	tf_make_printable(copy, strlen(copy));
	put_words(to, copy);
	free(copy);
	return 0;
}

/* The length of the group in a metric's name, its dot included: "step_time_ms.mean" is one of "step_time_ms."; 0: no group. */
static size_t group_len(const char *name)
{
	size_t len = strcspn(name, ".[");
	return name[len] == '.' ? len + 1 : 0;
}

static bool lacks(const struct tf_metric *m, const char *why)
{
	return !m->known && !m->host && strcmp(m->reason, why) == 0;
}

/* True if a metric's whole group is unknown for one reason. */
static bool lacks_group(const struct tf_session *s, const struct tf_metric *m)
{
	size_t len = group_len(m->name), count = 0;

	for (size_t i = 0; i < s->metric_count && len; i++) {
		const struct tf_metric *n = &s->metrics[i];
		if (n->host || strncmp(n->name, m->name, len) != 0)
			continue;
		if (!lacks(n, m->reason))
			return false;
		count++;
	}
	return count > 1;
}

/* The names that lack for a reason, a group without any figure as "group.*". The groups lie together. */
static void put_lacking(const struct page *p, size_t first)
{
	const char *why = p->s->metrics[first].reason, *group = NULL;
	int column = fprintf(p->to, "  %s:", why);

	for (size_t i = first; i < p->s->metric_count; i++) {
		const struct tf_metric *m = &p->s->metrics[i];
		size_t len = group_len(m->name);
		if (!lacks(m, why) || (group && len && strncmp(group, m->name, len) == 0))
			continue;
		group = lacks_group(p->s, m) ? m->name : NULL;
		size_t width = group ? len + 1 : strlen(m->name);
		if (column + 1 + (int)width > WIDTH)
			column = fprintf(p->to, "\n    ") - 1;
		fputc(' ', p->to);
		column += 1 + (int)(group ? fprintf(p->to, "%.*s*", (int)len, group) : (int)tf_put_text(p->to, m->name, WIDTH));
	}
	fputc('\n', p->to);
}

/* Unknown figures by their reason, each reason once. */
static int put_missing(const struct page *p, struct tf_error *err)
{
	bool head = false;

	for (size_t i = 0; i < p->s->metric_count && wanted(p, "metrics"); i++) {
		const struct tf_metric *m = &p->s->metrics[i];
		bool told = m->known || m->host;
		for (size_t k = 0; k < i && !told; k++)
			told = lacks(&p->s->metrics[k], m->reason);
		if (told)
			continue;
		if (!head)
			heading(p, "What is missing, and why");
		head = true;
		put_lacking(p, i);
	}
	const char *looked_for = p->s->host_count ? p->s->hosts[0].steps.looked_for : NULL;
	return looked_for ? put_wrapped(p->to, looked_for, err) : 0;
}

static int put_issues(const struct page *p, struct tf_error *err)
{
	if (p->s->issue_count)
		heading(p, "Issues");
	for (size_t i = 0; i < p->s->issue_count; i++) {
		struct tf_buf line = {0};
		tf_buf_printf(&line, "%s: %s", p->s->issues[i].code, p->s->issues[i].message);
		int rc = line.failed ? tf_fail_nomem(err) : put_wrapped(p->to, line.data, err);
		tf_buf_release(&line);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static void put_scalars(const struct page *p)
{
	if (!p->s->scalar_count || !wanted(p, "metrics"))
		return;
	heading(p, "Scalars of the run");
	fprintf(p->to, "  %-46s %9s %12s %12s %12s\n", "tag", "points", "last", "min", "max");
	for (size_t i = 0; i < rows(p, p->s->scalar_count); i++) {
		const struct tf_scalar_series *t = &p->s->scalars[i];
		fputs("  ", p->to);
		tf_put_padded(p->to, t->tag, 46);
		fprintf(p->to, " %9lld %12.6g %12.6g %12.6g\n", (long long)t->count, t->last, t->min, t->max);
	}
}

int tf_render_report_text(FILE *to, const struct tf_session *s, const struct tf_report_options *o, struct tf_error *err)
{
	struct page p = {to, s, o};

	put_verdict(&p);
	put_session(&p);
	put_parts(&p);
	put_step_list(&p);
	put_input(&p);
	put_devices(&p);
	put_memory(&p);
	put_xla(&p);
	put_tables(&p);
	if (put_long_tails(&p, err) < 0 || put_hosts(&p, err) < 0)
		return -1;
	put_scalars(&p);
	if ((s->name && put_missing(&p, err) < 0) || put_issues(&p, err) < 0)
		return -1;
	return fflush(to) == 0 && !ferror(to) ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}
