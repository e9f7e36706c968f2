package run

import (
	"cmp"
	"context"
	"net/netip"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Spec is one repeat of one cell, for Repeat.
type Spec struct {
	Method           string
	Direction        string     // out: from sends, or asks; in; both
	Streams          int        // connections in each direction; ping: pairs
	Size             unit.Bytes // of a message; 0: the method's own
	Warmup, Window   time.Duration
	FromAddr, ToAddr netip.Addr // planned addresses of the two ends
	FromHost, ToHost string     // names for the records; empty: the agents'
	// FromDevice and ToDevice bind the sockets to an interface; empty: the routing decides.
	FromDevice, ToDevice string
	Pace                 unit.BitRate       // of each stream; 0: as fast as it can
	PaceBy               string             // kernel or program; empty: the kernel where it can
	Amount               unit.Bytes         // of each direction, in place of a window, which is then the limit; there is no warm-up
	Source               string             // file on the hosts that send, instead of memory
	Every                time.Duration      // of ping: each pair asks at these times; 0: after each answer
	ClassMark            *traffic.ClassMark // the class of the packets of both ends; nil: the systems' own
	PathMTU              bool               // of ping over ICMP: look for it first
	Load                 LoadSpec           // of ping: the stream beside it
	Seed                 uint64             // of the payload
	Transport            string             // tcp or udp; empty: tcp
	UDP                  traffic.UDPOptions
	Verbs                traffic.VerbsOptions // of verbs; Streams are its pairs
	// Tuning is how both ends do their work; Trial and Together are found out here. FromCores and ToCores place the
	// threads of each end; empty: as Tuning says.
	Tuning             traffic.Tuning
	Lead               time.Duration // of the start, beyond what was measured of the way to the agents
	FromCores, ToCores []int
	FromNodes, ToNodes []int                 // NUMA nodes in place of cores
	Samples            int                   // readings a second of sockets, cores and counters at both ends; 0: none
	OnSample           func([]record.Sample) // gets samples as they come; may be nil
	Live               *Live                 // gets them, too; may be nil
}

const (
	prepareDeadline = 20 * time.Second
	stopDeadline    = time.Second
	// answerDeadline is what a repeat may take beyond its planned end.
	answerDeadline = 12 * time.Second
	// ahead and perStream are how long before the first byte the start is sent, beside the way to the agents.
	ahead     = 50 * time.Millisecond
	perStream = 500 * time.Microsecond
)

// headStart is how long before the first byte the start is sent, beside the way to the agents: every stream needs a
// thread and its buffers first.
func headStart(streams int) time.Duration {
	return ahead + time.Duration(streams)*perStream
}

// side is one end of a repeat.
type side struct {
	name    string // from or to
	host    string
	client  *agent.Client
	setup   traffic.Setup
	exp     *agent.Experiment
	outcome *traffic.Outcome
	err     error
	note    string // for the record
}

// Repeat measures once between two agents. during, if not nil, is called at several moments of the steady window, one
// after another beside the measurement, and has returned when Repeat does. Index, and the experiment and repeat of the samples, are left to the
// caller. With an error nothing is left running at either end.
func Repeat(ctx context.Context, from, to *agent.Client, s Spec, during func()) (record.Repeat, []record.Sample, error) {
	if s.Load.Streams > 0 {
		return repeatUnderLoad(ctx, from, to, s, during)
	}
	a, b := s.sides(from, to)
	ends := []*side{a, b}
	if err := prepare(ctx, a, b); err != nil {
		return record.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range ends {
		rtt = max(rtt, e.client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(headStart(connections(a.setup))+2*rtt+s.Lead)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Window+traffic.Grace(s.Method)+answerDeadline)
	defer cancel()

	samples := &collector{now: now, wall: wall, each: s.OnSample, live: s.Live}
	var wg sync.WaitGroup
	startPair(runCtx, cancel, &wg, a, b, begin, samples, 0)
	seen := besides(runCtx, s, open, during, &wg, a, b)
	all := samples.all
	err := firstCause(ctx, ends)
	if ctx.Err() == nil {
		err = cmp.Or(brokeOff(s, err, ends), err)
	}
	if err != nil {
		stop(ctx, ends)
		return record.Repeat{}, all, err
	}
	r, err := join(s, a, b, seen)
	if err != nil {
		return record.Repeat{}, all, err
	}
	for _, e := range ends {
		if e.note != "" {
			r.Warnings = append(r.Warnings, e.note)
		}
	}
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(all, cpuSamples(r, s.Window)...), nil
}

// besides calls during, if it is not nil, and looks at the tasks of this machine, if an end is on it, while what is in wg measures. It returns
// when all that is over, with what was seen.
func besides(ctx context.Context, s Spec, open int64, during func(), wg *sync.WaitGroup, ends ...*side) *traffic.Work {
	whole := ctx
	ctx, over := context.WithCancel(ctx)
	defer over()
	window := s.Window
	if s.Amount > 0 {
		window = min(window, 3*looksAfter) // how long an amount takes is not known before
	}
	var beside sync.WaitGroup
	if during != nil {
		beside.Go(func() { inWindow(ctx, open, window, during) })
	}
	looking := whole // to the end of the window
	if s.Amount > 0 {
		looking = ctx
	}
	seen := lookHere(looking, open, open+int64(s.Window), s.Amount > 0, ends...)
	wg.Wait()
	over()
	beside.Wait()
	return seen()
}

// looksAfter is when an amount is looked at while it is under way.
const looksAfter = 200 * time.Millisecond

// moments are when a steady window is looked at, as shares of it: as far apart as a host that answers slowly allows.
var moments = [...]float64{1. / 8, 1. / 2, 13. / 16}

// severalLooks is the window from which on there is more than one look: each takes processor time from what is measured, on an emulated machine
// some 50 ms.
const severalLooks = 800 * time.Millisecond

// inWindow calls during at the moments of a window that opens at a stamp of this process's clock, until ctx ends. One that would begin late,
// because those before it took long, is left out.
func inWindow(ctx context.Context, open int64, window time.Duration, during func()) {
	shares := moments[:]
	if window < severalLooks {
		shares = moments[1:2]
	}
	for _, share := range shares {
		at := open + int64(share*float64(window))
		t := time.NewTimer(time.Duration(at - traffic.Now()))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
		if late := time.Duration(traffic.Now() - at); late <= window/10 {
			during()
		}
	}
}

// sides is the two ends: the one that listens is to, unless that is Windows, whose firewall blocks inbound connections.
func (s Spec) sides(from, to *agent.Client) (a, b *side) {
	setup := traffic.Setup{Method: s.Method, Direction: s.Direction, Streams: max(1, s.Streams), Size: s.Size,
		Warmup: s.Warmup, Window: s.Window, Seed: s.Seed, Pace: s.Pace, PaceBy: s.PaceBy, Amount: s.Amount, Every: s.Every, Transport: s.Transport, UDP: s.UDP, Verbs: s.Verbs, Samples: s.Samples, ClassMark: s.ClassMark, Tuning: s.tuning(from, to)}
	a = &side{name: traffic.From, host: s.FromHost, client: from, setup: setup}
	b = &side{name: traffic.To, host: s.ToHost, client: to, setup: setup}
	a.setup.Side, a.setup.Local, a.setup.Remote, a.setup.Device = traffic.From, s.FromAddr, s.ToAddr, s.FromDevice
	b.setup.Side, b.setup.Local, b.setup.Remote, b.setup.Device = traffic.To, s.ToAddr, s.FromAddr, s.ToDevice
	a.setup.Tuning.Cores, b.setup.Tuning.Cores = s.FromCores, s.ToCores
	a.setup.Tuning.Nodes, b.setup.Tuning.Nodes = s.FromNodes, s.ToNodes
	if s.Direction != traffic.In {
		a.setup.Source = s.Source
	}
	if s.Direction != traffic.Out {
		b.setup.Source = s.Source
	}
	for _, e := range []*side{a, b} {
		if e.host == "" {
			e.host = e.client.Host()
		}
	}
	if to.Hello().OS == "windows" && from.Hello().OS != "windows" {
		a.setup.Listen = true
	} else {
		b.setup.Listen = true
	}
	return a, b
}

// prepare compares clocks and opens the data connections.
func prepare(ctx context.Context, a, b *side) error {
	ctx, cancel := context.WithTimeout(ctx, prepareDeadline)
	defer cancel()
	var wg sync.WaitGroup
	for _, e := range []*side{a, b} {
		wg.Go(func() { e.err = e.client.Sync(ctx) })
	}
	wg.Wait()
	if a.err != nil || b.err != nil {
		return firstCause(ctx, []*side{a, b})
	}
	return connectPair(ctx, a, b)
}

// connectPair opens the data port at one end and all connections from the other.
func connectPair(ctx context.Context, a, b *side) error {
	listener, dialer := b, a
	if a.setup.Listen {
		listener, dialer = a, b
	}
	var err error
	listener.note, err = connectSides(ctx, listener, dialer)
	return err
}
