/* Devices, memory and queue pairs: everything before the first message. */
#define _GNU_SOURCE
#include "verbs.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int mtu_bytes(int mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0;
}

static int mtu_code(int bytes)
{
	int code = IBV_MTU_256;
	while (code < IBV_MTU_4096 && mtu_bytes(code) < bytes)
		code++;
	return code;
}

const char *memlock(void)
{
	static char text[200];
	struct rlimit r;
	if (getrlimit(RLIMIT_MEMLOCK, &r) || r.rlim_cur == RLIM_INFINITY)
		snprintf(text, sizeof text, "locked memory is not limited; look at free memory and at dmesg");
	else
		snprintf(text, sizeof text, "locked memory is limited to %llu bytes: ulimit -l unlimited, or LimitMEMLOCK=infinity in the service's unit",
			(unsigned long long)r.rlim_cur);
	return text;
}

static struct ibv_device **list(int *n)
{
	const char *why = load_ibverbs();
	if (why)
		fail("library", -1, 0, 0, "%s; install libibverbs1 and ibverbs-providers (Debian), libibverbs (Fedora) or rdma-core", why);
	errno = 0;
	struct ibv_device **l = lib.ibv_get_device_list(n);
	if (!l)
		fail("devices", -1, errno, 0, "devices cannot be listed: %s; modprobe ib_uverbs", strerror(errno));
	return l;
}

const char *port_state(int s)
{
	static const char *const names[] = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
	return s >= 0 && s < 6 ? names[s] : "UNKNOWN";
}

static const char *physical(int s)
{
	static const char *const names[] = {"-", "Sleep", "Polling", "Disabled", "Training", "LinkUp", "ErrorRecovery", "PhyTest"};
	return s >= 0 && s < 8 ? names[s] : "unknown";
}

/* try_inline makes a queue pair that takes n bytes in the request itself, and returns what it says that it takes; -1: it cannot be made. */
static int try_inline(struct ibv_pd *pd, struct ibv_qp_init_attr a, int n)
{
	a.cap.max_inline_data = (uint32_t)n;
	struct ibv_qp *qp = lib.ibv_create_qp(pd, &a);
	if (!qp)
		return -1;
	int takes = (int)a.cap.max_inline_data;
	lib.ibv_destroy_qp(qp);
	return takes;
}

