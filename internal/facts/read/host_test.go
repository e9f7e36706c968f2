package read

import (
	"os"
	"testing"

	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// What facts say of a host is found by what it belongs to.
func TestParseHost(t *testing.T) {
	f := load(t, "host.txtar")
	if got := f.InterruptsOf(f.NIC("ens1")); len(got) != 2 || got[0].Number != 76 {
		t.Errorf("of ens1: %+v", got)
	}
	if n, ok := f.NodeOf(66); !ok || n != 8 {
		t.Errorf("CPU 66 is of node %d, %v", n, ok)
	}
	if f.CPUs().Or(0) != 4 {
		t.Errorf("%+v", f.CPU)
	}
	if d := f.PCIAt("0000:01:00.0"); d == nil || d.IOMMUGroup != "27" {
		t.Errorf("%+v", d)
	}
	bond := f.NIC("bond0").Bond
	if !bond.Carries(bond.Members[0]) || bond.Carries(bond.Members[1]) || !bond.Spreads() {
		t.Errorf("bond %+v", bond)
	}
	if v, ok := f.Sysctl("net.netfilter.nf_conntrack_max"); !ok || v != "262144" {
		t.Errorf("sysctls %v", f.Sysctls)
	}
}

func TestParseStorage(t *testing.T) {
	m := load(t, "storage.txtar").Storage.Mounts
	if m[0].Connections() != 4 || m[0].RDMA() || !m[1].RDMA() || !m[2].SMB() || !m[2].Signed() || !m[2].RDMA() ||
		m[2].Connections() != 4 {
		t.Errorf("mounts %+v", m)
	}
}

// TestFunctionsOfText reads the text of ip link, in which functions are lines of an interface, with counters if
// requested.
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
	if len(n.VFs) != 2 || n.VFs[0].VLAN != 7 || !n.VFs[0].SpoofCheck.Or(false) ||
		n.VFs[1].LinkState.Or("") != "disable" || !n.VFs[1].Trust.Or(false) || n.VFs[1].Source != "ip -s -d link" {
		t.Errorf("%+v", n.VFs)
	}
	if n.Counters["rx_packets"] != 2629875 || n.Counters["tx_packets"] != 10 {
		t.Errorf("%v", n.Counters)
	}
}

// TestRecogniseHost: a file that was saved by hand is recognized by its content, whatever its name.
func TestRecogniseHost(t *testing.T) {
	for _, name := range []string{"host.txtar", "storage.txtar"} {
		for source, text := range sourcesOf(t, name) {
			s, _, ok := Find(Sources(), source, "linux", text)
			if !ok || s.Looks == nil {
				continue
			}
			if got, ok := Recognise("a.txt", text); !ok || got != s.Name {
				t.Errorf("%s is taken for %q", source, got)
			}
		}
	}
}

// sourcesOf returns the texts of a fixture by their names.
func sourcesOf(t *testing.T, name string) map[string][]byte {
	t.Helper()
	text := testenv.Must(os.ReadFile("testdata/" + name))(t)
	out := map[string][]byte{}
	for _, file := range snapshot.ParseArchive(text).Files {
		out[file.Name] = file.Data
	}
	return out
}
