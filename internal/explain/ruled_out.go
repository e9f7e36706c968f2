package explain

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// neverFull is the share of the sending time below which a TCP window does not limit a connection.
const neverFull = 0.005

// room is how far a component has to be above the goodput so that it does not limit it.
const room = 1.25

// ruledOut lists what does not limit an experiment. It has only what counters or settings of the hosts show, and
// nothing whose counters were not read.
func ruledOut(c *judge.Case) (out []record.RuledOut) {
	add := func(what, host, format string, args ...any) {
		out = append(out, record.RuledOut{What: what, Host: host, Text: fmt.Sprintf(format, args...)})
	}
	sides := []judge.Side{c.Sender, c.Receiver}
	if bad, why := c.Delta(c.Receiver, string(facts.BadFrames)); why == "" && bad.Gross < 0.5 {
		add("cable", c.Receiver.Host, "cable (0 errors at %s)", c.Receiver.Host)
	}
	if !c.OverRDMA() && !c.OverUDP() {
		if r, why := c.Retransmitted(); why == "" && r.All < 0.5 && (r.Streams == nil || *r.Streams < 0.5) {
			add("loss", c.Sender.Host, "loss (0 retransmits)")
		}
	}
	if list, unknown := c.Dropped(); len(list) == 0 && len(unknown) == 0 {
		add("drops", "", "drops in %s (0)", unit.List([]string{c.Sender.Host, c.Receiver.Host}))
	}
	if text := freeTCPWindow(c); text != "" {
		add("tcp-window", "", "%s", text)
	}
	for _, s := range sides {
		if text := widePCIe(c, s); text != "" {
			add("pcie", s.Host, "%s", text)
		}
	}
	for _, s := range sides {
		uses := c.CoreUses(s)
		if len(uses) == 0 {
			continue
		}
		most := slices.MaxFunc(uses, func(a, b judge.CoreUse) int { return cmp.Compare(a.Busy, b.Busy) })
		if most.Busy < judge.CoreFree {
			add("cpu", s.Host, "CPU of %s (busiest core %s)", s.Host, unit.Percent(most.Busy))
		}
	}
	if a, b := c.Sender.NIC(), c.Receiver.NIC(); a != nil && b != nil && a.MTU > 0 && a.MTU == b.MTU {
		add("mtu", "", "different MTUs (%d at both ends)", a.MTU)
	}
	return out
}

// freeTCPWindow reports that the receiver's TCP window never stopped a connection; empty: it did, or it is not known.
func freeTCPWindow(c *judge.Case) string {
	busy, ok0 := c.Sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	full, ok1 := c.Sum(false, func(s *record.Socket) *float64 { return s.RwndLimited })
	bytes, ok2 := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.SndWnd }))
	if !ok0 || !ok1 || !ok2 || busy <= 0 || full > neverFull*busy {
		return ""
	}
	return fmt.Sprintf("receive window (%s, never full)", unit.Bytes(bytes))
}

// widePCIe reports that the PCIe link of an end, as the host reads it, carries clearly more than was measured. It is
// empty if it does not, or if it is not known.
func widePCIe(c *judge.Case, s judge.Side) string {
	nic := s.NIC()
	if nic == nil || nic.PCI == "" {
		return ""
	}
	port := path.OfPort(s.Shots.After, nic, s.Shots.After.PCIeHops(nic.PCI))
	var least unit.BitRate
	for _, hop := range port.Bus {
		rate, known := hop.Rate.Get()
		if !known {
			return ""
		}
		if least == 0 || rate < least {
			least = rate
		}
	}
	if float64(least) < room*max(c.Goodput, c.Ceiling) || least == 0 {
		return ""
	}
	return fmt.Sprintf("PCIe of %s (%s)", s.Host, least)
}
