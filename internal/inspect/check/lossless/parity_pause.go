package lossless

import (
	"linerate/internal/device/families"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// PauseAndPFC checks for pause of whole links where classes are paused.
var PauseAndPFC = check.Check{
	ID:     "pause-and-pfc",
	Title:  "pause of whole links where classes are paused",
	Why:    "802.3x pause stops every class, so that PFC has nothing to tell apart; drivers take the one or the other",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qbb: a port that uses PFC does not use 802.3x pause",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				e := &check.End{Host: h, Nic: &h.Facts.NICs[i]}
				c := e.Classes()
				if c == nil {
					continue
				}
				rx, tx := paused(e)
				paused, _ := c.PFC()
				if len(paused) == 0 || !rx && !tx {
					continue
				}
				f := record.Finding{Severity: record.Warning, Have: "802.3x pause is on next to PFC of " + classesText(paused),
					Want:        "PFC alone",
					Evidence:    []record.EvidenceLine{pauseLine(e, rx), e.Shown("pfc", "PFC of "+classesText(paused))},
					Consequence: "a pause stops all classes of the port, or the driver drops one of both settings",
					Fix:         "switch 802.3x pause off at both ends", Undo: "switch it on again"}
				if families.Traits(h.Facts.OS).Proc || h.Facts.OS == "" && h.Plan != nil {
					f.Fix, f.Undo = "ethtool -A "+e.Nic.Name+" rx off tx off", "ethtool -A "+e.Nic.Name+" "+pauseFlags(rx, tx)
				}
				r.FoundOn(e, f)
			}
		}
	},
}

// paused reports whether 802.3x pause is on: in the port's own settings, or else with its classes.
func paused(e *check.End) (rx, tx bool) {
	c := e.Classes()
	rx, tx = c.PauseRx.Or(false), c.PauseTx.Or(false)
	if p := e.Nic.Wire.Pause; p != nil {
		rx, tx = p.Receive.Or(rx), p.Send.Or(tx)
	}
	return rx, tx
}

func pauseLine(e *check.End, rx bool) record.EvidenceLine {
	aspect := "pause send"
	if rx {
		aspect = "pause receive"
	}
	if _, ok := e.Nic.Proofs[aspect]; ok {
		return e.Line(aspect, "")
	}
	return e.Shown("pause", "pause of the whole port is on")
}

func pauseFlags(rx, tx bool) string {
	word := map[bool]string{true: "on", false: "off"}
	return "rx " + word[rx] + " tx " + word[tx]
}

// Watchdog checks that lossless queues have a watchdog where switches are connected to each other.
var Watchdog = check.Check{
	ID:    "pfc-watchdog",
	Title: "a watchdog of lossless queues where switches follow each other",
	Why: "one host that never stops asking for a pause stops the next switch, that one the next, until the fabric " +
		"stands",
	Worst:  record.Warning,
	Source: "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016; SONiC's PFC watchdog",
	Look: func(w *check.World, r *check.Report) {
		if w.Plan == nil || w.Plan.QoS() == nil || len(w.Plan.QoS().Lossless()) == 0 || !between(w) {
			return
		}
		for _, h := range w.Hosts {
			if h.Switch == nil {
				continue
			}
			for _, e := range w.EndsOf(h) {
				if e.Classes() == nil {
					continue
				}
				on, known := e.Classes().Watchdog.Get()
				if !known || on {
					continue
				}
				f := record.Finding{Severity: record.Warning, Have: "no watchdog of its lossless queues",
					Want:        "one, because the way leads over several switches",
					Evidence:    []record.EvidenceLine{e.Shown("watchdog", "no watchdog")},
					Consequence: "nothing, until a host or NIC goes wrong: then every path over this port may stand still"}
				f.Fix, f.Undo = w.Follow(h)
				r.FoundOn(e, f)
				break // one port of a switch is enough
			}
		}
	},
}

// between reports whether a link of the plan connects two switches.
func between(w *check.World) bool {
	for _, l := range w.Plan.Links {
		if l.Ends[0].Switch != "" && l.Ends[1].Switch != "" {
			return true
		}
	}
	return false
}
