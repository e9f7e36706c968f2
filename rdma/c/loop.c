/* The hot loops: one thread a pair, from the barrier to the end of the window. */
#define _GNU_SOURCE
#include "verbs.h"
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	MARK_END = 255,                          /* of a ping-pong: the last byte of the last message; the others count 1 to 254 */
	SPACE = 32,                              /* completions taken at once */
	LOOKS = 1024,                            /* looks in vain between two looks at the clock */
};
static const uint64_t second = 1000000000, patience = 10 * 1000000000ull, long_patience = 60 * 1000000000ull, loss = 500000000, flushing = 50000000;
/* Of a look that came late only so much counts as silence: the thread had no processor. */
static const uint64_t most_silent = 250000000;
static uint64_t silence; /* of the other end, after which it counts as gone */
static const uint32_t last_sequence = UINT32_MAX;

static int finished;
static uint64_t clock_cost;

/* ---- what went wrong ---- */

const char *status_text(int s)
{
	switch (s) {
	case IBV_WC_LOC_LEN_ERR: return "local length error: a message is longer than what was posted for it; are both ends opened with the same size?";
	case IBV_WC_LOC_QP_OP_ERR: return "local queue pair error: the device refuses the request, or the connection under it is gone (iWARP)";
	case IBV_WC_LOC_PROT_ERR: return "local protection error: the request's memory is not registered";
	case IBV_WC_WR_FLUSH_ERR: return "flushed: the queue pair is in error, because the other end is gone or an earlier request failed";
	case IBV_WC_MW_BIND_ERR: return "memory window error";
	case IBV_WC_BAD_RESP_ERR: return "bad response: the other end's device answered what was not asked";
	case IBV_WC_LOC_ACCESS_ERR: return "local access error: the memory may not be written by the other end";
	case IBV_WC_REM_INV_REQ_ERR: return "the other end's device refuses the request as invalid; are both ends opened with the same size and operation?";
	case IBV_WC_REM_ACCESS_ERR: return "remote access error: the other end's memory may not be used so; were key and address handed over right?";
	case IBV_WC_REM_OP_ERR: return "the other end's device could not do the request";
	case IBV_WC_RETRY_EXC_ERR: return "retries exceeded: the other end does not answer any more; it ended, its link is down, or packets are lost on the way (path MTU, lossless class)";
	case IBV_WC_RNR_RETRY_EXC_ERR: return "receiver not ready: the other end posts no receives; its thread has no processor";
	case IBV_WC_REM_ABORT_ERR: return "the other end aborted the request";
	case IBV_WC_RESP_TIMEOUT_ERR: return "the other end's answer came too late";
	case IBV_WC_FATAL_ERR: return "the device failed; look at dmesg";
	case IBV_WC_GENERAL_ERR: return "transport error of the device's own; look at dmesg and at rdma statistic";
	default: return "an error that the specification does not name";
	}
}

static __attribute__((cold)) void wrong(struct pair *p, const char *step, int number, int status, const char *text)
{
	if (p->failed)
		return;
	p->failed = 1;
	p->trouble = (struct trouble){.step = step, .number = number, .status = status, .at = now()};
	snprintf(p->trouble.text, sizeof p->trouble.text, "%s", text);
}

static __attribute__((cold)) int not_posted(struct pair *p, const char *what, int e)
{
	char text[200];
	snprintf(text, sizeof text, "%s cannot be posted: %s", what, strerror(e));
	wrong(p, "post", e, 0, text);
	return -1;
}

/* ---- posting ---- */

int speak(struct pair *p, size_t field, uint64_t value, int kind)
{
	uint64_t *mine = (uint64_t *)(void *)((char *)p->telling + field);
	__atomic_store_n(mine, value, __ATOMIC_RELEASE);
	struct ibv_sge s = {.addr = (uintptr_t)mine, .length = 8, .lkey = p->mr->lkey};
	struct ibv_send_wr w = {.wr_id = (uint64_t)kind << 32, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {.remote_addr = p->peer + end.told_at + field, .rkey = p->rkey}}, *bad;
	int e = ibv_post_send(p->qp, &w, &bad);
	if (e)
		return not_posted(p, "a message to the other end", e < 0 ? errno : e);
	p->control++;
	return 0;
}

