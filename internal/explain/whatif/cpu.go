package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/costs"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// telling is the use of a core from which on the goodput of a full one can be extrapolated; a lower use counts as this
// much.
const telling = 0.3

// cpus adds the ceiling of each end's CPU: the goodput at which its busiest core is full, at the new cost of a byte.
// The packets' share of the cost is known where the run varied MTU or message size. Otherwise it is between none and
// all.
func (q *question) cpus() {
	for _, end := range costs.EndsOf(q.Exp, record.End{Host: q.Sender.Host}, record.End{Host: q.Receiver.Host}) {
		q.cpu(end)
	}
}

func (q *question) cpu(end costs.End) {
	name := "CPU of " + strings.ReplaceAll(end.Host, "+", " and ")
	host, _, _ := strings.Cut(end.Host, "+")
	low, high, share, unsure, why := q.full(end)
	if why != "" {
		q.missing(name, why)
		q.blind = true
		return
	}
	c := record.NextCeiling{Component: name, Kind: "cpu", Origin: "measured", Today: q.cpuToday(share),
		Formula: "goodput / share of its busiest core",
		Inputs: []record.Input{{Name: "goodput", Value: q.Goodput, Origin: record.Measured},
			{Name: "share of its busiest core", Value: share, Origin: record.Measured}}}
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
				c.Formula = "goodput * CPU cores / cores that it used"
			}
			c.Assumes = joinWords(c.Assumes, fmt.Sprintf("from all streams through one core to streams spread over cores, "+
				"whose work has room for %s times as much", unit.Significant(min(n, cores))))
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

// cpuToday reports whether the verdict is a full CPU.
func (q *question) cpuToday(share float64) bool {
	return q.Exp.Verdict != nil && share >= 0.85 && slices.Contains([]string{cause.OffloadsOff.ID, cause.FirewallCost.ID,
		"cpu-per-packet", "cpu-copy", "one-rx-queue"}, q.Exp.Verdict.Limiter)
}

// full returns the goodput at which the busiest core of a host is full, over the repeats. low assumes that all work of
// the core was for this traffic, high that all other work of the machine was on this core. Where that gives no bound,
// high is infinite, with the reason in unsure. why is the reason why it is not known at all.
func (q *question) full(end costs.End) (low, high, share float64, unsure, why string) {
	host, _, _ := strings.Cut(end.Host, "+")
	var shares []float64
	low = math.Inf(1)
	for i := range q.Exp.Repeats {
		r := &q.Exp.Repeats[i]
		core, used, ok := judge.BusiestCore(r, host)
		if !ok || r.Goodput <= 0 || used <= 0 {
			return 0, 0, 0, "", "its cores were not read"
		}
		used = min(used, 1)
		low, shares = min(low, r.Goodput/max(used, telling)), append(shares, used)
		switch own := min(used, max(used-r.OtherProcesses, ownOf(r, core, end))); {
		case used < telling:
			high, unsure = math.Inf(1), fmt.Sprintf("its busiest core was %s busy, which does not say what a full one carries",
				unit.Percent(used))
		case own < used/2:
			high, unsure = math.Inf(1), fmt.Sprintf("other work kept %s cores busy meanwhile, so that what this traffic took "+
				"of them is not to be told apart", unit.Significant(r.OtherProcesses))
		default:
			high = max(high, r.Goodput/own)
		}
	}
	slices.Sort(shares)
	return max(low, q.Goodput), max(high, q.Goodput), shares[len(shares)/2], unsure, ""
}

// ownOf returns the use of a core by the threads of an end's measuring process; 0: not known.
func ownOf(r *record.Repeat, core int, end costs.End) (own float64) {
	for _, c := range r.CPU {
		if c.Core == core && c.Own != nil && slices.Contains(strings.Split(end.Host, "+"), c.Host) {
			own += *c.Own
		}
	}
	return own
}