/* most_inline is the most up to n that the device takes with these attributes; no attribute of the device says it. */
static int most_inline(struct ibv_pd *pd, const struct ibv_qp_init_attr *a, int n)
{
	int good = try_inline(pd, *a, n), low = 0, high = n;
	if (good >= 0)
		return good < n ? good : n;
	if (try_inline(pd, *a, 0) < 0)
		return -1;
	while (high - low > 1) {
		int middle = low + (high - low) / 2;
		if (try_inline(pd, *a, middle) >= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int inline_of(struct ibv_context *c)
{
	struct ibv_pd *pd = lib.ibv_alloc_pd(c);
	struct ibv_cq *cq = pd ? lib.ibv_create_cq(c, 16, NULL, NULL, 0) : NULL;
	int most = -1;
	if (cq) {
		struct ibv_qp_init_attr a = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
			.cap = {.max_send_wr = 16, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
		most = most_inline(pd, &a, 4096);
		lib.ibv_destroy_cq(cq);
	}
	if (pd)
		lib.ibv_dealloc_pd(pd);
	return most < 0 ? 0 : most;
}

void devices(void)
{
	int n = 0;
	struct ibv_device **l = list(&n);
	for (int i = 0; i < n; i++) {
		const char *name = lib.ibv_get_device_name(l[i]);
		struct ibv_context *c = lib.ibv_open_device(l[i]);
		struct ibv_device_attr d;
		if (!c || lib.ibv_query_device(c, &d)) {
			fail("devices", -1, errno, 0, "device %s cannot be opened: %s; are /dev/infiniband/uverbs* readable, and is its provider installed (ibverbs-providers)?",
				name, strerror(errno));
		}
		int most = inline_of(c);
		for (int port = 1; port <= d.phys_port_cnt; port++) {
			struct ibv_port_attr a;
			query_port(c, port, &a);
			say("device name=%s port=%d state=%s phys=%s layer=%s transport=%s mtu=%d max_mtu=%d lid=%d sm_lid=%d gids=%d"
				" max_qp_rd_atom=%d max_inline=%d max_qp_wr=%d\n",
				name, port, port_state(a.state), physical(a.phys_state), a.link_layer == IBV_LINK_LAYER_ETHERNET ? "ethernet" : "infiniband",
				l[i]->transport_type == IBV_TRANSPORT_IWARP ? "iwarp" : "ib", mtu_bytes(a.active_mtu), mtu_bytes(a.max_mtu),
				a.lid, a.sm_lid, a.gid_tbl_len, d.max_qp_rd_atom, most, d.max_qp_wr);
		}
		lib.ibv_close_device(c);
	}
	lib.ibv_free_device_list(l);
}

/* ---- open ---- */

static void open_device(void)
{
	int n = 0, at = -1;
	char known[400] = "";
	struct ibv_device **l = list(&n);
	for (int i = 0; i < n; i++) {
		const char *name = lib.ibv_get_device_name(l[i]);
		if (!strcmp(name, end.o.device))
			at = i;
		size_t used = strlen(known);
		snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name);
	}
	if (at < 0)
		fail("open", -1, ENODEV, 0, "no RDMA device %s; %s%s", end.o.device, n ? "there are: " : "there is none: modprobe its driver, and look at rdma link", known);
	int iwarp = l[at]->transport_type == IBV_TRANSPORT_IWARP;
	if (iwarp && end.o.transport != CM)
		fail("open", -1, 0, 0, "%s speaks iWARP, which connects through rdma_cm alone; take transport=cm", end.o.device);
	if (end.o.transport == CM)
		cm_open();
	else
		end.context = lib.ibv_open_device(l[at]);
	if (!end.context)
		fail("open", -1, errno, 0, "device %s cannot be opened: %s; are /dev/infiniband/uverbs* readable?", end.o.device, strerror(errno));
	lib.ibv_free_device_list(l);
	int e = lib.ibv_query_device(end.context, &end.device);
	if (e)
		fail("open", -1, e, 0, "device %s does not say what it can: %s", end.o.device, strerror(e));
	if (end.o.port > end.device.phys_port_cnt)
		fail("open", -1, 0, 0, "device %s has %d port(s), no port %d", end.o.device, end.device.phys_port_cnt, end.o.port);
}

static void open_port(void)
{
	struct options *o = &end.o;
	struct ibv_port_attr *a = &end.state;
	query_port(end.context, o->port, a);
	int ethernet = a->link_layer == IBV_LINK_LAYER_ETHERNET;
	if (a->state == IBV_PORT_INIT)
		fail("open", -1, 0, 0, "port %d of %s is in state INIT: %s", o->port, o->device,
			ethernet ? "its link is not up yet; look at ip link" : "no subnet manager has set it up; start opensm on one host of the subnet");
	if (a->state != IBV_PORT_ACTIVE)
		fail("open", -1, 0, 0, "port %d of %s is in state %s, %s: %s", o->port, o->device, port_state(a->state), physical(a->phys_state),
			ethernet ? "ip link set its interface up, and look at the cable" : "look at the cable and at the other end's port");
	end.mtu = mtu_bytes(a->active_mtu);
	if (o->mtu > end.mtu)
		fail("open", -1, 0, 0, "a path MTU of %d is asked for, and port %d of %s has %d in effect (at most %d): raise its interface's MTU (%d and some 60 bytes), or ask for less",
			o->mtu, o->port, o->device, end.mtu, mtu_bytes(a->max_mtu), o->mtu);
	if (o->mtu)
		end.mtu = o->mtu;
	if (o->transport == CM)
		return;
	if (o->gid >= a->gid_tbl_len)
		fail("open", -1, 0, 0, "port %d of %s has %d GIDs, no index %d", o->port, o->device, a->gid_tbl_len, o->gid);
	errno = 0;
	if (lib.ibv_query_gid(end.context, (uint8_t)o->port, o->gid, &end.gid))
		fail("open", -1, errno, 0, "GID %d of port %d of %s cannot be read: %s", o->gid, o->port, o->device, strerror(errno));
	static const union ibv_gid none;
	if (ethernet && !memcmp(&end.gid, &none, sizeof none))
		fail("open", -1, 0, 0, "GID %d of port %d of %s is empty: the interface has no such address; look at ip addr and at /sys/class/infiniband/%s/ports/%d/gids",
			o->gid, o->port, o->device, o->device, o->port);
	if (!ethernet && !a->lid)
		fail("open", -1, 0, 0, "port %d of %s has no LID: no subnet manager has given it one; start opensm on one host of the subnet", o->port, o->device);
}

void qp_attributes(struct pair *p, struct ibv_qp_init_attr *a)
{
	*a = (struct ibv_qp_init_attr){.send_cq = p->scq, .recv_cq = p->rcq, .qp_type = end.o.transport == UD ? IBV_QPT_UD : IBV_QPT_RC,
		.cap = {.max_send_wr = (uint32_t)end.o.depth + SPARE, .max_recv_wr = end.receives ? (uint32_t)end.receives : 1,
			.max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = (uint32_t)end.inlined}};
}

/* near lets this thread run on the pair's core alone, so that memory that it touches first lies near that core. */
static void near(int n)
{
	if (!end.o.ncores)
		return;
	int core = end.o.cores[n % end.o.ncores];
	cpu_set_t *set = CPU_ALLOC(8192);
	size_t size = CPU_ALLOC_SIZE(8192);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)core, size, set);
	if (sched_setaffinity(0, size, set))
		fail("open", n, errno, 0, "no thread can run on core %d: %s; this process may use the cores in Cpus_allowed_list of /proc/self/status", core, strerror(errno));
	CPU_FREE(set);
}

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Each pair has memory of its own: what arrives, what leaves, and a page for what the ends tell each other. */
static void layout(void)
{
	uint64_t page = 4096, each = up(end.o.size + GRH, page);
	end.in_at = 0;
	end.out_at = each;
	end.told_at = 2 * each;
	end.telling_at = 2 * each + page / 2;
	end.memory_each = 2 * each + page;
	if (end.memory_each >= 4 << 20)
		end.memory_each = up(end.memory_each, 2 << 20);
	end.memory = end.memory_each * (uint64_t)end.o.pairs;
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (end.memory > machine / 4 * 3)
		fail("memory", -1, ENOMEM, 0, "%d pairs of %llu bytes need %llu bytes of memory, more than three quarters of this machine's %llu: fewer pairs or smaller messages",
			end.o.pairs, (unsigned long long)end.o.size, (unsigned long long)end.memory, (unsigned long long)machine);
}

static void open_memory(struct pair *p)
{
	uint64_t huge = 2 << 20, size = end.memory_each, ask = size >= 2 * huge ? size + huge : size;
	uint8_t *m = mmap(NULL, ask, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		fail("memory", p->n, errno, 0, "%llu bytes of memory, of %llu for all pairs, are not to be had: %s", (unsigned long long)size,
			(unsigned long long)end.memory, strerror(errno));
	if (ask != size) {
		m = (uint8_t *)up((uintptr_t)m, huge);
		madvise(m, size, MADV_HUGEPAGE); /* a wish; a device walks fewer pages */
	}
	uint64_t x = end.o.seed * 0x9e3779b97f4a7c15ull + (uint64_t)p->n + 1;
	for (uint64_t i = 0; i < size; i += 8) { /* nothing on the way shrinks it */
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		memcpy(m + i, &x, 8);
	}
	memset(m + end.told_at, 0, size - end.told_at);
	p->memory = m;
	p->in = m + end.in_at + (end.o.transport == UD ? GRH : 0);
	p->out = m + end.out_at;
	p->in[end.o.size - 1] = p->out[end.o.size - 1] = 0;
	p->told = (struct control *)(void *)(m + end.told_at);
	p->telling = (struct control *)(void *)(m + end.telling_at);
	/* Over iWARP the memory that a READ fills has to be open to writes of the other end. */
	p->mr = lib.ibv_reg_mr(end.pd, m, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!p->mr)
		fail("memory", p->n, errno, 0, "%llu bytes, of %llu for all pairs, cannot be registered: %s; %s", (unsigned long long)size,
			(unsigned long long)end.memory, strerror(errno), memlock());
}

static void to_init(struct pair *p)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = (uint8_t)end.o.port, .qkey = 0x11111111,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (end.o.transport == UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	int e = lib.ibv_modify_qp(p->qp, &a, mask);
	if (e)
		fail("open", p->n, e, 0, "the queue pair does not go to INIT: %s", strerror(e));
}

static void open_queues(struct pair *p)
{
	int entries = end.o.depth + SPARE;
	p->scq = lib.ibv_create_cq(end.context, entries, NULL, NULL, 0);
	p->rcq = p->scq;
	if (p->scq && end.o.op == SEND)
		p->rcq = lib.ibv_create_cq(end.context, end.receives + 1, NULL, NULL, 0);
	if (!p->scq || !p->rcq)
		fail("open", p->n, errno, 0, "a completion queue of %d entries cannot be made: %s; the device takes %d; %s", entries, strerror(errno), end.device.max_cqe, memlock());
	struct ibv_qp_init_attr a;
	if (!p->n) {
		int want = end.o.op == READ ? 0 : end.o.inlined;
		qp_attributes(p, &a);
		end.inlined = most_inline(end.pd, &a, want);
		if (end.inlined < 0)
			fail("open", p->n, errno, 0, "a queue pair for %d requests cannot be made: %s; the device takes %d requests, %d queue pairs; %s", entries, strerror(errno),
				end.device.max_qp_wr, end.device.max_qp, memlock());
	}
	if (end.o.transport == CM)
		return;
	qp_attributes(p, &a);
	p->qp = lib.ibv_create_qp(end.pd, &a);
	if (!p->qp)
		fail("open", p->n, errno, 0, "queue pair %d of %d cannot be made: %s; the device takes %d; %s", p->n + 1, end.o.pairs, strerror(errno), end.device.max_qp, memlock());
	to_init(p);
}

void open_end(void)
{
	struct options *o = &end.o;
	open_device();
	open_port();
	if (o->transport == UD && o->size > (uint64_t)end.mtu)
		fail("open", -1, 0, 0, "a message of %llu bytes over UD: it has to fit one packet of %d, the path MTU", (unsigned long long)o->size, end.mtu);
	if (o->size > end.state.max_msg_sz)
		fail("open", -1, 0, 0, "a message of %llu bytes: port %d of %s takes %u", (unsigned long long)o->size, o->port, o->device, end.state.max_msg_sz);
	if (o->latency) {
		o->depth = o->signal = o->batch = 1;
	}
	int most = end.device.max_qp_wr;
	if (o->depth + SPARE > most)
		fail("open", -1, 0, 0, "depth=%d: %s takes %d requests a queue pair, of which %d are for other use", o->depth, o->device, most, SPARE);
	if (o->op == SEND) { /* so many that they do not run out between two looks */
		end.receives = o->latency ? 16 : 2 * o->depth < 256 ? 256 : 2 * o->depth;
		if (end.receives > most)
			end.receives = most;
		if (end.receives > end.device.max_cqe - 1)
			end.receives = end.device.max_cqe - 1;
	}
	end.rd_atomic = end.device.max_qp_init_rd_atom < end.device.max_qp_rd_atom ? end.device.max_qp_init_rd_atom : end.device.max_qp_rd_atom;
	if (end.rd_atomic > 255)
		end.rd_atomic = 255;
	if (o->rd_atomic && o->rd_atomic < end.rd_atomic)
		end.rd_atomic = o->rd_atomic;
	layout();
	end.pd = lib.ibv_alloc_pd(end.context);
	if (!end.pd)
		fail("open", -1, errno, 0, "no protection domain: %s", strerror(errno));
	if (posix_memalign((void **)&end.pairs, 128, sizeof *end.pairs * (size_t)o->pairs))
		fail("memory", -1, ENOMEM, 0, "no memory for %d pairs", o->pairs);
	memset(end.pairs, 0, sizeof *end.pairs * (size_t)o->pairs);
	cpu_set_t before[8];
	sched_getaffinity(0, sizeof before, before);
	for (int n = 0; n < o->pairs; n++) {
		struct pair *p = &end.pairs[n];
		p->n = n;
		near(n);
		open_memory(p);
		open_queues(p);
		p->psn = (uint32_t)((o->seed * 2654435761u + (uint64_t)n * 40503u + 1) & 0xffffff);
		say("pair n=%d qpn=%u psn=%u rkey=%u addr=%llu lid=%d gid=", n, p->qp ? p->qp->qp_num : 0, p->psn, p->mr->rkey,
			(unsigned long long)(uintptr_t)p->memory, end.state.lid);
		for (int i = 0; i < 16; i++)
			say("%02x", end.gid.raw[i]);
		say(" mtu=%d rd=%d\n", end.mtu, end.rd_atomic);
	}
	if (o->ncores)
		sched_setaffinity(0, sizeof before, before);
	say("opened inline=%d mtu=%d depth=%d memory=%llu rd_atomic=%d receives=%d\n", end.inlined, end.mtu, o->depth, (unsigned long long)end.memory,
		end.rd_atomic, end.receives);
}

/* ---- connect ---- */

static void cannot_reach(struct pair *p, int e, const char *state)
{
	int ethernet = end.state.link_layer == IBV_LINK_LAYER_ETHERNET;
	if (e == ETIMEDOUT || e == ENETUNREACH || e == EHOSTUNREACH)
		fail("connect", p->n, e, 0, "no way to the other end's GID: %s; %s", strerror(e),
			ethernet ? "is its address in the subnet of this interface, and does it answer ping?" : "is it in the same subnet (partition, subnet manager)?");
	if (e == EINVAL)
		fail("connect", p->n, e, 0, "the queue pair does not go to %s: %s; do both ends have GIDs of one type and family (RoCE v1 or v2, IPv4 or IPv6), and a path MTU that both take?",
			state, strerror(e));
	fail("connect", p->n, e, 0, "the queue pair does not go to %s: %s", state, strerror(e));
}

static struct ibv_ah_attr way(struct pair *p)
{
	struct ibv_ah_attr a = {.sl = (uint8_t)end.o.sl, .port_num = (uint8_t)end.o.port};
	if (end.state.link_layer == IBV_LINK_LAYER_ETHERNET) {
		a.is_global = 1;
		a.grh = (struct ibv_global_route){.dgid = p->peer_gid, .sgid_index = (uint8_t)end.o.gid, .hop_limit = 64, .traffic_class = (uint8_t)end.o.tclass};
	} else {
		a.dlid = (uint16_t)p->peer_lid;
	}
	return a;
}

static void to_rts(struct pair *p, int mtu, int rd)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_RTR, .path_mtu = (enum ibv_mtu)mtu_code(mtu), .dest_qp_num = p->peer_qpn, .rq_psn = p->peer_psn,
		.max_dest_rd_atomic = (uint8_t)end.rd_atomic, .min_rnr_timer = 12, .ah_attr = way(p)};
	int mask = IBV_QP_STATE, e;
	if (end.o.transport == RC)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if ((e = lib.ibv_modify_qp(p->qp, &a, mask)))
		cannot_reach(p, e, "RTR");
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .sq_psn = p->psn, .timeout = (uint8_t)end.o.timeout, .retry_cnt = RETRIES, .rnr_retry = 7, .max_rd_atomic = (uint8_t)rd};
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (end.o.transport == RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	if ((e = lib.ibv_modify_qp(p->qp, &a, mask)))
		cannot_reach(p, e, "RTS");
	if (end.o.transport == UD) {
		a.ah_attr = way(p);
		errno = 0;
		if (!(p->ah = lib.ibv_create_ah(end.pd, &a.ah_attr)))
			cannot_reach(p, errno, "an address handle");
	}
}