/*
 * probe asks whether the other end is there. A WRITE is acknowledged by the other end's device; over iWARP it is done when TCP has taken it, so there
 * it is a READ, which needs the answer.
 */
static int probe(struct pair *p)
{
	if (end.context->device->transport_type != IBV_TRANSPORT_IWARP || !end.rd_atomic)
		return speak(p, offsetof(struct control, probe), now(), PROBE);
	struct ibv_sge s = {.addr = (uintptr_t)&p->telling->probe, .length = sizeof p->telling->probe, .lkey = p->mr->lkey};
	struct ibv_send_wr w = {.wr_id = (uint64_t)PROBE << 32, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {.remote_addr = p->peer + end.told_at + offsetof(struct control, probe), .rkey = p->rkey}}, *bad;
	int e = ibv_post_send(p->qp, &w, &bad);
	if (e)
		return not_posted(p, "a message to the other end", e < 0 ? errno : e);
	p->control++;
	return 0;
}

static inline uint64_t heard(uint64_t *field)
{
	return __atomic_load_n(field, __ATOMIC_ACQUIRE);
}

/* post asks for batch requests with one doorbell. */
static inline int post(struct pair *p)
{
	struct ibv_send_wr *bad;
	int n = end.o.batch, e;
	for (int i = 0; i < n; i++) {
		struct ibv_send_wr *w = &p->send[i];
		w->send_flags = (unsigned)p->flags;
		if (++p->since == end.o.signal) {
			w->send_flags |= IBV_SEND_SIGNALED;
			w->wr_id = (uint64_t)p->since; /* how many are done when this one is */
			p->since = 0;
		}
	}
	if (__builtin_expect(p->posts < COSTED, 0)) {
		uint64_t t = now();
		e = ibv_post_send(p->qp, p->send, &bad);
		p->post_ns += now() - t;
		p->posts++;
	} else {
		e = ibv_post_send(p->qp, p->send, &bad);
	}
	if (__builtin_expect(e != 0, 0))
		return not_posted(p, "a request", e < 0 ? errno : e);
	p->posted += (uint64_t)n;
	return 0;
}

static int post_receives(struct pair *p, int n)
{
	while (n > 0) {
		int now_ = n < SPACE ? n : SPACE;
		struct ibv_recv_wr *bad, *last = &p->recv[now_ - 1], *next = last->next;
		last->next = NULL;
		int e = ibv_post_recv(p->qp, p->recv, &bad);
		last->next = next;
		if (e)
			return not_posted(p, "a receive", e < 0 ? errno : e);
		n -= now_;
		p->credits += (uint64_t)now_;
	}
	return 0;
}

void post_first(struct pair *p)
{
	uint32_t grh = end.o.transport == UD ? GRH : 0;
	p->rsge = (struct ibv_sge){.addr = (uintptr_t)p->in - grh, .length = (uint32_t)end.o.size + grh, .lkey = p->mr->lkey};
	for (int i = 0; i < SPACE; i++)
		p->recv[i] = (struct ibv_recv_wr){.sg_list = &p->rsge, .num_sge = 1, .next = i + 1 < SPACE ? &p->recv[i + 1] : NULL};
	if (end.o.op == SEND && post_receives(p, end.receives))
		fail("connect", p->n, p->trouble.number, 0, "%s", p->trouble.text);
	p->credited = p->told->credit = p->credits; /* the other end posts as many */
}

