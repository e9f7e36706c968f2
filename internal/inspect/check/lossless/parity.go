package lossless

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"linerate/internal/device"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// sorted returns the links that carry the plan's traffic classes, with the planned settings.
func sorted(w *check.World) iter.Seq2[check.Joined, *device.QoS] {
	return func(yield func(check.Joined, *device.QoS) bool) {
		if w.Plan == nil || w.Plan.QoS() == nil {
			return
		}
		for j := range w.Links() {
			if !j.Link.InfiniBand && !yield(j, w.Plan.QoS()) {
				return
			}
		}
	}
}

// Trust checks the header field that selects the class of a packet, at both ends.
var Trust = check.Check{
	ID:     "trust-mismatch",
	Title:  "what sorts packets into classes at both ends",
	Why:    "an end that looks at another mark, or at none, puts the lossless traffic among the rest, where it is dropped",
	Worst:  record.Error,
	Source: "MikroTik's manual, Quality of Service (trust); NVIDIA's guides of mlnx_qos and Onyx (qos trust)",
	Look: func(w *check.World, r *check.Report) {
		for j, q := range sorted(w) {
			if q.Trust != "dscp" && q.Trust != "pcp" {
				continue
			}
			for _, e := range j.Known() {
				is, ok := e.Classes().Trust.Get()
				if !ok {
					r.NotKnownOf(e.Subject(), "trust", "%s", e.Classes().Trust.Why())
					continue
				}
				if is == q.Trust || is == "both" {
					continue
				}
				f := record.Finding{Severity: record.Error, Have: trustText(is, e.Classes().Forced.Or(-1)),
					Want:        trustText(q.Trust, -1) + ", as the file asks of every device",
					Evidence:    []record.EvidenceLine{e.Shown("trust", trustText(is, -1))},
					Consequence: "no class of the file gets its packets here: what is to be lossless is handled like the rest"}
				if forced, ok := e.Classes().Forced.Get(); ok && is == "none" {
					f.Consequence = fmt.Sprintf("all packets go into class %d, whatever they are: what is to be lossless and the "+
						"rest hold each other up", forced)
				}
				f.Fix, f.Undo = w.Follow(e.Host)
				r.FoundOn(e, f)
			}
		}
	},
}

func trustText(trust string, forced int) string {
	switch {
	case trust == "none" && forced >= 0:
		return fmt.Sprintf("marks are not looked at: all packets go into class %d", forced)
	case trust == "none":
		return "marks are not looked at"
	case trust == "both":
		return "packets are sorted by DSCP, and by PCP where there is none"
	}
	return "packets are sorted by " + strings.ToUpper(trust)
}

// ClassMap checks the map from DSCP values to classes, at both ends.
var ClassMap = check.Check{
	ID:      "class-map",
	Title:   "which marks lead into which class, at both ends",
	Why:     "a code point that one end sorts elsewhere leaves the lossless class in the middle of its way",
	Worst:   record.Error,
	Source:  "RFC 2474; the file's classes; SONiC's default AZURE map sorts DSCP 26 into a class that drops",
	Because: []string{"trust-mismatch"},
	Look: func(w *check.World, r *check.Report) {
		for j, q := range sorted(w) {
			for _, e := range j.Known() {
				c := e.Classes()
				f := record.Finding{Severity: record.Warning}
				var have, want []string
				for _, k := range q.Classes {
					for _, m := range marksOf(q, k, c) {
						is, mapped := m.in[m.mark]
						if mapped && is == k.Priority {
							continue
						}
						said := fmt.Sprintf("%s %d leads into class %d", m.name, m.mark, is)
						if !mapped {
							said = fmt.Sprintf("%s %d leads into no class of its own", m.name, m.mark)
						}
						have, want = append(have, said), append(want, fmt.Sprintf("%s %d into class %d (%s)", m.name, m.mark, k.Priority,
							k.Name))
						f.Evidence = append(f.Evidence, e.Shown(strings.ToLower(m.name)+" "+fmt.Sprint(m.mark), said))
						if k.Lossless {
							f.Severity = record.Error
						}
					}
				}
				if len(have) == 0 {
					continue
				}
				f.Have, f.Want = strings.Join(have, "; "), strings.Join(want, "; ")
				f.Consequence = "this traffic is sorted differently here than at the other end: neither its share of the link " +
					"nor its pauses hold all the way"
				if f.Severity == record.Error {
					f.Consequence = "lossless traffic passes here in a class that may drop it"
				}
				f.Fix, f.Undo = w.Follow(e.Host)
				r.FoundOn(e, f)
			}
		}
	},
}

