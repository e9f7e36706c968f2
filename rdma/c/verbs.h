/* What the files of linerate-verbs share. The protocol is described in docs/design/rdma.md. */
#ifndef LINERATE_VERBS_H
#define LINERATE_VERBS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include "exchange.h"

/* The headers cover these two with inline wrappers; the exported symbols are meant here. */
#undef ibv_reg_mr
#undef ibv_query_port

enum {
	MAX_PAIRS = 4096,
	MAX_DEPTH = 65536,
	MAX_SLICES = 100000,
	MAX_LINE = 65536,
	MAX_TOKEN = 32,  /* bytes: with the rest it fits the 56 that a connection request over InfiniBand carries */
	TENTHS = 10,
	SPARE = 16,      /* requests beside the measured ones: end mark, credit, probe */
	GRH = 40,        /* bytes in front of every message that UD delivers */
	RETRIES = 6,     /* of a packet without an answer; soft RoCE takes 7, the most, for ever */
	COSTED = 100,    /* calls whose cost is measured before the window opens */
};
#define MAX_SIZE (1ull << 30)
#define MAX_TIME (24ull * 3600 * 1000000000) /* of a window, and how far ahead it may lie */

/* lib.c: the two libraries, opened at run time, so that the program starts where they are not. */
#define IBV_SYMBOLS(X) X(ibv_get_device_list) X(ibv_free_device_list) X(ibv_get_device_name) X(ibv_open_device) \
	X(ibv_close_device) X(ibv_query_device) X(ibv_query_gid) X(ibv_alloc_pd) X(ibv_dealloc_pd) X(ibv_dereg_mr) \
	X(ibv_create_cq) X(ibv_destroy_cq) X(ibv_create_qp) X(ibv_modify_qp) X(ibv_query_qp) X(ibv_destroy_qp) X(ibv_create_ah)
#define RDMA_SYMBOLS(X) X(rdma_get_devices) X(rdma_create_event_channel) X(rdma_create_id) X(rdma_destroy_id) X(rdma_bind_addr) \
	X(rdma_listen) X(rdma_get_src_port) X(rdma_resolve_addr) X(rdma_resolve_route) X(rdma_create_qp) X(rdma_connect) \
	X(rdma_accept) X(rdma_reject) X(rdma_get_cm_event) X(rdma_ack_cm_event) X(rdma_event_str) X(rdma_set_option)

struct library {
#define X(f) __typeof__(f) *f;
	IBV_SYMBOLS(X)
	RDMA_SYMBOLS(X)
#undef X
	struct ibv_mr *(*ibv_reg_mr)(struct ibv_pd *, void *, size_t, int);
	int (*ibv_query_port)(struct ibv_context *, uint8_t, struct _compat_ibv_port_attr *);
};
extern struct library lib;
const char *load_ibverbs(void); /* NULL, or why it cannot be had */
const char *load_rdmacm(void);
void query_port(struct ibv_context *, int port, struct ibv_port_attr *);

enum transport { RC, UD, CM };
enum operation { WRITE, READ, SEND };

struct options {
	char device[64];
	int port, gid, latency, from, out, in, pairs, depth, signal, inlined, batch, mtu, sl, tclass, yield, rd_atomic, timeout, ncores;
	enum transport transport;
	enum operation op;
	uint64_t size, seed;
	int cores[MAX_PAIRS];
};

/* What the ends write into each other's memory beside the payload. */
struct control {
	uint64_t end;    /* 1 + the number of messages: the other end has asked for its last one */
	uint64_t hello;  /* over iWARP the end that connected has to speak first */
	uint64_t credit; /* receives posted so far: a SEND without one ends a connection over iWARP */
	uint64_t probe;  /* written to see whether the other end is there */
};

struct trouble {
	const char *step;
	int number, status; /* errno, ibv_wc_status */
	uint64_t at;
	char text[512];
};