void requests(struct pair *p)
{
	static const enum ibv_wr_opcode codes[] = {[WRITE] = IBV_WR_RDMA_WRITE, [READ] = IBV_WR_RDMA_READ, [SEND] = IBV_WR_SEND};
	int read = end.o.op == READ;
	p->sge = (struct ibv_sge){.addr = (uintptr_t)(read ? p->in : p->out), .length = (uint32_t)end.o.size, .lkey = p->mr->lkey};
	p->flags = !read && end.o.size <= (uint64_t)end.inlined ? IBV_SEND_INLINE : 0;
	if (!(p->send = calloc((size_t)end.o.batch, sizeof *p->send)))
		fail("memory", p->n, ENOMEM, 0, "no memory for %d requests", end.o.batch);
	for (int i = 0; i < end.o.batch; i++) {
		struct ibv_send_wr *w = &p->send[i];
		*w = (struct ibv_send_wr){.sg_list = &p->sge, .num_sge = 1, .opcode = codes[end.o.op], .next = i + 1 < end.o.batch ? w + 1 : NULL};
		if (end.o.transport == UD) {
			w->opcode = IBV_WR_SEND_WITH_IMM;
			w->wr.ud.ah = p->ah;
			w->wr.ud.remote_qpn = p->peer_qpn;
			w->wr.ud.remote_qkey = 0x11111111;
		} else { /* a write lands where the other end looks for it; a read takes what the other end would send */
			w->wr.rdma.remote_addr = p->peer + (read ? end.out_at : end.in_at);
			w->wr.rdma.rkey = p->rkey;
		}
	}
}

/* ---- completions ---- */

/* bad_completion keeps the first status that is not the flush behind it: devices give completions of an error in any order. */
static __attribute__((cold)) void bad_completion(struct pair *p, struct ibv_cq *from, const struct ibv_wc *c)
{
	int status = c->status;
	struct ibv_wc more;
	for (uint64_t until = now() + flushing; status == IBV_WC_WR_FLUSH_ERR && now() < until;)
		if (ibv_poll_cq(from, 1, &more) == 1 && more.status != IBV_WC_SUCCESS)
			status = more.status;
	wrong(p, "completion", 0, status, status_text(status));
}

/* reap takes completions of what was sent, and returns how many measured requests are done; -1: one failed. */
int reap(struct pair *p)
{
	struct ibv_wc c[SPACE];
	int n, done = 0;
	if (__builtin_expect(p->polls < COSTED, 0)) {
		uint64_t t = now();
		n = ibv_poll_cq(p->scq, SPACE, c);
		if (n > 0) {
			p->poll_ns += now() - t;
			p->polls++;
		}
	} else {
		n = ibv_poll_cq(p->scq, SPACE, c);
	}
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(c[i].status != IBV_WC_SUCCESS, 0)) {
			while (c[i].status == IBV_WC_WR_FLUSH_ERR && i + 1 < n && c[i + 1].status != IBV_WC_SUCCESS)
				i++;
			bad_completion(p, p->scq, &c[i]);
			return -1;
		}
		if (__builtin_expect(c[i].wr_id >> 32 != 0, 0)) {
			p->control--;
			if (c[i].wr_id >> 32 == PROBE) {
				p->unprobed = 1;
				p->probes++;
			}
			p->end_done |= c[i].wr_id >> 32 == END;
		} else {
			done += (int)c[i].wr_id;
		}
	}
	if (__builtin_expect(n < 0, 0)) {
		wrong(p, "completion", errno, 0, "the completion queue cannot be read");
		return -1;
	}
	p->completed += (uint64_t)done;
	return done;
}

/* ---- waiting ---- */

/*
 * quiet adds up for how long nothing of the other end has been heard while a probe waits for it. A device gives up by itself, but one whose connection is
 * gone may never say what became of a request (soft iWARP), and TCP sends again for minutes.
 */
static void quiet(struct pair *p, uint64_t t)
{
	uint64_t done = p->completed + p->received + p->probes, since = t - p->looked_at;
	p->looked_at = t;
	if (done != p->heard || p->unprobed) {
		p->heard = done;
		p->silent = 0;
		return;
	}
	p->silent += since < most_silent ? since : most_silent;
	if (p->silent <= silence)
		return;
	char text[240];
	snprintf(text, sizeof text, "nothing has come back from the other end for %llu s, not even the answer to a probe; it ended, its link is down, or packets are lost on the way",
		(unsigned long long)(silence / second));
	wrong(p, "peer", ETIMEDOUT, 0, text);
}

