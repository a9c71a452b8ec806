/* Trees of differences: cells put together, divided so that parts still sum to their whole, and sorted. */
#include "lib/analyze/diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"

const char *tf_change_name(enum tf_change change)
{
	static const char *const names[] = {"same", "changed", "added", "removed", "some", "unknown"};

	return names[change];
}

enum tf_change tf_change_of(const int64_t *values, size_t count)
{
	bool all = true, equal = true;

	for (size_t i = 0; i < count; i++) {
		all &= values[i] != TF_NONE;
		equal &= values[i] == values[0];
	}
	if (all)
		return equal ? TF_CHANGE_SAME : TF_CHANGE_CHANGED;
	if ((values[0] == TF_NONE) == (values[count - 1] == TF_NONE))
		return TF_CHANGE_SOME;
	return values[0] == TF_NONE ? TF_CHANGE_ADDED : TF_CHANGE_REMOVED;
}

int tf_diff_note(struct tf_diff *d, size_t side, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	const char **note = tf_arena_push(&d->arena, (void **)&d->notes, &d->note_count, &d->note_cap, sizeof *note);
	if (!note || !(*note = tf_arena_printf(&d->arena, "%s: %s", d->sides[side].label, text)))
		return -1;
	return 0;
}

bool tf_diff_node(struct tf_diff *d, struct tf_delta *node, const char *name)
{
	*node = (struct tf_delta){.name = name, .values = tf_arena_array(&d->arena, d->side_count, sizeof *node->values)};
	for (size_t i = 0; node->values && i < d->side_count; i++)
		node->values[i] = TF_NONE;
	return node->values != NULL;
}

static struct tf_delta *add_child(struct tf_diff *d, struct tf_delta *node, const char *name)
{
	struct tf_delta *child = tf_arena_push(&d->arena, (void **)&node->children, &node->child_count, &node->child_cap, sizeof *child);

