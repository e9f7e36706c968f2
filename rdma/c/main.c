/*
 * linerate-verbs: the hot loop of the method verbs, a process an end. Commands come on standard input, a line each; answers go
 * to standard output. docs/design/rdma.md describes both. It ends with its standard input and with its parent.
 */
#define _GNU_SOURCE
#include "verbs.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct end end;

uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void say(const char *form, ...)
{
	va_list list;
	va_start(list, form);
	vprintf(form, list);
	va_end(list);
}

static void answer(void)
{
	if (fflush(stdout) || ferror(stdout))
		_exit(1); /* nobody reads */
}

void fail(const char *step, int pair, int number, int status, const char *form, ...)
{
	char text[1024];
	va_list list;
	va_start(list, form);
	vsnprintf(text, sizeof text, form, list);
	va_end(list);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	say("error step=%s pair=%d errno=%d status=%d at=%llu text=%s\n", step, pair, number, status, (unsigned long long)now(), text);
	answer();
	_exit(1);
}

/* ---- lines ---- */

static char line[MAX_LINE + 1];
static size_t filled;

/* more reads what is there; standard input's end is the program's. */
static void more(void)
{
	if (filled == MAX_LINE)
		fail("line", -1, 0, 0, "a line is longer than %d bytes", MAX_LINE);
	ssize_t n = read(0, line + filled, MAX_LINE - filled);
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		_exit(0);
	if (n > 0)
		filled += (size_t)n;
}

