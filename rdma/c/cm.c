/* Connecting through rdma_cm: the only way of iWARP, and one of RoCE and InfiniBand. */
#define _GNU_SOURCE
#include "verbs.h"
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLVE_MS = 3000, STEP_MS = 15000, ALL_MS = 60000, AGAIN_MS = 200 };

/* What a request to connect carries, and without the token its acceptance. Numbers are in the network's order. */
struct card {
	uint32_t options; /* a sum over what both ends have to agree on */
	uint32_t rkey;
	uint32_t high, low; /* of the memory's address */
	uint16_t pair;
	uint8_t version, length;
	uint8_t token[MAX_TOKEN];
};
enum { CARD_BYTES = offsetof(struct card, token) };

enum reason { BAD_TOKEN = 1, BAD_OPTIONS, BAD_PAIR };

union address { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; };

/* call is a connection that this end makes: where to, with which token, and which number the pair has there. */
struct call {
	union address to, from;
	uint8_t token[MAX_TOKEN];
	int length, theirs, have_source, said;
};

static struct rdma_event_channel *waiting, *calling; /* events of what comes in, and of what goes out */
static struct rdma_cm_id *listener;
static struct call *calls; /* by pair; NULL: none was told */
static union address from;
static uint8_t secret[MAX_TOKEN];
static int secret_length, expected, several; /* connections that come in; the pairs lead to several other ends */

void cm_open(void)
{
	const char *why = load_rdmacm();
	if (why)
		fail("library", -1, 0, 0, "%s; install librdmacm1 (Debian), librdmacm (Fedora) or rdma-core", why);
	int n = 0;
	errno = 0;
	struct ibv_context **l = lib.rdma_get_devices(&n);
	if (!l)
		fail("open", -1, errno, 0, "rdma_cm has no devices: %s; modprobe rdma_ucm, and is /dev/infiniband/rdma_cm readable?", strerror(errno));
	for (int i = 0; i < n; i++)
		if (!strcmp(lib.ibv_get_device_name(l[i]->device), end.o.device))
			end.context = l[i]; /* the one that rdma_cm's own queue pairs have; it stays open */
	if (!end.context)
		fail("open", -1, ENODEV, 0, "rdma_cm does not know device %s; modprobe rdma_ucm", end.o.device);
}

/* ---- addresses ---- */

static void parse_address(const char *s, int port, void *v)
{
	char text[64];
	struct sockaddr_in *v4 = v;
	struct sockaddr_in6 *v6 = v;
	snprintf(text, sizeof text, "%s", s);
	if (strlen(s) < sizeof text && inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		return;
	}
	char *scope = strchr(text, '%');
	if (scope)
		*scope++ = 0;
	unsigned index = scope ? if_nametoindex(scope) : 0;
	if (strlen(s) >= sizeof text || inet_pton(AF_INET6, text, &v6->sin6_addr) != 1 || (scope && !index))
		fail("line", -1, 0, 0, "\"%.60s\" is no address; write 10.0.0.1, fd00::1 or fe80::1%%eth0", s);
	v6->sin6_family = AF_INET6;
	v6->sin6_scope_id = index;
	v6->sin6_port = htons((uint16_t)port);
}

static void same_device(struct rdma_cm_id *id, const char *what)
{
	if (id->verbs != end.context)
		fail("connect", -1, 0, 0, "%s %s, not %s; look at ip addr and ip route get, or name the device of that address", what,
			id->verbs ? lib.ibv_get_device_name(id->verbs->device) : "no RDMA device", end.o.device);
}

/* ---- events ---- */

static struct rdma_cm_event *next_event(struct rdma_event_channel *channel, int ms)
{
	struct rdma_cm_event *e;
	if (!wait_for(channel->fd, ms))
		return NULL;
	if (lib.rdma_get_cm_event(channel, &e))
		fail("connect", -1, errno, 0, "rdma_cm gives no event: %s", strerror(errno));
	return e;
}

static struct rdma_event_channel *new_channel(void)
{
	errno = 0;
	struct rdma_event_channel *channel = lib.rdma_create_event_channel();
	if (!channel)
		fail("connect", -1, errno, 0, "no channel of rdma_cm: %s; modprobe rdma_ucm, and is /dev/infiniband/rdma_cm readable?", strerror(errno));
	return channel;
}

static struct rdma_cm_id *new_id(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *id;
	if (lib.rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		fail("connect", -1, errno, 0, "no end point of rdma_cm: %s", strerror(errno));
	uint8_t tos = (uint8_t)end.o.tclass;
	if (tos)
		lib.rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof tos);
	return id;
}

