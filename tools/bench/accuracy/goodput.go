//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/traffic"
	"linerate/tools/bench/wire"
)

// What a packet has beyond its payload, in bytes. The shaper counts the packet and 14 bytes of Ethernet header.
const (
	ethernet = 14
	tcp4     = 20 + 20 + 12 // with time stamps
	tcp6     = 40 + 20 + 12
	udp4     = 20 + 8
	udp6     = 40 + 8
)

func (c benchCase) headers() int {
	switch {
	case c.Transport == traffic.UDP && c.Six:
		return udp6
	case c.Transport == traffic.UDP:
		return udp4
	case c.Six:
		return tcp6
	}
	return tcp4
}

// share is how much of what a shaper counts is payload.
func (c benchCase) share() (float64, string) {
	payload := mtu - c.headers()
	return float64(payload) / (mtu + ethernet), fmt.Sprintf("%d / %d", payload, mtu+ethernet)
}

// bottlenecks are the hosts towards which links are full.
func (c benchCase) bottlenecks() []int {
	switch {
	case len(c.Flows) == 3:
		return []int{0, 1, 2}
	case len(c.Flows) == 2:
		return []int{2}
	case c.Direction == traffic.Both:
		return []int{0, 1}
	case c.Direction == traffic.In:
		return []int{0}
	}
	return []int{1}
}

func (c benchCase) goodput(ctx context.Context, w *wire.Net, window time.Duration) (row, error) {
	to := c.bottlenecks()
	var watched []*watch
	for _, h := range to {
		watched = append(watched, watchLink(w.Hosts[h]))
	}
	r, err := c.repeat(ctx, w, window)
	for _, x := range watched {
		x.end()
	}
	if err != nil {
		return row{}, err
	}
	share, formula := c.share()
	out := row{Rate: float64(c.Rate), Got: r.Goodput, Formula: formula, Foreign: r.Foreign, Warnings: r.Warnings}
	for _, x := range watched {
		l, err := x.between(r.Start, window, float64(c.Rate))
		if err != nil {
			return row{}, err
		}
		// Acknowledgements of data that goes the other way share the link with the data.
		acks := 0.0
		if c.Transport == traffic.TCP && len(to) > 1 {
			acks = l.acks * float64(c.headers()+ethernet) * 8
		}
		out.Want += (float64(c.Rate) - acks) * share
		out.Acks = max(out.Acks, acks/float64(c.Rate))
		out.Link += l.over / float64(len(to))
		out.Doubt = max(out.Doubt, l.doubt)
		out.Drops += l.drops
	}
	for _, s := range r.Streams {
		if s.Socket != nil && s.Socket.Retrans != nil {
			out.Resent += *s.Socket.Retrans
		}
	}
	return out, nil
}

func (c benchCase) repeat(ctx context.Context, w *wire.Net, window time.Duration) (record.Repeat, error) {
	if c.Flows == nil {
		r, _, err := run.Repeat(ctx, w.Hosts[0].Agent, w.Hosts[1].Agent, c.spec(w, 0, 1, window), nil)
		return r, err
	}
	var flows []run.GroupFlow
	for _, f := range c.Flows {
		flows = append(flows, run.GroupFlow{From: w.Hosts[f[0]].Agent, To: w.Hosts[f[1]].Agent, Spec: c.spec(w, f[0], f[1], window)})
	}
	g, err := run.RepeatGroup(ctx, flows, nil)
	for _, failed := range g.Failed {
		if err == nil {
			err = failed
		}
	}
	return g.Repeat, err
}

// watch reads a link's own counters all the time.
type watch struct {
	host   *wire.Host
	wall   time.Time // at NS base
	base   int64
	seen   []reading
	failed error
	stop   chan struct{}
	done   chan struct{}
}

type reading struct {
	wire.Count
	acks int64
}

// every is how often; steps is how many of these readings are looked at, at each edge of the window.
const (
	every = 10 * time.Millisecond
	steps = 100 * time.Millisecond
)

func watchLink(h *wire.Host) *watch {
	x := &watch{host: h, stop: make(chan struct{}), done: make(chan struct{})}
	x.wall, x.base = time.Now(), wire.Now()
	go func() {
		defer close(x.done)
		for i := 0; ; i++ {
			select {
			case <-x.stop:
				return
			case <-time.After(every):
			}
			c, err := h.Carried()
			if err != nil {
				x.failed = err
				return
			}
			r := reading{Count: c, acks: -1}
			if i%10 == 0 {
				if r.acks, err = h.Acks(); err != nil {
					x.failed = err
					return
				}
			}
			x.seen = append(x.seen, r)
		}
	}()
	return x
}

func (x *watch) end() {
	close(x.stop)
	<-x.done
}

// carried is what a link did in a window.
type carried struct {
	over  float64 // bytes by its counter / those of its rate - 1
	doubt float64 // of it, from the time that the questions took
	acks  float64 // a second, that host sent
	drops int64
}

// between cuts the counter's readings as the engine cuts its reads: where they were least late.
func (x *watch) between(open time.Time, window time.Duration, rate float64) (carried, error) {
	if x.failed != nil {
		return carried{}, x.failed
	}
	from := x.base + int64(open.Sub(x.wall))
	edge := func(from, until int64) (best reading, ok bool) {
		var marks []traffic.Mark
		of := map[int64]reading{}
		for _, r := range x.seen {
			if r.NS >= from && r.NS <= until && r.Doubt < 200_000 {
				marks = append(marks, traffic.Mark{NS: r.NS, Bytes: int64(r.Bytes)})
				of[r.NS] = r
			}
		}
		if len(marks) == 0 {
			return best, false
		}
		return of[traffic.LeastLate(marks, rate/8e9).NS], true
	}
	close := from + int64(window)
	a, ok := edge(from, from+int64(steps))
	b, too := edge(close-int64(steps), close)
	if !ok || !too {
		return carried{}, fmt.Errorf("the link's counter could not be read at the edges of the window; the machine is too busy")
	}
	c := carried{drops: int64(b.Drops) - int64(a.Drops)}
	length := float64(b.NS - a.NS)
	c.over = float64(b.Bytes-a.Bytes)*8e9/length/rate - 1
	c.doubt = float64(a.Doubt+b.Doubt) / length
	var first, last *reading
	for i := range x.seen {
		if r := &x.seen[i]; r.acks >= 0 && r.NS >= from && r.NS <= close {
			if first == nil {
				first = r
			}
			last = r
		}
	}
	if first != nil && last != first {
		c.acks = float64(last.acks-first.acks) * 1e9 / float64(last.NS-first.NS)
	}
	return c, nil
}
