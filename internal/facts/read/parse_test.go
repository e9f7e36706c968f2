package read

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// TestParseHTB reads the right end: an htb whose class is bounded by its parent's.
func TestParseHTB(t *testing.T) {
	q := load(t, "right.full.txtar").NIC("vb").Qdiscs[0]
	q.Classes = q.Classes[:1] // without the parent
	iproute.LimitByClass(&q)
	if q.Rate.Or(0) != 800e6 {
		t.Errorf("rate %v", q.Rate)
	}
	q.DefaultClass = "1:99"
	if iproute.LimitByClass(&q); q.Rate.IsKnown() || !strings.Contains(q.Rate.Why(), "unlimited") {
		t.Errorf("rate %v", q.Rate)
	}
	q.Classes = []facts.Class{{Handle: "1:1", Parent: "1:1", Ceil: unit.Known(unit.BitRate(5))}}
	q.DefaultClass = "1:1"
	if iproute.LimitByClass(&q); q.Rate.Or(0) != 5 { // a class that is its own parent ends
		t.Errorf("rate %v", q.Rate)
	}
}

// The output of ip, tc, ss and sysctl themselves, as a user pastes it, says what the kernel says.
func TestParseTools(t *testing.T) {
	f, ours := load(t, "left.tools.txtar"), load(t, "left.full.txtar")
	a, b := f.NIC("va"), ours.NIC("va")
	if a.Index != b.Index || a.MTU != b.MTU || a.MAC != b.MAC || a.Kind != b.Kind || a.Up != b.Up ||
		a.Carrier != b.Carrier || !slices.Equal(a.Addresses, b.Addresses) {
		t.Errorf("ip says %+v, the kernel %+v", a, b)
	}
	if !slices.Equal(f.Routes, ours.Routes) {
		t.Errorf("ip says %v, the kernel %v", f.Routes, ours.Routes)
	}
	p, q := a.Qdiscs[0], b.Qdiscs[0]
	if p.Kind != q.Kind || p.Rate != q.Rate || p.Burst != q.Burst || p.Limit.Or(0)/1000 != q.Limit.Or(0)/1000 ||
		p.Handle != q.Handle || p.Parent != q.Parent {
		t.Errorf("tc says %+v, the kernel %+v", p, q)
	}
	for name := range a.Counters { // more with -s -s
		if _, ok := b.Counters[name]; !ok && name != "carrier_changes" {
			t.Errorf("ip has a counter %s", name)
		}
	}
	if f.TCP.RMem != ours.TCP.RMem {
		t.Errorf("sysctl says %+v", f.TCP)
	}
}

// TestDamage: a damaged source is unknown with a reason; the rest is read.
func TestDamage(t *testing.T) {
	text := "schema " + snapshot.Schema + `
host h
os linux
unknown ethtool -l e0: operation not supported
-- proc/stat --
cpu0 100 0 100
-- proc/meminfo --
MemTotal: 1024 kB
-- proc/net/netstat --
TcpExt: A B
TcpExt: 1 2
TcpExt: C D
TcpExt: 3
-- ip -j link --
[{"ifname":"e0","mtu":1500,"flags":["BROADCAST"]},{}]
-- ethtool e0 --
Settings for e0:
	Speed: Unknown!
	Link detected: no
-- ethtool -k e0 --
Cannot get device feature names: No such device
-- proc/sys/net/ipv4/tcp_rmem --
4096 many
-- proc/flux --
1
-- ip neigh get 10.0.0.1 --
x
`
	f := testenv.Must(Parse([]byte(text)))(t)
	reasons := map[string]string{}
	for _, u := range f.Unknown {
		reasons[u.Subject] = u.Reason
	}
	for subject, want := range map[string]string{"ethtool -l e0": "operation not supported",
		"proc/stat": "cpu0 has 3 columns", "proc/net/netstat": "names and group", "ethtool -k e0": "No such device",
		"proc/flux": "no parser", "ip neigh get 10.0.0.1": "no parser"} {
		if !strings.Contains(reasons[subject], want) {
			t.Errorf("%s: %q, want %q", subject, reasons[subject], want)
		}
		delete(reasons, subject)
	}
	if len(reasons) != 0 {
		t.Errorf("and %v", reasons)
	}
	if f.CPU.Cores != nil || f.Memory.Or(0) != 1<<20 || f.Counters["TcpExt.B"] != 2 || len(f.Counters) != 2 {
		t.Errorf("%+v", f)
	}
	e0 := f.NIC("e0")
	if len(f.NICs) != 1 || e0.Up || e0.Carrier.IsKnown() || e0.Offloads != nil || e0.Speed.IsKnown() ||
		!strings.Contains(e0.Queues.Why(), "not supported") {
		t.Errorf("e0 %+v", e0)
	}
	if f.TCP.RMem.IsKnown() || !strings.Contains(f.TCP.RMem.Why(), "4096 many") {
		t.Errorf("tcp_rmem %v: %s", f.TCP.RMem, f.TCP.RMem.Why())
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{"": "no source in it", "some notes\n": "no source in it",
		"schema linerate/snapshot/2\n": "linerate/snapshot/1", "schema linerate/samples/2\n\n": "linerate/snapshot/1"} {
		if f, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
	if _, err := Parse(
		[]byte("schema " + snapshot.Schema + "\nos plan9\nunknown everything: not supported\n"),
	); err != nil {
		t.Error(err)
	}
}

// A snapshot of the first builds differs in its first line alone, and is read like one of today.
func TestParseOlder(t *testing.T) {
	rest := "host nas\nos linux\n-- proc/meminfo --\nMemTotal: 8 kB\n"
	want := testenv.Must(Parse([]byte("schema linerate/snapshot/1\n" + rest)))(t)
	if got := testenv.Must(Parse([]byte("schema linerate/capture/1\n" + rest)))(t); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestParserPanic: a parser that panics only loses its own source.
func TestParserPanic(t *testing.T) {
	table := append([]parse.Source{parse.Parsed("proc/bad", func([]byte) (int, error) {
		var none []int
		return none[3], nil
	}, func(*parse.Builder, []string, int) {})}, Sources()...)
	f := testenv.Must(parseWith(table, []byte("-- proc/bad --\n1\n-- proc/meminfo --\nMemTotal: 1 kB\n")))(t)
	if f.Memory.Or(0) != 1024 || len(f.Unknown) != 1 || !strings.Contains(f.Unknown[0].Reason, "index out of range") ||
		!strings.Contains(f.Unknown[0].Reason, "parse_test.go:") {
		t.Errorf("memory %v, unknown %v", f.Memory, f.Unknown)
	}
}
