package network

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// joinPairs connects the queue pairs of both ends: each gets what the other reported.
func joinPairs(ctx context.Context, a, b *remote.End) error {
	var wg sync.WaitGroup
	wg.Go(func() { a.Err = a.Experiment.Join(ctx, traffic.Peers{Verbs: *b.Experiment.Verbs}) })
	wg.Go(func() { b.Err = b.Experiment.Join(ctx, traffic.Peers{Verbs: *a.Experiment.Verbs}) })
	wg.Wait()
	if err := remote.FirstCause(ctx, []*remote.End{a, b}); err != nil {
		remote.Stop(ctx, []*remote.End{a, b})
		return err
	}
	return nil
}

// joinRDMA combines the results of the two ends. A WRITE is counted by the end that sends its bytes, when the other
// end's device has acknowledged them; a READ by the end that gets them, a SEND by its receiver.
func joinRDMA(r *record.Repeat, s Spec, a, b *remote.End) error {
	x, y := a.Outcome, b.Outcome
	if x.Verbs == nil || y.Verbs == nil {
		return fmt.Errorf("an end says nothing of its pairs; use the same version of linerate on both")
	}
	op, metric := cmp.Or(s.RDMA.Op, traffic.OpWrite), cmp.Or(s.RDMA.Metric, traffic.MetricLatency)
	r.Verbs = &record.Verbs{Op: op, Metric: metric}
	for _, e := range []*remote.End{a, b} {
		r.Verbs.Ends = append(r.Verbs.Ends, rdmaEnd(e.Host, e.Outcome.Verbs))
	}
	r.Seconds = min(x.Verbs.Seconds, y.Verbs.Seconds)
	r.Warnings = append(r.Warnings, releaseWarnings(s, r.Verbs.Ends)...)
	if metric == traffic.MetricLatency {
		r.Verbs.Latency = "half of a round trip"
		if op == traffic.OpRead {
			r.Verbs.Latency = "from post to completion"
		}
		asks := x
		if s.Direction == traffic.In {
			asks = y
		}
		for i, p := range asks.Verbs.Pairs {
			r.Streams = append(r.Streams, record.Stream{Index: i, Direction: s.Direction, RTTSamples: p.RTTSamples})
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

// releaseWarnings warns of ends whose pairs did not begin together.
func releaseWarnings(s Spec, ends []record.VerbsEnd) (out []string) {
	for _, e := range ends {
		if s.Streams < 2 || e.Skew <= record.ReleaseFar {
			continue
		}
		why := "a thread waited for its core; leave the cores of the pairs to them (--placement), or look at what else " +
			"runs there"
		if e.Crowded {
			why = "there are fewer cores than pairs, and their threads take turns"
		}
		out = append(
			out,
			fmt.Sprintf(
				"%s: the %d pairs were released within %s of each other, which is more than %s: %s; linerate doctor --self "+
					"measures it on that host without RDMA",
				e.Host,
				s.Streams,
				unit.Seconds(e.Skew),
				unit.Seconds(record.ReleaseFar),
				why,
			),
		)
	}
	return out
}

// written is what a pair of WRITEs sent from the first to the last, in bytes, how much of that was acknowledged, and
// the number of packets (unknown for iWARP, whose segments are TCP's). 0: not known.
func written(p traffic.VerbsSaid, s Spec, v *traffic.VerbsSeen) (sent, received int64, packets *int64) {
	size := int64(cmp.Or(s.Size, defaultRDMAMessage))
	if p.Posted == nil || p.Completed == nil {
		return 0, 0, nil
	}
	if v.MTU > 0 && v.Link != traffic.LinkIWARP {
		n := *p.Posted * ((size + v.MTU - 1) / v.MTU)
		packets = &n
	}
	return *p.Posted * size, *p.Completed * size, packets
}

// defaultRDMAMessage is the default size of a message.
const defaultRDMAMessage = unit.Bytes(8)

func rdmaEnd(host string, v *traffic.VerbsSeen) record.VerbsEnd {
	e := record.VerbsEnd{Host: host, Device: v.Device, Port: v.Port, Link: v.Link, GIDIndex: v.GID, GID: v.GIDText,
		Soft: v.Soft, Transport: v.Transport, Connected: v.Connected, PathMTU: v.MTU, Inline: v.Inline, Depth: v.Depth,
		Signal: v.Signal, Batch: v.Batch, Yield: v.Yield, Level: v.Level, Class: v.Class, Skew: float64(v.SkewNS) / 1e9,
		LeftOut: v.LeftOut, Crowded: v.Crowded}
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

// rdmaInEffect adds what was in effect for RDMA to the settings of the record.
func rdmaInEffect(m map[string]string, s Spec, v *record.Verbs) {
	if v == nil {
		return
	}
	both := func(key string, f func(record.VerbsEnd) string) {
		x, y := f(v.Ends[0]), f(v.Ends[1])
		if m[key] = x; x != y {
			m[key] = fmt.Sprintf("from %s, to %s", x, y)
		}
	}
	m["op"], m["metric"], m["threads"] = v.Op, v.Metric, fmt.Sprint(max(1, s.Streams))
	if v.Latency != "" {
		m["latency"] = v.Latency
	}
	both("transport", func(e record.VerbsEnd) string { return e.Link + " " + e.Transport })
	both("device", func(e record.VerbsEnd) string { return fmt.Sprintf("%s port %d", e.Device, e.Port) })
	both("gid", func(e record.VerbsEnd) string { return fmt.Sprintf("%d (%s)", e.GIDIndex, cmp.Or(e.GID, "not known")) })
	both("path_mtu", func(e record.VerbsEnd) string { return fmt.Sprint(e.PathMTU) })
	for key, of := range map[string]func(record.VerbsEnd) *int64{
		"service_level": func(e record.VerbsEnd) *int64 { return e.Level },
		"traffic_class": func(e record.VerbsEnd) *int64 { return e.Class },
	} {
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
