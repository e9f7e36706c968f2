package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Verbs is the method that measures RDMA.
const Verbs = record.MethodVerbs

// verbs turns the settings of a cell into what both ends of it are asked for.
func (c *Cell) verbs(s *Spec) error {
	if c.Exp.Method != Verbs {
		return nil
	}
	set := c.Exp.Settings
	s.Transport = traffic.RDMA
	s.Verbs = traffic.VerbsOptions{Op: set["op"], Metric: set["metric"], Datagrams: set["service"] == "ud", Link: cmp.Or(set["transport"], wantedLink(c.Path.FromPort)), Device: set["device"]}
	s.Tuning.Trial = false
	for key, into := range map[string]*int{"pairs": &s.Streams, "depth": &s.Verbs.Depth, "signal": &s.Verbs.Signal, "batch": &s.Verbs.Batch,
		"path_mtu": &s.Verbs.PathMTU, "service_level": &s.Verbs.Level, "traffic_class": &s.Verbs.Class} {
		text := set[key]
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%s: %s is no number", key, text)
		}
		*into = n
	}
	if text := set["inline"]; text != "" {
		n, err := unit.ParseBytes(text)
		if err != nil {
			return fmt.Errorf("inline: %w", err)
		}
		s.Verbs.Inline = cmp.Or(int(n), -1)
	}
	if s.Streams > maxStreams {
		return fmt.Errorf("pairs: %d is above %d, the agents' limit", s.Streams, maxStreams)
	}
	// Its threads poll from the first moment on, and no window of a connection has to open: half of what TCP gets.
	s.Warmup = warmupOf(s.connections()) / 2
	return nil
}

// wantedLink is what the plan wants of an RDMA device; empty: whatever it has.
func wantedLink(p *plan.Port) string {
	if p == nil {
		return ""
	}
	return p.RDMA
}

// openVerbs has both ends make their pairs, at the same time: neither needs the other for that.
func openVerbs(ctx context.Context, a, b *side) error {
	ends := []*side{a, b}
	var wg sync.WaitGroup
	for _, e := range ends {
		wg.Go(func() { e.exp, e.err = e.client.Prepare(ctx, e.setup) })
	}
	wg.Wait()
	if err := firstCause(ctx, ends); err != nil {
		stop(ctx, ends)
		a.exp, b.exp = nil, nil
		return err
	}
	if a.exp.Verbs == nil || b.exp.Verbs == nil {
		stop(ctx, ends)
		return fmt.Errorf("an end says nothing of its pairs; use the same version of linerate on both")
	}
	return joinPairs(ctx, a, b)
}

// joinPairs has both ends of verbs connect their pairs: each is told what the other said.
func joinPairs(ctx context.Context, a, b *side) error {
	var wg sync.WaitGroup
	wg.Go(func() { a.err = a.exp.Join(ctx, *b.exp.Verbs) })
	wg.Go(func() { b.err = b.exp.Join(ctx, *a.exp.Verbs) })
	wg.Wait()
	if err := firstCause(ctx, []*side{a, b}); err != nil {
		stop(ctx, []*side{a, b})
		return err
	}
	return nil
}