/* idle looks whether a wait has lasted too long, and once a second whether the other end is still there. Not 0: it is over. */
static __attribute__((noinline)) int idle(struct pair *p)
{
	uint64_t t = now();
	if (p->failed)
		return 1;
	if (t > p->limit) {
		wrong(p, "wait", ETIMEDOUT, 0, "the other end has not been heard of until long after the window; did it begin, with the same options?");
		return 1;
	}
	if (end.o.transport == UD)
		return 0;
	if (t > p->probe_at) {
		p->probe_at = t + second;
		if (p->unprobed && p->control < SPARE / 2) {
			p->unprobed = 0;
			probe(p);
		}
	}
	if (end.o.latency || !asks()) /* else the caller reaps */
		reap(p);
	quiet(p, t);
	return p->failed;
}

/* look stands in every loop that looks in vain. */
static inline int look(struct pair *p)
{
	if (end.o.yield && --p->turns <= 0) {
		p->turns = end.o.yield;
		sched_yield();
	}
	if (__builtin_expect(--p->looks <= 0, 0)) {
		p->looks = LOOKS;
		return idle(p);
	}
	return 0;
}

static int all_completed(struct pair *p)
{
	while (p->completed != p->posted) {
		int n = reap(p);
		if (n < 0 || (n == 0 && look(p)))
			return -1;
	}
	return 0;
}

/* ---- counting ---- */

static inline int within(uint64_t t)
{
	return t >= end.w.open && t < end.w.close;
}

/* part is which of n equal parts of the window t lies in. */
static inline unsigned part(uint64_t t, int n)
{
	return (unsigned)((unsigned __int128)(t - end.w.open) * (unsigned)n / (end.w.close - end.w.open));
}

/* count notes n requests of this end that were done at t. */
static inline void count(struct pair *p, uint64_t t, uint64_t n)
{
	if (!within(t)) {
		p->late += t >= end.w.close ? n : 0;
		return;
	}
	if (!p->first)
		p->first = t;
	p->last = t;
	p->ops += n;
	p->bytes += n * end.o.size;
	p->slices[part(t, end.w.slices)] += end.o.latency ? n : n * end.o.size;
}

static inline void trip(struct pair *p, uint64_t from, uint64_t to)
{
	count(p, to, 1);
	if (within(to))
		p->histogram[part(to, TENTHS) * BUCKETS + bucket(to - from)]++;
}

/* take counts messages that arrived, posts as many receives again, and returns how many they were. */
static int take(struct pair *p, uint64_t *t)
{
	struct ibv_wc c[SPACE];
	int n = ibv_poll_cq(p->rcq, SPACE, c), got = 0;
	if (n == 0)
		return 0;
	*t = now();
	for (int i = 0; i < n; i++) {
		if (c[i].status != IBV_WC_SUCCESS) {
			bad_completion(p, p->rcq, &c[i]);
			return -1;
		}
		if (end.o.transport == UD && ntohl(c[i].imm_data) == last_sequence)
			p->peer_ended = 1;
		else
			got++;
	}
	if (n < 0) {
		wrong(p, "completion", errno, 0, "the completion queue cannot be read");
		return -1;
	}
	p->received += (uint64_t)got;
	if (within(*t) && got) {
		uint64_t bytes = (uint64_t)got * end.o.size;
		p->in_bytes += bytes;
		p->in_ops += (uint64_t)got;
		p->in_slices[part(*t, end.w.slices)] += bytes;
		if (!asks()) {
			if (!p->first)
				p->first = *t;
			p->last = *t;
		}
	}
	if (post_receives(p, n))
		return -1;
	if (end.o.transport == CM && p->credits - p->credited >= (uint64_t)end.receives / 4 && p->control < SPARE / 2) {
		p->credited = p->credits;
		speak(p, offsetof(struct control, credit), p->credits, CREDIT);
	}
	return got;
}

/* ---- goodput ---- */

/* tell_end lets the other end know that nothing follows, and how many messages there were. */
static void tell_end(struct pair *p)
{
	p->end_sent = 1;
	if (end.o.transport != UD) {
		speak(p, offsetof(struct control, end), p->posted + 1, END);
		return;
	}
	/* Datagrams may be lost: three of them, and the other end waits for none beyond its limit. */
	for (int i = 0; i < 3 && !p->failed; i++) {
		struct ibv_send_wr w = p->send[0], *bad;
		w.next = NULL;
		w.wr_id = (uint64_t)(i == 2 ? END : PROBE) << 32;
		w.imm_data = htonl(last_sequence);
		w.send_flags = (unsigned)p->flags | IBV_SEND_SIGNALED;
		int e = ibv_post_send(p->qp, &w, &bad);
		if (e)
			not_posted(p, "the end mark", e < 0 ? errno : e);
		p->control++;
	}
}

