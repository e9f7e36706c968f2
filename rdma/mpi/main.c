/* linerate-mpi: halo exchanges over MPI. It needs libc alone and opens the MPI library at run time, so that one program fits whatever is installed. */
#define _GNU_SOURCE
#include "mpi.h"
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct mpi *started;

void short_of(char to[SHORT + 1], const char *text)
{
	size_t n = 0;
	for (; n < SHORT && text[n] && text[n] != '\n'; n++)
		to[n] = text[n] < ' ' ? ' ' : text[n];
	to[n] = 0;
}

void fail(const char *step, int number, const char *form, ...)
{
	char text[TEXT];
	struct timespec t;
	va_list args;
	va_start(args, form);
	vsnprintf(text, sizeof text, form, args);
	va_end(args);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("error step=%s pair=-1 errno=%d status=0 at=%lld text=%s\n", step, number, (long long)t.tv_sec * 1000000000 + t.tv_nsec, text);
	fflush(stdout);
	if (started)
		started->abort();
	_exit(1);
}

/* libraries says which MPI libraries this host has, and which cores a process may run on. */
static void libraries(void)
{
	static const struct mpi *all[] = {&openmpi, &mpich};
	static char file[TEXT], text[TEXT];
	printf("linerate-mpi 1\n");
	for (int i = 0; i < 2; i++) {
		char said[SHORT + 1];
		if (!open_library(all[i], 0, file, text)) {
			short_of(said, text);
			printf("lacks kind=%s text=%s\n", all[i]->kind, said);
			continue;
		}
		/* The one call besides MPI_Initialized that may come before MPI_Init. */
		int e = all[i]->version(text);
		short_of(said, e ? "it does not say its version" : text);
		printf("library kind=%s file=%s text=%s\n", all[i]->kind, file, said);
	}
	cpu_set_t *set = CPU_ALLOC(8192);
	size_t size = CPU_ALLOC_SIZE(8192);
	printf("cores list=");
	if (!sched_getaffinity(0, size, set))
		for (int c = 0, n = 0; c < 8192; c++)
			if (CPU_ISSET_S((size_t)c, size, set))
				printf("%s%d", n++ ? "," : "", c);
	printf("\ndone\n");
	CPU_FREE(set);
}

/* ---- the words of the command line ---- */

static const char *decimal(const char *key, const char *s, long long low, unsigned long long high, unsigned long long *v)
{
	char *end;
	errno = 0;
	if (low < 0 && !strncmp(s, "-1", 2)) {
		*v = (unsigned long long)-1;
		return s + 2;
	}
	if (*s < '0' || *s > '9')
		fail("line", 0, "%s=%.40s: no number", key, s);
	*v = strtoull(s, &end, 10);
	if (errno || *v > high || (low >= 0 && *v < (unsigned long long)low))
		fail("line", 0, "%s=%.40s: it goes from %lld to %llu", key, s, low, high);
	return end;
}

static unsigned long long number(const char *key, const char *s, long long low, unsigned long long high)
{
	unsigned long long v;
	if (*decimal(key, s, low, high, &v))
		fail("line", 0, "%s=%.40s: no number", key, s);
	return v;
}

static int choice(const char *key, const char *s, const char *const *all)
{
	for (int i = 0; all[i]; i++)
		if (!strcmp(s, all[i]))
			return i;
	fail("line", 0, "%s=%.40s is none of those that there are", key, s);
}

static const uint64_t day = 86400ull * 1000000000;

static void halo_command(int argc, char **argv)
{
	static struct plan p;
	static const char *const keys[] = {"library", "processes", "hosts", "columns", "words", "exchange", "warmup", "window", "seed", "room", "cores", "addresses", NULL};
	static const char *const kinds[] = {"openmpi", "mpich", NULL}, *const orders[] = {"two-phase", "one-phase", "sendrecv", NULL};
	static char text[TEXT];
	unsigned told = 0;
	for (int i = 2; i < argc; i++) {
		char *v = strchr(argv[i], '=');
		if (!v)
			fail("line", 0, "%.40s is no key=value", argv[i]);
		*v++ = 0;
		int k = choice("key", argv[i], keys);
		if (told & 1u << k)
			fail("line", 0, "%s stands twice", keys[k]);
		told |= 1u << k;
		const char *key = keys[k];
		switch (k) {
		case 0: p.mpi = choice(key, v, kinds) ? &mpich : &openmpi; break;
		case 1: p.processes = (int)number(key, v, 2, MOST_RANKS); break;
		case 2: p.hosts = (int)number(key, v, 1, MOST_RANKS); break;
		case 3: p.columns = (int)number(key, v, 1, MOST_RANKS); break;
		case 4: p.words = (int)number(key, v, 0, MOST_WORDS); break;
		case 5: p.exchange = choice(key, v, orders); break;
		case 6: p.warmup = number(key, v, 0, day); break;
		case 7: p.window = number(key, v, 1, day); break;
		case 8: p.seed = number(key, v, 0, UINT64_MAX); break;
		case 9: p.room = (long)number(key, v, 64, 1 << 20); break;
		case 10:
			for (const char *s = v; ; s++) {
				unsigned long long core;
				if (p.ncores == MOST_RANKS)
					fail("line", 0, "cores has more than %d entries", MOST_RANKS);
				s = decimal(key, s, -1, 8191, &core);
				p.cores[p.ncores++] = (int)core;
				if (*s != ',' && *s)
					fail("line", 0, "cores=%.40s: numbers with a comma between them", v);
				if (!*s)
					break;
			}
			break;
		case 11:
			for (char *s = v; s && *s; ) {
				char *next = strchr(s, ',');
				if (next)
					*next++ = 0;
				if (p.naddresses == MOST_RANKS)
					fail("line", 0, "addresses has more than %d entries", MOST_RANKS);
				p.addresses[p.naddresses++] = s, s = next;
			}
			break;
		}
	}
	for (int k = 0; keys[k]; k++)
		if (!(told & 1u << k))
			fail("line", 0, "%s is missing", keys[k]);
	if (p.processes % p.columns || p.hosts > p.processes || p.ncores != p.processes || p.naddresses != p.hosts)
		fail("line", 0, "%d processes in %d columns on %d hosts with %d cores and %d addresses", p.processes, p.columns, p.hosts, p.ncores, p.naddresses);
	if (!open_library(p.mpi, 1, p.file, text))
		fail("library", 0, "%s", text);
	if (p.mpi->version(text))
		fail("library", 0, "%s does not say its version", p.file);
	short_of(p.library, text);
	halo(&p);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (argc == 2 && !strcmp(argv[1], "libraries"))
		libraries();
	else if (argc > 2 && !strcmp(argv[1], "halo"))
		halo_command(argc, argv);
	else
		fail("line", 0, "there are: libraries; halo KEY=VALUE..");
	return fflush(stdout) ? 1 : 0;
}
