package check

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkPFCParity = Check{
	ID:     "pfc-parity",
	Title:  "priority flow control of the same classes at both ends of each link",
	Why:    "an end that is not asked to wait, or does not listen, loses what the other cannot take, and RDMA sends long stretches again",
	Worst:  record.Error,
	Source: "IEEE 802.1Qbb: both ends of a link have to agree; loss on RoCE leaves a small part of the rate (Zhu et al., SIGCOMM 2015)",
	look: func(w *World, r *report) {
		for j, q := range w.sorted() {
			want := q.Lossless()
			if len(want) == 0 {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: j.subject(), Want: classesText(want) + " at both ends, receiving and sending, as the file's lossless classes are"}
			var have, costs []string
			var wrong []*end
			for _, e := range j.known() {
				c := e.classes()
				if why := pfcUnknown(c); why != "" {
					r.notKnown(e.subject()+": PFC", "%s", why)
					continue
				}
				is := pfcText(c)
				f.Evidence = append(f.Evidence, e.shown("pfc", is))
				have = append(have, e.subject()+" pauses "+is)
				rx, tx := sortedInts(c.PFCReceive.Or(nil)), sortedInts(c.PFCSend.Or(nil))
				if slices.Equal(rx, want) && slices.Equal(tx, want) {
					continue
				}
				wrong = append(wrong, e)
				if lost := without(want, rx); len(lost) > 0 {
					costs = append(costs, fmt.Sprintf("%s goes on sending class %s when it is asked to wait: the other end drops it", e.host.Name, numbers(lost)))
				}
				if lost := without(want, tx); len(lost) > 0 {
					costs = append(costs, fmt.Sprintf("%s drops what it cannot take of class %s, without asking for a pause", e.host.Name, numbers(lost)))
				}
				if more := without(append(slices.Clone(rx), tx...), want); len(more) > 0 {
					costs = append(costs, fmt.Sprintf("class %s, which the file does not make lossless, stands still with every pause of it at %s", numbers(more), e.host.Name))
				}
			}
			if len(wrong) == 0 {
				continue
			}
			f.Have, f.Consequence = strings.Join(have, "; "), strings.Join(costs, "; ")
			f.Fix, f.Undo = w.followBoth(wrong)
			r.found(f, aboutEnds(wrong)...)
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

// pfcText says which classes are paused, and where the two directions differ.
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
	return "classes " + numbers(list)
}

func sortedInts(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// without are the numbers of a that b has not.
func without(a, b []int) []int {
	return slices.DeleteFunc(sortedInts(a), func(n int) bool { return slices.Contains(b, n) })
}

func aboutEnds(ends []*end) []string {
	var out []string
	for _, e := range ends {
		out = append(out, e.subject())
	}
	return out
}