/* other_ended says whether the other end has asked for its last request, and this end has all of them. */
static int other_ended(struct pair *p, uint64_t t)
{
	if (end.o.transport == UD)
		return p->peer_ended || t > end.w.close + 2 * second;
	uint64_t n = heard(&p->told->end);
	return n && (end.o.op != SEND || p->received >= n - 1);
}

/* stay is all that an end does whose memory the other one reads and writes. Its processor is left alone. */
static void stay(struct pair *p)
{
	p->limit = end.w.close + long_patience;
	while (!p->failed && !other_ended(p, 0)) {
		struct timespec nap = {.tv_nsec = 2000000};
		nanosleep(&nap, NULL);
		if (idle(p) || reap(p) < 0)
			return;
	}
}

static void goodput(struct pair *p)
{
	int sends = asks(), takes = end.o.op == SEND && answers(), credit = end.o.transport == CM && end.o.op == SEND;
	uint64_t room = (uint64_t)end.o.depth, batch = (uint64_t)end.o.batch, t = now();
	while (!p->failed) {
		int work = 0;
		if (sends && !p->end_sent) {
			if (t >= end.w.close) {
				tell_end(p);
			} else {
				uint64_t free = room - (p->posted - p->completed);
				if (credit) {
					uint64_t credits = heard(&p->told->credit) - p->posted;
					free = credits < free ? credits : free;
				}
				for (; free >= batch; free -= batch)
					if (post(p))
						return;
			}
		}
		if (sends || p->control) {
			int n = reap(p);
			if (n < 0)
				return;
			if (n > 0) {
				count(p, t = now(), (uint64_t)n);
				work = 1;
			}
		}
		if (takes) {
			int n = take(p, &t);
			if (n < 0)
				return;
			work |= n;
		}
		if (work) {
			p->limit = (t > end.w.close ? t : end.w.close) + patience;
			continue;
		}
		t = now();
		if ((!sends || p->end_done) && (!takes || other_ended(p, t)))
			break;
		if (look(p))
			return;
	}
	if (answers() && !takes)
		stay(p);
}

/* ---- latency ---- */

static void read_latency(struct pair *p)
{
	for (;;) {
		uint64_t t = now();
		if (t >= end.w.close)
			break;
		if (post(p) || all_completed(p))
			return;
		trip(p, t, now());
	}
	tell_end(p);
	while (!p->end_done)
		if (reap(p) < 0 || look(p))
			return;
}

static void write_latency(struct pair *p, int first)
{
	volatile uint8_t *in = p->in + end.o.size - 1, *out = p->out + end.o.size - 1;
	for (uint8_t k = 1;; k = k == 254 ? 1 : (uint8_t)(k + 1)) {
		uint64_t t = now();
		if (!first) {
			uint8_t b;
			while ((b = *in) != k && b != MARK_END)
				if (look(p))
					return;
			if (b == MARK_END)
				return;
		}
		int over = first && t >= end.w.close;
		*out = over ? MARK_END : k;
		if (post(p))
			return;
		if (first && !over) {
			while (*in != k)
				if (look(p))
					return;
			trip(p, t, now());
		}
		if (all_completed(p) || over)
			return;
		if (!first)
			count(p, now(), 1);
	}
}

/* renew posts again what was received. */
static int renew(struct pair *p)
{
	int n = p->owed;
	p->owed = 0;
	return n ? post_receives(p, n) : 0;
}

/*
 * receive waits for one message. 1: it is there; 0: none came within the limit of datagrams; -1: an error. Its receive is posted again by renew, after the
 * answer and the stamp: where that is a system call (soft iWARP) it would be a part of every trip.
 */
