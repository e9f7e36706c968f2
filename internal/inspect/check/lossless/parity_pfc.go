package lossless

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// PFCParity checks that both ends of each link have priority flow control for the same classes.
var PFCParity = check.Check{
	ID:    "pfc-parity",
	Title: "priority flow control of the same classes at both ends of each link",
	Why: "an end that is not asked to wait, or does not listen, loses what the other cannot take, and RDMA sends " +
		"long stretches again",
	Worst: record.Error,
	Source: "IEEE 802.1Qbb: both ends of a link have to agree; loss on RoCE leaves a small part of the rate (Zhu et " +
		"al., SIGCOMM 2015)",
	Look: func(w *check.World, r *check.Report) {
		for j, q := range sorted(w) {
			want := q.Lossless()
			if len(want) == 0 {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: j.Subject(),
				Want: classesText(want) + " at both ends, receiving and sending, as the file's lossless classes are"}
			var have, costs []string
			var wrong []*check.End
			for _, e := range j.Known() {
				c := e.Classes()
				if why := pfcUnknown(c); why != "" {
					r.NotKnownOf(e.Subject(), "PFC", "%s", why)
					continue
				}
				is := pfcText(c)
				f.Evidence = append(f.Evidence, e.Shown("pfc", is))
				have = append(have, e.Subject().String()+" pauses "+is)
				rx, tx := sortedInts(c.PFCReceive.Or(nil)), sortedInts(c.PFCSend.Or(nil))
				if slices.Equal(rx, want) && slices.Equal(tx, want) {
					continue
				}
				wrong = append(wrong, e)
				if lost := without(want, rx); len(lost) > 0 {
					costs = append(costs, fmt.Sprintf("%s goes on sending class %s when it is asked to wait: the other end drops it",
						e.Host.Name, check.Numbers(lost)))
				}
				if lost := without(want, tx); len(lost) > 0 {
					costs = append(costs, fmt.Sprintf("%s drops what it cannot take of class %s, without asking for a pause",
						e.Host.Name, check.Numbers(lost)))
				}
				if more := without(append(slices.Clone(rx), tx...), want); len(more) > 0 {
					costs = append(costs, fmt.Sprintf("class %s, which the file does not make lossless, stands still with every "+
						"pause of it at %s", check.Numbers(more), e.Host.Name))
				}
			}
			if len(wrong) == 0 {
				continue
			}
			f.Have, f.Consequence = strings.Join(have, "; "), strings.Join(costs, "; ")
			f.Fix, f.Undo = w.FollowBoth(wrong)
			r.Found(f, aboutEnds(wrong)...)
		}
	},
}

func pfcUnknown(c *facts.Classes) string {
	if !c.PFCReceive.IsKnown() {
		return c.PFCReceive.Why()
	}
	if !c.PFCSend.IsKnown() {
		return c.PFCSend.Why()
	}
	return ""
}

// pfcText describes the paused classes, and differences between the two directions.
func pfcText(c *facts.Classes) string {
	rx, tx := sortedInts(c.PFCReceive.Or(nil)), sortedInts(c.PFCSend.Or(nil))
	if slices.Equal(rx, tx) {
		return classesText(rx)
	}
	return classesText(rx) + " when receiving, " + classesText(tx) + " when sending"
}

func classesText(list []int) string {
	switch len(list) {
	case 0:
		return "no class"
	case 1:
		return fmt.Sprintf("class %d", list[0])
	}
	return "classes " + check.Numbers(list)
}

func sortedInts(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// without returns the numbers of a that are not in b.
func without(a, b []int) []int {
	return slices.DeleteFunc(sortedInts(a), func(n int) bool { return slices.Contains(b, n) })
}

func aboutEnds(ends []*check.End) []record.Subject {
	var out []record.Subject
	for _, e := range ends {
		out = append(out, e.Subject())
	}
	return out
}