// mark is a mark of packets, with a device's map from such marks to classes.
type mark struct {
	name string // DSCP, PCP
	mark int
	in   map[int]int
}

// marksOf returns the marks that lead to a class, from the known maps of a port.
func marksOf(q *device.QoS, k device.Class, c *facts.Classes) (out []mark) {
	if k.Default {
		return nil
	}
	if !q.PCP() && c.DSCP != nil {
		for _, point := range k.DSCP {
			out = append(out, mark{"DSCP", point, c.DSCP})
		}
	}
	if q.PCP() && c.PCP != nil {
		out = append(out, mark{"PCP", k.Priority, c.PCP})
	}
	return out
}

// shareTolerance is the allowed deviation of a class's share of the link from the plan: weights are small whole
// numbers.
const shareTolerance = 0.1

// Shares checks each class's share of the link.
var Shares = check.Check{
	ID:     "class-share",
	Title:  "the share of the link that each class gets",
	Why:    "a class that goes before all others can take the whole link; one with too little waits",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qaz (ETS)",
	Look: func(w *check.World, r *check.Report) {
		for j, q := range sorted(w) {
			for _, e := range j.Known() {
				c := e.Classes()
				sum := 0.0
				complete := len(c.Queues) > 0
				for _, k := range q.Classes {
					queue, ok := queueOf(c, k.Priority)
					complete = complete && ok && queue.Strict.IsKnown()
					if strict, _ := queue.Strict.Get(); !strict {
						weight, known := queue.Weight.Get()
						complete = complete && known
						sum += weight
					}
				}
				if !complete {
					continue
				}
				f := record.Finding{Severity: record.Warning}
				var have, want []string
				for _, k := range q.Classes {
					queue, _ := queueOf(c, k.Priority)
					strict, _ := queue.Strict.Get()
					part := 0.0
					if sum > 0 {
						part = queue.Weight.Or(0) / sum
					}
					if strict == k.Strict && (strict || math.Abs(part-float64(k.Percent)/100) <= shareTolerance) {
						continue
					}
					have = append(have, fmt.Sprintf("class %d (%s) %s", k.Priority, k.Name, shareText(strict, part)))
					want = append(want, fmt.Sprintf("class %d %s", k.Priority, shareText(k.Strict, float64(k.Percent)/100)))
					f.Evidence = append(f.Evidence, e.Shown(fmt.Sprintf("queue %d", k.Priority), shareText(strict, part)))
				}
				if len(have) == 0 {
					continue
				}
				f.Have, f.Want = strings.Join(have, "; "), strings.Join(want, "; ")
				f.Consequence = "when the link is full the classes get other parts of it than planned; otherwise nothing"
				f.Fix, f.Undo = w.Follow(e.Host)
				r.FoundOn(e, f)
			}
		}
	},
}

// queueOf returns the queue of a priority on a port. Devices that distinguish priorities and traffic classes report the
// map.
func queueOf(c *facts.Classes, priority int) (facts.Queue, bool) {
	if class, ok := c.Priorities[priority]; ok {
		priority = class
	}
	q, ok := c.Queues[priority]
	return q, ok
}

func shareText(strict bool, part float64) string {
	if strict {
		return "goes before all others"
	}
	return fmt.Sprintf("gets %.0f %%", 100*part)
}

// ECNParity checks that the classes which the fabric file configures for ECN use it.
var ECNParity = check.Check{
	ID:     "ecn-off",
	Title:  "marking of congestion (ECN) in the classes that the file wants it in",
	Why:    "without marks nothing slows the senders down but pauses, and those spread through the whole fabric",
	Worst:  record.Warning,
	Source: "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015",
	Look: func(w *check.World, r *check.Report) {
		for j, q := range sorted(w) {
			for _, e := range j.Known() {
				for _, k := range q.Classes {
					queue, _ := queueOf(e.Classes(), k.Priority)
					on, known := queue.ECN.Get()
					if !k.ECN || !known || on {
						continue
					}
					f := record.Finding{
						Severity: record.Warning, Have: fmt.Sprintf("class %d (%s) is not marked", k.Priority, k.Name),
						Want: "marked, as the file asks",
						Evidence: []record.EvidenceLine{e.Shown(fmt.Sprintf("ecn %d", k.Priority),
							fmt.Sprintf("class %d: no ECN", k.Priority))}, Consequence: "congestion is met by pauses alone: one slow " +
							"receiver holds up senders that have nothing to do with it",
					}
					if e.Host.Plan != nil {
						f.Consequence = "marks that the switches make are not answered here: the sender does not slow down before it " +
							"is paused"
					}
					f.Fix, f.Undo = w.Follow(e.Host)
					r.FoundOn(e, f)
				}
			}
		}
	},
}
