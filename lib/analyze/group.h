/* Between the edges that connect events (group_edges.c) and the groups made of them (group.c). */
#ifndef TF_ANALYZE_GROUP_H
#define TF_ANALYZE_GROUP_H

#include "lib/analyze/analyze.h"

/* All producers of one key, connected to all its consumers. */
struct tf_bucket {
	uint32_t producer_count, consumer_count;
	uint32_t producer_first, consumer_first; /* in producer_of, consumer_of; before that the last producer added */
	bool expanded;
};

struct tf_member {
	uint32_t event, bucket;
};

struct tf_edges {
	struct tf_map keys; /* join key → bucket */
	struct tf_bucket *buckets;
	size_t bucket_count, bucket_cap;
	struct tf_member *producers, *consumers; /* sorted by event */
	size_t producer_count, producer_cap, consumer_count, consumer_cap;
	uint32_t *producer_of, *consumer_of;  /* by bucket: events */
	uint32_t *first_child, *next_sibling; /* by event, UINT32_MAX: none */
	uint8_t *role;			      /* by event: enum tf_edge_role bits */
};

enum tf_edge_role { TF_EDGE_PRODUCER = 1, TF_EDGE_CONSUMER = 2 };

/*
 * Connects the events of a trace: by nesting on their line, by producer and consumer ids, by correlation ids and a few
 * named pairs. Fills d->fed_stages too. `e` zeroed by the caller and released by it. 0, or -1 when out of memory.
 */
int tf_edges_build(struct tf_edges *e, struct tf_derived *d, struct tf_error *err);
void tf_edges_release(struct tf_edges *e);

/* The first member that an event is as producer (else consumer); the end of the list if it is none. */
size_t tf_edges_find(const struct tf_edges *e, bool producer, uint32_t event);

/* True if both sides are so many that the key is a coincidence: such a bucket connects nothing. */
bool tf_bucket_is_crowd(const struct tf_bucket *b);

#endif
