//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/run/network"
	"linerate/internal/traffic"
	"linerate/tools/bench/wire"
)

// The kinds of cases, in the order of the page.
const (
	goodput = "goodput"
	cpuTime = "processor" // as in the files of rows that exist
	loss    = "loss"
)

// benchCase is one line of the page.
type benchCase struct {
	Kind, Name string
	Rate       unit.BitRate // of every shaper; 0: no shaper
	Streams    int
	Direction  string
	Transport  string
	IPv6       bool
	Hosts      int
	Flows      [][2]int // the sending and the receiving host of each flow of a group; nil: host 0 sends to host 1
	Method     string
	Lost       int // the firewall drops one in so many datagrams
	Send       string
	Pace       unit.BitRate
	Size       unit.Bytes
}

const mtu = 1500

// The queue of a shaper has the size of a lab's, 4 ms from 1 Gb/s on, or queueEach bytes a stream up to queueTime
// seconds if that is larger: in 4 ms, a thousand streams at 5 Gb/s have one packet each, and two cores are busy with
// single packets. The bucket holds bucketTime seconds of the rate: shared machines pause for so long, and such a pause
// then costs the link nothing.
const (
	queueEach  = 24_000
	queueTime  = 0.040
	bucketTime = 0.020
)

// starved reports whether a stream gets so little of the link, 0.1 Mb/s, that it does not survive losses: it
// retransmits most of its packets after timeouts, and within 10 s the kernel gives the connection up (seen on Linux
// 6.18: ETIMEDOUT after five retransmissions). The queue then holds all packets under way, and a small send buffer
// makes these few.
func (c benchCase) starved() bool { return float64(c.Rate)/float64(c.Streams) < 0.5e6 }

// sendBuffer is the largest send buffer of a connection in bytes; 0 is the kernel's own limit.
func (c benchCase) sendBuffer() int {
	if c.starved() {
		return 8 << 10
	}
	return 0
}

// shape is the limit of the case's links.
func (c benchCase) shape() wire.Shape {
	bytes := float64(c.Rate) / 8
	queue := float64(c.Streams * queueEach)
	if !c.starved() {
		queue = min(queue, bytes*queueTime)
	}
	return wire.Shape{Rate: c.Rate, MTU: mtu, Queue: uint32(queue), Burst: uint32(bytes * bucketTime)}
}

func cases() []benchCase {
	var all []benchCase
	add := func(c benchCase) {
		if c.Streams == 0 {
			c.Streams = 1
		}
		if c.Direction == "" {
			c.Direction = traffic.Out
		}
		if c.Hosts == 0 {
			c.Hosts = 2
		}
		if c.Method == "" {
			c.Method = "throughput"
		}
		if c.Transport == "" {
			c.Transport = traffic.TCP
		}
		all = append(all, c)
	}
	for _, rate := range []unit.BitRate{100e6, 1e9, 5e9} {
		of := func(text string, args ...any) string { return rate.String() + ", " + fmt.Sprintf(text, args...) }
		for _, n := range []int{1, 2, 4, 16, 64, 256, 1024} {
			name := of("%d streams", n)
			if n == 1 {
				name = of("1 stream")
			}
			add(benchCase{Kind: goodput, Name: name, Rate: rate, Streams: n})
		}
		add(benchCase{Kind: goodput, Name: of("4 streams, IPv6"), Rate: rate, Streams: 4, IPv6: true})
		add(benchCase{Kind: goodput, Name: of("4 streams, in"), Rate: rate, Streams: 4, Direction: traffic.In})
		add(benchCase{Kind: goodput, Name: of("1 stream, both directions"), Rate: rate, Direction: traffic.Both})
		add(benchCase{Kind: goodput, Name: of("4 streams, both directions"), Rate: rate, Streams: 4, Direction: traffic.Both})
		add(benchCase{Kind: goodput, Name: of("UDP"), Rate: rate, Transport: traffic.UDP})
		add(benchCase{Kind: goodput, Name: of("UDP, both directions, IPv6"), Rate: rate, Transport: traffic.UDP,
			IPv6: true, Direction: traffic.Both})
		add(benchCase{Kind: goodput, Name: of("3 hosts, incast, 4 streams each"), Rate: rate, Streams: 4, Hosts: 3,
			Flows: [][2]int{{0, 2}, {1, 2}}})
		add(benchCase{Kind: goodput, Name: of("3 hosts, pairs in a ring"), Rate: rate, Streams: 2, Hosts: 3,
			Flows: [][2]int{{0, 1}, {1, 2}, {2, 0}}})
	}
	for _, n := range []int{1, 8} {
		add(benchCase{Kind: cpuTime, Name: fmt.Sprintf("TCP, %d streams, 5 Gb/s", n), Rate: 5e9, Streams: n})
		add(benchCase{Kind: cpuTime, Name: fmt.Sprintf("TCP, %d streams, as fast as it goes", n), Streams: n})
	}
	add(benchCase{Kind: cpuTime, Name: "TCP, messages of 512 B", Size: 512})
	add(benchCase{Kind: cpuTime, Name: "latency", Method: "latency"})
	add(benchCase{Kind: cpuTime, Name: "latency, 8 pairs", Method: "latency", Streams: 8})
	add(benchCase{Kind: cpuTime, Name: "UDP, 1 Gb/s", Rate: 1e9, Transport: traffic.UDP})
	add(benchCase{Kind: cpuTime, Name: "UDP, 8 streams, 5 Gb/s", Rate: 5e9, Streams: 8, Transport: traffic.UDP})
	for _, c := range []benchCase{
		{Name: "one in 1000", Lost: 1000}, {Name: "one in 50, single datagrams", Lost: 50, Send: traffic.UDPMmsg},
		{Name: "one in 7, merged datagrams", Lost: 7, Send: traffic.UDPGSO}, {Name: "one in 10, in, 2 streams", Lost: 10,
			Direction: traffic.In, Streams: 2},
		{Name: "one in 10, both directions, 2 streams", Lost: 10, Direction: traffic.Both, Streams: 2},
		{Name: "one in 10, IPv6", Lost: 10, IPv6: true},
	} {
		c.Kind, c.Transport, c.Pace = loss, traffic.UDP, 200e6
		add(c)
	}
	return all
}

