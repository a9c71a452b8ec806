/* The progress bar. */
#include "lib/base/progress.h"

#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

void tf_progress_init(struct tf_progress *p, FILE *to, enum tf_progress_mode mode, uint64_t total_bytes)
{
	*p = (struct tf_progress){.total_bytes = total_bytes, .always = mode == TF_PROGRESS_ALWAYS};
	p->begin_ns = now_ns();
	if (to && (p->always || (mode == TF_PROGRESS_AUTO && isatty(fileno(to)))))
		p->to = to;
}

void tf_progress_update(struct tf_progress *p, uint64_t done_bytes, const char *what)
{
	int64_t now;

	if (!p->to)
		return;
	now = now_ns();
	if (!p->always && (now - p->begin_ns < SECOND_NS || now - p->last_ns < SECOND_NS / 10))
		return;
	double seconds = (double)(now - p->begin_ns) / 1e9, rate = seconds > 0 ? (double)done_bytes / seconds : 0;
	double left = rate > 0 ? (double)(p->total_bytes - done_bytes) / rate : 0;
	fprintf(p->to, "\r%3.0f%%  %.1f of %.1f MB  %.1f MB/s  %.0f s left  %.40s\033[K",
		p->total_bytes ? 100.0 * (double)done_bytes / (double)p->total_bytes : 0, (double)done_bytes / 1e6,
		(double)p->total_bytes / 1e6, rate / 1e6, left, what);
	fflush(p->to);
	p->last_ns = now;
	p->drawn = true;
}

void tf_progress_end(struct tf_progress *p)
{
	if (p->to && p->drawn)
		fprintf(p->to, "\r\033[K");
	p->to = NULL;
}
