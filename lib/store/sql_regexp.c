/*
 * regexp(): a regular expression becomes a small program whose states run side by side (Thompson), so time is linear in the text
 * and memory is fixed, whatever the pattern. The C library's regcomp() takes 3 s and 0.8 GB for "((a{255}){255}){60}", cannot be
 * stopped by the time limit of a query, and knows characters only in a locale.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/store/sql_functions.h"

enum { MOST_STATES = 2000, MOST_RANGES = 1000, MOST_DEPTH = 100, MOST_REPEATS = 255 };

enum op { ANY, SET, NOT_SET, SPLIT, JUMP, BEGIN, END, EDGE, NOT_EDGE, MATCH };

/* x and y: of SPLIT and JUMP relative targets, of sets the first range and their count. */
struct state {
	enum op op;
	int x, y;
};

struct program {
	struct state code[MOST_STATES];
	uint32_t ranges[MOST_RANGES][2];
	int length, range_count, depth;
	const unsigned char *at, *end;
	const char *error;
};

/* The next character of UTF-8; a byte that is none stands for itself. */
static uint32_t take_char(const unsigned char **at, const unsigned char *end)
{
	uint32_t c = *(*at)++;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if (!more || end - *at < more)
		return c;
	uint32_t whole = c & (0x3fu >> more);
	for (int i = 0; i < more; i++) {
		if (((*at)[i] & 0xc0) != 0x80)
			return c;
		whole = whole << 6 | ((*at)[i] & 0x3f);
	}
	*at += more;
	return whole;
}

static void fail(struct program *p, const char *why)
{
	if (!p->error)
		p->error = why;
	p->at = p->end;
}

static int emit(struct program *p, enum op op, int x, int y)
{
	if (p->length + 1 >= MOST_STATES)
		fail(p, "the pattern is too long");
	else
		p->code[p->length++] = (struct state){op, x, y};
	return p->length - 1;
}

static void insert(struct program *p, int at, enum op op, int x, int y)
{
	int before = p->length;

	emit(p, op, x, y);
	if (p->length == before)
		return;
	memmove(&p->code[at + 1], &p->code[at], (size_t)(before - at) * sizeof p->code[0]);
	p->code[at] = (struct state){op, x, y};
}

static void add_range(struct program *p, uint32_t low, uint32_t high)
{
	if (p->range_count == MOST_RANGES) {
		fail(p, "the pattern is too long");
		return;
	}
	p->ranges[p->range_count][0] = low;
	p->ranges[p->range_count++][1] = high;
}

