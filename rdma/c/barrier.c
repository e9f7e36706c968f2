/* The barrier that all pairs leave together, and the command that measures it without a device. */
#define _GNU_SOURCE
#include "verbs.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int arrived, released;

uint64_t barrier_leave(int yield)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
	for (int turns = yield; !__atomic_load_n(&released, __ATOMIC_ACQUIRE);)
		if (yield && --turns <= 0) {
			turns = yield;
			sched_yield();
		}
	return now();
}

void barrier_release(int n, uint64_t at)
{
	uint64_t t;
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < n)
		wait_for(-1, 1);
	/* Until shortly before, standard input is watched; then the stamp is all that counts. */
	while ((t = now()) + 5000000 < at)
		wait_for(-1, at - t > 100000000 ? 50 : 1);
	struct timespec stamp = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &stamp, NULL) == EINTR)
		;
	__atomic_store_n(&released, 1, __ATOMIC_RELEASE);
}

int pin_to(int core)
{
	cpu_set_t *set = CPU_ALLOC(8192);
	size_t size = CPU_ALLOC_SIZE(8192);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)core, size, set);
	int failed = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return failed;
}

/* ---- the command release ---- */

struct waiter {
	pthread_t id;
	int core, yield, failed;
	uint64_t left;
};

static void *waiter(void *argument)
{
	struct waiter *w = argument;
	if (w->core >= 0 && pin_to(w->core))
		w->failed = errno;
	w->left = barrier_leave(w->yield);
	return NULL;
}

/* once releases threads and returns how far apart they left. */
static uint64_t once(struct waiter *all, int threads, const int *cores, int ncores, int yield)
{
	arrived = released = 0;
	for (int n = 0; n < threads; n++) {
		all[n] = (struct waiter){.core = ncores ? cores[n % ncores] : -1, .yield = yield};
		int e = pthread_create(&all[n].id, NULL, waiter, &all[n]);
		if (e)
			fail("threads", n, e, 0, "thread %d of %d cannot be started: %s; look at ulimit -u", n + 1, threads, strerror(e));
	}
	barrier_release(threads, now() + 10000000);
	uint64_t earliest = UINT64_MAX, latest = 0;
	for (int n = 0; n < threads; n++) {
		pthread_join(all[n].id, NULL);
		if (all[n].failed)
			fail("pin", n, all[n].failed, 0, "no thread can run on core %d: %s", all[n].core, strerror(all[n].failed));
		earliest = all[n].left < earliest ? all[n].left : earliest;
		latest = all[n].left > latest ? all[n].left : latest;
	}
	return latest - earliest;
}

void release_rounds(int threads, int rounds, const int *cores, int ncores, int yield)
{
	struct waiter *all = calloc((size_t)threads, sizeof *all);
	if (!all)
		fail("memory", -1, ENOMEM, 0, "no memory for %d threads", threads);
	say("release threads=%d skew_ns=", threads);
	for (int i = 0; i < rounds; i++)
		say("%s%llu", i ? "," : "", (unsigned long long)once(all, threads, cores, ncores, yield));
	say("\n");
	free(all);
}