static int receive(struct pair *p, uint64_t from, uint32_t *sequence)
{
	struct ibv_wc c;
	for (;;) {
		int n = ibv_poll_cq(p->rcq, 1, &c);
		if (n == 1)
			break;
		if (n < 0) {
			wrong(p, "completion", errno, 0, "the completion queue cannot be read");
			return -1;
		}
		if (look(p))
			return -1;
		if (end.o.transport == UD && p->looks % 64 == 0) {
			uint64_t t = now();
			if (from ? t > from + loss : t > end.w.close + 2 * second)
				return 0;
		}
	}
	if (c.status != IBV_WC_SUCCESS) {
		bad_completion(p, p->rcq, &c);
		return -1;
	}
	*sequence = ntohl(c.imm_data);
	p->received++;
	if (++p->owed * 2 > end.receives)
		return renew(p) ? -1 : 1;
	return 1;
}

static void send_latency(struct pair *p, int first)
{
	int ud = end.o.transport == UD, n;
	volatile uint8_t *in = p->in + end.o.size - 1, *out = p->out + end.o.size - 1;
	uint32_t sequence = 0, got = 0;
	for (;;) {
		uint64_t t = now();
		if (!first) {
			if ((n = receive(p, 0, &got)) < 1 || (ud ? got == last_sequence : *in == MARK_END))
				return;
			sequence = got;
		} else {
			sequence++;
		}
		int over = first && t >= end.w.close;
		if (over && ud) {
			tell_end(p);
			while (!p->end_done)
				if (reap(p) < 0 || look(p))
					return;
			return;
		}
		*out = over ? MARK_END : 1;
		if (ud)
			p->send[0].imm_data = htonl(sequence);
		if (post(p))
			return;
		if (first && !over) {
			do /* an answer to a message that was taken for lost is passed over */
				n = receive(p, t, &got);
			while (n == 1 && ud && got != sequence);
			if (n < 0)
				return;
			if (n == 1)
				trip(p, t, now());
			else
				p->lost += within(t);
		}
		if (renew(p) || all_completed(p) || over)
			return;
		if (!first)
			count(p, now(), 1);
	}
}

/* ---- threads ---- */

static void pin(struct pair *p)
{
	if (end.o.ncores && pin_to(end.o.cores[p->n % end.o.ncores]))
		wrong(p, "pin", errno, 0, "the thread cannot run on its core");
	p->core = sched_getcpu();
}

static void *thread(void *argument)
{
	struct pair *p = argument;
	pin(p);
	p->looks = LOOKS;
	p->turns = end.o.yield;
	p->unprobed = 1;
	p->limit = end.w.close + patience;
	p->looked_at = now();
	p->probe_at = end.w.begin + second;
	p->left = barrier_leave(end.o.yield);
	if (!p->failed) {
		if (!end.o.latency && (asks() || end.o.op == SEND))
			goodput(p);
		else if (!end.o.latency || (end.o.op == READ && !asks()))
			stay(p);
		else if (end.o.op == READ)
			read_latency(p);
		else if (end.o.op == WRITE)
			write_latency(p, asks());
		else
			send_latency(p, asks());
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL);
	return NULL;
}

static void prepare(struct pair *p)
{
	p->slices = calloc((size_t)end.w.slices, sizeof *p->slices);
	p->in_slices = calloc((size_t)end.w.slices, sizeof *p->in_slices);
	if (!p->slices || !p->in_slices)
		fail("memory", p->n, ENOMEM, 0, "no memory for %d slices", end.w.slices);
	memset(p->slices, 0, (size_t)end.w.slices * sizeof *p->slices);
	if (!end.o.latency || !asks())
		return;
	/* Touched beforehand, so that no trip pays for a page; with very many pairs that would be gigabytes. */
	int touch = end.o.pairs <= 256 ? MAP_POPULATE : MAP_NORESERVE;
	p->histogram = mmap(NULL, sizeof(uint32_t) * TENTHS * BUCKETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | touch, -1, 0);
	if (p->histogram == MAP_FAILED)
		fail("memory", p->n, errno, 0, "no memory for histograms: %s", strerror(errno));
}

static void start(struct pair *p)
{
	pthread_t id;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 256 << 10);
	int e = pthread_create(&id, &a, thread, p);
	if (e)
		fail("threads", p->n, e, 0, "thread %d of %d cannot be started: %s; look at ulimit -u", p->n + 1, end.o.pairs, strerror(e));
	pthread_attr_destroy(&a);
	pthread_detach(id);
}

