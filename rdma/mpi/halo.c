/* Halo exchanges over MPI: a process of mpirun's is a process of the torus. docs/design/halo.md has the why. */
#define _GNU_SOURCE
#include "mpi.h"
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_TAG = 10, RESULT_TAG, TRIPS = 16 };
static const uint64_t tail = 50000000; /* how long processes go on behind the window, whose edge is not the same moment everywhere */
/* A first word with this bit turned, or a byte of an empty tile that is 1: the exchanges end soon. No message has a size of its own for it. */
static const uint32_t mark = 0x80000000;

static const struct plan *plan;
static const struct mpi *mpi;
static int me, bytes;

static struct side {
	int theirs;            /* rank of the neighbour */
	uint8_t *out, *in;
	uint32_t mine;         /* first word that leaves in the first exchange */
	uint32_t *want;        /* what comes in it */
} sides[SIDES];

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* right ends all processes if a call of MPI failed. */
static void right(int code, const char *what)
{
	static char text[TEXT];
	if (__builtin_expect(!code, 1))
		return;
	mpi->text(code, text);
	fail("mpi", code, "process %d: %s: %s", me, what, text);
}

static void *room(size_t n)
{
	void *p = NULL;
	if (posix_memalign(&p, 128, n + 1))
		fail("memory", ENOMEM, "process %d: no memory for %zu bytes", me, n);
	memset(p, 0, n + 1);
	return p;
}

/* here says whether an address is one of this host's. */
static int here(const char *address)
{
	uint8_t want[16], *have;
	int family = strchr(address, ':') ? AF_INET6 : AF_INET, found = 0;
	struct ifaddrs *all;
	if (inet_pton(family, address, want) != 1)
		fail("line", 0, "%.60s is no address", address);
	if (getifaddrs(&all))
		fail("address", errno, "process %d: the host's addresses cannot be read: %s", me, strerror(errno));
	for (struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != family)
			continue;
		have = family == AF_INET ? (uint8_t *)&((struct sockaddr_in *)(void *)a->ifa_addr)->sin_addr : (uint8_t *)&((struct sockaddr_in6 *)(void *)a->ifa_addr)->sin6_addr;
		found |= !memcmp(want, have, family == AF_INET ? 4 : 16);
	}
	freeifaddrs(all);
	return found;
}

/* placed holds what mpirun did against what the record says: as many processes, each on its host, all with one library. */
static void placed(void)
{
	int n = 0;
	right(mpi->size(&n), "MPI_Comm_size");
	if (n != plan->processes)
		fail("size", 0, "MPI has %d processes in place of %d: the mpirun that started them is not of this library (%s, %s)", n, plan->processes, plan->library, plan->file);
	const char *address = plan->addresses[me % plan->hosts];
	if (!here(address))
		fail("placement", 0, "process %d is not on the host with %s: mpirun did not deal the processes to the hosts in turn", me, address);
	char first[SHORT + 1];
	memcpy(first, plan->library, sizeof first);
	right(mpi->tell(first, sizeof first), "MPI_Bcast");
	if (strcmp(first, plan->library))
		fail("version", 0, "process %d on the host with %s has %s, and process 0 has %s: install the same on all hosts", me, address, plan->library, first);
	if (plan->cores[me] >= 0) {
		cpu_set_t *set = CPU_ALLOC(8192);
		size_t size = CPU_ALLOC_SIZE(8192);
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)plan->cores[me], size, set);
		if (sched_setaffinity(0, size, set))
			fail("pin", errno, "process %d cannot run on its core %d: %s", me, plan->cores[me], strerror(errno));
		CPU_FREE(set);
	}
}

/* offset is what this process's clock lacks of that of process 0, and the doubt of it: the round trip that was the shortest, halved. */
static int64_t offset(uint64_t *doubt)
{
	uint64_t there = 0, best = UINT64_MAX;
	int64_t lacks = 0;
	for (int r = 1; me == 0 && r < plan->processes; r++)
		for (int i = 0; i < TRIPS; i++) {
			right(mpi->receive(&there, sizeof there, r, CLOCK_TAG), "MPI_Recv");
			there = now();
			right(mpi->send(&there, sizeof there, r, CLOCK_TAG), "MPI_Send");
		}
	for (int i = 0; me > 0 && i < TRIPS; i++) {
		uint64_t from = now(), to;
		right(mpi->send(&from, sizeof from, 0, CLOCK_TAG), "MPI_Send");
		right(mpi->receive(&there, sizeof there, 0, CLOCK_TAG), "MPI_Recv");
		to = now();
		if (to - from < best)
			best = to - from, lacks = (int64_t)(there - from - (to - from) / 2);
	}
	*doubt = me ? best / 2 : 0;
	return lacks;
}

