package check

import (
	"fmt"
	"maps"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

const (
	lowGroup  = "low-priority-group"
	highGroup = "high-priority-group"
)

var checkWRED = Check{
	ID:     "wred-lossless",
	Title:  "lossless classes with random early drop",
	Why:    "WRED drops what cannot be marked before the queue is full: in a lossless class PFC would have held it back",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: disable WRED for lossless traffic",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(_ *Host, n *facts.Interface) string {
			return numbers(queuesOf(classesOf(n), func(q facts.Queue) bool { return q.WRED.Or(false) && sortedInto(q) }, true))
		}) {
			c := classesOf(g.first())
			for _, class := range queuesOf(c, func(q facts.Queue) bool { return q.WRED.Or(false) && sortedInto(q) }, true) {
				f := record.Finding{
					Severity: record.Warning, Subject: g.subject(), Have: fmt.Sprintf("queue %d is lossless, and drops early (WRED)", class), Want: "no early drops in a lossless queue",
					Evidence:    g.proofs(c.Proofs[fmt.Sprintf("queue %d", class)]),
					Consequence: "packets that do not take part in ECN may be dropped before PFC holds them back; those that do are marked",
					Fix:         fmt.Sprintf("WRED off for queue %d; ECN may stay on", class),
				}
				if g.host.Facts.OS == "routeros" {
					queue := fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d]", qosMenu, class)
					f.Fix = queue + " wred=no ecn=yes; whether ECN alone still shows WRED-ACTUAL yes hangs on the chip and is not documented"
					f.Undo = queue + " wred=yes"
				}
				r.found(f, g.about()...)
			}
		}
	},
}

// queuesOf are the classes of queues that are so, among the lossless ones or the others, where there are lossless ones.
func queuesOf(c *facts.Classes, so func(q facts.Queue) bool, among bool) (out []int) {
	paused := lossless(c)
	if len(paused) == 0 {
		return nil
	}
	for _, class := range slices.Sorted(maps.Keys(c.Queues)) {
		if slices.Contains(paused, class) == among && so(c.Queues[class]) {
			out = append(out, class)
		}
	}
	return out
}

var checkECNPlacement = Check{
	ID:     "ecn-placement",
	Title:  "ECN in queues of ordinary traffic (RouterOS)",
	Why:    "ECN that is set on a tx-manager marks every active queue, not the lossless one alone",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: ecn of a tx-manager's queue",
	look: func(w *World, r *report) {
		marks := func(q facts.Queue) bool { return q.ECN.Or(false) && q.Active.Or(false) }
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			if h.Facts.OS != "routeros" || n.Effect == nil || n.Effect.Proofs["ecn of all"].Line == "" {
				return ""
			}
			return numbers(queuesOf(n.Effect, marks, false))
		}) {
			c := g.first().Effect
			others := queuesOf(c, marks, false)
			f := record.Finding{
				Severity: record.Warning, Subject: g.subject(), Want: "ECN in the lossless queue alone",
				Have:        fmt.Sprintf("ECN is set on the tx-manager: it also marks queue %s, which %s ordinary traffic", numbers(others), plural(len(others), "carries", "carry")),
				Evidence:    g.proofs(c.Proofs["ecn of all"], c.Proofs[fmt.Sprintf("ecn %d", others[0])]),
				Consequence: "connections that take part in ECN go slower as soon as that queue needs more than its share; the others may be dropped early",
				Fix: qosMenu + " tx-manager set [find where name=default] ecn=no; " + qosMenu + " tx-manager queue set [find where traffic-class=" + fmt.Sprint(lossless(c)[0]) +
					"] ecn=yes; a release that does not know ecn of a queue has to be updated first (7.17 and later do)",
				Undo: qosMenu + " tx-manager set [find where name=default] ecn=yes",
			}
			r.found(f, g.about()...)
		}
	},
}

