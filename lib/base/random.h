/* Random numbers that are the same each time: splitmix64 (Steele, Lea and Flood 2014). */
#ifndef TF_BASE_RANDOM_H
#define TF_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next 64 bits; any state is a seed. */
static inline uint64_t tf_random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A number below `limit`; the bias is limit / 2⁶⁴. */
static inline size_t tf_random_below(uint64_t *state, size_t limit)
{
	return (size_t)(tf_random_next(state) % limit);
}

#endif
