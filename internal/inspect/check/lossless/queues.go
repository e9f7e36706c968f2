package lossless

import (
	"fmt"
	"maps"
	"slices"

	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

const (
	lowGroup  = "low-priority-group"
	highGroup = "high-priority-group"
)

// WRED checks for lossless classes with random early detection.
var WRED = check.Check{
	ID:     "wred-lossless",
	Title:  "lossless classes with random early drop",
	Why:    "WRED drops what cannot be marked before the queue is full: in a lossless class PFC would have held it back",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: disable WRED for lossless traffic",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(_ *check.Host, n *facts.Interface) string {
			return check.Numbers(queuesOf(check.ClassesOf(n), func(q facts.Queue) bool {
				return q.WRED.Or(false) && check.SortedInto(q)
			}, true))
		}) {
			c := check.ClassesOf(g.First())
			for _, class := range queuesOf(c, func(q facts.Queue) bool { return q.WRED.Or(false) && check.SortedInto(q) },
				true) {
				f := record.Finding{
					Severity: record.Warning, Subject: g.Subject(), Have: fmt.Sprintf("queue %d is lossless, and drops early (WRED)",
						class), Want: "no early drops in a lossless queue",
					Evidence: g.Proofs(c.Proofs[fmt.Sprintf("queue %d", class)]),
					Consequence: "packets that do not take part in ECN may be dropped before PFC holds them back; those that do " +
						"are marked",
					Fix: fmt.Sprintf("WRED off for queue %d; ECN may stay on", class),
				}
				if families.Traits(g.Host.Facts.OS).Menus {
					queue := fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d]", qosMenu, class)
					f.Fix = queue + " wred=no ecn=yes; whether ECN alone still shows WRED-ACTUAL yes hangs on the chip and is not " +
						"documented"
					f.Undo = queue + " wred=yes"
				}
				r.Found(f, g.About()...)
			}
		}
	},
}

// queuesOf returns the classes of queues for which so is true, among the lossless ones or among the others, where there
// are lossless ones.
func queuesOf(c *facts.Classes, so func(q facts.Queue) bool, among bool) (out []int) {
	paused := check.Lossless(c)
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

// ECNPlacement checks for ECN in queues of ordinary traffic (RouterOS).
var ECNPlacement = check.Check{
	ID:     "ecn-placement",
	Title:  "ECN in queues of ordinary traffic (RouterOS)",
	Why:    "ECN that is set on a tx-manager marks every active queue, not the lossless one alone",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: ecn of a tx-manager's queue",
	Look: func(w *check.World, r *check.Report) {
		marks := func(q facts.Queue) bool { return q.ECN.Or(false) && q.Active.Or(false) }
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			if !families.Traits(h.Facts.OS).Menus || n.Effect == nil || n.Effect.Proofs["ecn of all"].Line == "" {
				return ""
			}
			return check.Numbers(queuesOf(n.Effect, marks, false))
		}) {
			c := g.First().Effect
			others := queuesOf(c, marks, false)
			f := record.Finding{
				Severity: record.Warning, Subject: g.Subject(), Want: "ECN in the lossless queue alone",
				Have: fmt.Sprintf("ECN is set on the tx-manager: it also marks queue %s, which %s ordinary traffic",
					check.Numbers(others), check.Plural(len(others), "carries", "carry")),
				Evidence: g.Proofs(c.Proofs["ecn of all"], c.Proofs[fmt.Sprintf("ecn %d", others[0])]),
				Consequence: "connections that take part in ECN go slower as soon as that queue needs more than its share; the " +
					"others may be dropped early",
				Fix: qosMenu + " tx-manager set [find where name=default] ecn=no; " + qosMenu +
					" tx-manager queue set [find where traffic-class=" + fmt.Sprint(check.Lossless(c)[0]) +
					"] ecn=yes; a release that does not know ecn of a queue has to be updated first (7.17 and later do)",
				Undo: qosMenu + " tx-manager set [find where name=default] ecn=yes",
			}
			r.Found(f, g.About()...)
		}
	},
}

