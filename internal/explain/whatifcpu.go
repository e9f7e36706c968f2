package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// telling is how busy a core must have been for its share to say what a full one carries; less counts as so much.
const telling = 0.3

// processors adds what each end's processor would carry: the goodput at which its busiest core is full, at the cost of a byte that it
// then has. How much of the cost is of packets is known where the run varied MTU or message size; else it lies between none and all.
func (q *question) processors() {
	for _, end := range ends(q.Exp, record.End{Host: q.Sender.Host}, record.End{Host: q.Receiver.Host}) {
		q.processor(end)
	}
}

func (q *question) processor(end costEnd) {
	name := "processor of " + strings.ReplaceAll(end.host, "+", " and ")
	host, _, _ := strings.Cut(end.host, "+")
	low, high, share, unsure, why := q.full(end)
	if why != "" {
		q.lacks(name, why)
		q.blind = true
		return
	}
	c := record.NextCeiling{Component: name, Kind: "cpu", Origin: "measured", Today: q.processorToday(share),
		Formula: "goodput / share of its busiest core",
		Inputs:  []record.Input{{Name: "goodput", Value: q.Goodput, Origin: record.Measured}, {Name: "share of its busiest core", Value: share, Origin: record.Measured}}}
	if q.packets[0] != q.packets[1] {
		ratio := q.ratio(end, &c)
		low, high = low*ratio[0], high*ratio[1]
	}
	if n := float64(q.then()) / float64(q.streams); n != 1 {
		cores := q.allCores(host)
		c.Origin = "assumed"
		switch {
		case n < 1:
			low *= n
			c.Assumes = joinWords(c.Assumes, "from a stream's share of what was carried to all of it in fewer streams")
		case cores > 1:
			high *= min(n, cores)
			if most, ok := q.allTime(end); ok && most < high {
				high, low = most, min(low, most)
				c.Formula = "goodput * processor cores / cores that it used"
			}
			c.Assumes = joinWords(c.Assumes, fmt.Sprintf("from all streams through one core to streams spread over cores, whose work has room for %s times as much", unit.Significant(min(n, cores))))
		}
	}
	if c.Band = band(low, high); unsure != "" {
		c.High, c.Origin, c.Assumes = nil, "assumed", joinWords(c.Assumes, unsure)
	}
	q.add(c)
}

