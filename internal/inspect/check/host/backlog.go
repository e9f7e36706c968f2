package host

import (
	"cmp"
	"fmt"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Backlog checks for frames that the kernel dropped before a CPU processed them.
var Backlog = check.Check{
	ID:    "backlog-drop",
	Title: "frames that the kernel dropped before a CPU took them up",
	Why: "each core has a queue of net.core.netdev_max_backlog frames for what comes over loopback, virtual " +
		"interfaces and RPS; what finds it full is lost",
	Worst: record.Error,
	Source: "net/core/dev.c: enqueue_to_backlog, of netif_rx and RPS; net/core/net-procfs.c: softnet_stat, second " +
		"column; Documentation/admin-guide/sysctl/net.rst",
	Look: func(w *check.World, r *check.Report) {
		reported := map[string]bool{} // machines, by their boot id
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.BacklogDrops: check.Lost}) {
			h := t.Host
			if h.Facts.Lab != 0 || reported[h.Facts.Boot] {
				continue // hosts of a lab, and namespaces, share one kernel with its counters
			}
			reported[h.Facts.Boot] = h.Facts.Boot != ""
			f, c := t.Finding(), unwrapped(h.Facts, t.Counts[0])
			if f.Severity = check.Lost.Of(c); f.Severity == "" {
				continue
			}
			var steered []string // NICs' interfaces whose frames pass these queues
			for _, n := range h.Facts.NICs {
				if n.RPS.Or(false) {
					steered = append(steered, n.Name)
				}
			}
			f.Have = check.Counted(c, "frames dropped from the queues of the cores") + sinceBoot(h.Facts)
			if all := onMachine(w, h); len(all) > 1 {
				f.Have += ", of the one machine that " + unit.List(all) + " are on"
			}
			f.Consequence = "they are lost; TCP sends them again and slows down. "
			if !c.Of.IsKnown() {
				f.Consequence = "they are lost, of how many is not known (" + c.Of.Why() +
					"); TCP sends them again and slows down. "
			}
			if len(steered) > 0 {
				f.Consequence += "They came over " + unit.List(steered) + ", whose frames RPS hands from core to core, over " +
					"loopback or a virtual interface (veth, a tunnel)"
			} else {
				// NIC drivers pass received frames on without this queue.
				f.Consequence += "They came over loopback or a virtual interface (veth, a tunnel), or a NIC whose frames RPS " +
					"hands from core to core: which one is not known"
				if f.Severity == record.Error {
					f.Severity = record.Warning
				}
			}
			now, _ := h.Facts.Sysctl("net.core.netdev_max_backlog")
			f.Fix = fmt.Sprintf("look whether the second column of /proc/net/softnet_stat still grows under load; if it "+
				"does:\nsysctl -w net.core.netdev_max_backlog=%d", check.LongerBacklog(now))
			f.Undo = "sysctl -w net.core.netdev_max_backlog=" + cmp.Or(now, "1000") +
				unit.If(now == "", "\nthat is the kernel's own value; or what was there before", "")
			r.Found(f, check.About(h, t.Subject)...)
		}
	},
}

// onMachine returns the hosts that share one kernel, such as network namespaces: they have one boot id.
func onMachine(w *check.World, h *check.Host) (names []string) {
	for _, x := range w.Hosts {
		if x == h || h.Facts.Boot != "" && x.Facts.Boot == h.Facts.Boot {
			names = append(names, x.Name)
		}
	}
	return names
}

// unwrapped removes the share where the 32-bit counters of the cores wrapped: the interfaces have received more than
// they count.
func unwrapped(f *facts.Facts, c facts.Count) facts.Count {
	received := xslices.Sum(f.NICs, func(n facts.Interface) uint64 { return n.Counters["rx_packets"] })
	if received > c.Of.Or(received) {
		c.Of = unit.Unknown[uint64]("the counters of the cores began again since")
	}
	return c
}

// sinceBoot describes the time over which a counter of the machine grew.
func sinceBoot(f *facts.Facts) string {
	up, known := f.Uptime.Get()
	switch {
	case !known:
		return ""
	case up >= 48*time.Hour:
		return fmt.Sprintf(", in the %.0f days since it started", up.Hours()/24)
	case up >= 2*time.Hour:
		return fmt.Sprintf(", in the %.0f hours since it started", up.Hours())
	}
	return fmt.Sprintf(", in the %.0f minutes since it started", up.Minutes())
}