static void new_qp(struct pair *p)
{
	struct ibv_qp_init_attr a;
	qp_attributes(p, &a);
	if (lib.rdma_create_qp(p->id, end.pd, &a))
		fail("connect", p->n, errno, 0, "queue pair %d of %d cannot be made: %s; the device takes %d; %s", p->n + 1, end.o.pairs, strerror(errno), end.device.max_qp, memlock());
	p->qp = p->id->qp;
}

/* ---- the card ---- */

/* agreed is a sum over what both ends have to have the same. With several other ends each has pairs of its own number. */
static uint32_t agreed(void)
{
	uint64_t h = 14695981039346656037ull, v[] = {end.o.size, end.o.op, (uint64_t)end.o.latency, several ? 0 : (uint64_t)end.o.pairs, (uint64_t)end.o.out,
		(uint64_t)end.o.in, (uint64_t)end.receives};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		h = (h ^ v[i]) * 1099511628211ull;
	return (uint32_t)(h ^ h >> 32);
}

/* card_of is what is told of a pair, under the number that the end that listens has for it. */
static struct card card_of(const struct pair *p, int number)
{
	uint64_t at = (uintptr_t)p->memory;
	return (struct card){.options = htonl(agreed()), .rkey = htonl(p->mr->rkey), .high = htonl((uint32_t)(at >> 32)), .low = htonl((uint32_t)at),
		.pair = htons((uint16_t)number), .version = 1};
}

/* read_card copies what came with an event; how much there is of it hangs on the fabric, which may pad it with zeros. */
static int read_card(const struct rdma_conn_param *from_event, size_t least, struct card *c)
{
	memset(c, 0, sizeof *c);
	size_t n = from_event->private_data ? from_event->private_data_len : 0;
	memcpy(c, from_event->private_data ? from_event->private_data : "", n < sizeof *c ? n : sizeof *c);
	return n >= least && c->version == 1;
}

static void learn(struct pair *p, const struct card *c)
{
	p->rkey = ntohl(c->rkey);
	p->peer = (uint64_t)ntohl(c->high) << 32 | ntohl(c->low);
	p->known = 1;
}

/* ---- the end that listens ---- */

void cm_listen(const char *address, const uint8_t *token, int length, int pairs)
{
	if (listener || calls)
		fail("line", -1, 0, 0, "listen or dial was said already");
	memcpy(secret, token, (size_t)length);
	secret_length = length;
	several = pairs > 0;
	expected = several ? pairs : end.o.pairs;
	parse_address(address, 0, &from);
	waiting = new_channel();
	listener = new_id(waiting);
	if (lib.rdma_bind_addr(listener, &from.any))
		fail("listen", -1, errno, 0, "address %.60s cannot be listened on: %s; is it one of this host's, with an RDMA device below it?", address, strerror(errno));
	same_device(listener, "the address belongs to");
	if (lib.rdma_listen(listener, end.o.pairs))
		fail("listen", -1, errno, 0, "address %.60s cannot be listened on: %s", address, strerror(errno));
	say("listening port=%d\n", ntohs(lib.rdma_get_src_port(listener)));
}

/* judge returns 0 when a request is of this experiment and for a pair that waits. Every byte of a token is looked at, whatever the first is. */
static enum reason judge(const struct rdma_conn_param *r, struct card *c)
{
	int differ = !read_card(r, (size_t)CARD_BYTES + (size_t)secret_length, c) || c->length != secret_length;
	for (int i = 0; i < secret_length; i++)
		differ |= c->token[i] ^ secret[i];
	if (differ)
		return BAD_TOKEN;
	if (ntohl(c->options) != agreed())
		return BAD_OPTIONS;
	if (ntohs(c->pair) >= end.o.pairs || end.pairs[ntohs(c->pair)].id || (calls && calls[ntohs(c->pair)].said))
		return BAD_PAIR;
	return 0;
}

static struct rdma_conn_param parameters(const void *data, size_t n)
{
	return (struct rdma_conn_param){.private_data = data, .private_data_len = (uint8_t)n, .responder_resources = (uint8_t)end.rd_atomic,
		.initiator_depth = (uint8_t)end.rd_atomic, .flow_control = 1, .retry_count = RETRIES, .rnr_retry_count = 7};
}