static void neighbours(void)
{
	int columns = plan->columns, rows = plan->processes / columns, row = me / columns, column = me % columns;
	const int all[SIDES] = {(row + rows - 1) % rows * columns + column, (row + 1) % rows * columns + column,
		row * columns + (column + columns - 1) % columns, row * columns + (column + 1) % columns};
	bytes = plan->words ? plan->words * 4 : 1;
	for (int s = 0; s < SIDES; s++) {
		struct side *x = &sides[s];
		x->theirs = all[s], x->out = room((size_t)bytes), x->in = room((size_t)bytes), x->want = room((size_t)plan->words * 4);
		for (int i = 0; i < plan->words; i++) {
			uint32_t w = payload(plan->seed, me, s, i);
			memcpy(x->out + 4 * i, &w, 4);
			x->mine = i ? x->mine : w;
			x->want[i] = payload(plan->seed, x->theirs, s ^ 1, i);
		}
	}
}

/* far is how many steps over the torus lie between process 0 and another. */
static int far(int rank)
{
	int columns = plan->columns, rows = plan->processes / columns, row = rank / columns, column = rank % columns;
	return (row < rows - row ? row : rows - row) + (column < columns - column ? column : columns - column);
}

static void stamp(uint64_t k, int ending)
{
	for (int s = 0; s < SIDES; s++) {
		uint32_t first = (sides[s].mine + (uint32_t)k) ^ (ending ? mark : 0);
		if (plan->words)
			memcpy(sides[s].out, &first, 4);
		else
			sides[s].out[0] = (uint8_t)ending;
	}
}

/* A message has the side that it leaves at as its tag: two processes may share several edges. */
static void begin(int s, int slot)
{
	right(mpi->begin_receive(slot, sides[s].in, bytes, sides[s].theirs, s ^ 1), "MPI_Irecv");
}

static void leave(int s, int slot)
{
	right(mpi->begin_send(slot, sides[s].out, bytes, sides[s].theirs, s), "MPI_Isend");
}

/* swap is one exchange: to north and south and then west and east, to all four at once, or one way after the other. */
static void swap(void)
{
	switch (plan->exchange) {
	case 1:
		for (int s = 0; s < SIDES; s++)
			begin(s, s);
		for (int s = 0; s < SIDES; s++)
			leave(s, SIDES + s);
		right(mpi->wait(2 * SIDES), "MPI_Waitall");
		return;
	case 2:
		for (int s = 0; s < SIDES; s++)
			right(mpi->send_receive(sides[s].out, sides[s].theirs, s, sides[s ^ 1].in, sides[s ^ 1].theirs, s, bytes), "MPI_Sendrecv");
		return;
	}
	for (int s = 0; s < SIDES; s += 2) {
		begin(s, 0), begin(s + 1, 1);
		leave(s, 2), leave(s + 1, 3);
		right(mpi->wait(4), "MPI_Waitall");
	}
}

/* check looks at every word of the first exchange, later at the first one, which tells the exchange. 1: a neighbour says that the end is near. */
static int check(uint64_t k, uint64_t *checked)
{
	int ending = 0;
	for (int s = 0; s < SIDES; s++) {
		const struct side *x = &sides[s];
		if (!plan->words) {
			if (x->in[0] > (k > 0))
				fail("check", 0, "process %d, exchange %llu: its halo at side %d is %d, and process %d sent 0 or 1", me, (unsigned long long)k, s, x->in[0], x->theirs);
			ending |= x->in[0];
		}
		for (int i = 0; i < (k ? plan->words > 0 : plan->words); i++) {
			uint32_t got, want = x->want[i] + (i ? 0 : (uint32_t)k);
			memcpy(&got, x->in + 4 * i, 4);
			if (k && got == (want ^ mark))
				ending = 1;
			else if (got != want)
				fail("check", 0, "process %d, exchange %llu: word %d of its halo at side %d is %08x, and process %d sent %08x: the data is not the neighbour's", me,
					(unsigned long long)k, i, s, got, x->theirs, want);
		}
		*checked += k ? 0 : (uint64_t)plan->words;
	}
	return ending;
}

static char *said;
static size_t length, most;

static void say(const char *form, ...)
{
	va_list args;
	for (;;) {
		va_start(args, form);
		int n = vsnprintf(said + length, most - length, form, args);
		va_end(args);
		if (length + (size_t)n < most) {
			length += (size_t)n;
			return;
		}
		most = 2 * most + (size_t)n;
		if (!(said = realloc(said, most)))
			fail("memory", ENOMEM, "process %d: no memory for its result", me);
	}
}