static void connect_pair(struct pair *p)
{
	if (!p->known)
		fail("connect", p->n, 0, 0, "the other end's pair %d was not told; a line of peer for each comes before connect", p->n);
	if (p->peer_mtu && end.o.mtu && p->peer_mtu != end.o.mtu)
		fail("connect", p->n, 0, 0, "a path MTU of %d is asked for here, and the other end has %d: set both interfaces' MTU alike, or ask for the smaller one",
			end.o.mtu, p->peer_mtu);
	if (end.state.link_layer != IBV_LINK_LAYER_ETHERNET && !p->peer_lid)
		fail("connect", p->n, 0, 0, "the other end's port has no LID, and this one speaks InfiniBand: the ends' link layers differ, or its subnet manager is missing");
	if (p->peer_mtu && p->peer_mtu < end.mtu)
		end.mtu = p->peer_mtu;
	if (end.o.transport == UD && end.o.size > (uint64_t)end.mtu)
		fail("connect", p->n, 0, 0, "a message of %llu bytes over UD: it has to fit one packet of %d, the smaller path MTU of the ends", (unsigned long long)end.o.size, end.mtu);
	post_first(p);
	int rd = p->peer_rd < end.rd_atomic ? p->peer_rd : end.rd_atomic;
	to_rts(p, end.mtu, rd ? rd : 1);
	requests(p);
}

/* in_effect says what the first queue pair has; what the device does not say is left out. */
static void in_effect(void)
{
	struct pair *p = &end.pairs[0];
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;
	memset(&a, 0, sizeof a);
	say("connected mtu=%d", end.mtu);
	if (end.o.transport != UD && !lib.ibv_query_qp(p->qp, &a, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_MAX_QP_RD_ATOMIC, &init)) {
		say(" path_mtu=%d rd_atomic=%d", mtu_bytes(a.path_mtu), a.max_rd_atomic);
		if (a.ah_attr.port_num)
			say(" sl=%d", a.ah_attr.sl);
		if (a.ah_attr.is_global)
			say(" tclass=%d", a.ah_attr.grh.traffic_class);
		if (a.timeout)
			say(" timeout=%d", a.timeout);
	}
	say("\n");
}

void connect_pairs(void)
{
	if (end.o.transport == CM)
		cm_connect();
	else
		for (int n = 0; n < end.o.pairs; n++)
			connect_pair(&end.pairs[n]);
	in_effect();
}