// joinVerbs puts together what the two ends of verbs saw. A WRITE is counted by the end that sends its bytes, when the other end's device has
// acknowledged them; a READ by the end that gets them, a SEND by its receiver.
func joinVerbs(r *record.Repeat, s Spec, a, b *side) error {
	x, y := a.outcome, b.outcome
	if x.Verbs == nil || y.Verbs == nil {
		return fmt.Errorf("an end says nothing of its pairs; use the same version of linerate on both")
	}
	op, metric := cmp.Or(s.Verbs.Op, traffic.OpWrite), cmp.Or(s.Verbs.Metric, traffic.MetricLatency)
	r.Verbs = &record.Verbs{Op: op, Metric: metric}
	for _, e := range []*side{a, b} {
		r.Verbs.Ends = append(r.Verbs.Ends, verbsEnd(e.host, e.outcome.Verbs))
	}
	r.Seconds = min(x.Verbs.Seconds, y.Verbs.Seconds)
	r.Warnings = append(r.Warnings, releasedFar(s, r.Verbs.Ends)...)
	if metric == traffic.MetricLatency {
		r.Verbs.Latency = map[bool]string{true: "from post to completion", false: "half of a round trip"}[op == traffic.OpRead]
		asks := x
		if s.Direction == traffic.In {
			asks = y
		}
		for i, p := range asks.Verbs.Pairs {
			r.Streams = append(r.Streams, record.Stream{Index: i, Direction: s.Direction, Trips: p.Trips})
		}
		r.Forward, r.Backward, r.Goodput = 0, 0, 0
		r.SeriesOut, r.SeriesIn = nil, nil
		return nil
	}
	// out and in are the ends that count the bytes of each direction.
	out, in := x, y
	bytes := func(p traffic.VerbsSaid) int64 { return p.Asked }
	switch op {
	case traffic.OpRead:
		out, in = y, x
	case traffic.OpSend:
		out, in = y, x
		bytes = func(p traffic.VerbsSaid) int64 { return p.Came }
	}
	r.Forward, r.Backward, r.SeriesOut, r.SeriesIn = 0, 0, nil, nil
	for _, way := range []struct {
		name   string
		count  *traffic.Outcome
		sum    *float64
		series *[]float64
	}{{traffic.Out, out, &r.Forward, &r.SeriesOut}, {traffic.In, in, &r.Backward, &r.SeriesIn}} {
		if s.Direction != traffic.Both && s.Direction != way.name {
			continue
		}
		for _, p := range way.count.Verbs.Pairs {
			st := record.Stream{Index: len(r.Streams), Direction: way.name}
			if way.count.Verbs.Seconds > 0 {
				st.Goodput = float64(bytes(p)) * 8 / way.count.Verbs.Seconds
			}
			if op == traffic.OpWrite {
				st.Sent, st.Received, st.Packets = written(p, s, way.count.Verbs)
			}
			*way.sum += st.Goodput
			r.Streams = append(r.Streams, st)
		}
		*way.series = way.count.Series
	}
	r.Goodput = r.Forward + r.Backward
	return nil
}

// releasedFar warns of ends whose pairs did not begin together.
func releasedFar(s Spec, ends []record.VerbsEnd) (out []string) {
	for _, e := range ends {
		if s.Streams < 2 || e.Skew <= record.ReleaseFar {
			continue
		}
		why := "a thread waited for its core; leave the cores of the pairs to them (--placement), or look at what else runs there"
		if e.Crowded {
			why = "there are fewer cores than pairs, and their threads take turns"
		}
		out = append(out, fmt.Sprintf("%s: the %d pairs were released within %s of each other, which is more than %s: %s; linerate selftest measures it on that host without RDMA",
			e.Host, s.Streams, unit.Seconds(e.Skew), unit.Seconds(record.ReleaseFar), why))
	}
	return out
}

// written is what a pair of WRITEs sent from the first to the last, in bytes, how much of that was acknowledged, and in how many packets it was sent: not
// known of iWARP, whose segments are TCP's. 0: not known.
func written(p traffic.VerbsSaid, s Spec, v *traffic.VerbsSeen) (sent, received int64, packets *int64) {
	size := int64(cmp.Or(s.Size, verbsMessage))
	if p.Posted == nil || p.Completed == nil {
		return 0, 0, nil
	}
	if v.MTU > 0 && v.Link != traffic.LinkIWARP {
		n := *p.Posted * ((size + v.MTU - 1) / v.MTU)
		packets = &n
	}
	return *p.Posted * size, *p.Completed * size, packets
}

// verbsMessage is the size of a message if nobody says.
const verbsMessage = unit.Bytes(8)

func verbsEnd(host string, v *traffic.VerbsSeen) record.VerbsEnd {
	e := record.VerbsEnd{Host: host, Device: v.Device, Port: v.Port, Link: v.Link, GIDIndex: v.GID, GID: v.GIDText, Soft: v.Soft, Transport: v.Transport,
		Connected: v.Connected, PathMTU: v.MTU, Inline: v.Inline, Depth: v.Depth, Signal: v.Signal, Batch: v.Batch, Yield: v.Yield,
		Level: v.Level, Class: v.Class, Skew: float64(v.SkewNS) / 1e9, LeftOut: v.LeftOut, Crowded: v.Crowded}
	for _, c := range []struct {
		ns   float64
		into **float64
	}{{v.PostNS, &e.Post}, {v.PollNS, &e.Poll}} {
		if c.ns > 0 {
			seconds := c.ns / 1e9
			*c.into = &seconds
		}
	}
	for _, p := range v.Pairs {
		e.Pairs = append(e.Pairs, record.VerbsPairs{Core: p.Core, Operations: p.Operations, Asked: p.Asked, Came: p.Came})
	}
	return e
}

