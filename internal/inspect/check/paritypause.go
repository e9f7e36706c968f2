package check

import (
	"linerate/internal/record"
)

var checkPauseAndPFC = Check{
	ID:     "pause-and-pfc",
	Title:  "pause of whole links where classes are paused",
	Why:    "802.3x pause stops every class, so that PFC has nothing to tell apart; drivers take the one or the other",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qbb: a port that uses PFC does not use 802.3x pause",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				e := &end{host: h, nic: &h.Facts.NICs[i]}
				c := e.classes()
				if c == nil {
					continue
				}
				rx, tx := e.paused()
				paused, _ := c.PFC()
				if len(paused) == 0 || !rx && !tx {
					continue
				}
				f := record.Finding{
					Severity: record.Warning, Have: "802.3x pause is on beside PFC of " + classesText(paused), Want: "PFC alone",
					Evidence:    []record.EvidenceLine{e.pauseLine(rx), e.shown("pfc", "PFC of "+classesText(paused))},
					Consequence: "a pause stops all classes of the port, or the driver drops one of both settings",
					Fix:         "switch 802.3x pause off at both ends", Undo: "switch it on again",
				}
				if h.Facts.OS == "linux" || h.Facts.OS == "" && h.Plan != nil {
					f.Fix, f.Undo = "ethtool -A "+e.nic.Name+" rx off tx off", "ethtool -A "+e.nic.Name+" "+pauseFlags(rx, tx)
				}
				r.foundOn(e, f)
			}
		}
	},
}

// paused says whether 802.3x pause is on: as the port's own settings say, else with its classes.
func (e *end) paused() (rx, tx bool) {
	c := e.classes()
	rx, tx = c.PauseRx.Or(false), c.PauseTx.Or(false)
	if p := e.nic.Wire.Pause; p != nil {
		rx, tx = p.Receive.Or(rx), p.Send.Or(tx)
	}
	return rx, tx
}

func (e *end) pauseLine(rx bool) record.EvidenceLine {
	aspect := "pause send"
	if rx {
		aspect = "pause receive"
	}
	if _, ok := e.nic.Proofs[aspect]; ok {
		return e.line(aspect, "")
	}
	return e.shown("pause", "pause of the whole port is on")
}

func pauseFlags(rx, tx bool) string {
	word := map[bool]string{true: "on", false: "off"}
	return "rx " + word[rx] + " tx " + word[tx]
}

var checkWatchdog = Check{
	ID:     "pfc-watchdog",
	Title:  "a watchdog of lossless queues where switches stand behind each other",
	Why:    "one host that never stops asking for a pause stops the next switch, that one the next, until the fabric stands",
	Worst:  record.Warning,
	Source: "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016; SONiC's PFC watchdog",
	look: func(w *World, r *report) {
		if w.Plan == nil || w.Plan.QoS() == nil || len(w.Plan.QoS().Lossless()) == 0 || !w.between() {
			return
		}
		for _, h := range w.Hosts {
			if h.Switch == nil {
				continue
			}
			for _, e := range w.endsOf(h) {
				if e.classes() == nil {
					continue
				}
				on, known := e.classes().Watchdog.Get()
				if !known || on {
					continue
				}
				f := record.Finding{
					Severity: record.Warning, Have: "no watchdog of its lossless queues", Want: "one, because the way leads over several switches",
					Evidence: []record.EvidenceLine{e.shown("watchdog", "no watchdog")}, Consequence: "nothing, until a host or card goes wrong: then every path over this port may stand still",
				}
				f.Fix, f.Undo = w.follow(h)
				r.foundOn(e, f)
				break // one port of a switch tells it
			}
		}
	},
}

// between says whether a link of the plan joins two switches.
func (w *World) between() bool {
	for _, l := range w.Plan.Links {
		if l.Ends[0].Switch != "" && l.Ends[1].Switch != "" {
			return true
		}
	}
	return false
}