// allTime returns the goodput at which all CPU time of a host is used up, whatever the number of streams; ok is false
// if it is not known.
func (q *question) allTime(end costs.End) (float64, bool) {
	for _, side := range []judge.Side{q.Sender, q.Receiver} {
		if !slices.Contains(strings.Split(end.Host, "+"), side.Host) {
			continue
		}
		p, ok := cause.CPUs(q.Case, side)
		if ok && p.There > 0 && p.Used > 0 { // excluding other processes, or what certainly belongs to the measuring threads
			return max(q.Goodput, q.Goodput*p.There/min(p.Used, max(p.Own, p.Used-q.Repeat.OtherProcesses, p.Used/2))), true
		}
	}
	return 0, false
}

// allCores returns the work that all cores of a host could do, in multiples of the busiest core's work; 0: not known.
func (q *question) allCores(host string) float64 {
	if q.Repeat == nil {
		return 0
	}
	_, busiest, ok := judge.BusiestCore(q.Repeat, host)
	n, used := 0.0, 0.0
	for _, c := range q.Repeat.CPU {
		if c.Host == host && c.Core >= 0 {
			n, used = n+1, used+c.Busy()
		}
	}
	if !ok || used <= 0 {
		return 0
	}
	return max(1, n*busiest/used) // all cores full, over the state in which only the busiest is
}

// ratio returns the factor of a core's goodput with packets of the new size: from the costs that the run measured, or
// else the range from all cost being that of bytes to all being that of packets.
func (q *question) ratio(end costs.End, c *record.NextCeiling) [2]float64 {
	p, then := q.packets[0], q.packets[1]
	if merged := q.merged(); merged != "" {
		c.Assumes = merged
		return [2]float64{1, 1}
	}
	if cost := q.cost(end); cost != nil && cost.PerPacket != nil && cost.PerByte != nil {
		of := func(packet, byte float64) float64 { return (packet/p + byte) / (packet/then + byte) }
		a, b := cost.PerPacket, cost.PerByte
		c.Formula += " * (per packet / payload + per byte) / (per packet / new payload + per byte)"
		c.Inputs = append(c.Inputs, measuredInput("per packet", a.Median), measuredInput("per byte", b.Median),
			declaredInput("payload", p), declaredInput("new payload", then))
		low, high := of(a.Low, b.High), of(a.High, b.Low)
		return [2]float64{min(low, high), max(low, high)}
	}
	c.Origin = "assumed"
	c.Formula += " * (1 .. new payload / payload)"
	c.Inputs = append(c.Inputs, declaredInput("payload", p), declaredInput("new payload", then))
	c.Assumes = "from all of the cost being of bytes, which stays, to all of it being of packets; a run at two MTUs " +
		"shows it"
	return [2]float64{min(1, then/p), max(1, then/p)}
}

func measuredInput(name string, v float64) record.Input {
	return record.Input{Name: name, Value: v, Origin: record.Measured}
}

// merged returns a note that the sender's CPU handles packets larger than the MTU, so that another MTU does not change
// their number.
func (q *question) merged() string {
	if q.Sender.Port == nil || q.OverUDP() {
		return ""
	}
	at := record.End{Interface: q.Sender.Port.Interface}
	if q.Sender.Port.Address.IsValid() {
		at.Address = q.Sender.Port.Address.Addr().String()
	}
	packet := costs.Payload(q.Sender.Shots, at, "tx")
	if packet < q.packets[0]*costs.Apart {
		return ""
	}
	return fmt.Sprintf("the packets that left %s had %.0f bytes (offloads merge them), whatever the MTU", at.Interface,
		packet)
}

// cost returns the measured cost of an end, nil if there is none.
func (q *question) cost(end costs.End) *record.Cost {
	for i := range q.run.Costs {
		c := &q.run.Costs[i]
		if c.Host == end.Host && c.End == end.Name && slices.ContainsFunc(c.Combinations,
			func(x record.CostCombination) bool { return x.Experiment == q.Exp.ID }) {
			return c
		}
	}
	return nil
}