// verbsInEffect is what was in effect of RDMA, as settings of the record.
func verbsInEffect(m map[string]string, s Spec, v *record.Verbs) {
	if v == nil {
		return
	}
	both := func(key string, f func(record.VerbsEnd) string) {
		x, y := f(v.Ends[0]), f(v.Ends[1])
		if m[key] = x; x != y {
			m[key] = fmt.Sprintf("from %s, to %s", x, y)
		}
	}
	m["op"], m["metric"], m["pairs"] = v.Op, v.Metric, fmt.Sprint(max(1, s.Streams))
	if v.Latency != "" {
		m["latency"] = v.Latency
	}
	both("transport", func(e record.VerbsEnd) string { return e.Link + " " + e.Transport })
	both("device", func(e record.VerbsEnd) string { return fmt.Sprintf("%s port %d", e.Device, e.Port) })
	both("gid", func(e record.VerbsEnd) string { return fmt.Sprintf("%d (%s)", e.GIDIndex, cmp.Or(e.GID, "not known")) })
	both("path_mtu", func(e record.VerbsEnd) string { return fmt.Sprint(e.PathMTU) })
	for key, of := range map[string]func(record.VerbsEnd) *int64{"service_level": func(e record.VerbsEnd) *int64 { return e.Level }, "traffic_class": func(e record.VerbsEnd) *int64 { return e.Class }} {
		if of(v.Ends[0]) != nil && of(v.Ends[1]) != nil {
			both(key, func(e record.VerbsEnd) string { return fmt.Sprint(*of(e)) })
		}
	}
	both("inline", func(e record.VerbsEnd) string { return fmt.Sprint(e.Inline) })
	both("depth", func(e record.VerbsEnd) string { return fmt.Sprint(e.Depth) })
	both("signal", func(e record.VerbsEnd) string { return fmt.Sprint(e.Signal) })
	both("batch", func(e record.VerbsEnd) string { return fmt.Sprint(e.Batch) })
	both("connected", func(e record.VerbsEnd) string { return e.Connected })
	both("wait", func(e record.VerbsEnd) string {
		if e.Yield > 0 {
			return fmt.Sprintf("polling, a turn is given up after %d looks in vain", e.Yield)
		}
		return "polling"
	})
	both("placement", func(e record.VerbsEnd) string {
		var cores []int64
		for _, p := range e.Pairs {
			if p.Core >= 0 && !slices.Contains(cores, p.Core) {
				cores = append(cores, p.Core)
			}
		}
		if len(cores) == 0 {
			return "free"
		}
		text := "cores "
		for i, c := range cores {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprint(c)
		}
		return text
	})
}

// sendVerbs gives both ends linerate-verbs, where this machine has it for their systems; else each uses its own host's. without says why
// there is none for a host; it is of use only if that host has none either.
func (s *session) sendVerbs(ctx context.Context, c *Cell) (without string, err error) {
	if c.Exp.Method != Verbs && (c.sends == nil || !c.sends.verbs) && (c.halo == nil || c.halo.transport != traffic.RDMA) || s.cfg.VerbsProgram == nil {
		return "", nil
	}
	for _, host := range c.Hosts() {
		h := s.clients[host].Hello()
		if h.OS != "linux" || s.clients[host].HasVerbs() {
			continue // another system says so itself
		}
		program, err := s.cfg.VerbsProgram(ctx, h.OS, h.Arch)
		if err != nil {
			without = fmt.Sprintf("none was sent to %s: %v", host, err)
			continue
		}
		if err := s.clients[host].SendVerbs(ctx, program); err != nil {
			return "", err
		}
	}
	return without, nil
}

// lacksVerbs says whether an end failed because its host has no linerate-verbs.
func lacksVerbs(err error) bool {
	var e *traffic.Error
	return errors.As(err, &e) && e.Subject == traffic.VerbsProgram && e.Code == traffic.CodeUnsupported
}

// verbsCeiling is the chain of ceilings of requests as both ends had them in effect.
func (s *session) verbsCeiling(c *Cell) {
	v := c.Exp.Verbs
	if v == nil || len(v.Ends) < 2 || c.Path.FromPort == nil {
		return
	}
	size, err := unit.ParseBytes(cmp.Or(c.Exp.Settings["size"], "8B"))
	if err != nil {
		return
	}
	r := path.RDMA{Link: v.Ends[0].Link, PathMTU: int(min(v.Ends[0].PathMTU, v.Ends[1].PathMTU)), Message: size, Send: v.Op == traffic.OpSend}
	chain := path.OverRDMA(c.Path, c.Exp.Direction, r, s.conditions(c.Path))
	if chain.Limit > 0 {
		c.Exp.Ceiling = &chain
	}
}
