// Package rdma is the engine of RDMA write, read and send. The program linerate-verbs does the requests.
package rdma

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// Verbs is the entry of RDMA write, read and send.
func Verbs() traffic.Entry {
	return traffic.Entry{Method: "rdma", Transport: traffic.RDMA, Takes: traffic.Takes{Verbs: true},
		NoAmount: "it is for throughput; rdma takes a time", NoSource: "it is for throughput, not for rdma",
		Check: check, Size: sizeOf, Memory: memoryOf, Drain: verbsDrain,
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) { return Prepare(ctx, s, nil) }}
}

const (
	// verbsDepth and verbsAhead are the default limits of what is under way in a pair: as many requests as perftest has,
	// and 1 MiB, which is eight times what 100 Gb/s carry in 10 us. More only takes longer to end.
	verbsDepth  = 128
	verbsAhead  = unit.MiB
	leastDepth  = 4
	verbsInline = 220
	// verbsBuffer is the least memory of a pair: a page for each direction.
	verbsBuffer = 8192
	// Yield is the number of polls without result after which a thread without a core of its own yields.
	Yield = 1
	// verbsDrain is the time for what is under way at the end of the interval, and for packets without an answer: over
	// soft RDMA seven timers of 1.1 s expire before a queue pair fails.
	verbsDrain = 9 * time.Second
)

// sizeOf is the size of a message in effect.
func sizeOf(s traffic.Setup) unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return 8
}

// withDefaults replaces zero values by defaults.
func withDefaults(v traffic.VerbsOptions, size unit.Bytes) traffic.VerbsOptions {
	v.Op, v.Metric = cmp.Or(v.Op, traffic.OpWrite), cmp.Or(v.Metric, traffic.MetricLatency)
	v.Depth, v.Batch = cmp.Or(v.Depth, depthFor(size)), cmp.Or(v.Batch, 1)
	switch {
	case v.Inline == 0:
		v.Inline = verbsInline
	case v.Inline < 0:
		v.Inline = 0
	}
	if v.Signal == 0 {
		v.Signal = verbsSignal(size, v.Depth)
	}
	return v
}

// depthFor returns the default number of requests under way.
func depthFor(size unit.Bytes) int {
	if size <= 0 {
		return verbsDepth
	}
	return int(min(verbsDepth, max(leastDepth, verbsAhead/size)))
}

// verbsSignal returns the default number of requests that share a completion: as many as make 64 KiB, at most 64 and
// half of the depth. So the queue never runs dry, and a completion is a small part of a slice.
func verbsSignal(size unit.Bytes, depth int) int {
	n := 64
	if size > 0 {
		n = int(min(64, 64*unit.KiB/size))
	}
	return max(1, min(n, depth/2))
}

// check reports what is wrong with what s asks of the method verbs.
func check(s traffic.Setup) error {
	v := s.Verbs
	between := func(key string, value, low, high int) error {
		if value < low || value > high {
			return traffic.Invalid(key, value, fmt.Sprintf("a number from %d to %d", low, high))
		}
		return nil
	}
	switch {
	case !slices.Contains([]string{"", traffic.OpWrite, traffic.OpRead, traffic.OpSend}, v.Op):
		return traffic.Invalid("op", fmt.Sprintf("%.40q", v.Op), "write, read or send")
	case !slices.Contains([]string{"", traffic.MetricLatency, traffic.MetricGoodput}, v.Metric):
		return traffic.Invalid("metric", fmt.Sprintf("%.40q", v.Metric), "latency or goodput")
	case !slices.Contains([]string{"", traffic.LinkIB, traffic.LinkRoCEv1, traffic.LinkRoCEv2, traffic.LinkIWARP}, v.Link):
		return traffic.Invalid("link", fmt.Sprintf("%.40q", v.Link), "ib, rocev1, rocev2 or iwarp")
	case v.Datagrams && v.Op != traffic.OpSend:
		return traffic.Invalid("op", cmp.Or(v.Op, traffic.OpWrite), "possible over datagrams (UD), which carry send alone")
	case v.Datagrams && v.Link == traffic.LinkIWARP:
		return traffic.Invalid("transport", "ud", "part of iWARP; leave it out")
	case v.Metric != traffic.MetricGoodput && s.Direction == traffic.Both:
		return traffic.Invalid("direction", s.Direction, "possible for a latency: out or in asks, the other end answers")
	case len(v.Device) > 63 || strings.ContainsAny(v.Device, " \t\r\n/\x00="):
		return traffic.Invalid("device", fmt.Sprintf("%q", v.Device), "the name of an RDMA device")
	case v.PathMTU != 0 && !slices.Contains([]int{256, 512, 1024, 2048, 4096}, v.PathMTU):
		return traffic.Invalid("path mtu", v.PathMTU, "256, 512, 1024, 2048 or 4096")
	case v.Inline < -1 || v.Inline > 65536:
		return traffic.Invalid("inline", v.Inline, "a number of bytes up to 65536, or -1 for none")
	}
	for _, c := range []struct {
		key              string
		value, low, high int
	}{
		{"depth", v.Depth, 0, 65536}, {"signal", v.Signal, 0, 65536}, {"batch", v.Batch, 0, 1024},
		{"service level", v.Level, 0, 15}, {"traffic class", v.Class, 0, 255},
	} {
		if err := between(c.key, c.value, c.low, c.high); err != nil {
			return err
		}
	}
	full := withDefaults(v, sizeOf(s))
	switch {
	case full.Signal+full.Batch-1 > full.Depth:
		return traffic.Invalid("signal", full.Signal,
			fmt.Sprintf("possible with a batch of %d and a depth of %d: the queue would be full before a completion comes; "+
				"ask for a depth of %d", full.Batch, full.Depth, full.Signal+full.Batch-1))
	}
	return nil
}

// memoryOf returns the memory of one end's pairs: a part for each direction, and the histogram.
func memoryOf(s traffic.Setup) unit.Bytes {
	return unit.Bytes(s.Streams) * (2*max(sizeOf(s), verbsBuffer) + traffic.HistogramMemory)
}
