package doctor

import (
	"strings"

	"linerate/internal/base/xslices"
)

var topicPrivileges = Topic{
	ID: "privileges", Why: "some facts and some experiments need permissions that an ordinary user does not have",
	host: func(g *Gathered, h *Host) []Line {
		n := h.Needs
		switch {
		case n == nil:
			return []Line{notKnown("the agent did not say whom it runs as")}
		case n.UID < 0:
			return []Line{ok("runs as %s; Windows asks no more of an experiment over TCP or UDP", n.User)}
		}
		var missing []string
		for _, c := range []struct {
			number int
			what   string
		}{
			{capNetRaw, "latency over ICMP"},
			{capNetAdmin, "apply, loops of two ports, the firewall's rules"},
			{capSysAdmin, "storage by the kernel (iSCSI, NVMe/TCP, NFS, SMB)"},
			{capSyslog, "the kernel's log, where it is closed to users"},
		} {
			if h.traits().Proc && !h.can(c.number) {
				missing = append(missing, c.what)
			}
		}
		if !h.traits().Proc && n.UID != 0 {
			missing = append(missing, "the NICs' PCI Express capabilities")
		}
		if len(missing) == 0 {
			return []Line{ok("runs as %s, who may read and do all that linerate does", n.User)}
		}
		text := "runs as " + n.User + "; throughput, latency over TCP and UDP, and files work; not: " + strings.Join(missing,
			"; ")
		if refused := h.refused(); len(refused) > 0 {
			text += "; not read of it: " + strings.Join(refused, ", ")
		}
		if n.UID == 0 {
			return []Line{warning("%s: root of a container has not all of root's permissions", text).do("grep CapEff " +
				"/proc/self/status   # and start the container with these: --cap-add NET_RAW --cap-add NET_ADMIN --cap-add " +
				"SYS_ADMIN")}
		}
		l := warning("%s", text)
		if strings.HasPrefix(h.Connection, "ssh ") {
			_, at, _ := strings.Cut(h.Connection, "@")
			if at == "" {
				at = strings.TrimPrefix(h.Connection, "ssh ")
			}
			return []Line{l.here("linerate doctor root@" + at + "   # if root's login is allowed there; the file's connection " +
				"is " +
				"then: ssh root@" + at)}
		}
		return []Line{l.here("sudo linerate doctor")}
	},
}

// refused returns the sources that this user may not read.
func (h *Host) refused() (out []string) {
	if h.Facts == nil {
		return nil
	}
	for _, u := range h.Facts.Unknown {
		if strings.Contains(u.Reason, "may not read") || strings.Contains(u.Reason, "not permitted") ||
			strings.Contains(u.Reason, "ermission denied") {
			if len(out) == 4 {
				return append(out, "..")
			}
			out = xslices.AppendNew(out, u.Subject)
		}
	}
	return out
}
