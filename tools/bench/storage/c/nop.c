// A loop over io_uring's no-op: what a request that does nothing costs in the kernel, without any measurement.
//
//	cc -O2 -o nop nop.c -luring
//	nop SECONDS DEPTH BATCH plain|tuned
//
// Batch is how many requests one call submits and waits for. Tuned has the flags of the engine (single issuer, deferred
// task work) and a registered ring. The program prints the number of requests.
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: nop SECONDS DEPTH BATCH plain|tuned\n");
		return 2;
	}
	double seconds = atof(argv[1]);
	unsigned depth = atoi(argv[2]), batch = atoi(argv[3]), under = 0;
	int tuned = !strcmp(argv[4], "tuned");
	struct io_uring ring;
	int err = io_uring_queue_init(depth, &ring, tuned ? IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN : 0);
	if (err) {
		fprintf(stderr, "io_uring_queue_init: %s\n", strerror(-err));
		return 1;
	}
	if (tuned)
		io_uring_register_ring_fd(&ring);
	unsigned long long ops = 0;
	double end = now() + seconds;
	for (unsigned long long turn = 0; turn % 1024 || now() < end; turn++) {
		for (unsigned k = 0; under < depth && k < batch; under++, k++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
			if (!sqe)
				break;
			io_uring_prep_nop(sqe);
			sqe->user_data = under;
		}
		err = io_uring_submit_and_wait(&ring, batch);
		if (err < 0) {
			fprintf(stderr, "io_uring_submit_and_wait: %s\n", strerror(-err));
			return 1;
		}
		struct io_uring_cqe *cqe;
		unsigned head, n = 0;
		io_uring_for_each_cqe(&ring, head, cqe)
			n++;
		io_uring_cq_advance(&ring, n);
		ops += n, under -= n;
	}
	printf("%llu\n", ops);
	return 0;
}
