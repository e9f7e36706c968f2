package check

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// sorted are the links that carry the plan's traffic classes, with what these ask for.
func (w *World) sorted() iter.Seq2[joined, *plan.QoS] {
	return func(yield func(joined, *plan.QoS) bool) {
		if w.Plan == nil || w.Plan.QoS() == nil {
			return
		}
		for j := range w.links() {
			if !j.link.InfiniBand && !yield(j, w.Plan.QoS()) {
				return
			}
		}
	}
}

var checkTrust = Check{
	ID:     "trust-mismatch",
	Title:  "what sorts packets into classes at both ends",
	Why:    "an end that looks at another mark, or at none, puts the lossless traffic among the rest, where it is dropped",
	Worst:  record.Error,
	Source: "MikroTik's manual, Quality of Service (trust); NVIDIA's guides of mlnx_qos and Onyx (qos trust)",
	look: func(w *World, r *report) {
		for j, q := range w.sorted() {
			if q.Trust != "dscp" && q.Trust != "pcp" {
				continue
			}
			for _, e := range j.known() {
				is, ok := e.classes().Trust.Get()
				if !ok {
					r.notKnown(e.subject()+": trust", "%s", e.classes().Trust.Why())
					continue
				}
				if is == q.Trust || is == "both" {
					continue
				}
				f := record.Finding{
					Severity: record.Error, Have: trustText(is, e.classes().Forced.Or(-1)), Want: trustText(q.Trust, -1) + ", as the file asks of every device",
					Evidence: []record.EvidenceLine{e.shown("trust", trustText(is, -1))}, Consequence: "no class of the file gets its packets here: what is to be lossless is handled like the rest",
				}
				if forced, ok := e.classes().Forced.Get(); ok && is == "none" {
					f.Consequence = fmt.Sprintf("all packets go into class %d, whatever they are: what is to be lossless and the rest hold each other up", forced)
				}
				f.Fix, f.Undo = w.follow(e.host)
				r.foundOn(e, f)
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

var checkClassMap = Check{
	ID:      "class-map",
	Title:   "which marks lead into which class, at both ends",
	Why:     "a code point that one end sorts elsewhere leaves the lossless class in the middle of its way",
	Worst:   record.Error,
	Source:  "RFC 2474; the file's classes; SONiC's default AZURE map sorts DSCP 26 into a class that drops",
	Because: []string{"trust-mismatch"},
	look: func(w *World, r *report) {
		for j, q := range w.sorted() {
			for _, e := range j.known() {
				c := e.classes()
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
						have, want = append(have, said), append(want, fmt.Sprintf("%s %d into class %d (%s)", m.name, m.mark, k.Priority, k.Name))
						f.Evidence = append(f.Evidence, e.shown(strings.ToLower(m.name)+" "+fmt.Sprint(m.mark), said))
						if k.Lossless {
							f.Severity = record.Error
						}
					}
				}
				if len(have) == 0 {
					continue
				}
				f.Have, f.Want = strings.Join(have, "; "), strings.Join(want, "; ")
				f.Consequence = "this traffic is sorted differently here than at the other end: neither its share of the link nor its pauses hold all the way"
				if f.Severity == record.Error {
					f.Consequence = "lossless traffic passes here in a class that may drop it"
				}
				f.Fix, f.Undo = w.follow(e.host)
				r.foundOn(e, f)
			}
		}
	},
}

// mark is a mark of packets, and where a device's map of such marks leads.
type mark struct {
	name string // DSCP, PCP
	mark int
	in   map[int]int
}

// marksOf are the marks that lead into a class, by the maps that are known of a port.
func marksOf(q *plan.QoS, k plan.QoSClass, c *facts.Classes) (out []mark) {
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

// shareTolerance is by how much of the link a class may get more or less than planned: weights are small whole numbers.
const shareTolerance = 0.1

var checkShares = Check{
	ID:     "class-share",
	Title:  "the share of the link that each class gets",
	Why:    "a class that goes before all others can take the whole link; one with too little waits",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qaz (ETS)",
	look: func(w *World, r *report) {
		for j, q := range w.sorted() {
			for _, e := range j.known() {
				c := e.classes()
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
					f.Evidence = append(f.Evidence, e.shown(fmt.Sprintf("queue %d", k.Priority), shareText(strict, part)))
				}
				if len(have) == 0 {
					continue
				}
				f.Have, f.Want = strings.Join(have, "; "), strings.Join(want, "; ")
				f.Consequence = "when the link is full the classes get other parts of it than planned; otherwise nothing"
				f.Fix, f.Undo = w.follow(e.host)
				r.foundOn(e, f)
			}
		}
	},
}

// queueOf is what a priority gets of a port: devices that tell priorities from traffic classes say which one it leads into.
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

var checkECNParity = Check{
	ID:     "ecn-off",
	Title:  "marking of congestion (ECN) in the classes that the file wants it in",
	Why:    "without marks nothing slows the senders down but pauses, and those spread through the whole fabric",
	Worst:  record.Warning,
	Source: "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015",
	look: func(w *World, r *report) {
		for j, q := range w.sorted() {
			for _, e := range j.known() {
				for _, k := range q.Classes {
					queue, _ := queueOf(e.classes(), k.Priority)
					on, known := queue.ECN.Get()
					if !k.ECN || !known || on {
						continue
					}
					f := record.Finding{
						Severity: record.Warning, Have: fmt.Sprintf("class %d (%s) is not marked", k.Priority, k.Name), Want: "marked, as the file asks",
						Evidence: []record.EvidenceLine{e.shown(fmt.Sprintf("ecn %d", k.Priority), fmt.Sprintf("class %d: no ECN", k.Priority))}, Consequence: "congestion is met by pauses alone: one slow receiver holds up senders that have nothing to do with it",
					}
					if e.host.Plan != nil {
						f.Consequence = "marks that the switches make are not answered here: the sender does not slow down before it is paused"
					}
					f.Fix, f.Undo = w.follow(e.host)
					r.foundOn(e, f)
				}
			}
		}
	},
}