static void accept_request(struct rdma_cm_event *e)
{
	struct card c, own;
	struct rdma_cm_id *id = e->id;
	struct rdma_conn_param asked = e->param.conn;
	enum reason no = judge(&e->param.conn, &c);
	lib.rdma_ack_cm_event(e);
	if (!no && id->verbs != end.context)
		no = BAD_OPTIONS;
	if (no) {
		uint8_t code = (uint8_t)no;
		lib.rdma_reject(id, &code, 1);
		lib.rdma_destroy_id(id);
		return;
	}
	struct pair *p = &end.pairs[ntohs(c.pair)];
	p->id = id;
	id->context = p;
	learn(p, &c);
	new_qp(p);
	post_first(p);
	requests(p);
	own = card_of(p, p->n);
	struct rdma_conn_param r = parameters(&own, CARD_BYTES);
	/* No more than the other end asked for. */
	if (asked.initiator_depth && asked.initiator_depth < r.responder_resources)
		r.responder_resources = asked.initiator_depth;
	if (asked.responder_resources && asked.responder_resources < r.initiator_depth)
		r.initiator_depth = asked.responder_resources;
	if (lib.rdma_accept(id, &r))
		fail("connect", p->n, errno, 0, "the connection cannot be accepted: %s", strerror(errno));
}

static void accept_all(void)
{
	uint64_t until = now() + (uint64_t)ALL_MS * 1000000;
	for (int ready = 0; ready < expected;) {
		uint64_t t = now();
		struct rdma_cm_event *e = t < until ? next_event(waiting, (int)((until - t) / 1000000) + 1) : NULL;
		if (!e)
			fail("connect", -1, ETIMEDOUT, 0, "%d of %d connections came within %d s; did the other end dial, and does a firewall let it through?", ready, expected, ALL_MS / 1000);
		if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
			accept_request(e);
			continue;
		}
		struct pair *p = e->id->context;
		int status = e->status, n = p ? p->n : -1;
		enum rdma_cm_event_type what = e->event;
		lib.rdma_ack_cm_event(e);
		if (what == RDMA_CM_EVENT_ESTABLISHED)
			ready++;
		else if (p)
			fail("connect", n, abs(status), 0, "the connection failed while it was set up: %s, %s", lib.rdma_event_str(what), strerror(abs(status)));
	}
}

/* ---- the end that dials ---- */

/* cm_dial notes where to connect: all pairs, with one number at both ends, or one of several, which is number theirs at that end. */
void cm_dial(const char *address, int port, const char *source, const uint8_t *token, int length, int pair, int theirs)
{
	if (pair < 0 && (listener || calls))
		fail("line", -1, 0, 0, "listen or dial was said already");
	if (pair >= 0 && ((listener && !several) || (calls && (!several || calls[pair].said))))
		fail("line", pair, 0, 0, "the other end of pair %d was said already", pair);
	if (!calls && !(calls = calloc((size_t)end.o.pairs, sizeof *calls)))
		fail("memory", -1, ENOMEM, 0, "no memory for %d connections", end.o.pairs);
	several = pair >= 0;
	struct call c = {.length = length, .theirs = theirs, .said = 1};
	memcpy(c.token, token, (size_t)length);
	parse_address(address, port, &c.to);
	if (source) {
		parse_address(source, 0, &c.from);
		c.have_source = 1;
		if (c.from.any.sa_family != c.to.any.sa_family)
			fail("line", -1, 0, 0, "source=%.60s and address=%.60s are of two families", source, address);
	}
	for (int n = several ? pair : 0; n < (several ? pair + 1 : end.o.pairs); n++) {
		calls[n] = c;
		calls[n].theirs = several ? theirs : n;
	}
}

static void refused(struct pair *p, enum rdma_cm_event_type what, int status, int reason)
{
	static const char *const reasons[] = {[BAD_TOKEN] = "it waits for another token", [BAD_OPTIONS] = "it was opened with other options (op, size, metric, direction, pairs, depth) or another device",
		[BAD_PAIR] = "it has this pair already"};
	if (what == RDMA_CM_EVENT_REJECTED && reason >= BAD_TOKEN && reason <= BAD_PAIR)
		fail("connect", p->n, ECONNREFUSED, 0, "the other end refuses the connection: %s", reasons[reason]);
	if (what == RDMA_CM_EVENT_REJECTED || abs(status) == ECONNREFUSED)
		fail("connect", p->n, ECONNREFUSED, 0, "nobody takes the connection (reason %d): did the other end listen, on this port?", status);
	fail("connect", p->n, abs(status), 0, "no connection: %s, %s; is the address in the subnet of this interface, and does it answer ping?", lib.rdma_event_str(what),
		strerror(abs(status)));
}

