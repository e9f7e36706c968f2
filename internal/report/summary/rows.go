package summary

import (
	"fmt"
	"slices"
	"strings"
)

// kind says which figures a row has, and so its columns.
type kind int

const (
	rateRow  kind = iota // goodput, share, ceiling, cores
	partRow              // goodput of one direction, out of a sum
	pingRow              // p50, p99, p99.9, load, cores
	delayRow             // p50, p99, p99.9, cores
	blockRow             // MB/s, IOPS, mean, share, cores
)

// spec is a row of the table: what every card has in this order.
type spec struct {
	key, label string
	kind       kind
	rdma       bool // only where it was measured

	// What is looked for in a run.
	method, streams string
	direction       string // of the data, seen from A: out, in, both; of round trips the end that asks, empty: any
	op              string // of RDMA
	loaded          bool   // of ping: beside streams
}

// table is all rows of the network.
var table = func() []spec {
	out := []spec{
		{key: "tcp-1-ab", label: "TCP 1 stream    A -> B", method: "stream", streams: "1", direction: "out"},
		{key: "tcp-1-ba", label: "TCP 1 stream    B -> A", method: "stream", streams: "1", direction: "in"},
		{key: "tcp-8-ab", label: "TCP 8 streams   A -> B", method: "stream", streams: "8", direction: "out"},
		{key: "tcp-8-ba", label: "TCP 8 streams   B -> A", method: "stream", streams: "8", direction: "in"},
		{key: "tcp-8-both", label: "TCP 8 both ways, sum", method: "stream", streams: "8", direction: "both"},
		{key: "tcp-8-both-ab", label: "TCP 8 both ways A -> B", kind: partRow, method: "stream", streams: "8", direction: "both"},
		{key: "tcp-8-both-ba", label: "TCP 8 both ways B -> A", kind: partRow, method: "stream", streams: "8", direction: "both"},
		{key: "ping-idle", label: "Ping, idle", kind: pingRow, method: "ping"},
		{key: "ping-loaded", label: "Ping, under load", kind: pingRow, method: "ping", loaded: true},
	}
	for _, op := range []string{"write", "read", "send"} {
		out = append(out, spec{key: "rdma-" + op + "-ab", label: pad("RDMA "+op, 16) + "A -> B", rdma: true, method: "verbs", op: op, direction: "out"},
			spec{key: "rdma-" + op + "-ba", label: pad("RDMA "+op, 16) + "B -> A", rdma: true, method: "verbs", op: op, direction: "in"})
	}
	for _, op := range []string{"write", "read", "send"} {
		out = append(out, spec{key: "rdma-" + op + "-latency", label: "RDMA " + op, kind: delayRow, rdma: true, method: "verbs", op: op})
	}
	return out
}()

// section is where a row of the network stands, with the heads of its columns.
type section struct {
	name  string
	kind  kind
	rdma  bool
	heads []string
}

// sections are those of the network in their order; the sums of rate rows stand among them.
var sections = []section{
	{"[TCP]", rateRow, false, rateHeads},
	{"[Round trip]", pingRow, false, []string{"p50", "p99", "p99.9", "load", "cores A", "cores B"}},
	{"[RDMA]", rateRow, true, rateHeads},
	{"[RDMA latency]", delayRow, true, []string{"p50", "p99", "p99.9", "", "cores A", "cores B"}},
}

var (
	rateHeads  = []string{"goodput", "share", "ceiling", "cores A", "cores B"}
	blockHeads = []string{"MB/s", "IOPS", "mean us", "share", "cores A", "cores B"}
)

// has says whether a row stands in a section.
func (s section) has(x spec) bool {
	return s.rdma == x.rdma && (s.kind == x.kind || s.kind == rateRow && x.kind == partRow)
}

// specOf finds a row of the network by its key.
func specOf(key string) (spec, bool) {
	for _, s := range table {
		if s.key == key {
			return s, true
		}
	}
	return spec{}, false
}

// loads are the rows of storage of CrystalDiskMark's default profile and of its NVMe one, as its users know them.
var loads = [][]string{
	{"SEQ1M-Q8T1", "SEQ1M-Q1T1", "RND4K-Q32T1", "RND4K-Q1T1"},
	{"SEQ1M-Q8T1", "SEQ128K-Q32T1", "RND4K-Q32T16", "RND4K-Q1T1"},
}

// hasRow says whether a card has a row for a load. The column of names has room for these alone.
func hasRow(load string) bool {
	return slices.ContainsFunc(loads, func(profile []string) bool { return slices.Contains(profile, load) })
}

// noRowOf is what is wrong with a row that no card has, and what to do about it.
func noRowOf(load string) Problem {
	all := slices.Concat(loads...)
	slices.Sort(all)
	return Problem{
		What: fmt.Sprintf("%.60q is no row of storage", load),
		Next: "take it out; a card has rows for " + strings.Join(slices.Compact(all), ", "),
	}
}

// StorageKey is the key of a row of storage: read-SEQ1M-Q8T1. Op is read or write.
func StorageKey(op, load string) string { return op + "-" + load }

// Label is how a row is called in a card: "TCP 1 stream A -> B", "SEQ1M Q8T1 read".
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

func pad(s string, n int) string {
	if len(s) < n {
		return s + strings.Repeat(" ", n-len(s))
	}
	return s
}

func padLeft(s string, n int) string {
	if len(s) < n {
		return strings.Repeat(" ", n-len(s)) + s
	}
	return s
}