// starved are the queues that packets are in and that wait until every lossless one of the other group is empty.
func starved(c *facts.Classes) (waiting []int, before int) {
	for _, class := range lossless(c) {
		if q, ok := c.Queues[class]; ok && q.Group == highGroup && sortedInto(q) {
			return queuesOf(c, func(q facts.Queue) bool { return q.Group == lowGroup && q.Active.Or(false) }, false), class
		}
	}
	return nil, 0
}

var checkStarved = Check{
	ID:     "starved-class",
	Title:  "classes that wait until another one is empty (RouterOS)",
	Why:    "weights share the link only within a group: a queue of low-priority-group sends when all of high-priority-group are empty",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: low-priority-group",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(_ *Host, n *facts.Interface) string {
			if n.Effect == nil {
				return ""
			}
			waiting, _ := starved(n.Effect)
			return numbers(waiting)
		}) {
			c := g.first().Effect
			waiting, before := starved(c)
			queue := func(class int) string {
				return fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d]", qosMenu, class)
			}
			weight := c.Queues[waiting[0]].Weight.Or(1)
			r.found(record.Finding{
				Severity: record.Warning, Subject: g.subject(),
				Have:        fmt.Sprintf("queue %s is in %s, queue %d in %s", numbers(waiting), lowGroup, before, highGroup),
				Want:        "all queues that share the link in one group, with weights",
				Evidence:    g.proofs(c.Proofs[fmt.Sprintf("queue %d", waiting[0])], c.Proofs[fmt.Sprintf("queue %d", before)]),
				Consequence: fmt.Sprintf("queue %d goes strictly first: while it is never empty the other gets nothing, whatever their weights are", before),
				Fix: fmt.Sprintf("%s schedule=high-priority-group weight=2; %s schedule=high-priority-group weight=3 (40 and 60 %% in packets); all traffic stops for a moment",
					queue(waiting[0]), queue(before)),
				Undo: fmt.Sprintf("%s schedule=low-priority-group weight=%.0f; %s schedule=high-priority-group weight=%.0f", queue(waiting[0]), weight, queue(before), c.Queues[before].Weight.Or(1)),
			}, g.about()...)
		}
	},
}

var checkDCBXGroup = Check{
	ID:      "dcbx-low-group",
	Title:   "DCBX with queues that it cannot announce (RouterOS)",
	Why:     "DCBX announces shares of one group; a queue of low-priority-group has none",
	Worst:   record.Warning,
	Source:  "MikroTik, Quality of Service: do not use low-priority-group with lldp-dcbx",
	Because: []string{"starved-class"},
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(_ *Host, n *facts.Interface) string {
			if p, on := announces(n); !on || p.Line == "" || n.Effect == nil {
				return ""
			}
			return numbers(queuesOf(n.Effect, func(q facts.Queue) bool { return q.Group == lowGroup && q.Active.Or(false) }, false))
		}) {
			n := g.first()
			low := queuesOf(n.Effect, func(q facts.Queue) bool { return q.Group == lowGroup && q.Active.Or(false) }, false)
			proof, _ := announces(n)
			r.found(record.Finding{
				Severity: record.Warning, Subject: g.subject(), Have: fmt.Sprintf("lldp-dcbx is on, and queue %s is in %s", numbers(low), lowGroup), Want: "no queue in use in that group, or no DCBX",
				Evidence:    g.proofs(proof, n.Effect.Proofs[fmt.Sprintf("queue %d", low[0])]),
				Consequence: "hosts that take the switch's settings get shares that it does not keep",
				Fix:         fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d] schedule=high-priority-group", qosMenu, low[0]),
				Undo:        fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d] schedule=low-priority-group", qosMenu, low[0]),
			}, g.about()...)
		}
	},
}

// announces says whether a port announces its classes, and the line that says so.
func announces(n *facts.Interface) (facts.Proof, bool) {
	for _, c := range []*facts.Classes{n.Effect, n.Asked} {
		if c != nil {
			if on, known := c.DCBX.Get(); known {
				return c.Proofs["dcbx"], on
			}
		}
	}
	return facts.Proof{}, false
}