/* ---- what is printed ---- */

static uint64_t mean(uint64_t sum, int n)
{
	uint64_t each = n ? sum / (uint64_t)n : 0;
	return each > clock_cost ? each - clock_cost : 0;
}

static void print_slices(const char *name, const struct pair *p, const uint64_t *s)
{
	say("%s n=%d ", name, p->n);
	for (int i = 0; i < end.w.slices; i++)
		say("%s%llu", i ? "," : "", (unsigned long long)s[i]);
	say("\n");
}

static void print_pair(const struct pair *p)
{
	say("pair n=%d core=%d first=%llu last=%llu ops=%llu bytes=%llu in=%llu in_ops=%llu late=%llu lost=%llu left=%llu post_ns=%llu poll_ns=%llu posted=%llu completed=%llu\n",
		p->n, p->core,
		(unsigned long long)p->first, (unsigned long long)p->last, (unsigned long long)p->ops, (unsigned long long)p->bytes,
		(unsigned long long)p->in_bytes, (unsigned long long)p->in_ops, (unsigned long long)p->late, (unsigned long long)p->lost,
		(unsigned long long)p->left, (unsigned long long)mean(p->post_ns, p->posts), (unsigned long long)mean(p->poll_ns, p->polls),
		(unsigned long long)p->posted, (unsigned long long)p->completed);
	print_slices("slices", p, p->slices);
	if (end.o.op == SEND && !end.o.latency)
		print_slices("slices-in", p, p->in_slices);
	for (int k = 0; p->histogram && k < TENTHS; k++) {
		const uint32_t *h = p->histogram + k * BUCKETS;
		const char *comma = "";
		for (unsigned b = 0; b < BUCKETS; b++)
			if (h[b]) {
				if (!*comma)
					say("hist n=%d part=%d ", p->n, k);
				say("%s%llu:%u", comma, (unsigned long long)value(b), h[b]);
				comma = ",";
			}
		if (*comma)
			say("\n");
	}
}

static void print(void)
{
	uint64_t earliest = UINT64_MAX, latest = 0;
	const struct trouble *first = NULL;
	int at = 0;
	for (int n = 0; n < end.o.pairs; n++) {
		const struct pair *p = &end.pairs[n];
		earliest = p->left < earliest ? p->left : earliest;
		latest = p->left > latest ? p->left : latest;
		if (p->failed && (!first || p->trouble.at < first->at)) {
			first = &p->trouble;
			at = n;
		}
	}
	say("released skew_ns=%llu begin_ns=%llu\n", (unsigned long long)(latest - earliest), (unsigned long long)earliest);
	for (int n = 0; n < end.o.pairs; n++)
		print_pair(&end.pairs[n]);
	if (!first) {
		say("done\n");
		return;
	}
	say("error step=%s pair=%d errno=%d status=%d at=%llu text=%s", first->step, at, first->number, first->status, (unsigned long long)first->at, first->text);
	struct ibv_port_attr state;
	memset(&state, 0, sizeof state);
	if (!lib.ibv_query_port(end.context, (uint8_t)end.o.port, (struct _compat_ibv_port_attr *)&state) && state.state != IBV_PORT_ACTIVE)
		say("; port %d of %s is in state %s now: is its interface up, its cable in, and the other end on?", end.o.port, end.o.device, port_state(state.state));
	say("\n");
	fflush(stdout);
	_exit(1);
}

void run(void)
{
	uint64_t t = now();
	for (int i = 0; i < 1000; i++)
		now();
	clock_cost = (now() - t) / 1000;
	/* Longer than a device takes to give up, and than a message takes that is under way: 8 Mb/s at least. */
	uint64_t timer = end.o.timeout < 20 ? 4096ull << end.o.timeout : 4096ull << 20;
	silence = 4 * second + (RETRIES + 1) * timer + 1000 * end.o.size;
	for (int n = 0; n < end.o.pairs; n++)
		prepare(&end.pairs[n]);
	for (int n = 0; n < end.o.pairs; n++)
		start(&end.pairs[n]);
	barrier_release(end.o.pairs, end.w.begin);
	while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < end.o.pairs)
		wait_for(-1, 10);
	print();
}
