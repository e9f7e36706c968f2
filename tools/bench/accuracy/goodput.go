//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/record"
	"linerate/internal/run/network"
	"linerate/internal/traffic"
	"linerate/tools/bench/wire"
)

// The headers of a packet in bytes. The shaper counts the packet and 14 bytes of Ethernet header.
const (
	ethernet = 14
	tcp4     = 20 + 20 + 12 // with timestamps
	tcp6     = 40 + 20 + 12
	udp4     = 20 + 8
	udp6     = 40 + 8
)

func (c benchCase) headers() int {
	switch {
	case c.Transport == traffic.UDP && c.IPv6:
		return udp6
	case c.Transport == traffic.UDP:
		return udp4
	case c.IPv6:
		return tcp6
	}
	return tcp4
}

// share is the payload's share of what a shaper counts, and its formula.
func (c benchCase) share() (float64, string) {
	payload := mtu - c.headers()
	return float64(payload) / (mtu + ethernet), fmt.Sprintf("%d / %d", payload, mtu+ethernet)
}

// bottlenecks are the hosts whose links are full in the direction to the host.
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

func (c benchCase) measureGoodput(ctx context.Context, w *wire.Net, interval time.Duration) (row, error) {
	to := c.bottlenecks()
	var watched []*linkWatch
	for _, h := range to {
		watched = append(watched, watchLink(w.Hosts[h]))
	}
	r, err := c.repeat(ctx, w, interval)
	for _, x := range watched {
		x.end()
	}
	if err != nil {
		return row{}, err
	}
	share, formula := c.share()
	out := row{Rate: float64(c.Rate), Reported: r.Goodput, Formula: formula, OtherProcesses: r.OtherProcesses,
		Warnings: r.Warnings}
	for _, x := range watched {
		l, err := x.between(r.Start, interval, float64(c.Rate))
		if err != nil {
			return row{}, err
		}
		// The acknowledgements of the data in the other direction share the link with the data in this one.
		acks := 0.0
		if c.Transport == traffic.TCP && len(to) > 1 {
			acks = l.acks * float64(c.headers()+ethernet) * 8
		}
		out.Computed += (float64(c.Rate) - acks) * share
		out.Acks = max(out.Acks, acks/float64(c.Rate))
		out.Link += l.over / float64(len(to))
		out.Doubt = max(out.Doubt, l.doubt)
		out.Drops += l.drops
	}
	for _, s := range r.Streams {
		if s.Socket != nil && s.Socket.Retrans != nil {
			out.Retransmits += *s.Socket.Retrans
		}
	}
	return out, nil
}

func (c benchCase) repeat(ctx context.Context, w *wire.Net, interval time.Duration) (record.Repeat, error) {
	if c.Flows == nil {
		r, _, err := network.Repeat(ctx, w.Hosts[0].Agent, w.Hosts[1].Agent, c.spec(w, 0, 1, interval), nil)
		return r, err
	}
	var flows []network.GroupFlow
	for _, f := range c.Flows {
		flows = append(flows,
			network.GroupFlow{From: w.Hosts[f[0]].Agent, To: w.Hosts[f[1]].Agent, Spec: c.spec(w, f[0], f[1], interval)})
	}
	g, err := network.RepeatGroup(ctx, flows, nil)
	for _, failed := range g.Failed {
		if err == nil {
			err = failed
		}
	}
	return g.Repeat, err
}

// linkWatch reads the counters of a link's token bucket until end.
type linkWatch struct {
	host   *wire.Host
	wall   time.Time // the same moment as base
	base   int64     // by wire.Now
	seen   []reading
	failed error
	stop   chan struct{}
	done   chan struct{}
}

type reading struct {
	wire.Count
	acks int64 // -1: not read
}

// every is the time between two readings. Of the readings within edgeTime of each edge of the interval, between takes
// the best.
const (
	every    = 10 * time.Millisecond
	edgeTime = 100 * time.Millisecond
)

func watchLink(h *wire.Host) *linkWatch {
	x := &linkWatch{host: h, stop: make(chan struct{}), done: make(chan struct{})}
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

func (x *linkWatch) end() {
	close(x.stop)
	<-x.done
}

// carried is what a link did during an interval.
type carried struct {
	over  float64 // bytes by its counter / those of its rate - 1
	doubt float64 // uncertainty of over, from the time that the queries took
	acks  float64 // a second
	drops int64
}

// between chooses the readings at the edges of the interval as the engine chooses among its reads: those that were
// least late.
func (x *linkWatch) between(open time.Time, interval time.Duration, rate float64) (carried, error) {
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
	close := from + int64(interval)
	a, ok := edge(from, from+int64(edgeTime))
	b, too := edge(close-int64(edgeTime), close)
	if !ok || !too {
		return carried{}, fmt.Errorf(
			"the link's counter could not be read at the edges of the window; the machine is too busy")
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