func joinWords(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// processorToday says whether the verdict is on a processor that was full.
func (q *question) processorToday(share float64) bool {
	return q.Exp.Verdict != nil && share >= 0.85 && slices.Contains([]string{offloadsOff.ID, firewallCost.ID, "cpu-per-packet", "cpu-copy", "one-rx-queue"}, q.Exp.Verdict.Limiter)
}

// full is the goodput at which the busiest core of a host is full, over the repeats: at least as if all that it did was of this traffic,
// at most as if other work of the machine was all on it; infinite, with the reason in unsure, where that says nothing. why is why it is not known at all.
func (q *question) full(end costEnd) (low, high, share float64, unsure, why string) {
	host, _, _ := strings.Cut(end.host, "+")
	var shares []float64
	low = math.Inf(1)
	for i := range q.Exp.Repeats {
		r := &q.Exp.Repeats[i]
		core, used, ok := busiestCore(r, host)
		if !ok || r.Goodput <= 0 || used <= 0 {
			return 0, 0, 0, "", "its cores were not read"
		}
		used = min(used, 1)
		low, shares = min(low, r.Goodput/max(used, telling)), append(shares, used)
		switch own := min(used, max(used-r.Foreign, ownOf(r, core, end))); {
		case used < telling:
			high, unsure = math.Inf(1), fmt.Sprintf("its busiest core was %s busy, which does not say what a full one carries", unit.Percent(used))
		case own < used/2:
			high, unsure = math.Inf(1), fmt.Sprintf("other work kept %s cores busy meanwhile, so that what this traffic took of them is not to be told apart", unit.Significant(r.Foreign))
		default:
			high = max(high, r.Goodput/own)
		}
	}
	slices.Sort(shares)
	return max(low, q.Goodput), max(high, q.Goodput), shares[len(shares)/2], unsure, ""
}

// ownOf is what the threads of an end's measuring process had of a core; 0: not known.
func ownOf(r *record.Repeat, core int, end costEnd) (own float64) {
	for _, c := range r.CPU {
		if c.Core == core && c.Own != nil && slices.Contains(strings.Split(end.host, "+"), c.Host) {
			own += *c.Own
		}
	}
	return own
}

// allTime is the goodput at which all processor time of a host is used up, however many streams share it out; not ok: it is not known.
func (q *question) allTime(end costEnd) (float64, bool) {
	for _, side := range []Side{q.Sender, q.Receiver} {
		if !slices.Contains(strings.Split(end.host, "+"), side.Host) {
			continue
		}
		p, ok := q.Case.processors(side)
		if ok && p.there > 0 && p.used > 0 { // what was not of other work, or was of the measuring threads for sure
			return max(q.Goodput, q.Goodput*p.there/min(p.used, max(p.own, p.used-q.Repeat.Foreign, p.used/2))), true
		}
	}
	return 0, false
}

// allCores is how many times the busiest core's part of the work all cores of a host could do; 0: not known.
func (q *question) allCores(host string) float64 {
	if q.Repeat == nil {
		return 0
	}
	_, busiest, ok := busiestCore(q.Repeat, host)
	n, used := 0.0, 0.0
	for _, c := range q.Repeat.CPU {
		if c.Host == host && c.Core >= 0 {
			n, used = n+1, used+c.Busy()
		}
	}
	if !ok || used <= 0 {
		return 0
	}
	return max(1, n*busiest/used) // all full, over what it is when the busiest one is
}

// ratio is how many times as much a core carries with packets of the new size: by the costs that the run measured, else between
// all of the cost being of bytes and all being of packets.
func (q *question) ratio(end costEnd, c *record.NextCeiling) [2]float64 {
	p, then := q.packets[0], q.packets[1]
	if merged := q.merged(); merged != "" {
		c.Assumes = merged
		return [2]float64{1, 1}
	}
	if cost := q.cost(end); cost != nil && cost.PerPacket != nil && cost.PerByte != nil {
		of := func(packet, byte float64) float64 { return (packet/p + byte) / (packet/then + byte) }
		a, b := cost.PerPacket, cost.PerByte
		c.Formula += " * (per packet / payload + per byte) / (per packet / new payload + per byte)"
		c.Inputs = append(c.Inputs, measuredInput("per packet", a.Median), measuredInput("per byte", b.Median), declaredInput("payload", p), declaredInput("new payload", then))
		low, high := of(a.Low, b.High), of(a.High, b.Low)
		return [2]float64{min(low, high), max(low, high)}
	}
	c.Origin = "assumed"
	c.Formula += " * (1 .. new payload / payload)"
	c.Inputs = append(c.Inputs, declaredInput("payload", p), declaredInput("new payload", then))
	c.Assumes = "from all of the cost being of bytes, which stays, to all of it being of packets; a run at two MTUs tells"
	return [2]float64{min(1, then/p), max(1, then/p)}
}

func measuredInput(name string, v float64) record.Input {
	return record.Input{Name: name, Value: v, Origin: record.Measured}
}

// merged says that the packets which the sender's processor handles are larger than the MTU, so that another MTU does not change their number.
func (q *question) merged() string {
	if q.Sender.Port == nil || q.overUDP() {
		return ""
	}
	at := record.End{Interface: q.Sender.Port.Interface}
	if q.Sender.Port.Address.IsValid() {
		at.Address = q.Sender.Port.Address.Addr().String()
	}
	packet := payload(q.Sender.Shots, at, "tx")
	if packet < q.packets[0]*apart {
		return ""
	}
	return fmt.Sprintf("the packets that left %s had %.0f bytes (offloads merge them), whatever the MTU", at.Interface, packet)
}

// cost is what the run measured of an end, nil if it did not.
func (q *question) cost(end costEnd) *record.Cost {
	for i := range q.run.Costs {
		c := &q.run.Costs[i]
		if c.Host == end.host && c.End == end.name && slices.ContainsFunc(c.Cells, func(x record.CostCell) bool { return x.Experiment == q.Exp.ID }) {
			return c
		}
	}
	return nil
}
