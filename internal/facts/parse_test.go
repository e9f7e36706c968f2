package facts

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func load(t *testing.T, name string) *Facts {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The left end of a veth with a tbf and without segmentation offloads.
func TestParseFull(t *testing.T) {
	f := load(t, "left.full.txtar")
	if f.Host != "left" || f.OS != "linux" || f.Kernel != "6.18.44" || f.Level != Full || f.When.Year() != 2026 || !f.Uptime.IsKnown() || f.Boot == "" {
		t.Errorf("header: %+v", f)
	}
	if len(f.CPU.Cores) != 2 || f.CPU.Cores[1] != (CoreTime{1, 337.40, 0, 61.37, 1405.92, 1.79, 0, 1.29, 0.37}) {
		t.Errorf("cores %+v", f.CPU.Cores)
	}
	if f.Memory.Or(0) != 24682416*1024 || !strings.Contains(f.CPU.Model.Or(""), "Xeon") {
		t.Errorf("memory %v, model %v", f.Memory, f.CPU.Model)
	}
	if len(f.Softnet) != 2 || f.Softnet[1].Core != 1 || f.Softnet[1].Processed == 0 {
		t.Errorf("softnet %+v", f.Softnet)
	}
	for _, name := range []string{"Tcp.RetransSegs", "TcpExt.TCPLostRetransmit", "Ip6InReceives", "IpExt.InOctets"} {
		if _, ok := f.Counters[name]; !ok {
			t.Errorf("no counter %s", name)
		}
	}
	if _, ok := f.Counters["Tcp.MaxConn"]; ok {
		t.Error("Tcp.MaxConn is -1, which is no counter")
	}
	tcp := f.TCP
	if tcp.RMem.Or([3]int64{}) != [3]int64{4096, 131072, 33554432} || tcp.WMem.Or([3]int64{})[2] != 4194304 || !tcp.Timestamps.Or(false) ||
		!tcp.WindowScaling.Or(false) || !tcp.SACK.Or(false) || !tcp.AutoTuning.Or(false) || tcp.ECN.Or(0) != 2 || tcp.CongestionControl.Or("") != "bbr" || tcp.AppWin.Or(0) != 1 {
		t.Errorf("tcp %+v", tcp)
	}
	va := f.NIC("va")
	if va == nil {
		t.Fatal("no interface va")
	}
	if va.Index != 2 || va.Kind != "veth" || va.Driver.Or("") != "veth" || va.MAC != "ba:89:ed:00:88:6f" || va.MTU != 1500 || !va.Up || !va.Carrier.Or(false) {
		t.Errorf("va %+v", va)
	}
	if va.Speed.IsKnown() || !strings.Contains(va.Speed.Why(), "veth has no rate") {
		t.Errorf("the speed of a veth is %v (%s)", va.Speed, va.Speed.Why())
	}
	want := []netip.Prefix{netip.MustParsePrefix("10.9.0.1/24"), netip.MustParsePrefix("fd00::1/64"), netip.MustParsePrefix("fe80::b889:edff:fe00:886f/64")}
	if !slices.Equal(va.Addresses, want) {
		t.Errorf("addresses %v", va.Addresses)
	}
	for name, on := range map[string]bool{"tx-tcp-segmentation": false, "tx-generic-segmentation": false, "rx-gro": false, "rx-lro": false, "tx-checksum-ip-generic": true, "rx-checksum": true} {
		if got, ok := va.Offloads[name]; !ok || got != on {
			t.Errorf("%s is %v (known: %v), want %v", name, got, ok, on)
		}
	}
	if !va.Fixed["rx-lro"] || va.Fixed["tx-tcp-segmentation"] {
		t.Errorf("fixed %v", va.Fixed)
	}
	if va.Counters["tx_bytes"] != 342647506 || va.Counters["rx_packets"] != 5027 || va.Driven["peer_ifindex"] == 0 || va.Queues.Or(0) != 1 {
		t.Errorf("counters %v, driver's %v, queues %v", va.Counters, va.Driven, va.Queues)
	}
	q := va.Qdiscs[0]
	if len(va.Qdiscs) != 1 || q.Kind != "tbf" || q.Handle != "8001:" || q.Parent != "root" || q.Rate.Or(0) != 1e9 || q.Burst.Or(0) != 131000 || q.Limit.Or(0) != 6381072 || q.Overlimits != 15729 {
		t.Errorf("qdiscs %+v", va.Qdiscs)
	}
	for subject, why := range map[string]unit.Opt[string]{"governor": f.CPU.Governor, "firmware": va.Firmware} {
		if why.IsKnown() || why.Why() == (unit.Opt[string]{}).Why() {
			t.Errorf("%s is %v without a reason", subject, why)
		}
	}
	if f.Rules.Or(-1) != 0 {
		t.Errorf("rules %v", f.Rules)
	}
}

// The right end: an htb whose class is bounded by its parent's.
func TestParseHTB(t *testing.T) {
	q := load(t, "right.full.txtar").NIC("vb").Qdiscs[0]
	if q.Kind != "htb" || q.DefaultClass != "1:10" || len(q.Classes) != 2 || q.Rate.Or(0) != 700e6 {
		t.Errorf("%+v", q)
	}
	q.Classes = q.Classes[:1] // without the parent
	limitByClass(&q)
	if q.Rate.Or(0) != 800e6 {
		t.Errorf("rate %v", q.Rate)
	}
	q.DefaultClass = "1:99"
	if limitByClass(&q); q.Rate.IsKnown() || !strings.Contains(q.Rate.Why(), "unlimited") {
		t.Errorf("rate %v", q.Rate)
	}
	q.Classes = []Class{{Handle: "1:1", Parent: "1:1", Ceil: known(unit.BitRate(5))}}
	q.DefaultClass = "1:1"
	if limitByClass(&q); q.Rate.Or(0) != 5 { // a class that is its own parent ends
		t.Errorf("rate %v", q.Rate)
	}
}

// The output of ip, tc, ss and sysctl themselves, as a user pastes it.
func TestParseTools(t *testing.T) {
	f := load(t, "left.tools.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	ours := load(t, "left.full.txtar")
	a, b := f.NIC("va"), ours.NIC("va")
	if a.Index != b.Index || a.MTU != b.MTU || a.MAC != b.MAC || a.Kind != b.Kind || a.Up != b.Up || a.Carrier != b.Carrier || !slices.Equal(a.Addresses, b.Addresses) {
		t.Errorf("ip says %+v, the kernel %+v", a, b)
	}
	if !slices.Equal(f.Routes, ours.Routes) {
		t.Errorf("ip says %v, the kernel %v", f.Routes, ours.Routes)
	}
	p, q := a.Qdiscs[0], b.Qdiscs[0]
	if p.Kind != q.Kind || p.Rate != q.Rate || p.Burst != q.Burst || p.Limit.Or(0)/1000 != q.Limit.Or(0)/1000 || p.Handle != q.Handle || p.Parent != q.Parent || p.Overlimits != 34821 || p.Backlog != 476910 {
		t.Errorf("tc says %+v, the kernel %+v", p, q)
	}
	for name := range a.Counters { // more with -s -s
		if _, ok := b.Counters[name]; !ok && name != "carrier_changes" {
			t.Errorf("ip has a counter %s", name)
		}
	}
	if vb := f.NIC("vb"); len(vb.Qdiscs) != 1 || vb.Qdiscs[0].Rate.Or(0) != 700e6 || vb.Qdiscs[0].Bytes != 994786 || vb.Qdiscs[0].Classes[0].Packets != 10037 {
		t.Errorf("vb %+v", vb)
	}
	if f.TCP.RMem != ours.TCP.RMem || f.TCP.ECN.Or(0) != 2 {
		t.Errorf("sysctl says %+v", f.TCP)
	}
	if len(f.Sockets) != 1 {
		t.Fatalf("sockets %+v", f.Sockets)
	}
	s := f.Sockets[0]
	if s.State != "ESTAB" || s.Local.String() != "10.9.0.1:33000" || s.Peer.Port() != 5555 || s.SendQ != 1992448 || s.CongestionControl != "bbr" || s.Memory["t"] != 461944 || s.Memory["tb"] != 2391552 {
		t.Errorf("socket %+v", s)
	}
	for name, want := range map[string]float64{"rtt": 3.617e-3, "rttvar": 0.372e-3, "minrtt": 0.019e-3, "busy": 0.76, "unacked": 315, "notsent": 1536328, "snd_wnd": 3987456, "wscale_rcv": 10, "pacing_rate": 6790357280, "delivery_rate": 949014304, "mss": 1448} {
		if got := s.Info[name]; got < want*0.999999 || got > want*1.000001 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// Outputs of other machines and older releases.
func TestParseOthers(t *testing.T) {
	f := load(t, "others.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	bond := f.NIC("bond0")
	if on, ok := bond.Offloads["tx-generic-segmentation"]; !ok || on || !bond.Offloads["rx-lro"] || !bond.Fixed["tx-tcp-segmentation"] {
		t.Errorf("bond0 %v, fixed %v", bond.Offloads, bond.Fixed)
	}
	if _, ok := bond.Offloads["tcp-segmentation-offload"]; ok {
		t.Error("a group is no feature")
	}
	if v, ok := f.NIC("mlx0").Driven["rx_bytes"]; !ok || v != 2195783498134 {
		t.Errorf("driver's counters %v", f.NIC("mlx0").Driven)
	}
	if virt := f.NIC("virt0"); virt.Driver.Or("") != "virtio_net" || virt.Firmware.IsKnown() || virt.BusInfo.Or("") != "0000:00:03.0" {
		t.Errorf("virt0 %+v", virt)
	}
	if eth := f.NIC("eth0"); eth.Speed.Or(0) != 1e9 || eth.Duplex.Or("") != "full" {
		t.Errorf("eth0 %+v", eth)
	}
	// Lines with 13 columns name their core, lines with fewer do not.
	if s := f.Softnet; len(s) != 5 || s[1] != (SoftnetCPU{1, 0x953d1a, 0x446, 0xb1}) || s[2] != (SoftnetCPU{2, 0x15c73, 0x20e76, 0xf0000769}) {
		t.Errorf("softnet %+v", s)
	}
}

// What is damaged costs itself and gives a reason; the rest is read.
func TestDamage(t *testing.T) {
	text := "schema " + Schema + `
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
	f, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, u := range f.Unknown {
		reasons[u.Subject] = u.Reason
	}
	for subject, want := range map[string]string{
		"ethtool -l e0":         "operation not supported",
		"proc/stat":             "cpu0 has 3 columns",
		"proc/net/netstat":      "names and group",
		"ethtool -k e0":         "No such device",
		"proc/flux":             "no parser",
		"ip neigh get 10.0.0.1": "no parser",
	} {
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
	if len(f.NICs) != 1 || e0.Up || e0.Carrier.IsKnown() || e0.Offloads != nil || e0.Speed.IsKnown() || !strings.Contains(e0.Queues.Why(), "not supported") {
		t.Errorf("e0 %+v", e0)
	}
	if f.TCP.RMem.IsKnown() || !strings.Contains(f.TCP.RMem.Why(), "4096 many") {
		t.Errorf("tcp_rmem %v: %s", f.TCP.RMem, f.TCP.RMem.Why())
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "no source in it",
		"some notes\n":                  "no source in it",
		"schema linerate/capture/2\n":   "linerate/capture/1",
		"schema linerate/samples/1\n\n": "linerate/capture/1",
	} {
		if f, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
	if _, err := Parse([]byte("schema " + Schema + "\nos plan9\nunknown everything: not supported\n")); err != nil {
		t.Error(err)
	}
}

// A parser that panics costs its own source.
func TestParserPanic(t *testing.T) {
	table := append([]source{parsed("proc/bad", func([]byte) (int, error) {
		var none []int
		return none[3], nil
	}, func(*Facts, []string, int) {})}, sources()...)
	f, err := parseWith(table, []byte("-- proc/bad --\n1\n-- proc/meminfo --\nMemTotal: 1 kB\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Memory.Or(0) != 1024 || len(f.Unknown) != 1 || !strings.Contains(f.Unknown[0].Reason, "index out of range") || !strings.Contains(f.Unknown[0].Reason, "parse_test.go:") {
		t.Errorf("memory %v, unknown %v", f.Memory, f.Unknown)
	}
}