	return child && tf_diff_node(d, child, name) ? child : NULL;
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int by_keys(const void *a, const void *b)
{
	const struct tf_diff_cell *x = a, *y = b;
	int order = 0;

	for (int k = 0; order == 0 && k < 4; k++)
		order = compare_texts(x->keys[k], y->keys[k]);
	return order ? order : (x->side > y->side) - (x->side < y->side);
}

static void add_value(int64_t *to, int64_t value)
{
	*to = *to == TF_NONE ? value : tf_ps_add(*to, value);
}

/* The node of one group of cells, which are equal in their keys up to those of this level. */
static int add_group(struct tf_diff *d, struct tf_delta *node, const struct tf_diff_cell *cells, size_t count, int first)
{
	struct tf_delta *child = add_child(d, node, cells[0].keys[first] ? cells[0].keys[first] : "(none)");

	if (!child)
		return -1;
	if (cells[0].tensor) {
		child->tensor = cells[0].tensor;
		child->counts = tf_arena_array(&d->arena, d->side_count, sizeof *child->counts);
		for (size_t i = 0; child->counts && i < d->side_count; i++)
			child->counts[i] = TF_NONE;
		if (!child->counts)
			return -1;
	}
	for (size_t i = 0; i < count; i++) {
		add_value(&child->values[cells[i].side], cells[i].value);
		if (child->counts)
			add_value(&child->counts[cells[i].side], cells[i].count);
	}
	return 0;
}

static int build_level(struct tf_diff *d, struct tf_delta *node, const struct tf_diff_cell *cells, size_t count, const int *levels,
		       int first)
{
	int keys = levels[0];

	for (size_t i = 0, n; i < count; i += n) {
		bool deeper = levels[1] && cells[i].keys[first + keys];
		for (n = 1; i + n < count; n++) {
			int order = 0;
			for (int k = first; order == 0 && k < first + keys; k++)
				order = compare_texts(cells[i].keys[k], cells[i + n].keys[k]);
			if (order)
				break;
			deeper |= levels[1] && cells[i + n].keys[first + keys];
		}
		if (add_group(d, node, cells + i, n, first) < 0)
			return -1;
		if (deeper && build_level(d, &node->children[node->child_count - 1], cells + i, n, levels + 1, first + keys) < 0)
			return -1;
	}
	return 0;
}

int tf_diff_build(struct tf_diff *d, struct tf_delta *node, struct tf_diff_cell *cells, size_t count, const int *levels,
		  struct tf_error *err)
{
	if (count)
		qsort(cells, count, sizeof *cells, by_keys);
	return build_level(d, node, cells, count, levels, 0) < 0 ? tf_fail_nomem(err) : 0;
}

/* A part and what its division leaves. */
struct share {
	size_t index;
	int64_t remainder;
};

static int by_remainder(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->remainder != y->remainder)
		return x->remainder > y->remainder ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* The parts of one session: whole numbers that sum to the node's value again. */
static void divide_side(struct tf_delta *node, size_t side, int64_t n, struct share *shares)
{
	int64_t left = node->values[side];
	size_t count = 0;

	for (size_t i = 0; i < node->child_count; i++) {
		int64_t *value = &node->children[i].values[side];
		if (*value == TF_NONE)
			continue;
		shares[count++] = (struct share){i, *value % n};
		*value /= n;
		left -= *value;
	}
	if (count)
		qsort(shares, count, sizeof *shares, by_remainder);
	for (size_t i = 0; i < count && left > 0; i++, left--)
		node->children[shares[i].index].values[side]++;
}

int tf_diff_divide(struct tf_diff *d, struct tf_delta *node, const int64_t *n, struct tf_error *err)
{
	struct share *shares = malloc((node->child_count + 1) * sizeof *shares);

	if (!shares)
		return tf_fail_nomem(err);
	for (size_t side = 0; side < d->side_count; side++)
		if (node->values[side] != TF_NONE)
			divide_side(node, side, n[side], shares);
	free(shares);
	for (size_t i = 0; i < node->child_count; i++)
		if (tf_diff_divide(d, &node->children[i], n, err) < 0)
			return -1;
	return 0;
}

static uint64_t size_of(int64_t delta)
{
	return delta == TF_NONE ? 0 : delta < 0 ? -(uint64_t)delta : (uint64_t)delta;
}

static int by_size(const void *a, const void *b)
{
	const struct tf_delta *x = a, *y = b;
	uint64_t dx = size_of(x->delta), dy = size_of(y->delta);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	int order = strcmp(x->name, y->name);
	if (order || !x->tensor || !y->tensor)
		return order;
	order = compare_texts(x->tensor->shape, y->tensor->shape);
	order = order ? order : compare_texts(x->tensor->dtype, y->tensor->dtype);
	return order ? order : compare_texts(x->tensor->region, y->tensor->region);
}

/* What one that is not there takes: nothing, since its whole is told. */
static int64_t taken(int64_t value)
{
	return value == TF_NONE ? 0 : value;
}

static void settle(struct tf_delta *node, size_t count)
{
	node->change = tf_change_of(node->values, count);
	int64_t first = taken(node->values[0]), last = taken(node->values[count - 1]);
	if (__builtin_sub_overflow(last, first, &node->delta))
		node->delta = last < first ? INT64_MIN + 1 : INT64_MAX;
}

/* All but the first `top` children become one. */
static int cut(struct tf_diff *d, struct tf_delta *node, size_t top, struct tf_error *err)
{
	struct tf_delta rest;
	const char *name = tf_arena_printf(&d->arena, "(%zu more)", node->child_count - top);

	if (!name || !tf_diff_node(d, &rest, name))
		return tf_fail_nomem(err);
	for (size_t i = top; i < node->child_count; i++)
		for (size_t side = 0; side < d->side_count; side++)
			if (node->children[i].values[side] != TF_NONE)
				add_value(&rest.values[side], node->children[i].values[side]);
	settle(&rest, d->side_count);
	node->children[top] = rest;
	node->child_count = top + 1;
	return 0;
}

int tf_diff_finish(struct tf_diff *d, struct tf_delta *node, size_t top, struct tf_error *err)
{
	settle(node, d->side_count);
	for (size_t i = 0; i < node->child_count; i++)
		if (tf_diff_finish(d, &node->children[i], top, err) < 0)
			return -1;
	if (node->child_count)
		qsort(node->children, node->child_count, sizeof *node->children, by_size);
	return top && node->child_count > top + 1 ? cut(d, node, top, err) : 0;
}

int tf_diff_make(const struct tf_diff_side *sides, size_t count, size_t top, struct tf_diff *out, struct tf_error *err)
{
	out->sides = sides;
	out->side_count = count;
	if (tf_diff_facts(out, err) < 0 || tf_diff_metrics(out, err) < 0 || tf_diff_steps(out, top, err) < 0
	    || tf_diff_input(out, err) < 0 || tf_diff_memory(out, top, err) < 0)
		return -1;
	return 0;
}