// spec is the specification of one flow.
func (c benchCase) spec(w *wire.Net, from, to int, interval time.Duration) network.Spec {
	s := network.Spec{Method: c.Method, Direction: c.Direction, Streams: c.Streams, Size: c.Size, Interval: interval,
		Warmup: 300 * time.Millisecond, FromAddr: w.Hosts[from].V4, ToAddr: w.Hosts[to].V4,
		FromHost: string(rune('a' + from)), ToHost: string(rune('a' + to)), Transport: c.Transport, Pace: c.Pace, Seed: 1}
	connections := c.Streams
	if c.Direction == traffic.Both {
		connections *= 2
	}
	s.Warmup += time.Duration(connections) * time.Millisecond // as a run does
	if c.IPv6 {
		s.FromAddr, s.ToAddr = w.Hosts[from].V6, w.Hosts[to].V6
	}
	if c.Transport == traffic.UDP {
		s.UDP = traffic.UDPOptions{MTU: mtu, Send: c.Send}
	} else if c.Flows == nil {
		s.Tuning = traffic.Tuning{Trial: true, Placement: traffic.PlaceAuto}
	}
	return s
}

// networks keeps the network of the previous case for the next one that has as many hosts.
type networks struct {
	now *wire.Net
}

func (n *networks) of(ctx context.Context, c benchCase) (*wire.Net, error) {
	if n.now != nil && len(n.now.Hosts) == c.Hosts {
		for _, h := range n.now.Hosts {
			if h.Agent.Err() != nil {
				n.close()
				break
			}
		}
	} else {
		n.close()
	}
	if n.now == nil {
		w, err := wire.New(ctx, c.Hosts)
		if err != nil {
			return nil, err
		}
		n.now = w
	}
	if c.Rate == 0 {
		return n.now, n.now.Unshape(mtu)
	}
	if err := n.now.LimitSendBuffer(c.sendBuffer()); err != nil {
		return nil, err
	}
	return n.now, n.now.Shape(c.shape())
}

func (n *networks) close() {
	if n.now != nil {
		n.now.Close()
		n.now = nil
	}
}

func (c benchCase) measure(ctx context.Context, nets *networks, interval time.Duration) (row, error) {
	w, err := nets.of(ctx, c)
	if err != nil {
		return row{}, err
	}
	switch c.Kind {
	case cpuTime:
		return c.measureCPU(ctx, w, interval)
	case loss:
		return c.measureLoss(ctx, w, interval)
	}
	return c.measureGoodput(ctx, w, interval)
}
