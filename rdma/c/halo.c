/* Halo exchanges: a thread a process of the torus, each with four neighbours; those on other hosts are behind a queue pair each, those of
 * this host behind memory. A message is written into the neighbour's halo and has a number behind its words, which is what the neighbour
 * looks for. docs/design/halo.md has the why. */
#define _GNU_SOURCE
#include "verbs.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 256 };
static const uint64_t tail = 50000000; /* how long processes go on behind the window, whose edge is not the same moment everywhere */

/* box is one way between two processes of this host, with room for two messages. Who is through with an exchange has had this neighbour's
 * message of it, so that at most this one and the one before are still to be taken; so it is between hosts, too. */
struct box {
	uint8_t *slots[2];
	uint64_t there __attribute__((aligned(128)));
};

struct side {
	int set, theirs;        /* number of the neighbour, of all processes */
	struct pair *pair;      /* NULL: on this host */
	struct box *put, *take;
	uint32_t *want;         /* what comes in the first exchange */
	uint32_t *mine;         /* what leaves in it */
};

struct rank {
	int n, id, core, asked, looks, turns, failed;
	struct side sides[SIDES];
	uint64_t k, first, last, count, left, checked;
	uint32_t *histogram;
	struct trouble trouble;
} __attribute__((aligned(128)));

static struct {
	int ranks, words, exchange, known;
	long nap; /* ns that a process sleeps where it would give its turn up; 0: none */
	uint64_t seed, slot;
	struct rank *rank;
	struct box *boxes; /* by process and side: what comes there */
} halo;

static int arrived, released, finished;

/* halo_slot is the room of a message: its words, filled up to eight bytes, and its number. */
uint64_t halo_slot(int words)
{
	return ((uint64_t)words * 4 + 7) / 8 * 8 + 8;
}

static void *room(size_t n, size_t size)
{
	void *p = NULL;
	if (posix_memalign(&p, 128, n * size + 1))
		fail("memory", -1, ENOMEM, 0, "no memory for %d processes", halo.ranks);
	memset(p, 0, n * size);
	return p;
}

void halo_open(int ranks, int words, int exchange, long nap, uint64_t seed)
{
	halo.nap = nap;
	halo.ranks = ranks, halo.words = words, halo.exchange = exchange, halo.seed = seed;
	halo.slot = halo_slot(words);
	if (end.o.transport == UD || end.o.op != WRITE)
		fail("line", -1, 0, 0, "halo needs transport=rc or cm, and op=write");
	if (end.o.size != 2 * halo.slot)
		fail("line", -1, 0, 0, "halo words=%d needs size=%llu: two messages", words, (unsigned long long)(2 * halo.slot));
	halo.rank = room((size_t)ranks, sizeof *halo.rank);
	halo.boxes = room((size_t)ranks * SIDES, sizeof *halo.boxes);
	for (int i = 0; i < ranks * SIDES; i++)
		halo.boxes[i].slots[0] = room(2, halo.slot), halo.boxes[i].slots[1] = halo.boxes[i].slots[0] + halo.slot;
}

int halo_ranks(void)
{
	return halo.ranks;
}

void halo_rank(int n, int id, int core)
{
	struct rank *r = &halo.rank[n];
	if (r->asked)
		fail("line", -1, 0, 0, "process %d was told already", n);
	r->n = n, r->id = id, r->core = core, r->asked = 1;
}

/* halo_edge tells what is beyond a side: pair, or the process to of this host; -1: not that. */
void halo_edge(int n, int side, int theirs, int pair, int to)
{
	struct rank *r = &halo.rank[n];
	struct side *s = &r->sides[side];
	if (!r->asked || s->set)
		fail("line", -1, 0, 0, "side %d of process %d was told already, or the process was not", side, n);
	if ((pair < 0) == (to < 0))
		fail("line", -1, 0, 0, "side %d of process %d is either behind a pair or a process of this host", side, n);
	s->set = 1, s->theirs = theirs;
	if (pair >= 0) {
		s->pair = &end.pairs[pair];
		for (uint64_t k = 1; k <= 2; k++) /* no message is there yet */
			memset(s->pair->in + k * halo.slot - 8, 0, 8);
	} else {
		s->put = &halo.boxes[to * SIDES + (side ^ 1)];
		s->take = &halo.boxes[n * SIDES + side];
	}
	s->mine = room((size_t)halo.words, 4), s->want = room((size_t)halo.words, 4);
	for (int i = 0; i < halo.words; i++) {
		s->mine[i] = payload(halo.seed, r->id, side, i);
		s->want[i] = payload(halo.seed, theirs, side ^ 1, i);
	}
	halo.known++;
}

/* ---- one message ---- */

