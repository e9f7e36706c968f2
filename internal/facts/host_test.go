package facts

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestParseHost(t *testing.T) {
	f := load(t, "host.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	in := f.Interrupts
	if in == nil || !slices.Equal(in.CPUs, []int{0, 1, 2, 3}) || len(in.Lines) != 12 {
		t.Fatalf("interrupts %+v", in)
	}
	of := map[int]string{0: "", 16: "", 66: "eth1", 67: "eth1", 68: "eth1", 71: "eth1", 72: "eth0", 73: "eth2", 74: "0000:01:00.0", 75: "virtio2", 76: "eth3", 77: ""}
	for _, irq := range in.Lines {
		if irq.Device != of[irq.Number] {
			t.Errorf("interrupt %d (%s) is of %q, want %q", irq.Number, irq.Name, irq.Device, of[irq.Number])
		}
	}
	if l := in.Lines[3]; l.Line != "67: 1389886576 0 0 0 PCI-MSI-edge eth1-rx-0" || l.Source != "proc/interrupts" || l.Total != 1389886576 {
		t.Errorf("%+v", l)
	}
	if in.Lines[6].Line != "" || !slices.Equal(in.Lines[6].Served, []ServedBy{{2, 31197942}, {3, 437}}) {
		t.Errorf("%+v", in.Lines[6])
	}
	ens1 := f.NIC("ens1")
	if len(ens1.IRQs) != 2 || !slices.Equal(ens1.IRQs[0].CPUs, []int{0, 1}) || !ens1.RPS.Or(false) || f.NIC("ens2").RPS.Or(true) {
		t.Errorf("ens1 %+v", ens1)
	}
	if got := f.InterruptsOf(ens1); len(got) != 2 || got[0].Number != 76 {
		t.Errorf("of ens1: %+v", got)
	}
	if len(f.NUMA) != 4 || len(f.NUMA[2].CPUs) != 0 || f.NUMA[0].Line != "/sys/devices/system/node/node0/cpulist:0-3" {
		t.Errorf("nodes %+v", f.NUMA)
	}
	if n, ok := f.NodeOf(66); !ok || n != 8 {
		t.Errorf("CPU 66 is of node %d, %v", n, ok)
	}
	if f.Processors().Or(0) != 4 || f.CPU.Hypervisor != "KVM" || !strings.HasPrefix(f.CPU.Model.Or(""), "AMD EPYC") {
		t.Errorf("%+v", f.CPU)
	}
	fr := f.CPU.Frequency
	if fr == nil || len(fr.Governors) != 2 || !slices.Equal(fr.Governors[0].CPUs, []int{0, 1}) || fr.Driver != "acpi-cpufreq" || fr.Prefers != "balance_performance" {
		t.Errorf("frequency %+v", fr)
	}
	if q := f.Quotas; len(q) != 4 || q[0].CPUs != 1.5 || q[0].Throttled != 124 || q[0].Periods != 131 || q[1].CPUs != 0 || q[2].CPUs != 0.5 || q[3].CPUs != 0 {
		t.Errorf("quotas %+v", q)
	}
	if m := f.Memlock; m.Soft.Or(0) != 8<<20 || m.Hard.Or(0) != -1 || !m.Bound.Or(false) {
		t.Errorf("memlock %+v", m)
	}
	d := f.pci("0000:01:00.0")
	if f.IOMMU.Or(0) != 1 || d == nil || d.IOMMU != "DMA-FQ" || d.IOMMUGroup != "27" || d.IOMMULine.Line != "/sys/kernel/iommu_groups/27/type:DMA-FQ" || !f.PassedThrough().Or(false) {
		t.Errorf("iommu %v %+v", f.IOMMU, d)
	}
	if ens1.NumVFs.Or(0) != 4 || ens1.TotalVFs.Or(0) != 64 || len(ens1.VFs) != 2 {
		t.Fatalf("functions %+v", ens1)
	}
	a, b := ens1.VFs[0], ens1.VFs[1]
	if a.VLAN != 100 || !a.SpoofCheck.Or(false) || a.Trust.Or(true) || a.LinkState.Or("") != "auto" || b.VLAN != 0 || b.SpoofCheck.Or(true) || !b.Trust.Or(false) || b.MAC != "c6:5b:b6:3c:db:f1" {
		t.Errorf("functions %+v, %+v", a, b)
	}
	if a.Line != "vf 0 link/ether 6e:cc:c3:fe:ad:7f, vlan 100, spoof checking on, link-state auto, trust off" {
		t.Error(a.Line)
	}
	bond := f.NIC("bond0").Bond
	if bond == nil || bond.Hash.Or("") != "layer2" || bond.LACP != "slow" || len(bond.Members) != 2 || !bond.Members[0].Up || bond.Members[1].Up || bond.Members[1].Aggregator != "4" || !bond.Carries(bond.Members[0]) || bond.Carries(bond.Members[1]) || !bond.Spreads() {
		t.Errorf("bond %+v", bond)
	}
	if c := f.Conntrack; c == nil || c.Drop != 40 || c.EarlyDrop != 1 || !strings.Contains(c.Line, "00000024") {
		t.Errorf("conntrack %+v", f.Conntrack)
	}
	if v, ok := f.Sysctl("net.netfilter.nf_conntrack_max"); !ok || v != "262144" {
		t.Errorf("sysctls %v", f.Sysctls)
	}
	if tt := f.Temperatures; len(tt) != 2 || tt[0].Device != "nvme" || tt[0].Now != 41.85 || tt[1].Device != "ens1" || tt[1].Label != "asic" || tt[1].Critical.Or(0) != 105 || tt[1].High.IsKnown() {
		t.Errorf("temperatures %+v", tt)
	}
	for name, want := range map[string]uint64{"Ip.InReceives": 2168061, "Tcp.RetransSegs": 17, "TcpExt.TCPLostRetransmit": 3, "Ip6InReceives": 5} {
		if f.Counters[name] != want {
			t.Errorf("%s is %d, want %d", name, f.Counters[name], want)
		}
	}
}

func TestParseStorage(t *testing.T) {
	f := load(t, "storage.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	s := f.Storage
	if len(s.Mounts) != 3 || s.Mounts[0].Connections() != 4 || s.Mounts[0].RDMA() || s.Mounts[0].Server != netip.MustParseAddr("10.0.1.2") || !s.Mounts[1].RDMA() {
		t.Errorf("mounts %+v", s.Mounts)
	}
	if m := s.Mounts[2]; !m.SMB() || !m.Signed() || !m.RDMA() || m.Connections() != 4 {
		t.Errorf("%+v", m)
	}
	if c := s.SMB; c == nil || !slices.Contains(c.Features, "SMB_DIRECT") || len(c.Servers) != 2 || !c.Servers[0].Multi.Or(false) || c.Servers[1].Multi.Or(true) ||
		c.Servers[0].Address != netip.MustParseAddr("10.0.1.3") || c.Servers[1].Address != netip.MustParseAddr("192.168.122.29") || c.Servers[0].Dialect != "0x311" {
		t.Errorf("SMB %+v", s.SMB)
	}
	if a, b := s.SMB.Servers[0], s.SMB.Servers[1]; a.Signed.Or(true) || a.Encrypted.Or(true) || !b.Signed.Or(false) || b.Encrypted.Or(true) || !strings.HasSuffix(b.Session.Line, "signed") ||
		len(b.Shares) != 2 || b.Shares[0].Encrypted || !b.Shares[1].Encrypted || b.Shares[1].Name != `\\192.168.122.29\safe box` || !strings.Contains(b.Shares[1].Line, "Encrypted") {
		t.Errorf("signed %+v, %+v", a, b)
	}
	if i := s.ISCSI; len(i) != 2 || i[0].Target != i[1].Target || i[0].Target != "iqn.2000-05.com.example:t1" || i[0].Portal.Port() != 3260 || i[0].Digests != "CRC32C" ||
		!slices.Equal(i[0].Disks, []string{"sdd"}) || i[0].State != "LOGGED_IN" || i[1].ID != "11" || i[0].Netdev != "" {
		t.Errorf("iSCSI %+v", i)
	}
	if n := s.NVMe; len(n) != 6 || n[0].Transport != "pcie" || n[1].Queues.Or(0) != 64 || n[1].Target.String() != "10.0.1.2:4420" || n[1].From.String() != "10.0.1.1" || n[1].State != "live" ||
		n[2].Target.String() != "10.162.198.42:4420" || n[3].Target.String() != "10.162.198.45:4420" || n[4].Model != "Seagate FireCuda 530" || n[5].Name != "nvme5" {
		t.Errorf("NVMe %+v", n)
	}
	if p := s.Pools; len(p) != 2 || p[0].State != "DEGRADED" || len(p[0].Errors) != 4 || p[1].Name != "rpool" || p[1].Size.Or(0) != 9981503995904 {
		t.Errorf("pools %+v", p)
	}
}

// The text of ip link, of which an interface's functions are lines, with counters of their own where they are asked for.
func TestFunctionsOfText(t *testing.T) {
	f, err := Parse([]byte(`host h
-- ip -s -d link --
2: ens1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether b4:96:91:e5:c8:a8 brd ff:ff:ff:ff:ff:ff promiscuity 0
    RX: bytes  packets  errors  dropped missed  mcast
    3486063351 2629875  0       0       0       3064
    TX: bytes  packets  errors  dropped carrier collsns
    1000       10       0       0       0       0
    vf 0     link/ether 6e:cc:c3:fe:ad:7f brd ff:ff:ff:ff:ff:ff, vlan 7, spoof checking on, link-state auto, trust off
    RX: bytes  packets  mcast   bcast
    1          1        1       1
    TX: bytes  packets
    1          1
    vf 1 MAC 52:54:00:00:00:01, spoof checking off, link-state disable, trust on
`))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	n := f.NIC("ens1")
	if len(n.VFs) != 2 || n.VFs[0].VLAN != 7 || !n.VFs[0].SpoofCheck.Or(false) || n.VFs[1].LinkState.Or("") != "disable" || !n.VFs[1].Trust.Or(false) || n.VFs[1].Source != "ip -s -d link" {
		t.Errorf("%+v", n.VFs)
	}
	if n.Counters["rx_packets"] != 2629875 || n.Counters["tx_packets"] != 10 {
		t.Errorf("%v", n.Counters)
	}
}

func TestCPUList(t *testing.T) {
	for list, want := range map[string][]int{"": {}, "0": {0}, "0-3,8": {0, 1, 2, 3, 8}, "8,0-1 ": {0, 1, 8}, "0 1 2": {0, 1, 2}} {
		if got, err := parseCPUList(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"a", "3-1", "-1", "0-99999999", "0-8191,0-8191,0-8191"} {
		if got, err := parseCPUList(list); err == nil {
			t.Errorf("%q is %v", list, got)
		}
	}
}

// What somebody kept by hand is known by its content, whatever the file is called.
func TestRecogniseHost(t *testing.T) {
	for _, name := range []string{"host.txtar", "storage.txtar"} {
		for source, text := range sourcesOf(t, name) {
			s, _, ok := find(sources(), source, "linux", text)
			if !ok || s.looks == nil {
				continue
			}
			if got, ok := Recognise("a.txt", text); !ok || got != s.name {
				t.Errorf("%s is taken for %q", source, got)
			}
		}
	}
}

// sourcesOf are the texts of a fixture by their names.
func sourcesOf(t *testing.T, name string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, file := range parseArchive(text).Files {
		out[file.Name] = file.Data
	}
	return out
}
