package run

import (
	"fmt"
	"slices"
	"time"

	"linerate/internal/record"
	"linerate/internal/traffic"
)

// join puts together what the two ends saw of one repeat.
func join(s Spec, a, b *side, here *traffic.Work) (record.Repeat, error) {
	from, to := a.outcome, b.outcome
	r := record.Repeat{Slice: from.Slice, Forward: to.Goodput, Backward: from.Goodput, SeriesOut: to.Series, SeriesIn: from.Series,
		BusyFrom: from.Busy, BusyTo: to.Busy, RetransOut: from.Retrans, RetransIn: to.Retrans}
	r.Goodput = r.Forward + r.Backward
	receiver := to
	if s.Direction == traffic.In {
		receiver = from
	}
	r.Seconds = float64(receiver.EndNS-receiver.StartNS) / 1e9
	if s.Amount > 0 {
		joinAmount(&r, s, a, b)
	}
	var err error
	if s.Method == Verbs {
		err = joinVerbs(&r, s, a, b)
	} else {
		r.Streams, err = joinStreams(from.Streams, to.Streams, s.Method == "ping")
	}
	if err != nil {
		return r, err
	}
	if err := joinPing(&r, a, b); err != nil {
		return r, err
	}
	for _, e := range []*side{a, b} {
		for _, w := range e.outcome.Warnings {
			r.Warnings = append(r.Warnings, e.host+": "+w)
		}
	}
	joinCPU(&r, a, b, here)
	r.InEffect = inEffect(s, from.InEffect, to.InEffect)
	udpInEffect(r.InEffect, from, to)
	verbsInEffect(r.InEffect, s, r.Verbs)
	return r, nil
}

// joinStreams takes each connection's goodput and socket from the end that knows it.
func joinStreams(from, to []traffic.StreamEnd, ping bool) ([]record.Stream, error) {
	if len(from) != len(to) {
		return nil, fmt.Errorf("one end counts %d connections, the other %d", len(from), len(to))
	}
	byIndex := func(x, y traffic.StreamEnd) int { return x.Index - y.Index }
	slices.SortFunc(from, byIndex)
	slices.SortFunc(to, byIndex)
	var out []record.Stream
	for i := range from {
		active, passive := from[i], to[i]
		if !active.Active {
			active, passive = passive, active
		}
		if active.Index != passive.Index || !active.Active || passive.Active {
			return nil, fmt.Errorf("the two ends disagree about connection %d", i)
		}
		s := record.Stream{Index: active.Index, Direction: active.Direction, Goodput: passive.Goodput,
			Socket: active.Socket, Receiver: passive.Socket, Trips: active.Trips, Sent: active.Sent, Received: passive.Received}
		if err := joinUDP(&s, active.UDP, passive.UDP, ping); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// joinCPU fills the processor rows. Two agents with the same boot id are on one machine. Both hosts then have the same
// cores, and each gets all rows of them; the two processes are one row of core -1 under both names ("a+b"), because
// there the packets of one end are received in the system calls of the other and only the sum means anything.
func joinCPU(r *record.Repeat, a, b *side, here *traffic.Work) {
	x, y := a.client.Hello(), b.client.Hello()
	same := x.BootID != "" && x.BootID == y.BootID
	from, to := a.outcome.CPU, b.outcome.CPU
	for _, e := range []*side{a, b} {
		c := e.outcome.CPU
		if c.Unknown != "" {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: processor time is not known in full: %s", e.host, c.Unknown))
		}
		if c.User != nil && !same {
			r.CPU = append(r.CPU, record.CPU{Host: e.host, Core: -1, User: *c.User, System: *c.System, Threads: hostThreads([]*side{e}, ifHere(here, []*side{e}))})
		}
		r.CPU = append(r.CPU, cores(e.host, c)...)
	}
	threads := func() []record.Thread { return hostThreads([]*side{a, b}, ifHere(here, []*side{a, b})) }
	switch {
	case !same:
		otherWork(r, known(from.Foreign)+known(to.Foreign), foreignLimit)
	case x.PID == y.PID:
		otherWork(r, known(from.Foreign), foreignLimitTogether)
		r.CPU = append(r.CPU, record.CPU{Host: a.host + "+" + b.host, Core: -1, User: known(from.User), System: known(from.System), Threads: threads()})
	default:
		// What the one end calls foreign has the other end in it.
		otherWork(r, max(0, known(from.Foreign)-known(to.User)-known(to.System)), foreignLimitTogether)
		r.CPU = append(r.CPU, record.CPU{Host: a.host + "+" + b.host, Core: -1,
			User: known(from.User) + known(to.User), System: known(from.System) + known(to.System), Threads: threads()})
	}
	if same {
		stolen(r, a.host)
	} else {
		stolen(r, a.host, b.host)
	}
	r.PerCPU, r.Unknown = perCPU(r.Goodput, r.CPU), unknowns([]*side{a, b}, here)
	noisyClocks(r, []*side{a, b})
}

func known(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// coresInUse is how many cores of a host did anything, whatever for; nil: not known.
func coresInUse(c traffic.CPU) *float64 {
	if len(c.Cores) == 0 {
		return nil
	}
	sum := 0.0
	for _, k := range c.Cores {
		sum += k.User + k.System + k.SoftIRQ + k.IRQ
	}
	return &sum
}

func cores(host string, c traffic.CPU) []record.CPU {
	var out []record.CPU
	for _, k := range c.Cores {
		row := record.CPU{Host: host, Core: k.Core, User: k.User, System: k.System, SoftIRQ: k.SoftIRQ,
			IRQ: k.IRQ, Steal: k.Steal, Idle: k.Idle, Own: k.Own, Dropped: k.Dropped, Squeezed: k.Squeezed,
			HzBefore: k.HzBefore, Hz: k.Hz, BaseHz: k.BaseHz, Throttled: k.Throttled}
		if k.Packets != nil && c.Seconds > 0 {
			v := float64(*k.Packets) / c.Seconds
			row.Packets = &v
		}
		out = append(out, row)
	}
	return out
}

// cpuSamples is the processor rows of a repeat as samples of the window's end: cpu.3.softirq of core 3, cpu.process.user
// of the measuring process, each as a share of one core.
func cpuSamples(r record.Repeat, window time.Duration) []record.Sample {
	at := r.Start.Add(window).UnixNano()
	var out []record.Sample
	for _, c := range r.CPU {
		name := "cpu.process"
		kinds := []kind{{"user", c.User}, {"system", c.System}}
		if c.Core >= 0 {
			name = fmt.Sprintf("cpu.%d", c.Core)
			kinds = append(kinds, kind{"softirq", c.SoftIRQ}, kind{"irq", c.IRQ}, kind{"steal", c.Steal}, kind{"idle", c.Idle})
		}
		for _, k := range kinds {
			out = append(out, record.Sample{End: c.Host, Stream: -1, TimeNS: at, Metric: name + "." + k.name, Value: k.share, Unit: "1"})
		}
	}
	return out
}

// kind is what a core's time was spent on.
type kind struct {
	name  string
	share float64
}
