package doctor

import "strings"

var topicSocket = Topic{
	ID: "tcp_info", Why: "what the kernel says of a connection is the evidence of most verdicts",
	host: func(g *Gathered, h *Host) []Line {
		if h.OS != "linux" {
			return nil
		}
		if h.Needs == nil || h.Needs.TCPInfo == 0 {
			return []Line{notKnown("the kernel was not asked what it tells of a connection")}
		}
		var lacks []string
		for _, f := range socketFields {
			if h.Needs.TCPInfo < f.end {
				lacks = append(lacks, f.what+" (Linux "+f.since+")")
			}
		}
		if len(lacks) > 0 {
			return []Line{warning("this kernel fills %d bytes of it and does not tell: %s; verdicts that rest on that stay open", h.Needs.TCPInfo, strings.Join(lacks, ", ")).
				do("uname -r   # a newer kernel of the system has them: " + h.upgrade())}
		}
		return []Line{ok("the kernel tells all that verdicts read of a connection (%d bytes)", h.Needs.TCPInfo)}
	},
}

// socketFields are fields of struct tcp_info (include/uapi/linux/tcp.h) that verdicts need, with the byte behind them.
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

// upgrade is how the system gets a newer kernel.
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