/* histogram says what exchanges took. Where it would be longer than its room, values are rounded down until it fits. */
static void histogram(const uint32_t *counts)
{
	size_t from = length;
	for (int coarse = 0; coarse < 16; coarse++) {
		int entries = 0;
		length = from;
		for (unsigned b = 0; b < BUCKETS;) {
			unsigned low = b >> coarse << coarse, to = low + (1u << coarse);
			uint64_t sum = 0;
			for (; b < to && b < BUCKETS; b++)
				sum += counts[b];
			if (!sum)
				continue;
			if (!entries)
				say("hist n=%d ", me);
			say("%s%llu:%llu", entries++ ? "," : "", (unsigned long long)value(low), (unsigned long long)sum);
		}
		if (entries)
			say("\n");
		if (length - from <= (size_t)plan->room)
			break;
	}
}

static void report(void)
{
	uint64_t n = length;
	if (me) {
		right(mpi->send(&n, sizeof n, 0, RESULT_TAG), "MPI_Send");
		right(mpi->send(said, (int)n, 0, RESULT_TAG), "MPI_Send");
		return;
	}
	printf("library kind=%s file=%s text=%s\n", mpi->kind, plan->file, plan->library);
	fwrite(said, 1, length, stdout);
	for (int r = 1; r < plan->processes; r++) {
		right(mpi->receive(&n, sizeof n, r, RESULT_TAG), "MPI_Recv");
		char *theirs = room(n);
		right(mpi->receive(theirs, (int)n, r, RESULT_TAG), "MPI_Recv");
		fwrite(theirs, 1, n, stdout);
		free(theirs);
	}
	printf("done\n");
	fflush(stdout);
}

static void ended(int signal)
{
	(void)signal;
	_exit(0);
}

void halo(const struct plan *p)
{
	plan = p, mpi = p->mpi;
	right(mpi->init(), "MPI_Init");
	started = mpi;
	right(mpi->rank(&me), "MPI_Comm_rank");
	placed();
	neighbours();
	uint32_t *counts = room(BUCKETS * sizeof *counts);
	uint64_t doubt, at = 0, first = 0, last = 0, count = 0, checked = 0, k = 0, end = 0;
	int64_t lacks = offset(&doubt);
	int rows = p->processes / p->columns, width = p->columns / 2 + rows / 2;
	if (!me)
		at = now() + 20000000 + (uint64_t)p->processes * 200000;
	right(mpi->tell(&at, sizeof at), "MPI_Bcast");
	uint64_t leaves = at - (uint64_t)lacks, open = leaves + p->warmup, close = open + p->window;
	struct timespec until = {.tv_sec = (time_t)(leaves / 1000000000), .tv_nsec = (long)(leaves % 1000000000)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	uint64_t left = now();
	/* Process 0 ends the exchanges. Its word goes on with the halos, a step an exchange, so that each process knows it before the last one, and which
	 * that is follows from how far away it is: nobody waits for a neighbour that has ended, and nothing is exchanged beside the halos. */
	for (; !end || k <= end; k++) {
		uint64_t from = now();
		if (!me && !end && k && from >= close + tail)
			end = k + (uint64_t)width;
		stamp(k, end > 0);
		swap();
		uint64_t to = now();
		if (check(k, &checked) && !end)
			end = k + (uint64_t)(width + 1 - far(me));
		/* One that was still under way long behind the window counts with its time: a stall at the end must not vanish. */
		if (to >= open && (to < close || (from < close && to >= close + tail)))
			counts[bucket(to - from)]++;
		if (to >= open && to < close) {
			if (!count++)
				first = to;
			last = to;
		}
	}
	most = 1 << 16, said = room(most);
	say("rank n=%d id=%d core=%d exchanges=%llu first=%llu last=%llu checked=%llu left=%llu doubt=%llu all=%llu\n", me, me, p->cores[me], (unsigned long long)count,
		(unsigned long long)(first ? first + (uint64_t)lacks : 0), (unsigned long long)(last ? last + (uint64_t)lacks : 0), (unsigned long long)checked, (unsigned long long)(left + (uint64_t)lacks), (unsigned long long)doubt,
		(unsigned long long)k);
	histogram(counts);
	report();
	/* All is said. Some libraries never come back from their end (MPICH 4.0 with UCX over TCP does not always). */
	signal(SIGALRM, ended);
	alarm(5);
	right(mpi->finalize(), "MPI_Finalize");
}
