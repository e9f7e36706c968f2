package run

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/stat"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// receiving is one end of a flow that received, with its outcome on the controller's clock.
type receiving struct {
	flow   int
	back   bool
	o      *traffic.Outcome
	offset int64
}

// joinGroup puts together what all ends saw, in the window that all receivers share: from the latest first cut to the
// earliest last one, on the controller's clock.
func joinGroup(s Spec, pairs []*pairSides, here *traffic.Work) (record.Repeat, error) {
	r := record.Repeat{Flows: make([]record.FlowRepeat, len(pairs))}
	var all []receiving
	for i, f := range pairs {
		if f.failed != nil {
			r.Flows[i].Failed = f.failed.Error()
			continue
		}
		if f.spec.Method == Verbs { // a WRITE is counted where it is asked for
			one, effect, err := flowVerbs(f)
			if err != nil {
				return r, fmt.Errorf("%s -> %s: %w", f.a.host, f.b.host, err)
			}
			o := *f.a.outcome
			o.FirstNS = o.Verbs.ReleasedNS
			all = append(all, receiving{i, false, &o, f.a.client.Clock().Nanoseconds})
			r.InEffect = merged(r.InEffect, effect)
			addFlow(&r, i, f, one.Streams)
			r.Warnings = append(r.Warnings, one.Warnings...)
			continue
		}
		if s.Direction != traffic.In {
			all = append(all, receiving{i, false, f.b.outcome, f.b.client.Clock().Nanoseconds})
		}
		if s.Direction != traffic.Out {
			all = append(all, receiving{i, true, f.a.outcome, f.a.client.Clock().Nanoseconds})
		}
		r.RetransOut = addedCounts(r.RetransOut, f.a.outcome.Retrans)
		r.RetransIn = addedCounts(r.RetransIn, f.b.outcome.Retrans)
		effect := inEffect(f.spec, f.a.outcome.InEffect, f.b.outcome.InEffect)
		udpInEffect(effect, f.a.outcome, f.b.outcome)
		r.InEffect = merged(r.InEffect, effect)
		streams, err := joinStreams(f.a.outcome.Streams, f.b.outcome.Streams, f.spec.Method == "ping")
		if err != nil {
			return r, fmt.Errorf("%s -> %s: %w", f.a.host, f.b.host, err)
		}
		addFlow(&r, i, f, streams)
	}
	if len(all) == 0 {
		return r, nil
	}
	if err := inSharedWindow(&r, s, all); err != nil {
		return r, err
	}
	groupCPU(&r, pairs, here)
	return r, nil
}

// addFlow puts the streams of a flow into a repeat, and what its ends warn of.
func addFlow(r *record.Repeat, i int, f *pairSides, streams []record.Stream) {
	for _, st := range streams {
		st.Flow, st.Index = i, f.first+st.Index
		r.Streams = append(r.Streams, st)
	}
	for _, e := range f.ends() {
		if e.note != "" {
			r.Warnings = append(r.Warnings, e.note)
		}
		for _, w := range e.outcome.Warnings {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s (%s -> %s)", e.host, w, f.a.host, f.b.host))
		}
	}
}