/* expect waits for one event of the pair that is being connected; any other ends the program. */
static void expect(struct pair *p, enum rdma_cm_event_type want, struct card *c)
{
	struct rdma_cm_event *e = next_event(calling, several ? ALL_MS : STEP_MS);
	if (!e)
		fail("connect", p->n, ETIMEDOUT, 0, "no answer within %d s; does the other end listen, and does a firewall let the connection through?", (several ? ALL_MS : STEP_MS) / 1000);
	enum rdma_cm_event_type what = e->event;
	int status = e->status, reason = 0, good = what == want;
	if (what == RDMA_CM_EVENT_REJECTED && e->param.conn.private_data && e->param.conn.private_data_len)
		reason = *(const uint8_t *)e->param.conn.private_data;
	if (good && c)
		good = read_card(&e->param.conn, CARD_BYTES, c) && ntohl(c->options) == agreed();
	lib.rdma_ack_cm_event(e);
	if (what == want && !good)
		fail("connect", p->n, 0, 0, "what accepted the connection is no linerate-verbs with the same options");
	if (!good)
		refused(p, what, status, reason);
}

static void dial_pair(struct pair *p)
{
	struct call *k = &calls[p->n];
	p->id = new_id(calling);
	if (lib.rdma_resolve_addr(p->id, k->have_source ? &k->from.any : NULL, &k->to.any, RESOLVE_MS))
		refused(p, RDMA_CM_EVENT_ADDR_ERROR, errno, 0);
	expect(p, RDMA_CM_EVENT_ADDR_RESOLVED, NULL);
	same_device(p->id, "the way to that address leads over");
	if (lib.rdma_resolve_route(p->id, RESOLVE_MS))
		refused(p, RDMA_CM_EVENT_ROUTE_ERROR, errno, 0);
	expect(p, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL);
	new_qp(p);
	post_first(p);
	struct card own = card_of(p, k->theirs), other;
	own.length = (uint8_t)k->length;
	memcpy(own.token, k->token, (size_t)k->length);
	struct rdma_conn_param r = parameters(&own, (size_t)CARD_BYTES + (size_t)k->length);
	if (lib.rdma_connect(p->id, &r))
		refused(p, RDMA_CM_EVENT_CONNECT_ERROR, errno, 0);
	expect(p, RDMA_CM_EVENT_ESTABLISHED, &other);
	learn(p, &other);
	requests(p);
}

static void greet(struct pair *p)
{
	if (p->control < SPARE / 2 && speak(p, offsetof(struct control, hello), 1, HELLO))
		fail("connect", p->n, p->trouble.number, 0, "%s", p->trouble.text);
}

/*
 * first_words: iWARP wants the end that dialled to send first, and the other one answers. The word is repeated, because soft iWARP
 * leaves one lying that comes while it hands the connection over, until more follows. All pairs at once: of several other ends
 * each may wait for another one.
 */
static void first_words(void)
{
	int limit = several ? ALL_MS : STEP_MS;
	uint64_t t = now(), until = t + (uint64_t)limit * 1000000, again = t;
	for (int left = 1; left; t = now()) {
		int speaks = t >= again;
		if (speaks)
			again = t + (uint64_t)AGAIN_MS * 1000000;
		left = 0;
		for (int n = 0; n < end.o.pairs; n++) {
			struct pair *p = &end.pairs[n];
			int dials = calls && calls[n].said;
			if (!p->greeted && dials && speaks)
				greet(p);
			if (!p->greeted && __atomic_load_n(&p->told->hello, __ATOMIC_ACQUIRE)) {
				p->greeted = 1;
				if (!dials)
					greet(p);
			}
			if ((!p->greeted || p->control) && reap(p) < 0)
				fail("connect", p->n, 0, p->trouble.status, "the first message failed: %s", p->trouble.text);
			if (!p->greeted || p->control) {
				left++;
				if (t > until)
					fail("connect", p->n, ETIMEDOUT, 0, "no first message within %d s; the connection stands, but nothing goes through it: a smaller path MTU on the way, or a filter?",
						limit / 1000);
			}
		}
		if (left)
			wait_for(-1, 1);
	}
}

void cm_connect(void)
{
	if (!listener && !calls)
		fail("line", -1, 0, 0, "listen or dial comes before connect with transport=cm");
	int dialled = 0;
	for (int n = 0; calls && n < end.o.pairs; n++)
		dialled += calls[n].said;
	if (dialled + (listener ? expected : 0) != end.o.pairs)
		fail("line", -1, 0, 0, "%d connections come in and %d go out, of %d pairs", listener ? expected : 0, dialled, end.o.pairs);
	/* First those that go out, which wait for ends that have none to wait for or are through with theirs; what comes in meanwhile queues. */
	if (dialled)
		calling = new_channel();
	for (int n = 0; n < end.o.pairs; n++)
		if (calls && calls[n].said)
			dial_pair(&end.pairs[n]);
	if (listener)
		accept_all();
	first_words();
}
