package doctor

var topicMemlock = Topic{
	ID: "memlock", Why: "RDMA locks each buffer in memory, and verbs experiments need it",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case h.OS != "linux":
			return nil
		case h.Facts == nil || h.Facts.RDMA == nil:
			return []Line{notKnown("whether there is an RDMA device was not read")}
		case len(h.Facts.RDMA) == 0 && g.uses(h, "verbs"):
			return []Line{problem("the file wants verbs experiments, and the system shows no RDMA device").do(h.root("modprobe -a ib_uverbs rdma_ucm mlx5_ib"), "ls /sys/class/infiniband   # empty: the card has no driver for RDMA, or can none")}
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
		if bound, told := m.Bound.Get(); told && !bound {
			fine = ok("the limit does not bind this user: RDMA may lock all memory")
		}
		lines := g.findings(h, fine, "memlock")
		for i := range lines {
			if lines[i].Do != nil {
				lines[i].Do = []string{h.root(`sh -c "printf '* soft memlock unlimited\n* hard memlock unlimited\n' > /etc/security/limits.d/rdma.conf"`) + "   # then log in again; services: LimitMEMLOCK=infinity"}
			}
		}
		return lines
	},
}