// inSharedWindow fills goodput, series and release skew.
func inSharedWindow(r *record.Repeat, s Spec, all []receiving) error {
	start, end := all[0].o.StartNS-all[0].offset, all[0].o.EndNS-all[0].offset
	first, last := int64(0), int64(0)
	rate := 0.0
	for _, x := range all {
		rate += x.o.Goodput / 8e9
		start, end = max(start, x.o.StartNS-x.offset), min(end, x.o.EndNS-x.offset)
		if x.o.FirstNS == 0 {
			continue
		}
		at := x.o.FirstNS - x.offset
		if first == 0 || at < first {
			first = at
		}
		if last == 0 || at > last {
			last = at
		}
	}
	if s.Amount > 0 {
		r.Skew = float64(last-first) / 1e9
		for _, x := range all {
			if x.o.FirstNS != 0 {
				f := &r.Flows[x.flow]
				f.First = max(f.First, float64(x.o.FirstNS-x.offset-first)/1e9)
			}
		}
		amounts(r, all)
		return nil
	}
	if at, ok := sharedEdge(all, rate, func(o *traffic.Outcome) []traffic.Mark { return o.Head }); ok {
		start = at
	}
	if at, ok := sharedEdge(all, rate, func(o *traffic.Outcome) []traffic.Mark { return o.Foot }); ok {
		end = at
	}
	if end <= start {
		return errors.New("the flows share no window: their hosts' clocks or start moments are too far apart; measure again")
	}
	r.Seconds, r.Slice, r.Skew = float64(end-start)/1e9, all[0].o.Slice, float64(last-first)/1e9
	if share := r.Seconds / s.Window.Seconds(); share < 0.9 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("all flows share only %v of the window of %v", time.Duration(end-start).Round(time.Millisecond), s.Window))
	}
	for _, x := range all {
		goodput := x.o.Between(start+x.offset, end+x.offset)
		f := &r.Flows[x.flow]
		f.Goodput += goodput
		r.Goodput += goodput
		if x.o.FirstNS != 0 {
			f.First = max(f.First, float64(x.o.FirstNS-x.offset-first)/1e9)
		}
		if x.back {
			f.Backward += goodput
			r.Backward += goodput
			r.SeriesIn = added(r.SeriesIn, x.o.Series)
		} else {
			f.Forward += goodput
			r.Forward += goodput
			r.SeriesOut = added(r.SeriesOut, x.o.Series)
		}
	}
	return nil
}

// sharedEdge is the moment, on the controller's clock, at which the receivers together were least late, among those at
// one edge of the window of which all of them know what they had received. rate is of all, in bytes a nanosecond.
func sharedEdge(all []receiving, rate float64, edge func(*traffic.Outcome) []traffic.Mark) (int64, bool) {
	from, until := int64(math.MinInt64), int64(math.MaxInt64)
	var steps []traffic.Mark
	base := int64(0)
	for _, x := range all {
		marks := edge(x.o)
		if len(marks) < 2 {
			continue // nothing came there
		}
		from, until = max(from, marks[0].NS-x.offset), min(until, marks[len(marks)-1].NS-x.offset)
		base += marks[0].Bytes
		for i, m := range marks[1:] {
			steps = append(steps, traffic.Mark{NS: m.NS - x.offset, Bytes: m.Bytes - marks[i].Bytes})
		}
	}
	slices.SortStableFunc(steps, func(a, b traffic.Mark) int { return cmp.Compare(a.NS, b.NS) })
	var sums []traffic.Mark
	for _, m := range steps {
		base += m.Bytes
		if m.NS >= from && m.NS <= until {
			sums = append(sums, traffic.Mark{NS: m.NS, Bytes: base})
		}
	}
	if len(sums) == 0 {
		return 0, false
	}
	return traffic.LeastLate(sums, rate).NS, true
}

// merged is what was in effect in several flows: every value of a key once.
func merged(all, one map[string]string) map[string]string {
	if all == nil {
		return one
	}
	for k, v := range one {
		if v != all[k] && !slices.Contains(strings.Split(all[k], "; "), v) {
			all[k] = strings.TrimPrefix(all[k]+"; "+v, "; ")
		}
	}
	return all
}

// addedCounts is the sum of two series of counts, step by step.
func addedCounts(a, b []int64) []int64 {
	if len(a) < len(b) {
		a = append(a, make([]int64, len(b)-len(a))...)
	}
	for i, v := range b {
		a[i] += v
	}
	return a
}

// added is the sum of two series, step by step.
func added(a, b []float64) []float64 {
	if len(a) < len(b) {
		a = append(a, make([]float64, len(b)-len(a))...)
	}
	for i, v := range b {
		a[i] += v
	}
	return a
}

