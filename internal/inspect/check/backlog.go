package check

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// longBacklog is a queue of a core that takes what a burst of 10 Gb/s brings in some milliseconds, in packets.
const longBacklog = 5000

var checkBacklog = Check{
	ID:     "backlog-drop",
	Title:  "frames that the kernel dropped before a processor took them up",
	Why:    "each core has a queue of net.core.netdev_max_backlog frames for what comes over loopback, virtual interfaces and RPS; what finds it full is lost",
	Worst:  record.Error,
	Source: "net/core/dev.c: enqueue_to_backlog, of netif_rx and RPS; net/core/net-procfs.c: softnet_stat, second column; Documentation/admin-guide/sysctl/net.rst",
	look: func(w *World, r *report) {
		told := map[string]bool{} // machines, by the id of their boot
		for _, t := range w.tallies(map[facts.Counted]weight{facts.BacklogDrops: lost}) {
			h := t.host
			if h.Facts.Lab != 0 || told[h.Facts.Boot] {
				continue // hosts of a lab, and namespaces, have one kernel, and these counters are the machine's
			}
			told[h.Facts.Boot] = h.Facts.Boot != ""
			f, c := t.finding(), unwrapped(h.Facts, t.counts[0])
			if f.Severity = lost.of(c); f.Severity == "" {
				continue
			}
			var steered []string // interfaces whose frames pass these queues though a card brings them
			for _, n := range h.Facts.NICs {
				if n.RPS.Or(false) {
					steered = append(steered, n.Name)
				}
			}
			f.Have = counted(c, "frames dropped from the queues of the cores") + sinceBoot(h.Facts)
			if all := w.onMachine(h); len(all) > 1 {
				f.Have += ", of the one machine that " + words(all) + " are on"
			}
			f.Consequence = "they are lost; TCP sends them again and slows down. "
			if !c.Of.IsKnown() {
				f.Consequence = "they are lost, of how many is not known (" + c.Of.Why() + "); TCP sends them again and slows down. "
			}
			if len(steered) > 0 {
				f.Consequence += "They came over " + words(steered) + ", whose frames RPS hands from core to core, over loopback or a virtual interface (veth, a tunnel)"
			} else {
				// The drivers of cards hand on what comes in without this queue.
				f.Consequence += "They came over loopback or a virtual interface (veth, a tunnel), or a card whose frames RPS hands from core to core: which one is not known"
				if f.Severity == record.Error {
					f.Severity = record.Warning
				}
			}
			now, _ := h.Facts.Sysctl("net.core.netdev_max_backlog")
			f.Fix = fmt.Sprintf("look whether the second column of /proc/net/softnet_stat still grows under load; if it does: sysctl -w net.core.netdev_max_backlog=%d", LongerBacklog(now))
			f.Undo = "sysctl -w net.core.netdev_max_backlog=" + cmp.Or(now, "1000") + map[bool]string{true: ", which is the kernel's own value, or what stood there before"}[now == ""]
			r.found(f, about(h, t.subject)...)
		}
	},
}

// onMachine are the hosts that one kernel runs, as network namespaces are: they were started by one boot.
func (w *World) onMachine(h *Host) (names []string) {
	for _, x := range w.Hosts {
		if x == h || h.Facts.Boot != "" && x.Facts.Boot == h.Facts.Boot {
			names = append(names, x.Name)
		}
	}
	return names
}

// LongerBacklog is a net.core.netdev_max_backlog, in packets, that bursts fit into: longer than what a host has now, as it prints it; empty: not known.
func LongerBacklog(now string) int {
	have, err := strconv.Atoi(now)
	longer := longBacklog
	for err == nil && have >= longer && longer < 1<<30 {
		longer *= 2
	}
	return longer
}

// unwrapped takes the share away where the counters of the cores, which have 32 bits, began anew: the interfaces have received more
// than they count.
func unwrapped(f *facts.Facts, c facts.Count) facts.Count {
	var received uint64
	for _, n := range f.NICs {
		received += n.Counters["rx_packets"]
	}
	if received > c.Of.Or(received) {
		c.Of = unit.Unknown[uint64]("the counters of the cores began anew since")
	}
	return c
}

// sinceBoot says in how long a counter of the machine came about.
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