static __attribute__((cold)) int bad(struct rank *r, const char *step, int number, int status, const char *text)
{
	if (!r->failed) {
		r->failed = 1;
		r->trouble = (struct trouble){.step = step, .number = number, .status = status, .at = now()};
		snprintf(r->trouble.text, sizeof r->trouble.text, "process %d: %s", r->id, text);
	}
	return -1;
}

static __attribute__((cold)) int pair_bad(struct rank *r, struct pair *p)
{
	return bad(r, p->trouble.step, p->trouble.number, p->trouble.status, p->trouble.text);
}

/* give_up lets others run: those of this machine, or, where its processor is emulated, other machines of the host. */
static void give_up(void)
{
	struct timespec t = {.tv_nsec = halo.nap};
	if (halo.nap)
		nanosleep(&t, NULL);
	else
		sched_yield();
}

/* vain stands in every loop that looks in vain. 1: the time is over; -1: something is wrong. */
static int vain(struct rank *r, struct pair *p)
{
	if (end.o.yield && --r->turns <= 0) {
		r->turns = end.o.yield;
		give_up();
	}
	if (__builtin_expect(--r->looks > 0, 1))
		return 0;
	r->looks = end.o.yield ? LOOKS / 16 : LOOKS;
	if (p && reap(p) < 0)
		return pair_bad(r, p);
	return now() >= end.w.close + tail;
}

static inline void fill(struct rank *r, const struct side *s, uint8_t *slot)
{
	uint64_t flag = r->k + 1;
	if (halo.words) {
		memcpy(slot, s->mine, (size_t)halo.words * 4);
		uint32_t first = s->mine[0] + (uint32_t)r->k;
		memcpy(slot, &first, 4);
	}
	__atomic_store_n((uint64_t *)(void *)(slot + halo.slot - 8), flag, __ATOMIC_RELEASE);
}

static int put(struct rank *r, struct side *s)
{
	int which = (int)(r->k & 1), e;
	struct pair *p = s->pair;
	if (!p) {
		fill(r, s, s->put->slots[which]);
		__atomic_store_n(&s->put->there, r->k + 1, __ATOMIC_RELEASE);
		return 0;
	}
	/* The device may still read what left two exchanges ago, until it is acknowledged. */
	while (p->posted - p->completed >= 2) {
		int n = reap(p);
		if (n < 0)
			return pair_bad(r, p);
		if (n == 0 && (e = vain(r, p)))
			return e;
	}
	uint8_t *slot = p->out + (uint64_t)which * halo.slot;
	fill(r, s, slot);
	struct ibv_sge sge = {.addr = (uintptr_t)slot, .length = (uint32_t)halo.slot, .lkey = p->mr->lkey};
	struct ibv_send_wr w = {.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | (halo.slot <= (uint64_t)end.inlined ? IBV_SEND_INLINE : 0),
		.wr.rdma = {.remote_addr = p->peer + end.in_at + (uint64_t)which * halo.slot, .rkey = p->rkey}}, *unposted;
	if ((e = ibv_post_send(p->qp, &w, &unposted)))
		return bad(r, "post", e < 0 ? errno : e, 0, "a write cannot be posted");
	p->posted++;
	return 0;
}

/* take waits for the message of this exchange and looks at its first word, in the first exchange at all. */
static int take(struct rank *r, int side)
{
	struct side *s = &r->sides[side];
	int which = (int)(r->k & 1), e;
	uint8_t *slot = s->pair ? s->pair->in + (uint64_t)which * halo.slot : s->take->slots[which];
	uint64_t *flag = s->pair ? (uint64_t *)(void *)(slot + halo.slot - 8) : &s->take->there;
	for (;;) {
		uint64_t k = __atomic_load_n(flag, __ATOMIC_ACQUIRE);
		if (s->pair ? k == r->k + 1 : k > r->k)
			break;
		if ((e = vain(r, s->pair)))
			return e;
	}
	int words = r->k ? halo.words > 0 : halo.words;
	for (int i = 0; i < words; i++) {
		uint32_t got;
		memcpy(&got, slot + 4 * i, 4);
		if (got != s->want[i] + (i ? 0 : (uint32_t)r->k)) {
			char text[200];
			snprintf(text, sizeof text, "exchange %llu: word %d of its halo at side %d is %08x, and process %d sent %08x: the data is not the neighbour's",
				(unsigned long long)r->k, i, side, got, s->theirs, s->want[i] + (i ? 0 : (uint32_t)r->k));
			return bad(r, "check", 0, 0, text);
		}
	}
	if (!r->k)
		r->checked += (uint64_t)words;
	return 0;
}

