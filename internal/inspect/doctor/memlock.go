package doctor

import "linerate/internal/base/method"

import "time"

var topicMemlock = Topic{
	ID: "memlock", Why: "RDMA locks each buffer in memory, and experiments of rdma need it",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case !h.traits().Proc:
			return nil
		case h.Facts == nil || h.Facts.RDMA == nil:
			return []Line{notKnown("whether there is an RDMA device was not read")}
		case len(h.Facts.RDMA) == 0 && g.uses(h, method.RDMA):
			return []Line{problem("the file has experiments of rdma, and the system shows no RDMA device").do(
				h.root("modprobe -a ib_uverbs rdma_ucm mlx5_ib"), "ls /sys/class/infiniband   # empty: the NIC has no driver "+
					"for RDMA, or can none")}
		case len(h.Facts.RDMA) == 0:
			return []Line{ok("no RDMA device, so that nothing has to be locked")}
		}
		m := h.Facts.Memlock
		soft, known := m.Soft.Get()
		if !known {
			return []Line{notKnown("the limit of locked memory was not read: %s", m.Soft.Why())}
		}
		fine := ok("up to %s may be locked for RDMA", soft)
		if soft < 0 {
			fine = ok("any amount of memory may be locked for RDMA")
		}
		if bound, reported := m.Bound.Get(); reported && !bound {
			fine = ok("the limit does not bind this user: RDMA may lock all memory")
		}
		lines := g.findings(h, fine, "memlock")
		for i := range lines {
			if lines[i].Do != nil {
				lines[i].Do = []string{h.root(
					`sh -c "printf '* soft memlock unlimited\n* hard memlock unlimited\n' > /etc/security/limits.d/rdma.conf"`) +
					"   # then log in again; services: LimitMEMLOCK=infinity"}
			}
		}
		return lines
	},
}

// sampleStep is the time between two readings of a run (run --samples 10).
const sampleStep = 100 * time.Millisecond

var topicAlign = Topic{
	ID: "offset", Why: "what both ends saw at one moment is put side by side by it",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case h.Here:
			return nil
		case h.Aligned == 0:
			return []Line{notKnown("the clocks of both ends were not compared")}
		case h.Aligned > sampleStep/2:
			return []Line{warning("a run can relate its clock to this machine's within %s alone, more than half of the %s "+
				"between two readings; what both ends saw at one moment may be one reading apart",
				short(h.Aligned.Seconds()), short(sampleStep.Seconds())).here("ping -c 10 " + h.address() +
				"   # a way of less delay to the host, or run linerate on one of the hosts")}
		}
		return []Line{ok("a run relates its clock to this machine's within %s", short(h.Aligned.Seconds()))}
	},
}
