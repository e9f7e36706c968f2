package summary

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
)

// kind decides which figures a row has, and so its columns.
type kind int

const (
	rateRow  kind = iota // goodput, share, ceiling, cores
	partRow              // goodput of one direction, out of a sum
	pingRow              // p50, p99, p99.9, load, cores
	delayRow             // p50, p99, p99.9, cores
	blockRow             // MB/s, IOPS, mean, share, cores
)

// spec is a row of the table: what every summary has in this order.
type spec struct {
	key, label string
	kind       kind
	rdma       bool // only where it was measured

	// The matching experiment of a run.
	method, streams string
	direction       string // of the data, seen from A: out, in, both; for round trips the client, empty: any
	op              string // of RDMA
	loaded          bool   // of ping: during streams
}

// table is all rows of the network.
var table = func() []spec {
	out := []spec{
		{key: "tcp-1-ab", label: "TCP 1 stream    A -> B", method: method.Throughput, streams: "1", direction: "out"},
		{key: "tcp-1-ba", label: "TCP 1 stream    B -> A", method: method.Throughput, streams: "1", direction: "in"},
		{key: "tcp-8-ab", label: "TCP 8 streams   A -> B", method: method.Throughput, streams: "8", direction: "out"},
		{key: "tcp-8-ba", label: "TCP 8 streams   B -> A", method: method.Throughput, streams: "8", direction: "in"},
		{key: "tcp-8-both", label: "TCP 8 both ways, sum", method: method.Throughput, streams: "8", direction: "both"},
		{key: "tcp-8-both-ab", label: "TCP 8 both ways A -> B", kind: partRow, method: method.Throughput,
			streams: "8", direction: "both"},
		{key: "tcp-8-both-ba", label: "TCP 8 both ways B -> A", kind: partRow, method: method.Throughput,
			streams: "8", direction: "both"},
		{key: "ping-idle", label: "Ping, idle", kind: pingRow, method: method.Latency},
		{key: "ping-loaded", label: "Ping, under load", kind: pingRow, method: method.Latency, loaded: true},
	}
	for _, op := range []string{"write", "read", "send"} {
		out = append(out, spec{key: "rdma-" + op + "-ab", label: format.Pad("RDMA "+op, 16) + "A -> B", rdma: true,
			method: method.RDMA, op: op, direction: "out"},
			spec{key: "rdma-" + op + "-ba", label: format.Pad("RDMA "+op, 16) + "B -> A", rdma: true,
				method: method.RDMA, op: op, direction: "in"})
	}
	for _, op := range []string{"write", "read", "send"} {
		out = append(out,
			spec{key: "rdma-" + op + "-latency", label: "RDMA " + op, kind: delayRow, rdma: true, method: method.RDMA, op: op})
	}
	return out
}()

// specOf finds a row of the network by its key.
func specOf(key string) (spec, bool) {
	return xslices.Find(table, func(s spec) bool { return s.key == key })
}

// loads are the rows of storage of CrystalDiskMark's default profile and of its NVMe one, as its users know them.
var loads = [][]string{
	{"SEQ1M-Q8T1", "SEQ1M-Q1T1", "RND4K-Q32T1", "RND4K-Q1T1"},
	{"SEQ1M-Q8T1", "SEQ128K-Q32T1", "RND4K-Q32T16", "RND4K-Q1T1"},
}

// hasRow reports whether a summary has a row for a load. The column of names only has room for these.
func hasRow(load string) bool {
	return slices.ContainsFunc(loads, func(profile []string) bool { return slices.Contains(profile, load) })
}

// noRowOf returns the problem of a row that no summary has, with the next step.
func noRowOf(load string) Problem {
	all := slices.Concat(loads...)
	slices.Sort(all)
	return Problem{What: fmt.Sprintf("%.60q is not a row of storage", load),
		Next: "take it out; a summary has rows for " + strings.Join(slices.Compact(all), ", ")}
}

// StorageKey returns the key of a row of storage: read-SEQ1M-Q8T1. Op is read or write.
func StorageKey(op, load string) string { return op + "-" + load }

// Label names a row of a summary: "TCP 1 stream A -> B", "SEQ1M Q8T1 read".
func Label(key string) string {
	if s, ok := specOf(key); ok {
		label := strings.Join(strings.Fields(s.label), " ")
		if s.kind == delayRow {
			label += " latency"
		}
		return label
	}
	op, load, ok := strings.Cut(key, "-")
	if !ok {
		return key
	}
	return strings.Replace(load, "-", " ", 1) + " " + op
}