// starved returns the queues in use that wait until every lossless queue of the other group is empty.
func starved(c *facts.Classes) (waiting []int, before int) {
	for _, class := range check.Lossless(c) {
		if q, ok := c.Queues[class]; ok && q.Group == highGroup && check.SortedInto(q) {
			return queuesOf(c, func(q facts.Queue) bool { return q.Group == lowGroup && q.Active.Or(false) }, false), class
		}
	}
	return nil, 0
}

// Starved checks for classes that wait until another one is empty (RouterOS).
var Starved = check.Check{
	ID:    "starved-class",
	Title: "classes that wait until another one is empty (RouterOS)",
	Why: "weights share the link only within a group: a queue of low-priority-group sends when all of " +
		"high-priority-group are empty",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: low-priority-group",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(_ *check.Host, n *facts.Interface) string {
			if n.Effect == nil {
				return ""
			}
			waiting, _ := starved(n.Effect)
			return check.Numbers(waiting)
		}) {
			c := g.First().Effect
			waiting, before := starved(c)
			queue := func(class int) string {
				return fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d]", qosMenu, class)
			}
			weight := c.Queues[waiting[0]].Weight.Or(1)
			r.Found(record.Finding{
				Severity: record.Warning, Subject: g.Subject(),
				Have:     fmt.Sprintf("queue %s is in %s, queue %d in %s", check.Numbers(waiting), lowGroup, before, highGroup),
				Want:     "all queues that share the link in one group, with weights",
				Evidence: g.Proofs(c.Proofs[fmt.Sprintf("queue %d", waiting[0])], c.Proofs[fmt.Sprintf("queue %d", before)]),
				Consequence: fmt.Sprintf("queue %d goes strictly first: while it is never empty the other gets nothing, "+
					"whatever their weights are", before),
				Fix: fmt.Sprintf("%s schedule=high-priority-group weight=2; %s schedule=high-priority-group weight=3 (40 and 60 "+
					"%% in packets); all traffic stops for a moment", queue(waiting[0]), queue(before)),
				Undo: fmt.Sprintf("%s schedule=low-priority-group weight=%.0f; %s schedule=high-priority-group weight=%.0f",
					queue(waiting[0]), weight, queue(before), c.Queues[before].Weight.Or(1)),
			}, g.About()...)
		}
	},
}

// DCBXGroup checks for queues that DCBX cannot announce (RouterOS).
var DCBXGroup = check.Check{
	ID:      "dcbx-low-group",
	Title:   "DCBX with queues that it cannot announce (RouterOS)",
	Why:     "DCBX announces shares of one group; a queue of low-priority-group has none",
	Worst:   record.Warning,
	Source:  "MikroTik, Quality of Service: do not use low-priority-group with lldp-dcbx",
	Because: []string{"starved-class"},
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(_ *check.Host, n *facts.Interface) string {
			if p, on := announces(n); !on || p.Line == "" || n.Effect == nil {
				return ""
			}
			return check.Numbers(queuesOf(n.Effect, func(q facts.Queue) bool {
				return q.Group == lowGroup && q.Active.Or(false)
			}, false))
		}) {
			n := g.First()
			low := queuesOf(n.Effect, func(q facts.Queue) bool { return q.Group == lowGroup && q.Active.Or(false) }, false)
			proof, _ := announces(n)
			r.Found(record.Finding{
				Severity: record.Warning, Subject: g.Subject(), Have: fmt.Sprintf("lldp-dcbx is on, and queue %s is in %s",
					check.Numbers(low), lowGroup), Want: "no queue in use in that group, or no DCBX",
				Evidence:    g.Proofs(proof, n.Effect.Proofs[fmt.Sprintf("queue %d", low[0])]),
				Consequence: "hosts that take the switch's settings get shares that it does not keep",
				Fix: fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d] schedule=high-priority-group",
					qosMenu, low[0]),
				Undo: fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d] schedule=low-priority-group", qosMenu,
					low[0]),
			}, g.About()...)
		}
	},
}

// announces reports whether a port announces its classes, and the line that proves it.
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