/* The ranges of \d, \w, \s, or of their opposites in capitals. False for other letters. */
static int add_class(struct program *p, uint32_t letter)
{
	static const struct {
		char letter;
		unsigned char ranges[4][2];
		int count;
	} classes[] = {{'d', {{'0', '9'}}, 1},
		       {'w', {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
		       {'s', {{'\t', '\r'}, {' ', ' '}}, 2}};

	for (size_t i = 0; i < 3; i++) {
		if ((letter | 0x20) != (uint32_t)classes[i].letter)
			continue;
		uint32_t after = 0;
		for (int k = 0; k < classes[i].count; k++) {
			if (letter & 0x20)
				add_range(p, classes[i].ranges[k][0], classes[i].ranges[k][1]);
			else
				add_range(p, after, classes[i].ranges[k][0] - 1u);
			after = classes[i].ranges[k][1] + 1u;
		}
		if (!(letter & 0x20))
			add_range(p, after, 0x10ffff);
		return 1;
	}
	return 0;
}

static uint32_t escaped(uint32_t c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

static int is_letter(uint32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* One character of a set, or a class, which gives -1. */
static int64_t set_member(struct program *p)
{
	uint32_t c = take_char(&p->at, p->end);

	if (c != '\\' || p->at == p->end)
		return c;
	c = take_char(&p->at, p->end);
	if (add_class(p, c))
		return -1;
	if (is_letter(c) && !strchr("ntr", (int)c))
		fail(p, "an escape that means nothing");
	return escaped(c);
}

static void parse_set(struct program *p)
{
	int first = p->range_count, negative = p->at < p->end && *p->at == '^', any = 0;

	p->at += negative;
	while (p->at < p->end && (*p->at != ']' || !any)) {
		int64_t low = set_member(p), high = low;
		any = 1;
		if (low >= 0 && p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
			p->at++;
			high = set_member(p);
		}
		if (high < low)
			fail(p, "a range of characters that is upside down");
		else if (low >= 0)
			add_range(p, (uint32_t)low, (uint32_t)high);
	}
	if (p->at == p->end)
		fail(p, "a [ without its ]");
	else
		p->at++;
	emit(p, negative ? NOT_SET : SET, first, p->range_count - first);
}

static void emit_char(struct program *p, uint32_t c)
{
	add_range(p, c, c);
	emit(p, SET, p->range_count - 1, 1);
}

static void parse_alternatives(struct program *p);

static void parse_group(struct program *p)
{
	if (p->end - p->at > 1 && p->at[0] == '?' && p->at[1] == ':')
		p->at += 2;
	if (++p->depth > MOST_DEPTH) {
		fail(p, "parentheses are nested too deep");
		return;
	}
	parse_alternatives(p);
	p->depth--;
	if (p->at == p->end || *p->at != ')')
		fail(p, "a ( without its )");
	else
		p->at++;
}

static void parse_escape(struct program *p)
{
	if (p->at == p->end) {
		fail(p, "a backslash at the end");
		return;
	}
	uint32_t c = take_char(&p->at, p->end);
	int first = p->range_count;
	if (c == 'b' || c == 'B')
		emit(p, c == 'b' ? EDGE : NOT_EDGE, 0, 0);
	else if (add_class(p, c))
		emit(p, SET, first, p->range_count - first);
	else if (is_letter(c) && !strchr("ntr", (int)c))
		fail(p, "an escape that means nothing");
	else
		emit_char(p, escaped(c));
}

static void parse_atom(struct program *p)
{
	uint32_t c = take_char(&p->at, p->end);

	switch (c) {
	case '.':
		emit(p, ANY, 0, 0);
		break;
	case '[':
		parse_set(p);
		break;
	case '(':
		parse_group(p);
		break;
	case '^':
	case '$':
		emit(p, c == '^' ? BEGIN : END, 0, 0);
		break;
	case '\\':
		parse_escape(p);
		break;
	case '*':
	case '+':
	case '?':
		fail(p, "nothing to repeat");
		break;
	default:
		emit_char(p, c);
	}
}

/* Makes the code from `start` on optional or repeated. */
static void repeat(struct program *p, int start, int optional, int again)
{
	int length = p->length - start;

	if (again)
		emit(p, SPLIT, -length, 1);
	if (optional)
		insert(p, start, SPLIT, 1, p->length - start + 1);
}

static int take_count(struct program *p)
{
	int n = 0;

	while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
		if ((n = 10 * n + (*p->at++ - '0')) > MOST_REPEATS) {
			fail(p, "more than 255 repeats");
			return 0;
		}
	return n;
}

/* "{2}", "{2,}" or "{2,5}" after the code from `start` on. */
static void parse_counts(struct program *p, int start)
{
	int length = p->length - start, least = take_count(p), most = least;
	struct state atom[MOST_STATES];

	if (p->at < p->end && *p->at == ',') {
		p->at++;
		most = p->at < p->end && *p->at == '}' ? -1 : take_count(p);
	}
	if (p->at == p->end || *p->at++ != '}' || (most >= 0 && most < least)) {
		fail(p, "a count of repeats that is none");
		return;
	}
	memcpy(atom, &p->code[start], (size_t)length * sizeof atom[0]);
	p->length = start;
	for (int i = 0; i < (most < 0 ? least + 1 : most) && !p->error; i++) {
		int from = p->length;
		for (int k = 0; k < length; k++)
			emit(p, atom[k].op, atom[k].x, atom[k].y);
		if (i >= least)
			repeat(p, from, 1, most < 0);
	}
}

static void parse_sequence(struct program *p)
{
	while (p->at < p->end && *p->at != '|' && *p->at != ')') {
		int start = p->length;
		parse_atom(p);
		while (p->at < p->end && strchr("*+?{", *p->at) && *p->at) {
			unsigned char c = *p->at;
			if (c == '{' && (p->end - p->at < 2 || p->at[1] < '0' || p->at[1] > '9'))
				break;
			p->at++;
			if (c == '{')
				parse_counts(p, start);
			else
				repeat(p, start, c != '+', c != '?');
			if (p->at < p->end && *p->at == '?') /* lazy: matches the same texts */
				p->at++;
		}
	}
}

static void parse_alternatives(struct program *p)
{
	int start = p->length, jumps[MOST_DEPTH], count = 0;

	parse_sequence(p);
	while (p->at < p->end && *p->at == '|') {
		p->at++;
		if (count == MOST_DEPTH) {
			fail(p, "more than 100 alternatives");
			return;
		}
		insert(p, start, SPLIT, 1, p->length - start + 2);
		jumps[count++] = emit(p, JUMP, 0, 0);
		start = p->length;
		parse_sequence(p);
	}
	for (int i = 0; i < count; i++)
		p->code[jumps[i]].x = p->length - jumps[i];
}

/* ---- running ---- */

struct threads {
	int list[MOST_STATES], count;
	uint32_t seen[MOST_STATES]; /* the position of the last visit, + 1 */
};

struct text {
	const unsigned char *begin, *at, *end;
	uint32_t position;
};

static int is_word(const unsigned char *c)
{
	return is_letter(*c) || *c == '_';
}

static int holds(const struct state *s, const struct text *t)
{
	int edge = (t->at > t->begin && is_word(t->at - 1)) != (t->at < t->end && is_word(t->at));

	switch (s->op) {
	case BEGIN:
		return t->at == t->begin;
	case END:
		return t->at == t->end;
	default:
		return edge == (s->op == EDGE);
	}
}

/* Adds a state and all that it leads to without reading; true if that is a match. */
static int add_thread(const struct program *p, struct threads *to, int first, const struct text *t)
{
	int stack[2 * MOST_STATES + 2], depth = 0;

	stack[depth++] = first;
	while (depth) {
		int at = stack[--depth];
		const struct state *s = &p->code[at];
		if (to->seen[at] == t->position)
			continue;
		to->seen[at] = t->position;
		if (s->op == MATCH)
			return 1;
		if (s->op == SPLIT)
			stack[depth++] = at + s->y;
		if (s->op == SPLIT || s->op == JUMP)
			stack[depth++] = at + s->x;
		else if (s->op <= NOT_SET)
			to->list[to->count++] = at;
		else if (holds(s, t))
			stack[depth++] = at + 1;
	}
	return 0;
}

static int accepts(const struct program *p, const struct state *s, uint32_t c)
{
	int in = 0;

	for (int i = s->x; s->op != ANY && i < s->x + s->y && !in; i++)
		in = c >= p->ranges[i][0] && c <= p->ranges[i][1];
	return in == (s->op == SET);
}

static int matches(const struct program *p, struct threads threads[2], const unsigned char *text, int len)
{
	struct text t = {text, text, text + len, 1};
	struct threads *now = &threads[0], *then = &threads[1];

	memset(threads, 0, 2 * sizeof threads[0]);
	for (;; t.position++) {
		if (add_thread(p, now, 0, &t))
			return 1;
		if (t.at == t.end)
			return 0;
		uint32_t c = take_char(&t.at, t.end);
		t.position++;
		then->count = 0;
		for (int i = 0; i < now->count; i++)
			if (accepts(p, &p->code[now->list[i]], c) && add_thread(p, then, now->list[i] + 1, &t))
				return 1;
		t.position--;
		struct threads *swap = now;
		now = then;
		then = swap;
	}
}

static struct program *compile(sqlite3_context *context, sqlite3_value *pattern)
{
	struct program *p = sqlite3_malloc(sizeof *p);
	char why[128];

	if (!p) {
		sqlite3_result_error_nomem(context);
		return NULL;
	}
	p->length = p->range_count = p->depth = 0;
	p->error = NULL;
	p->at = sqlite3_value_text(pattern);
	p->end = p->at + sqlite3_value_bytes(pattern);
	parse_alternatives(p);
	if (p->at < p->end)
		fail(p, "a ) without its (");
	p->code[p->length] = (struct state){MATCH, 0, 0};
	if (!p->error)
		return p;
	sqlite3_snprintf(sizeof why, why, "%s", p->error);
	sqlite3_free(p);
	tf_sql_fail(context, "regexp", why);
	return NULL;
}

void tf_sql_regexp(sqlite3_context *context, int count, sqlite3_value **values)
{
	enum { LONGEST = 1 << 20 };
	struct program *p = sqlite3_get_auxdata(context, 0);
	int own = !p;

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
		return;
	if (sqlite3_value_type(values[0]) != SQLITE_TEXT || sqlite3_value_type(values[1]) == SQLITE_BLOB) {
		tf_sql_fail(context, "regexp", "pattern and text are text");
		return;
	}
	const unsigned char *text = sqlite3_value_text(values[1]);
	int len = sqlite3_value_bytes(values[1]);
	if (len > LONGEST) {
		tf_sql_fail(context, "regexp", "a text of more than 1 MiB");
		return;
	}
	struct threads *threads = sqlite3_malloc(2 * sizeof *threads);
	if (own && threads)
		p = compile(context, values[0]);
	if (p && threads && text)
		sqlite3_result_int(context, matches(p, threads, text, len));
	else if (!threads || !text)
		sqlite3_result_error_nomem(context);
	sqlite3_free(threads);
	if (own && p)
		sqlite3_set_auxdata(context, 0, p, sqlite3_free);
}