// groupCPU fills the processor rows of every host, once. Agents of one boot id are on one machine: their processes are
// one row of core -1 under all names ("a+b+c"), see joinCPU.
func groupCPU(r *record.Repeat, pairs []*pairSides, here *traffic.Work) {
	type process struct {
		boot string
		pid  int
	}
	type machine struct {
		names        []string
		user, system float64
		foreign      float64
		known        bool
		rows         []record.CPU
		ends         []*side
	}
	var order []string
	var all []*side
	machines := map[string]*machine{}
	hosts, processes := map[string]bool{}, map[process]bool{}
	for _, f := range pairs {
		for _, e := range f.ends() {
			if f.failed != nil || hosts[e.host] {
				continue // every flow of a host says the same of it
			}
			hosts[e.host] = true
			c, h := e.outcome.CPU, e.client.Hello()
			if c.Unknown != "" {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s: processor time is not known in full: %s", e.host, c.Unknown))
			}
			key := h.BootID
			if key == "" {
				key = "host " + e.host
			}
			m := machines[key]
			if m == nil {
				// What the first one calls foreign has the others in it.
				m = &machine{foreign: known(c.Foreign) + known(c.User) + known(c.System), known: c.Foreign != nil}
				machines[key] = m
				order = append(order, key)
			}
			m.names, m.ends = append(m.names, e.host), append(m.ends, e)
			all = append(all, e)
			m.rows = append(m.rows, cores(e.host, c)...)
			if p := (process{key, h.PID}); !processes[p] {
				processes[p] = true
				m.user, m.system = m.user+known(c.User), m.system+known(c.System)
			}
		}
	}
	var each []string // one of each machine
	for _, key := range order {
		m := machines[key]
		threads := hostThreads(m.ends, ifHere(here, m.ends))
		r.CPU = append(append(r.CPU, record.CPU{Host: strings.Join(m.names, "+"), Core: -1, User: m.user, System: m.system, Threads: threads}), m.rows...)
		if r.Block != nil || r.Copy != nil { // the kernel's threads carry storage: they are no other work
			for _, t := range threads {
				if t.Kind == record.KernelThread {
					m.foreign -= t.User + t.System
				}
			}
		}
		limit := foreignLimit
		if len(m.names) > 1 {
			limit = foreignLimitTogether
		}
		if m.known {
			otherWork(r, max(0, m.foreign-m.user-m.system), limit)
		}
		each = append(each, m.names[0])
	}
	stolen(r, each...)
	r.PerCPU, r.Unknown = perCPU(r.Goodput, r.CPU), unknowns(all, here)
	noisyClocks(r, all)
}

// summarizeFlows fills the figures of every flow of a group, also of those that were measured in a repeat in which
// others failed, and how far apart they began.
func (c *Cell) summarizeFlows() error {
	x := c.Exp
	rounds := x.Repeats
	if c.partial != nil {
		rounds = append(rounds[:len(rounds):len(rounds)], *c.partial)
	}
	skew := 0.0
	for i := range x.Flows {
		f := &x.Flows[i]
		var all, out, in []float64
		f.Streams, f.Failed = 0, ""
		for _, r := range rounds {
			if i >= len(r.Flows) {
				continue
			}
			one := r.Flows[i]
			if one.Failed != "" {
				f.Failed = one.Failed
				continue
			}
			all, out, in = append(all, one.Goodput), append(out, one.Forward), append(in, one.Backward)
			skew = max(skew, r.Skew)
			if f.Streams == 0 {
				for _, s := range r.Streams {
					if s.Flow == i {
						f.Streams++
					}
				}
			}
		}
		var err error
		if f.Goodput, err = estimate(all); err != nil {
			return fmt.Errorf("goodput of %s -> %s: %w", f.From, f.To, err)
		}
		if x.Direction == traffic.Both {
			f.Forward, _ = estimate(out)
			f.Backward, _ = estimate(in)
		}
	}
	if len(x.Flows) > 0 && len(rounds) > 0 {
		x.InEffect["release skew"] = fmt.Sprintf("%.2g ms", skew*1e3)
	}
	return nil
}

// estimate is nil for no values.
func estimate(values []float64) (*record.Estimate, error) {
	if len(values) == 0 {
		return nil, nil
	}
	s, err := stat.Summarize(values)
	if err != nil {
		return nil, err
	}
	return &record.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: string(s.Interval), Repeats: s.N}, nil
}
