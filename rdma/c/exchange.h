/* What exchanges over RDMA and over MPI share: the words that processes send each other, and the histogram of what it took. */
#ifndef LINERATE_EXCHANGE_H
#define LINERATE_EXCHANGE_H

#include <stdint.h>

enum {
	SIDES = 4,       /* north, south, west, east: the opposite of one is side ^ 1 */
	EXACT = 2048,    /* a histogram is exact below; above, each octave has 1024 steps, which is 0.1 % */
	STEPS = 1024,
	OCTAVES = 30,    /* up to 2^41 ns, some 36 minutes */
	BUCKETS = EXACT + OCTAVES * STEPS,
};

/* payload is word i of what a process sends to a side in the first exchange; in a later one the first word is as many more. */
static inline uint32_t payload(uint64_t seed, int id, int side, int i)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ull + (uint64_t)(id * SIDES + side) * 0xbf58476d1ce4e5b9ull + (uint64_t)i + 1;
	x ^= x >> 30, x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27, x *= 0x94d049bb133111ebull;
	return (uint32_t)(x ^ x >> 31);
}

/* A histogram of nanoseconds: where a value is counted, and the least one that is counted there. */
static inline unsigned bucket(uint64_t v)
{
	if (v < EXACT)
		return (unsigned)v;
	int shift = 63 - __builtin_clzll(v) - 10;
	if (shift > OCTAVES)
		return BUCKETS - 1;
	return (unsigned)(EXACT + (shift - 1) * STEPS + (int)((v >> shift) - STEPS));
}

static inline uint64_t value(unsigned b)
{
	if (b < EXACT)
		return b;
	unsigned shift = (b - EXACT) / STEPS + 1;
	return (uint64_t)((b - EXACT) % STEPS + STEPS) << shift;
}

#endif