/* swap is one exchange: to north and south and then west and east, to all four at once, or one way after the other. */
static int swap(struct rank *r)
{
	int e = 0;
	switch (halo.exchange) {
	case 1:
		for (int s = 0; s < SIDES && !e; s++)
			e = put(r, &r->sides[s]);
		for (int s = 0; s < SIDES && !e; s++)
			e = take(r, s);
		return e;
	case 2:
		for (int s = 0; s < SIDES && !e; s++)
			if (!(e = put(r, &r->sides[s])))
				e = take(r, s ^ 1);
		return e;
	}
	for (int s = 0; s < SIDES && !e; s += 2)
		if (!(e = put(r, &r->sides[s])) && !(e = put(r, &r->sides[s + 1])) && !(e = take(r, s)))
			e = take(r, s + 1);
	return e;
}

/* ---- threads ---- */

static void *process(void *argument)
{
	struct rank *r = argument;
	if (r->core >= 0) {
		cpu_set_t *set = CPU_ALLOC(8192);
		size_t size = CPU_ALLOC_SIZE(8192);
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)r->core, size, set);
		if (sched_setaffinity(0, size, set))
			bad(r, "pin", errno, 0, "the thread cannot run on its core");
		CPU_FREE(set);
	}
	r->looks = 1, r->turns = end.o.yield;
	__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
	for (int turns = end.o.yield; !__atomic_load_n(&released, __ATOMIC_ACQUIRE);)
		if (end.o.yield && --turns <= 0) {
			turns = end.o.yield;
			give_up();
		}
	r->left = now();
	for (; !r->failed; r->k++) {
		uint64_t from = now();
		if (r->k && from >= end.w.close + tail)
			break;
		int over = swap(r);
		uint64_t to = now();
		/* One that is still under way behind the window counts with its time so far: a stall at the end must not vanish. */
		if (over < 0 || (over && from >= end.w.close))
			break;
		if (to >= end.w.open && (over || to < end.w.close))
			r->histogram[bucket(to - from)]++;
		if (over)
			break;
		if (to >= end.w.open && to < end.w.close) {
			if (!r->count++)
				r->first = to;
			r->last = to;
		}
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL);
	return NULL;
}

static void start(struct rank *r)
{
	pthread_t id;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 256 << 10);
	int e = pthread_create(&id, &a, process, r);
	if (e)
		fail("threads", -1, e, 0, "thread %d of %d cannot be started: %s; look at ulimit -u", r->n + 1, halo.ranks, strerror(e));
	pthread_attr_destroy(&a);
	pthread_detach(id);
}

static void print(void)
{
	const struct trouble *first = NULL;
	for (int n = 0; n < halo.ranks; n++) {
		const struct rank *r = &halo.rank[n];
		if (r->failed && (!first || r->trouble.at < first->at))
			first = &r->trouble;
		say("rank n=%d id=%d core=%d exchanges=%llu first=%llu last=%llu checked=%llu left=%llu\n", n, r->id, r->core, (unsigned long long)r->count,
			(unsigned long long)r->first, (unsigned long long)r->last, (unsigned long long)r->checked, (unsigned long long)r->left);
		const char *comma = "";
		for (unsigned b = 0; b < BUCKETS; b++)
			if (r->histogram[b]) {
				if (!*comma)
					say("hist n=%d ", n);
				say("%s%llu:%u", comma, (unsigned long long)value(b), r->histogram[b]);
				comma = ",";
			}
		if (*comma)
			say("\n");
	}
	if (!first) {
		say("done\n");
		return;
	}
	say("error step=%s pair=-1 errno=%d status=%d at=%llu text=%s\n", first->step, first->number, first->status, (unsigned long long)first->at, first->text);
	fflush(stdout);
	_exit(1);
}

void halo_run(void)
{
	uint64_t t;
	if (halo.known != halo.ranks * SIDES)
		fail("line", -1, 0, 0, "%d sides of %d processes were told in place of %d", halo.known, halo.ranks, halo.ranks * SIDES);
	for (int n = 0; n < halo.ranks; n++) {
		halo.rank[n].histogram = room(BUCKETS, sizeof(uint32_t));
		start(&halo.rank[n]);
	}
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < halo.ranks)
		wait_for(-1, 1);
	while ((t = now()) + 5000000 < end.w.begin)
		wait_for(-1, end.w.begin - t > 100000000 ? 50 : 1);
	struct timespec stamp = {.tv_sec = (time_t)(end.w.begin / 1000000000), .tv_nsec = (long)(end.w.begin % 1000000000)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &stamp, NULL) == EINTR)
		;
	__atomic_store_n(&released, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < halo.ranks)
		wait_for(-1, 10);
	print();
}
