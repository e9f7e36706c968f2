/* What the files of linerate-mpi share. What it is told and what it says is described in docs/design/halo.md. */
#ifndef LINERATE_MPI_H
#define LINERATE_MPI_H

#include <stddef.h>
#include <stdint.h>
#include "../c/exchange.h"

enum {
	MOST_RANKS = 4096,
	MOST_WORDS = 16384,
	TEXT = 8192 + 1,   /* MPICH's longest text of a version */
	SHORT = 240,       /* of it that is said */
};

/* mpi is one ABI: libraries whose handles are of one type and have the same constants. Each call returns 0 or MPI's code. */
struct mpi {
	const char *kind;
	const char *files[3];  /* names of the library, the first that is found is taken */
	const char *(*bind)(void *library); /* NULL, or what the library lacks */
	int (*version)(char text[TEXT]);
	int (*init)(void);
	int (*size)(int *);
	int (*rank)(int *);
	int (*finalize)(void);
	void (*abort)(void);
	void (*text)(int code, char text[TEXT]);
	int (*send)(const void *, int bytes, int to, int tag);
	int (*receive)(void *, int bytes, int from, int tag);
	int (*tell)(void *, int bytes); /* from rank 0 to all */
	/* Several at once: each in a slot of its own below 2 * SIDES, then all from a slot on are waited for. */
	int (*begin_send)(int slot, const void *, int bytes, int to, int tag);
	int (*begin_receive)(int slot, void *, int bytes, int from, int tag);
	int (*wait)(int slots);
	int (*send_receive)(const void *, int to, int tag, void *, int from, int other_tag, int bytes);
};
extern const struct mpi openmpi, mpich;

/* open.c: opens the library of an ABI. NULL: why it cannot be had is in why. */
void *open_library(const struct mpi *, int everywhere, char file[TEXT], char why[TEXT]);

/* halo.c */
struct plan {
	const struct mpi *mpi;
	char file[TEXT], library[SHORT + 1];  /* what was opened, and what it calls itself */
	int processes, hosts, columns, words, exchange, ncores, naddresses;
	long room;         /* bytes that a process may say of its histogram */
	uint64_t warmup, window, seed;
	int cores[MOST_RANKS];  /* of each process; -1: any */
	const char *addresses[MOST_RANKS]; /* of each host */
};
void halo(const struct plan *);

/* main.c */
extern const struct mpi *started; /* whose processes have to be ended with this one; NULL: none */
void fail(const char *step, int number, const char *form, ...) __attribute__((format(printf, 3, 4), noreturn));
void short_of(char to[SHORT + 1], const char *text); /* its first line, in one */

#endif
