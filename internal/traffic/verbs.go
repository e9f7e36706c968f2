package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// RDMA is the transport of the method verbs: which one it is, the device says.
const RDMA = "rdma"

// What verbs carries out, and what it asks for.
const (
	OpWrite = "write"
	OpRead  = "read"
	OpSend  = "send"

	MetricLatency = "latency"
	MetricGoodput = "goodput"
)

// Links that a plan can want of an RDMA device. RoCE is told apart by the type of its GID.
const (
	LinkIB     = "ib"
	LinkRoCEv1 = "rocev1"
	LinkRoCEv2 = "rocev2"
	LinkIWARP  = "iwarp"
)

// VerbsOptions are those of the method verbs. Zero values are defaults.
type VerbsOptions struct {
	Op     string `json:"op,omitempty"`     // write, read or send; empty: write
	Metric string `json:"metric,omitempty"` // latency or goodput; empty: latency
	// Datagrams sends over UD in place of RC: send only, messages of at most the path's MTU.
	Datagrams bool   `json:"datagrams,omitempty"`
	Link      string `json:"link,omitempty"`   // ib, rocev1, rocev2 or iwarp, as planned; empty: what the device has, RoCE v2 before v1
	Device    string `json:"device,omitempty"` // name of the RDMA device; empty: the one with the local address
	Depth     int    `json:"depth,omitempty"`  // requests under way in a pair; 0: by size
	Signal    int    `json:"signal,omitempty"` // requests to one completion; 0: by size
	Batch     int    `json:"batch,omitempty"`  // requests to one doorbell; 0: 1
	Inline    int    `json:"inline,omitempty"` // bytes up to which a request has its payload in itself; 0: 220 or what the device takes, -1: none
	PathMTU   int    `json:"path_mtu,omitempty"`
	Level     int    `json:"service_level,omitempty"`
	Class     int    `json:"traffic_class,omitempty"` // 0 to 255; its upper six bits are the DSCP
}

const (
	// verbsDepth and verbsAhead bound what is under way in a pair if nobody says: as many requests as perftest has, and 1 MiB, which is
	// eight times what 100 Gb/s carry in 10 us. More only takes longer to end.
	verbsDepth  = 128
	verbsAhead  = unit.MiB
	leastDepth  = 4
	verbsInline = 220
	// verbsBuffer is the least memory of a pair: a page for each way.
	verbsBuffer = 8192
	// verbsYield is after how many looks in vain a thread gives its turn up, where it has no core of its own.
	verbsYield = 1
	// verbsDrain is for what is under way at the end of the window, and for packets that nobody answers: over soft RDMA seven timers of 1.1 s run
	// out before a queue pair says so. It is waited for only then.
	verbsDrain = 9 * time.Second
)

// verbsDefault is the size of a message if nobody says.
func verbsDefault(int) unit.Bytes { return 8 }

// verbsSize is the size of a message in effect.
func (s Setup) verbsSize() unit.Bytes { return s.message(Method{size: verbsDefault}) }

// withDefaults puts in what was left open.
func (v VerbsOptions) withDefaults(size unit.Bytes) VerbsOptions {
	v.Op, v.Metric = cmp.Or(v.Op, OpWrite), cmp.Or(v.Metric, MetricLatency)
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

// depthFor is how many requests are under way if nobody says.
func depthFor(size unit.Bytes) int {
	if size <= 0 {
		return verbsDepth
	}
	return int(min(verbsDepth, max(leastDepth, verbsAhead/size)))
}

// verbsSignal is how many requests share a completion if nobody says: as many as make 64 KiB, at most 64 and half of
// the depth, so that the queue never runs dry and a completion is no large part of a slice.
func verbsSignal(size unit.Bytes, depth int) int {
	n := 64
	if size > 0 {
		n = int(min(64, 64*unit.KiB/size))
	}
	return max(1, min(n, depth/2))
}

// checkVerbs says what is wrong with what s asks of the method verbs.
func (s Setup) checkVerbs() error {
	bad := func(key string, value any, want string) error {
		return &Error{Code: CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
	}
	v := s.Verbs
	if s.Method != "verbs" {
		if v != (VerbsOptions{}) {
			return bad("verbs", "an option of verbs", "for "+s.Method)
		}
		if s.Transport == RDMA && s.Method != "halo" {
			return bad("transport", RDMA, "one of "+s.Method)
		}
		return nil
	}
	between := func(key string, value, low, high int) error {
		if value < low || value > high {
			return bad(key, value, fmt.Sprintf("a number from %d to %d", low, high))
		}
		return nil
	}
	switch {
	case s.Transport != RDMA:
		return bad("transport", fmt.Sprintf("%.40q", s.Transport), "rdma, that of verbs")
	case !slices.Contains([]string{"", OpWrite, OpRead, OpSend}, v.Op):
		return bad("op", fmt.Sprintf("%.40q", v.Op), "write, read or send")
	case !slices.Contains([]string{"", MetricLatency, MetricGoodput}, v.Metric):
		return bad("metric", fmt.Sprintf("%.40q", v.Metric), "latency or goodput")
	case !slices.Contains([]string{"", LinkIB, LinkRoCEv1, LinkRoCEv2, LinkIWARP}, v.Link):
		return bad("link", fmt.Sprintf("%.40q", v.Link), "ib, rocev1, rocev2 or iwarp")
	case v.Datagrams && v.Op != OpSend:
		return bad("op", cmp.Or(v.Op, OpWrite), "possible over datagrams (UD), which carry send alone")
	case v.Datagrams && v.Link == LinkIWARP:
		return bad("transport", "ud", "part of iWARP; leave it out")
	case v.Metric != MetricGoodput && s.Direction == Both:
		return bad("direction", s.Direction, "possible for a latency: out or in asks, the other end answers")
	case len(v.Device) > 63 || strings.ContainsAny(v.Device, " \t\r\n/\x00="):
		return bad("device", fmt.Sprintf("%q", v.Device), "the name of an RDMA device")
	case v.PathMTU != 0 && !slices.Contains([]int{256, 512, 1024, 2048, 4096}, v.PathMTU):
		return bad("path mtu", v.PathMTU, "256, 512, 1024, 2048 or 4096")
	case v.Inline < -1 || v.Inline > 65536:
		return bad("inline", v.Inline, "a number of bytes up to 65536, or -1 for none")
	case s.Amount > 0 || s.Source != "" || s.Pace > 0:
		return bad("amount", "an amount, a file or a pace", "part of verbs")
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
	full := v.withDefaults(s.verbsSize())
	switch {
	case full.Signal+full.Batch-1 > full.Depth:
		return bad("signal", full.Signal, fmt.Sprintf("possible with a batch of %d and a depth of %d: the queue would be full before a completion comes; ask for a depth of %d", full.Batch, full.Depth, full.Signal+full.Batch-1))
	}
	return nil
}

// verbsMemory is what one end takes for its pairs: a part for each way, and the histogram.
func (s Setup) verbsMemory() unit.Bytes {
	return unit.Bytes(s.Streams) * (2*max(s.verbsSize(), verbsBuffer) + histogramMemory)
}
