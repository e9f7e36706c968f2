package run

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// icmpEvery is when an ICMP ping asks if nothing is said: often enough for p99 in five seconds, and no burden to a
// switch, which answers with the processor that also runs its protocols.
const icmpEvery = 10 * time.Millisecond

// overICMP says whether a cell is measured over ICMP: only its from needs an agent.
func (c *Cell) overICMP() bool {
	return c.Exp.Method == "ping" && c.Exp.Settings["transport"] == traffic.ICMP
}

// echoes completes what is asked for with what only ICMP needs. The path's MTU is looked for once a cell.
func (c *Cell) echoes(spec *Spec) {
	if !c.overICMP() {
		return
	}
	spec.Transport, spec.PathMTU = traffic.ICMP, len(c.Exp.Repeats) == 0
	if spec.FromAddr.IsUnspecified() {
		spec.FromAddr = netip.Addr{} // whichever the routes choose
	}
	if spec.Every == 0 {
		spec.Every = min(icmpEvery, spec.Window)
	}
}

// RepeatICMP measures once over ICMP from one agent; nothing of this program is at the other end. It is Repeat otherwise.
func RepeatICMP(ctx context.Context, from *agent.Client, s Spec, during func()) (record.Repeat, []record.Sample, error) {
	a := &side{name: traffic.From, host: s.FromHost, client: from, setup: traffic.Setup{Method: s.Method, Side: traffic.From, Direction: traffic.Out, Streams: max(1, s.Streams),
		Size: s.Size, Warmup: s.Warmup, Window: s.Window, Local: s.FromAddr, Remote: s.ToAddr, Device: s.FromDevice, Seed: s.Seed, Every: s.Every, Transport: traffic.ICMP, Samples: s.Samples,
		PathMTU: s.PathMTU, Tuning: traffic.Tuning{Spin: s.Tuning.Spin, Cores: s.FromCores}}}
	if a.host == "" {
		a.host = from.Host()
	}
	ends := []*side{a}
	preparing, cancelPrepare := context.WithTimeout(ctx, prepareDeadline)
	defer cancelPrepare()
	if err := from.Sync(preparing); err != nil {
		return record.Repeat{}, nil, err
	}
	var err error
	if a.exp, err = from.Prepare(preparing, a.setup); err != nil {
		return record.Repeat{}, nil, err
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(headStart(a.setup.Streams)+2*from.Clock().RTT+s.Lead)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Window+traffic.Grace(s.Method)+answerDeadline)
	defer cancel()
	samples := &collector{now: now, wall: wall, each: s.OnSample, live: s.Live}
	var wg sync.WaitGroup
	wg.Go(func() {
		a.outcome, a.err = a.exp.Start(runCtx, begin+from.Clock().Nanoseconds, samples.from(a, 0))
		if a.err != nil {
			cancel()
		}
	})
	if during != nil {
		wg.Go(func() { inWindow(runCtx, open, s.Window, during) })
	}
	wg.Wait()
	if err := firstCause(ctx, ends); err != nil {
		stop(ctx, ends)
		return record.Repeat{}, samples.all, err
	}
	r, err := joinICMP(a)
	if err != nil {
		return record.Repeat{}, samples.all, err
	}
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(samples.all, cpuSamples(r, s.Window)...), nil
}

// joinICMP is what the one end saw of a repeat.
func joinICMP(a *side) (record.Repeat, error) {
	o := a.outcome
	r := record.Repeat{Slice: o.Slice, Seconds: float64(o.EndNS-o.StartNS) / 1e9, BusyFrom: o.Busy, PathMTU: o.PathMTU}
	for _, e := range o.Streams {
		if e.UDP == nil || !e.Active || e.UDP.Received > e.UDP.Sent {
			return r, fmt.Errorf("%s: its answer is none of an ICMP ping", a.host)
		}
		lost := e.UDP.Sent - e.UDP.Received
		r.Streams = append(r.Streams, record.Stream{Index: e.Index, Direction: e.Direction, Trips: e.Trips, UDP: record.UDP{Datagrams: &e.UDP.Sent, Lost: &lost}})
	}
	if err := joinPing(&r, a); err != nil {
		return r, err
	}
	for _, w := range o.Warnings {
		r.Warnings = append(r.Warnings, a.host+": "+w)
	}
	if o.CPU.Unknown != "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: processor time is not known in full: %s", a.host, o.CPU.Unknown))
	}
	if o.CPU.User != nil {
		r.CPU = append(r.CPU, record.CPU{Host: a.host, Core: -1, User: *o.CPU.User, System: *o.CPU.System, Threads: hostThreads([]*side{a}, nil)})
	}
	r.CPU = append(r.CPU, cores(a.host, o.CPU)...)
	otherWork(&r, known(o.CPU.Foreign), foreignLimit)
	stolen(&r, a.host)
	r.Unknown = unknowns([]*side{a}, nil)
	noisyClocks(&r, []*side{a})
	r.InEffect = map[string]string{"transport": traffic.ICMP, "icmp_socket": o.InEffect.Path, "wait": o.InEffect.Wait, "size": fmt.Sprintf("%d B", int64(o.Size)),
		"every": a.setup.Every.String()}
	return r, nil
}

// summarizeMTU takes the path's MTU from the repeat that looked for it.
func summarizeMTU(e *record.Experiment) {
	e.PathMTU = nil
	for _, r := range e.Repeats {
		if r.PathMTU != nil {
			e.PathMTU = r.PathMTU
		}
	}
}
