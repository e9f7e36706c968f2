package doctor

import "strings"

var topicSocket = Topic{
	ID: "tcp_info", Why: "what the kernel says of a connection is the evidence of most verdicts",
	host: func(g *Gathered, h *Host) []Line {
		if !h.traits().Proc {
			return nil
		}
		if h.Needs == nil || h.Needs.TCPInfo == 0 {
			return []Line{notKnown("the kernel was not asked what it reports of a connection")}
		}
		var missing []string
		for _, f := range socketFields {
			if h.Needs.TCPInfo < f.end {
				missing = append(missing, f.what+" (Linux "+f.since+")")
			}
		}
		if len(missing) > 0 {
			return []Line{warning("this kernel fills %d bytes of it and does not tell: %s; verdicts that rest on that stay open",
				h.Needs.TCPInfo, strings.Join(missing, ", ")).
				do("uname -r   # a newer kernel of the system has them: " + h.upgrade())}
		}
		return []Line{ok("the kernel reports all that verdicts read of a connection (%d bytes)", h.Needs.TCPInfo)}
	},
}

// socketFields are fields of struct tcp_info (include/uapi/linux/tcp.h) that verdicts need, with the offset of their
// end.
var socketFields = []struct {
	end   int
	since string
	what  string
}{
	{136, "4.1", "bytes received"},
	{168, "4.9", "the rate of delivery"},
	{192, "4.10", "for how long window and buffer held it back"},
	{232, "5.4", "the window that the other end offers"},
	{236, "6.2", "the window that it offers itself"},
}

// upgrade returns how the system gets a newer kernel.
func (h *Host) upgrade() string {
	switch h.Needs.Family {
	case "debian":
		return h.root("apt-get update") + " && " + h.root("apt-get full-upgrade")
	case "fedora":
		return h.root("dnf upgrade kernel")
	case "suse":
		return h.root("zypper update")
	case "arch":
		return h.root("pacman -Syu")
	case "alpine":
		return h.root("apk upgrade")
	}
	return "by its own way"
}

var topicRing = Topic{
	ID: "io_uring", Why: "block experiments ask through it; threads in its place cost more of a core for each request",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case !h.traits().Proc:
			return nil
		case h.Needs == nil:
			return []Line{notKnown("the agent did not say")}
		case h.Needs.NoRing == "":
			return []Line{ok("a ring was opened: block experiments use it")}
		}
		l := warning("%s: block experiments use threads, which cost more of a core for each request", h.Needs.NoRing)
		switch {
		case strings.Contains(h.Needs.NoRing, "io_uring_disabled"):
			l = l.do(h.root("sysctl -w kernel.io_uring_disabled=0"))
		case strings.Contains(h.Needs.NoRing, "filter of system calls"):
			l = l.do("grep Seccomp /proc/self/status   # 2: the container's filter; start it with --security-opt " +
				"seccomp=unconfined")
		}
		return []Line{l}
	},
}

var topicSlots = Topic{
	ID: "pcie", Why: "a NIC in a slot that is too narrow or came up slow carries a fraction, whatever the network does",
	host: func(g *Gathered, h *Host) []Line {
		if h.Facts == nil || h.Facts.PCI == nil {
			return []Line{notKnown("the bus was not read")}
		}
		nics, unknown := 0, 0
		for _, d := range h.Facts.PCI {
			if !strings.HasPrefix(d.Class, "02") { // network controllers
				continue
			}
			if d.Width.IsKnown() && d.Speed.IsKnown() {
				nics++
			} else {
				unknown++
			}
		}
		fine := ok("%d NICs, each with all lanes and the speed that both ends of its slot can", nics)
		switch {
		case nics == 1:
			fine = ok("the NIC has all lanes and the speed that both ends of its slot can")
		case nics+unknown == 0:
			fine = ok("no NIC hangs on PCI Express here")
		case nics == 0:
			fine = notKnown("the NICs do not say what their slot runs at, as a virtual machine's do not")
		}
		lines := g.findings(h, fine, "pcie-degraded", "pcie-upstream", "pcie-idle-downclock")
		for i := range lines {
			if lines[i].Do != nil && h.traits().Proc {
				// This needs hands at the machine.
				lines[i].Do = []string{h.root("lspci -vv | grep -e Ethernet -e LnkCap: -e LnkSta:"),
					"# " + strings.TrimPrefix(lines[i].Do[0], "sudo ")}
			}
		}
		return lines
	},
}