struct pair {
	/* made by open and connect */
	int n;
	struct ibv_cq *scq, *rcq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	struct rdma_cm_id *id;
	uint8_t *in, *out;             /* the first byte of a message here, and of one that leaves */
	struct control *told, *telling; /* written by the other end; sent to it */
	uint32_t psn, rkey, peer_qpn, peer_psn, peer_lid;
	uint64_t peer;                 /* address of the other end's memory */
	union ibv_gid peer_gid;
	int peer_mtu, peer_rd, known, greeted;
	uint8_t *memory;
	uint32_t *histogram;           /* TENTHS * BUCKETS, the pair that begins a latency alone */

	/* of the loop; one thread has it */
	struct ibv_send_wr *send;      /* batch of them, linked */
	struct ibv_sge sge, rsge;
	struct ibv_recv_wr recv[32];
	uint64_t posted, completed, received, credits, credited;
	int since, flags, small, control, unprobed, end_sent, end_done, peer_ended, failed, posts, polls;
	uint32_t sequence;
	uint64_t probes, heard, silent, looked_at; /* how long the other end has said nothing */
	uint64_t left, limit, probe_at, first, last, ops, bytes, in_bytes, in_ops, late, lost, post_ns, poll_ns;
	uint64_t *slices, *in_slices;
	int core, looks, turns, owed; /* owed: receives that are to be posted again */
	struct trouble trouble;
} __attribute__((aligned(128)));

struct window {
	uint64_t begin, open, close;
	int slices;
};

struct end {
	struct options o;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_device_attr device;
	struct ibv_port_attr state;
	union ibv_gid gid;
	struct pair *pairs;
	int opened, connected, ran, mtu, rd_atomic, inlined, receives;
	uint64_t memory, in_at, out_at, told_at, telling_at, memory_each;
	struct window w;
};
extern struct end end;

static inline int asks(void) { return end.o.from ? end.o.out : end.o.in; }     /* this end posts the requests */
static inline int answers(void) { return end.o.from ? end.o.in : end.o.out; }  /* the other end does */

/* main.c */
uint64_t now(void); /* CLOCK_MONOTONIC */
void say(const char *form, ...) __attribute__((format(printf, 1, 2)));
void fail(const char *step, int pair, int number, int status, const char *form, ...)
	__attribute__((format(printf, 5, 6), noreturn));
int wait_for(int fd, int ms); /* 1: fd can be read; 0: not within that time; ends the program with standard input */

/* open.c */
void devices(void);
void open_end(void);
void connect_pairs(void);
void qp_attributes(struct pair *, struct ibv_qp_init_attr *);
int mtu_bytes(int mtu);
const char *memlock(void);
const char *port_state(int state);

/* cm.c */
void cm_open(void);
void cm_listen(const char *address, const uint8_t *token, int length, int pairs); /* pairs: connections that come in; 0: all, from one end */
void cm_dial(const char *address, int port, const char *source, const uint8_t *token, int length, int pair, int theirs); /* pair -1: all */
void cm_connect(void);

/* barrier.c */
uint64_t barrier_leave(int yield);           /* waits for the release, and says when it saw it; after so many looks in vain a turn is given up, 0: never */
void barrier_release(int n, uint64_t at);    /* lets n threads go at a stamp, when all of them wait */
int pin_to(int core);                        /* 0, or errno is set */
void release_rounds(int threads, int rounds, const int *cores, int ncores, int yield);

/* loop.c */
void run(void);
void post_first(struct pair *); /* the receives that stand before the other end may send */
void requests(struct pair *);   /* what the loops post, as soon as the other end's memory is known */
int speak(struct pair *, size_t field, uint64_t value, int kind); /* writes a field of the other end's struct control */
int reap(struct pair *);
const char *status_text(int status);
enum { DATA, END, HELLO, CREDIT, PROBE };

/* halo.c */
uint64_t halo_slot(int words);
void halo_open(int ranks, int words, int exchange, long nap, uint64_t seed);
int halo_ranks(void); /* 0: no exchange */
void halo_rank(int n, int id, int core);
void halo_edge(int n, int side, int theirs, int pair, int to);
void halo_run(void);

#endif
