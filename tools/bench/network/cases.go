//go:build linux

package main

import (
	"fmt"
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/run"
	"linerate/internal/traffic"
)

// measured is the time between the two readings.
var measured = time.Second

// benchCase is one table: the first tool is compared with each of the others.
type benchCase struct {
	name   string
	label  string
	mtu    int
	trips  bool // round trips instead of rates
	needsC bool // a C compiler
	tools  []tool
	at     time.Time // of the last run
	rows   map[string][]row
	notes  map[string][]string
}

// row is one run of one tool.
type row struct {
	Rate    float64 `json:"rate"`    // bits per second
	Client  float64 `json:"client"`  // cores
	Server  float64 `json:"server"`  // cores
	SoftIRQ float64 `json:"softirq"` // cores of the kernel's threads that take packets over from the two
	Foreign float64 `json:"foreign"` // cores
	Stolen  float64 `json:"stolen"`  // cores that the hypervisor gave to others
	P50     float64 `json:"p50"`     // seconds
	P99     float64 `json:"p99"`     // seconds
	Lost    float64 `json:"lost"`    // share of the datagrams
}

func rateOf(r row) float64 { return r.Rate }
func p50Of(r row) float64  { return r.P50 }

// perOf is bits per processor second, of all processors that worked for the two ends.
func perOf(r row) float64 {
	if cores := r.Client + r.Server + r.SoftIRQ; cores > 0 {
		return r.Rate / cores
	}
	return 0
}

// cases is the table. Pinned ends have a core each; unpinned ones are the system's to place, and the trial's.
func cases(mtu int) []*benchCase {
	pinned := []int{0, 1}
	tuned := traffic.Tuning{Trial: true, Placement: traffic.PlaceAuto}
	spec := func(method string, streams int, size unit.Bytes, t traffic.Tuning, cores []int) run.Spec {
		s := run.Spec{Samples: run.DefaultSamples, Method: method, Streams: streams, Size: size, Tuning: t}
		if cores != nil {
			s.FromCores, s.ToCores = cores[:1], cores[1:]
		}
		return s
	}
	var out []*benchCase
	add := func(label, name string, tools ...tool) *benchCase {
		c := &benchCase{name: name, label: label, mtu: mtu, tools: tools, rows: map[string][]row{}, notes: map[string][]string{}}
		out = append(out, c)
		return c
	}
	one, four := need{rate: 1.2, per: 1.15}, need{rate: 1.15, per: 1.1}
	for _, n := range []int{1, 4} {
		asked := one
		if n == 4 {
			asked = four
		}
		p, of := strconv.Itoa(n), fmt.Sprintf("%d streams", n)
		add("A", "A, "+of+", pinned", engine("linerate", spec("stream", n, 0, tuned, pinned)),
			iperf("iperf3", pinned, "-P", p).needs(asked), iperf("iperf3 -l 1M", pinned, "-P", p, "-l", "1M"))
		free := []tool{engine("linerate", spec("stream", n, 0, tuned, nil))}
		for _, size := range []string{"128K", "256K", "512K", "1M"} {
			t := iperf("iperf3 -l "+size, nil, "-P", p, "-l", size).needs(need{rate: 1, per: 1})
			t.oneOf = true
			free = append(free, t)
		}
		add("A", "A, "+of+", unpinned", free...)
		b, c := tuned, tuned
		b.Copies, c.Copies = traffic.CopiesReceive, traffic.CopiesNone
		add("B", "B, "+of+", pinned", engine("linerate", spec("stream", n, 0, b, pinned)), iperf("iperf3 -Z", pinned, "-Z", "-P", p).needs(need{rate: 1.1, per: 1.1}))
		add("C", "C, "+of+", pinned", engine("linerate", spec("stream", n, 0, c, pinned)))
	}
	for _, size := range []int{512, 4096} {
		bytes := strconv.Itoa(size)
		add("A", "A, messages of "+bytes+" B, pinned", engine("linerate", spec("stream", 1, unit.Bytes(size), tuned, pinned)),
			iperf("iperf3 -l "+bytes, pinned, "-l", bytes).needs(need{rate: 1, per: 1}))
		g := tuned
		g.Gather = 64 << 10 / size
		add("G", "G, gathered messages of "+bytes+" B, pinned", engine("linerate", spec("stream", 1, unit.Bytes(size), g, pinned)))
	}
	udp := func(name, receive string) tool {
		s := spec("stream", 1, 1472, traffic.Tuning{}, pinned)
		s.Transport, s.UDP = traffic.UDP, traffic.UDPOptions{MTU: mtu, Receive: receive}
		return engine(name, s)
	}
	for _, r := range []struct {
		how   string
		asked float64
	}{{traffic.UDPMmsg, 2}, {traffic.UDPGRO, 5}} {
		add("A", "UDP 1472 B, received with "+r.how+", pinned", udp("linerate", r.how), datagrams("iperf3 -u", pinned).needs(need{rate: r.asked}))
	}
	for _, p := range []struct {
		how   string
		spin  bool
		args  []string
		asked float64
	}{{"blocking", false, nil, 1.1}, {"spinning", true, []string{"--nonblocked"}, 1.05}} {
		name := "sockperf"
		if p.spin {
			name += " --nonblocked"
		}
		add("", "ping 64 B, "+p.how+", pinned", engine("linerate", spec("ping", 1, 64, traffic.Tuning{Spin: p.spin}, pinned)),
			sock(name, pinned, p.args...).needs(need{p50: p.asked})).trips = true
	}
	// Both receivers pause where the engine's does: without that messages fly alone or gather, from one run to the next, and
	// the kernel's work for one of them differs by a factor of four.
	for _, size := range []int{512, 4096, 1 << 20} {
		e, room, pause := traffic.Tuning{}, unit.Bytes(0), time.Duration(0)
		if size < 1<<20 {
			e, room, pause = tuned, 256*unit.KiB, 200*time.Microsecond // what the engine tells as in effect
		}
		add("A", fmt.Sprintf("overhead, calls of %d B, pinned", size), engine("linerate", spec("stream", 1, unit.Bytes(size), e, pinned)),
			loop("C loop", pinned, size, room, pause).needs(need{per: 1 / 1.05})).needsC = true
	}
	return out
}
