//go:build linux

package main

import (
	"fmt"
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/run/experiment"
	"linerate/internal/run/network"
	"linerate/internal/traffic"
)

// interval is the time between the two readings.
var interval = time.Second

// benchCase is one table. The first tool is compared with each of the others.
type benchCase struct {
	name          string
	label         string
	mtu           int
	latency       bool // it measures round trips instead of rates
	needsCompiler bool // for C
	tools         []tool
	at            time.Time // of the last run
	rows          map[string][]row
	notes         map[string][]string
}

// row is one run of one tool.
type row struct {
	Rate           float64 `json:"rate"`    // bits per second
	Client         float64 `json:"client"`  // cores
	Server         float64 `json:"server"`  // cores
	SoftIRQ        float64 `json:"softirq"` // cores of the kernel's threads that handle packets for either end
	OtherProcesses float64 `json:"foreign"` // cores
	Steal          float64 `json:"stolen"`  // cores that the hypervisor gave to other guests
	P50            float64 `json:"p50"`     // seconds
	P99            float64 `json:"p99"`     // seconds
	Lost           float64 `json:"lost"`    // share of the datagrams
}

func rateOf(r row) float64 { return r.Rate }
func p50Of(r row) float64  { return r.P50 }

// perOf is bits a CPU second, over all CPU time that was spent for the two ends.
func perOf(r row) float64 {
	if cores := r.Client + r.Server + r.SoftIRQ; cores > 0 {
		return r.Rate / cores
	}
	return 0
}

// cases are all cases at an MTU. Pinned ends have a core each; of the others the system chooses the core, and for
// linerate its trial.
func cases(mtu int) []*benchCase {
	pinned := []int{0, 1}
	tuned := traffic.Tuning{Trial: true, Placement: traffic.PlaceAuto}
	spec := func(method string, streams int, size unit.Bytes, t traffic.Tuning, cores []int) network.Spec {
		s := network.Spec{Samples: experiment.DefaultSamples, Method: method, Streams: streams, Size: size, Tuning: t}
		if cores != nil {
			s.FromCores, s.ToCores = cores[:1], cores[1:]
		}
		return s
	}
	var out []*benchCase
	add := func(label, name string, tools ...tool) *benchCase {
		c := &benchCase{name: name, label: label, mtu: mtu, tools: tools, rows: map[string][]row{},
			notes: map[string][]string{}}
		out = append(out, c)
		return c
	}
	one, four := requirement{rate: 1.2, per: 1.15}, requirement{rate: 1.15, per: 1.1}
	for _, n := range []int{1, 4} {
		required := one
		if n == 4 {
			required = four
		}
		p, of := strconv.Itoa(n), fmt.Sprintf("%d streams", n)
		add("A", "A, "+of+", pinned", engine("linerate", spec("throughput", n, 0, tuned, pinned)),
			iperf("iperf3", pinned, "-P", p).requiring(required), iperf("iperf3 -l 1M", pinned, "-P", p, "-l", "1M"))
		free := []tool{engine("linerate", spec("throughput", n, 0, tuned, nil))}
		for _, size := range []string{"128K", "256K", "512K", "1M"} {
			t := iperf("iperf3 -l "+size, nil, "-P", p, "-l", size).requiring(requirement{rate: 1, per: 1})
			t.oneOf = true
			free = append(free, t)
		}
		add("A", "A, "+of+", unpinned", free...)
		b, c := tuned, tuned
		b.Copies, c.Copies = traffic.CopiesReceive, traffic.CopiesNone
		add("B", "B, "+of+", pinned", engine("linerate", spec("throughput", n, 0, b, pinned)),
			iperf("iperf3 -Z", pinned, "-Z", "-P", p).requiring(requirement{rate: 1.1, per: 1.1}))
		add("C", "C, "+of+", pinned", engine("linerate", spec("throughput", n, 0, c, pinned)))
	}
	for _, size := range []int{512, 4096} {
		bytes := strconv.Itoa(size)
		add("A", "A, messages of "+bytes+" B, pinned", engine("linerate", spec("throughput", 1, unit.Bytes(size), tuned,
			pinned)),
			iperf("iperf3 -l "+bytes, pinned, "-l", bytes).requiring(requirement{rate: 1, per: 1}))
		g := tuned
		g.Gather = 64 << 10 / size
		add("G", "G, gathered messages of "+bytes+" B, pinned",
			engine("linerate", spec("throughput", 1, unit.Bytes(size), g, pinned)))
	}
	udp := func(name, receive string) tool {
		s := spec("throughput", 1, 1472, traffic.Tuning{}, pinned)
		s.Transport, s.UDP = traffic.UDP, traffic.UDPOptions{MTU: mtu, Receive: receive}
		return engine(name, s)
	}
	for _, r := range []struct {
		how      string
		required float64
	}{{traffic.UDPMmsg, 2}, {traffic.UDPGRO, 5}} {
		add("A", "UDP 1472 B, received with "+r.how+", pinned", udp("linerate", r.how),
			iperfUDP("iperf3 -u", pinned).requiring(requirement{rate: r.required}))
	}
	for _, p := range []struct {
		how      string
		spin     bool
		args     []string
		required float64
	}{{"blocking", false, nil, 1.1}, {"spinning", true, []string{"--nonblocked"}, 1.05}} {
		name := "sockperf"
		if p.spin {
			name += " --nonblocked"
		}
		add("", "latency, 64 B, "+p.how+", pinned", engine("linerate", spec("latency", 1, 64, traffic.Tuning{Spin: p.spin},
			pinned)),
			sockperf(name, pinned, p.args...).requiring(requirement{p50: p.required})).latency = true
	}
	// The C loop pauses where the engine pauses. Without pauses messages arrive one at a time in one run and many at a
	// time in the next, and the kernel's work for a message differs by a factor of four.
	for _, size := range []int{512, 4096, 1 << 20} {
		e, buffer, pause := traffic.Tuning{}, unit.Bytes(0), time.Duration(0)
		if size < 1<<20 {
			e, buffer, pause = tuned, 256*unit.KiB, 200*time.Microsecond // what the engine reports as in effect
		}
		add("A", fmt.Sprintf("overhead, calls of %d B, pinned", size), engine("linerate",
			spec("throughput", 1, unit.Bytes(size), e, pinned)),
			cLoop("C loop", pinned, size, buffer, pause).requiring(requirement{per: 1 / 1.05})).needsCompiler = true
	}
	return out
}