int wait_for(int fd, int ms)
{
	uint64_t until = now() + (uint64_t)ms * 1000000;
	for (;;) {
		uint64_t t = now();
		if (t >= until)
			return 0;
		/* What is said meanwhile stays in the buffer; when that is full, nothing more is read, and the end is seen later. */
		struct pollfd p[2] = {{.fd = filled < MAX_LINE ? 0 : -1, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
		int n = poll(p, fd < 0 ? 1 : 2, (int)((until - t) / 1000000) + 1);
		if (n > 0 && p[0].revents)
			more();
		if (n > 0 && fd >= 0 && p[1].revents)
			return 1;
	}
}

/* command copies the next line to where, without its end. */
static void command(char *where)
{
	for (;;) {
		char *e = memchr(line, '\n', filled);
		if (e) {
			size_t n = (size_t)(e - line);
			if (memchr(line, 0, n))
				fail("line", -1, 0, 0, "a line has a byte of value 0");
			memcpy(where, line, n);
			where[n] = 0;
			filled -= n + 1;
			memmove(line, e + 1, filled);
			return;
		}
		more();
	}
}

/* ---- words ---- */

enum { MAX_WORDS = 64 };
static struct word { char *key, *value; int used; } words[MAX_WORDS];
static int nwords;

/* split takes a line of `key=value` behind the command apart. */
static char *split(char *l)
{
	char *name = strsep(&l, " "), *w;
	nwords = 0;
	while ((w = strsep(&l, " "))) {
		char *value = strchr(w, '=');
		if (!value || value == w)
			fail("line", -1, 0, 0, "\"%.60s\" is no key=value; between words of %.20s stands one space", w, name);
		*value++ = 0;
		for (int i = 0; i < nwords; i++)
			if (!strcmp(words[i].key, w))
				fail("line", -1, 0, 0, "%.40s stands twice in %.20s", w, name);
		if (nwords == MAX_WORDS)
			fail("line", -1, 0, 0, "%.20s has more than %d words", name, MAX_WORDS);
		words[nwords++] = (struct word){w, value, 0};
	}
	return name;
}

static char *value_of(const char *key)
{
	for (int i = 0; i < nwords; i++)
		if (!strcmp(words[i].key, key)) {
			words[i].used = 1;
			return words[i].value;
		}
	return NULL;
}

static char *need(const char *key)
{
	char *v = value_of(key);
	if (!v || !*v)
		fail("line", -1, 0, 0, "%s is missing", key);
	return v;
}

static void all_used(const char *name)
{
	for (int i = 0; i < nwords; i++)
		if (!words[i].used)
			fail("line", -1, 0, 0, "%s knows no %.40s", name, words[i].key);
}

/* decimal reads digits alone, so that no sign, space or overflow passes; it returns behind them. */
static const char *decimal(const char *s, const char *key, uint64_t low, uint64_t high, uint64_t *v)
{
	uint64_t n = 0;
	const char *p = s;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			fail("line", -1, 0, 0, "%s=%.24s..: too large a number", key, s);
	}
	if (p == s)
		fail("line", -1, 0, 0, "%s=%.40s: no number; write digits", key, s);
	if (n < low || n > high)
		fail("line", -1, 0, 0, "%s=%llu: it goes from %llu to %llu", key, (unsigned long long)n, (unsigned long long)low,
			(unsigned long long)high);
	*v = n;
	return p;
}

static uint64_t number(const char *key, uint64_t low, uint64_t high)
{
	uint64_t v;
	char *s = need(key);
	if (*decimal(s, key, low, high, &v))
		fail("line", -1, 0, 0, "%s=%.40s: no number; write digits", key, s);
	return v;
}

static uint64_t number_or(const char *key, uint64_t low, uint64_t high, uint64_t other)
{
	return value_of(key) ? number(key, low, high) : other;
}

/* choice returns which of the words, separated by a bar, the value is. */
static int choice(const char *key, const char *list)
{
	const char *v = need(key), *p = list;
	for (int i = 0;; i++) {
		size_t n = strcspn(p, "|");
		if (strlen(v) == n && !memcmp(v, p, n))
			return i;
		if (!p[n])
			fail("line", -1, 0, 0, "%s=%.40s: it is one of %s", key, v, list);
		p += n + 1;
	}
}

/* hex reads an even number of digits and returns the number of bytes. */
static int hex(const char *key, uint8_t *to, size_t least, size_t most)
{
	const char *s = need(key);
	size_t n = strlen(s) / 2;
	if (strlen(s) % 2 || n < least || n > most || strspn(s, "0123456789abcdefABCDEF") != 2 * n)
		fail("line", -1, 0, 0, "%s=%.70s: it has %zu to %zu hexadecimal digits, two a byte", key, s, 2 * least, 2 * most);
	for (size_t i = 0; i < n; i++) {
		char two[3] = {s[2 * i], s[2 * i + 1], 0};
		to[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return (int)n;
}

/* ---- commands ---- */

static void hello(void)
{
	const char *ib = load_ibverbs(), *cm = load_rdmacm();
	char why[700] = "";
	if (ib || cm)
		snprintf(why, sizeof why, "%s%s%s", ib ? ib : "", ib && cm ? "; " : "", cm ? cm : "");
	for (char *p = why; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	say("linerate-verbs 1 libibverbs=%s librdmacm=%s why=%s\n", ib ? "no" : "yes", cm ? "no" : "yes", why);
}

/* cores_of reads the list of cores of a line into room for MAX_PAIRS, and returns how many there are. */
static int cores_of(int *into)
{
	char *cores = value_of("cores");
	int n = 0;
	for (const char *c = cores; c && *c;) {
		uint64_t v;
		if (n == MAX_PAIRS)
			fail("line", -1, 0, 0, "cores has more than %d entries", MAX_PAIRS);
		c = decimal(c, "cores", 0, 8191, &v);
		into[n++] = (int)v;
		if (!*c)
			break;
		if (*c++ != ',')
			fail("line", -1, 0, 0, "cores=%.40s: numbers with a comma between them", cores);
	}
	return n;
}

static void release_command(void)
{
	static int cores[MAX_PAIRS];
	int threads = (int)number("threads", 1, MAX_PAIRS), rounds = (int)number_or("rounds", 1, 1000, 20);
	int yield = (int)number_or("yield", 0, 1000000, 0), n = cores_of(cores);
	all_used("release");
	release_rounds(threads, rounds, cores, n, yield);
}

static void open_command(void)
{
	struct options *o = &end.o;
	char *device = need("device");
	if (strlen(device) >= sizeof o->device)
		fail("line", -1, 0, 0, "device=%.40s..: a name has at most %zu characters", device, sizeof o->device - 1);
	strcpy(o->device, device);
	o->port = (int)number("port", 1, 255);
	o->transport = (enum transport)choice("transport", "rc|ud|cm");
	o->gid = (int)number_or("gid", 0, 65535, 0);
	o->op = (enum operation)choice("op", "write|read|send");
	o->latency = choice("metric", "latency|goodput") == 0;
	o->from = choice("role", "from|to") == 0;
	int direction = choice("direction", "out|in|both");
	o->out = direction != 1;
	o->in = direction != 0;
	o->pairs = (int)number("pairs", 1, MAX_PAIRS);
	o->size = number("size", 1, MAX_SIZE);
	o->depth = (int)number_or("depth", 1, MAX_DEPTH, 128);
	o->signal = (int)number_or("signal", 1, MAX_DEPTH, 1);
	o->inlined = (int)number_or("inline", 0, 65536, 0);
	o->batch = (int)number_or("batch", 1, 4096, 1);
	o->mtu = (int)number_or("mtu", 0, 4096, 0);
	o->sl = (int)number_or("sl", 0, 15, 0);
	o->tclass = (int)number_or("tclass", 0, 255, 0);
	o->yield = (int)number_or("yield", 0, 1000000, 0);
	o->rd_atomic = (int)number_or("rd_atomic", 0, 255, 0);
	o->timeout = (int)number_or("timeout", 1, 31, 14);
	o->seed = number_or("seed", 0, UINT64_MAX, 1);
	o->ncores = cores_of(o->cores);
	all_used("open");
	if (o->mtu && (o->mtu < 256 || o->mtu & (o->mtu - 1)))
		fail("line", -1, 0, 0, "mtu=%d: a path MTU is 256, 512, 1024, 2048 or 4096; 0 takes the port's", o->mtu);
	if (o->transport == UD && o->op != SEND)
		fail("line", -1, 0, 0, "transport=ud carries op=send alone; take rc for write and read");
	if (o->latency && o->out && o->in)
		fail("line", -1, 0, 0, "direction=both is for goodput; a latency is measured from one end at a time");
	if (!o->latency && o->signal + o->batch - 1 > o->depth)
		fail("line", -1, 0, 0, "signal=%d and batch=%d need a depth of at least %d, not %d: requests would wait for a completion that nothing brings",
			o->signal, o->batch, o->signal + o->batch - 1, o->depth);
	open_end();
	end.opened = 1;
}

static void peer_command(void)
{
	struct pair *p = &end.pairs[number("n", 0, (uint64_t)end.o.pairs - 1)];
	if (p->known)
		fail("line", p->n, 0, 0, "the other end's pair %d was told already", p->n);
	p->peer_qpn = (uint32_t)number("qpn", 0, (1 << 24) - 1);
	p->peer_psn = (uint32_t)number("psn", 0, (1 << 24) - 1);
	p->rkey = (uint32_t)number("rkey", 0, UINT32_MAX);
	p->peer = number("addr", 0, UINT64_MAX);
	p->peer_lid = (uint32_t)number_or("lid", 0, 65535, 0);
	hex("gid", p->peer_gid.raw, 16, 16);
	p->peer_mtu = (int)number_or("mtu", 0, 4096, 0);
	p->peer_rd = (int)number_or("rd", 0, 255, 1);
	p->known = 1;
	all_used("peer");
}

static void run_command(void)
{
	struct window *w = &end.w;
	uint64_t t = now();
	w->begin = number("begin", 0, t + MAX_TIME);
	w->open = number("open", w->begin, t + MAX_TIME);
	w->close = number("close", w->open, t + MAX_TIME);
	w->slices = (int)number_or("slices", 1, MAX_SLICES, 100);
	all_used("run");
	if (w->close - w->open < 1000000 || w->close < t)
		fail("line", -1, 0, 0, "the window has to be at least 1 ms long, and to end after now (%llu)", (unsigned long long)t);
	if (halo_ranks())
		halo_run();
	else
		run();
	end.ran = 1;
}

static void halo_command(void)
{
	int ranks = (int)number("ranks", 1, 1024), words = (int)number("words", 0, 16384), exchange = choice("exchange", "two-phase|one-phase|sendrecv");
	long nap = (long)number_or("nap", 0, 10000000, 0);
	uint64_t seed = number("seed", 0, UINT64_MAX);
	all_used("halo");
	halo_open(ranks, words, exchange, nap, seed);
}

static void rank_command(void)
{
	int n = (int)number("n", 0, (uint64_t)halo_ranks() - 1), id = (int)number("id", 0, 4095);
	int core = value_of("core") ? (int)number("core", 0, 8191) : -1;
	all_used("rank");
	halo_rank(n, id, core);
}

static void edge_command(void)
{
	int n = (int)number("rank", 0, (uint64_t)halo_ranks() - 1), side = (int)number("side", 0, 3), theirs = (int)number("theirs", 0, 4095);
	int pair = value_of("pair") ? (int)number("pair", 0, (uint64_t)end.o.pairs - 1) : -1;
	int to = value_of("to") ? (int)number("to", 0, (uint64_t)halo_ranks() - 1) : -1;
	all_used("edge");
	halo_edge(n, side, theirs, pair, to);
}

static void in_order(int ok, const char *name, const char *why)
{
	if (!ok)
		fail("line", -1, 0, 0, "%.20s cannot be done now: %s", name, why);
}

static void obey(char *l)
{
	uint8_t token[MAX_TOKEN];
	char *name = split(l);
	int cm = end.opened && end.o.transport == CM, waiting = end.opened && !end.connected;
	if (!strcmp(name, "hello")) {
		all_used(name);
		hello();
	} else if (!strcmp(name, "devices")) {
		all_used(name);
		devices();
		say("end\n");
	} else if (!strcmp(name, "release")) {
		in_order(!end.opened, name, "it stands before open");
		release_command();
	} else if (!strcmp(name, "open")) {
		in_order(!end.opened, name, "it was done already; start another process");
		open_command();
	} else if (!strcmp(name, "peer")) {
		in_order(waiting && !cm, name, "it stands between open and connect, with transport=rc or ud");
		peer_command();
	} else if (!strcmp(name, "listen")) {
		in_order(waiting && cm, name, "it stands between open and connect, with transport=cm");
		char *address = need("address");
		int n = hex("token", token, 8, MAX_TOKEN), pairs = value_of("pairs") ? (int)number("pairs", 1, (uint64_t)end.o.pairs) : 0;
		all_used(name);
		cm_listen(address, token, n, pairs);
	} else if (!strcmp(name, "dial")) {
		in_order(waiting && cm, name, "it stands between open and connect, with transport=cm");
		char *address = need("address"), *source = value_of("source");
		int port = (int)number("port", 1, 65535), n = hex("token", token, 8, MAX_TOKEN);
		int pair = value_of("pair") ? (int)number("pair", 0, (uint64_t)end.o.pairs - 1) : -1;
		int theirs = pair < 0 ? -1 : (int)number("theirs", 0, MAX_PAIRS - 1);
		all_used(name);
		cm_dial(address, port, source, token, n, pair, theirs);
	} else if (!strcmp(name, "connect")) {
		in_order(waiting, name, "it stands between open and run");
		all_used(name);
		connect_pairs();
		end.connected = 1;
	} else if (!strcmp(name, "halo")) {
		in_order(end.connected && !end.ran && !halo_ranks(), name, "it stands once between connect and run");
		halo_command();
	} else if (!strcmp(name, "rank") || !strcmp(name, "edge")) {
		in_order(halo_ranks() && !end.ran, name, "it stands between halo and run");
		if (*name == 'r')
			rank_command();
		else
			edge_command();
	} else if (!strcmp(name, "run")) {
		in_order(end.connected && !end.ran, name, end.ran ? "one run a process" : "connect comes first");
		run_command();
	} else {
		fail("line", -1, 0, 0, "\"%.40s\" is no command; there are hello, devices, release, open, peer, listen, dial, connect, halo, rank, edge, run", name);
	}
}

/* The kernel tells the end of the parent's thread that started this; only when the parent is another has it ended itself. */
static pid_t parent;
static void orphaned(int signal)
{
	(void)signal;
	if (getppid() != parent)
		_exit(1);
}

int main(int argc, char **argv)
{
	static char l[MAX_LINE + 1];
	(void)argv;
	parent = getppid();
	struct sigaction a = {.sa_handler = orphaned, .sa_flags = SA_RESTART};
	sigaction(SIGUSR2, &a, NULL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGUSR2);
	if (getppid() != parent)
		return 1;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (argc > 1)
		fail("line", -1, 0, 0, "no arguments: commands come on standard input, a line each; try hello");
	for (;;) {
		command(l);
		obey(l);
		answer();
	}
}
