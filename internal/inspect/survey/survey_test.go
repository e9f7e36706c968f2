package survey

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/golden"
	"linerate/internal/testenv"
)

var day = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// none are the experiments of a draft without any.
var none Experiments

// nic returns an interface with an address; kind, PCI address and speed may be empty.
func nic(name, pci string, speed unit.BitRate, mtu int, addresses ...string) facts.Interface {
	n := facts.Interface{Name: name, PCI: pci, MTU: mtu, Up: true, UpKnown: true, Carrier: unit.Known(true),
		Speed: unit.Unknown[unit.BitRate]("the driver says none")}
	if speed > 0 {
		n.Speed = unit.Known(speed)
	}
	for _, a := range addresses {
		n.Addresses = append(n.Addresses, netip.MustParsePrefix(a))
	}
	return n
}

func kind(n facts.Interface, kind string) facts.Interface {
	n.Kind = kind
	return n
}

func machine(name, os string, nics ...facts.Interface) Machine {
	return Machine{Name: name, Connection: "ssh " + name, Facts: &facts.Facts{Host: name, OS: os,
		NICs: append([]facts.Interface{nic("lo", "", 0, 65536, "127.0.0.1/8", "::1/128")}, nics...)}}
}

// pair returns two machines with a ConnectX-5 each, one cable, and a LAN.
func pair() []Machine {
	nas := machine("nas", "linux", nic("enp1s0", "0000:01:00.0", 1e9, 1500, "192.168.1.2/24"),
		nic("ens1f0np0", "0000:3b:00.0", 100e9, 9000, "10.9.0.1/24"), nic("ens1f1np1", "0000:3b:00.1", 0, 1500))
	nas.Facts.PCI = []facts.PCIDevice{{Address: "0000:3b:00.0", Vendor: "15b3", Device: "1017",
		Name: "Mellanox Technologies MT27800 Family [ConnectX-5]"}, {Address: "0000:01:00.0", Vendor: "8086", Device: "1539",
		Name: "Intel Corporation I211 Gigabit Network Connection"}}
	nas.Facts.CPU.Model, nas.Facts.Memory = unit.Known("Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz"), unit.Known(96*unit.GiB)
	nas.Facts.Machine.Vendor, nas.Facts.Machine.Product = unit.Known("HPE"), unit.Known("ProLiant DL380 Gen10")
	nas.Facts.Neighbours = []facts.Neighbour{{Address: netip.MustParseAddr("192.168.1.1"), Interface: "enp1s0",
		MAC: "00:11:22:33:44:55", State: "REACHABLE"}}
	pc := machine("pc", "windows", nic("Ethernet 2", "", 100e9, 9000, "10.9.0.2/24"),
		nic("Ethernet", "", 1e9, 1500, "192.168.1.3/24"))
	return []Machine{nas, pc}
}

func TestDrafts(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	bonded := func(name, a string) Machine {
		m := machine(name, "linux", nic("ens1f0", "0000:3b:00.0", 25e9, 9000), nic("ens1f1", "0000:3b:00.1", 25e9, 9000),
			kind(nic("bond0", "", 50e9, 9000, a), "bond"))
		m.Facts.NICs[1].Master, m.Facts.NICs[2].Master = "bond0", "bond0"
		m.Facts.NICs[3].Bond = &facts.Bond{Mode: "IEEE 802.3ad Dynamic link aggregation"}
		m.Facts.PCI = []facts.PCIDevice{{Address: "0000:3b:00.0", Vendor: "8086", Device: "158b",
			Name: "Intel Corporation Ethernet Controller XXV710 for 25GbE SFP28"}}
		return m
	}
	tagged := func(name, a string) Machine {
		v := kind(nic("eth0.711", "", 10e9, 1500, a), "vlan")
		v.Lower, v.VLAN = "eth0", 711
		return machine(name, "linux", nic("eth0", "0000:01:00.0", 10e9, 1500), v)
	}
	bridged := func(name, a string) Machine {
		m := machine(name, "linux", nic("enp2s0", "0000:02:00.0", 2.5e9, 1500),
			kind(nic("vmbr0", "", 0, 1500, a), "bridge"), kind(nic("docker0", "", 0, 1500, "172.17.0.1/16"), "bridge"))
		m.Facts.NICs[1].Master = "vmbr0"
		return m
	}
	hears := func(m Machine, port, system, mac, far string) {
		n := m.Facts.NIC(port)
		n.LLDP = append(n.LLDP, facts.LLDPNeighbour{System: system, Chassis: facts.LLDPID{Kind: "mac", Value: mac},
			Port: facts.LLDPID{Kind: "ifname", Value: far}})
	}
	heard, switched := pair(), pair()
	heard[1].Facts.NIC("Ethernet 2").MAC = "02:00:00:00:00:02"
	hears(heard[0], "ens1f0np0", "pc", "02:00:00:00:00:02", "Ethernet 2")
	hears(heard[0], "enp1s0", "sw-lab.lan", "02:00:00:00:00:99", "Eth1/7")
	for _, m := range switched {
		for _, n := range m.Facts.NICs[1:] {
			if len(n.Addresses) > 0 {
				hears(m, n.Name, "core", "02:00:00:00:00:99", "Eth1/1")
			}
		}
	}
	for name, machines := range map[string][]Machine{
		"lldp": heard,
		"core": switched,
		"pair": pair(),
		"three": {machine("a", "freebsd", nic("mlxen0", "", 40e9, 9000, "10.1.0.1/24")),
			machine("b", "linux", nic("eth1", "", 40e9, 9000, "10.1.0.2/24")),
			machine("c", "linux", nic("eth1", "", 10e9, 1500, "10.1.0.3/24"))},
		"bond":   {bonded("n1", "10.2.0.1/24"), bonded("n2", "10.2.0.2/24")},
		"tagged": {tagged("n1", "10.3.0.1/24"), tagged("n2", "10.3.0.2/24")},
		"bridge": {bridged("pve1", "10.4.0.1/24"), bridged("pve2", "10.4.0.2/24")},
		"spaces": {machine("n1", "linux", kind(nic("e0", "", 0, 1500, "10.5.0.1/30"), "veth")),
			machine("n2", "linux", kind(nic("e0", "", 0, 1500, "10.5.0.2/30"), "veth"))},
	} {
		t.Run(name, func(t *testing.T) {
			test := &fabric.Experiment{Name: "line-rate", Method: "throughput", From: []string{machines[0].Name},
				To: []string{machines[1].Name}, Repeats: 2,
				Parameters: []fabric.Parameter{
					{Key: "streams", Values: []string{"1", "8"}},
					{Key: "size", Values: []string{"64KiB"}},
					{Key: "direction", Values: []string{"out", "in"}},
					{Key: "time", Values: []string{"2s"}},
				}}
			text := Of(name, machines, catalog).Write(day, Experiments{List: []*fabric.Experiment{test}})
			golden.Compare(t, filepath.Join("testdata", name+".yaml"), string(text))
			f, problems := fabric.Parse(name, text, fabric.Options{Catalog: catalog})
			if len(problems) > 0 {
				t.Fatalf("the file has errors: %v\n%s", problems, text)
			}
			p := plan.Build(f)
			for _, problem := range p.Serious() {
				t.Errorf("the plan: %v", problem)
			}
			// The draft matches the machines: every planned address is on the interface that has it.
			for _, m := range machines {
				for _, port := range p.Host(m.Name).Ports {
					if !port.Address.IsValid() {
						continue
					}
					found := false
					for _, n := range m.Facts.NICs {
						for _, a := range n.Addresses {
							found = found || a == port.Address
						}
					}
					if !found {
						t.Errorf("%s: %s is planned on %s, and the machine does not have it", m.Name, port.Address, port.Interface)
					}
				}
			}
		})
	}
}

// The fastest common network of two machines is the first.
func TestOrder(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	d := Of("pair", pair(), catalog)
	if len(d.Nets) != 2 || d.Nets[0].Range.String() != "10.9.0.0/24" || d.Nets[0].Switch != "" || d.Nets[1].Switch == "" ||
		!strings.Contains(d.Nets[1].Why, "192.168.1.1") {
		t.Errorf("%+v", d.Nets)
	}
}

// Names come from devices and users. None of them may break the file.
func TestHostileNames(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\"\n- x: 1", "a: b # c", "{}", "é\u2028x", strings.Repeat("long", 500), "no", "'",
		"0x10", "\\"} {
		m := pair()
		for i := range m {
			m[i].Facts.Machine.Vendor, m[i].Facts.CPU.Model = unit.Known(bad), unit.Known(bad)
			m[i].Facts.NICs[2].Name = bad[:min(len(bad), 60)]
			for k := range m[i].Facts.PCI {
				m[i].Facts.PCI[k].Name = bad
			}
		}
		text := Of(bad, m, catalog).Write(day, none)
		if _, problems := fabric.Parse("bad", text, fabric.Options{Catalog: catalog}); len(problems) > 0 {
			t.Errorf("%.40q: %.300s", bad, problems.Error())
		}
	}
}

// Ports with a link and no address are named with what to type, if two machines have one: the cable may be there, and
// the draft only has the LAN.
func TestIdlePorts(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	lan := func(n string) facts.Interface { return nic("eth0", "0000:01:00.0", 1e9, 1500, n) }
	port := nic("xg0", "0000:02:00.0", 10e9, 9000)
	member, dead, carried := port, port, port
	member.Master = "bond0"
	dead.Carrier = unit.Known(false)
	upper := kind(nic("xg0.5", "", 0, 1500, "10.20.0.9/24"), "vlan")
	upper.Lower, upper.VLAN = "xg0", 5
	for name, c := range map[string]struct {
		a, b []facts.Interface
		want string // a command; empty: nothing is said
	}{
		"both": {[]facts.Interface{lan("192.168.1.1/24"), port}, []facts.Interface{lan("192.168.1.2/24"), port},
			"on a: ip address add 10.20.0.1/24 dev xg0\non b: ip address add 10.20.0.2/24 dev xg0"},
		"the range is taken": {[]facts.Interface{lan("10.20.0.1/16"), port}, []facts.Interface{lan("10.20.0.2/16"), port},
			"on a: ip address add 10.21.0.1/24 dev xg0\non b: ip address add 10.21.0.2/24 dev xg0"},
		"one":       {[]facts.Interface{lan("192.168.1.1/24"), port}, []facts.Interface{lan("192.168.1.2/24")}, ""},
		"no link":   {[]facts.Interface{lan("192.168.1.1/24"), dead}, []facts.Interface{lan("192.168.1.2/24"), port}, ""},
		"of a bond": {[]facts.Interface{lan("192.168.1.1/24"), member}, []facts.Interface{lan("192.168.1.2/24"), port}, ""},
		"a VLAN on it": {[]facts.Interface{lan("192.168.1.1/24"), carried, upper}, []facts.Interface{lan("192.168.1.2/24"),
			port}, ""},
	} {
		d := Of("f", []Machine{machine("a", "linux", c.a...), machine("b", "linux", c.b...)}, catalog)
		text, commands := d.Idle()
		if got := strings.Join(commands, "\n"); got != c.want || (text != "") != (c.want != "") {
			t.Errorf("%s: %q, %q, want %q", name, text, got, c.want)
		}
		if file := string(d.Write(day, none)); strings.Contains(file, "have a link and no address") != (c.want != "") {
			t.Errorf("%s: %s", name, file)
		}
	}
}

// A network is not drafted over an interface that is switched off, and a host without a network of its own is left out.
func TestSwitchedOff(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	off := nic("xg0", "0000:02:00.0", 10e9, 1500, "10.80.0.2/24")
	off.Up, off.Carrier = false, unit.Unknown[bool]("it is switched off")
	lan := func(n string) facts.Interface { return nic("eth0", "0000:01:00.0", 1e9, 1500, n) }
	d := Of("f", []Machine{
		machine("a", "linux", nic("xg0", "0000:02:00.0", 10e9, 1500, "10.80.0.1/24"), lan("192.168.1.1/24")),
		machine("b", "linux", off, lan("192.168.1.2/24")), machine("c", "linux", lan("172.16.0.1/24"))}, catalog)
	if len(d.Nets) != 1 || d.Nets[0].Range.String() != "192.168.1.0/24" {
		t.Errorf("networks %v", d.Nets)
	}
	const typed = "xg0 of b (10.80.0.2/24) is switched off, so its network is left out; on b: ip link set dev xg0 up"
	if off := d.Off(); len(off) != 1 || off[0] != typed || !strings.Contains(string(d.Write(day, none)), "# "+typed) {
		t.Errorf("%q, want %q", off, typed)
	}
	if len(d.Hosts) != 2 || len(d.Unknown) != 1 || !strings.HasPrefix(d.Unknown[0], "c shares no network") {
		t.Errorf("hosts %v, not known %q", d.Hosts, d.Unknown)
	}
}

// The reasons why a draft omits an interface with an address.
func TestLeftOut(t *testing.T) {
	member := func(n facts.Interface, of string) facts.Interface { n.Master = of; return n }
	dead := nic("eth1", "0000:01:00.1", 1e9, 1500)
	dead.Carrier, dead.Master = unit.Known(false), "br0"
	alone := nic("eth9", "0000:09:00.0", 1e9, 1500, "10.6.0.1/24")
	alone.Carrier = unit.Known(false)
	over := kind(nic("br0", "", 0, 1500, "10.6.0.1/24"), "bridge")
	eth0 := member(nic("eth0", "0000:01:00.0", 1e9, 1500), "br0")
	for _, c := range []struct {
		nics []facts.Interface
		want string
	}{
		{[]facts.Interface{over, eth0}, ""},
		{[]facts.Interface{over, eth0, dead}, ""},
		{[]facts.Interface{over, eth0, member(nic("eth2", "0000:02:00.0", 1e9, 1500), "br0")},
			"a bridge over eth0, eth2: in which of them the cable is, is not known"},
		{[]facts.Interface{over, member(kind(nic("veth7", "", 0, 1500), "veth"), "br0")},
			"a bridge over veth7, of which none is a NIC"},
		{[]facts.Interface{over, dead}, "a bridge over nothing with a link"},
		{[]facts.Interface{alone}, "no link"},
		{[]facts.Interface{kind(nic("wg0", "", 0, 1420, "10.6.0.1/24"), "wireguard")},
			"a wireguard has no cable of its own"},
	} {
		f := &facts.Facts{NICs: c.nics}
		if got := LeftOut(f, &f.NICs[0]); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A network has RDMA if the devices at both ends have the same protocol.
func TestRDMA(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	device := func(on, layer, node, state string) []facts.RDMADevice {
		return []facts.RDMADevice{{Name: "rxe0", NodeType: unit.Known(node),
			Ports: []facts.RDMAPort{{Port: 1, State: unit.Known(state), LinkLayer: unit.Known(layer),
				Interface: unit.Known(on)}}}}
	}
	roce := device("e0", "Ethernet", "CA", "ACTIVE")
	for _, c := range []struct {
		a, b  []facts.RDMADevice
		says  string
		words string
	}{
		{roce, roce, "", "rdma: rocev2"},
		{device("e0", "Ethernet", "RNIC", "ACTIVE"), device("e0", "Ethernet", "RNIC", "ACTIVE"), "", "rdma: iwarp"},
		{device("e0", "InfiniBand", "CA", "ACTIVE"), device("e0", "InfiniBand", "CA", "ACTIVE"), "", "rdma: ib"},
		{roce, device("e0", "Ethernet", "RNIC", "ACTIVE"), "n1 speaks rocev2, and n2 iwarp", ""},
		{roce, device("other", "Ethernet", "CA", "ACTIVE"), "n2 has no RDMA device on e0", ""},
		{[]facts.RDMADevice{}, roce, "n1 has no RDMA device on e0", ""},
		{nil, roce, "whether n1 has an RDMA device is not known", ""},
		{roce, device("e0", "Ethernet", "CA", "DOWN"), "port 1 of rxe0 of n2 is down", ""},
	} {
		m := []Machine{machine("n1", "linux", nic("e0", "", 10e9, 1500, "10.5.0.1/30")),
			machine("n2", "linux", nic("e0", "", 10e9, 1500, "10.5.0.2/30"))}
		m[0].Facts.RDMA, m[1].Facts.RDMA = c.a, c.b
		d := Of("rdma", m, catalog)
		if why := d.RDMA(d.Nets[0]); why != c.says {
			t.Errorf("%q, want %q", why, c.says)
		}
		d.Hosts[0].Drive("/mnt/Tank 1").Path = "/mnt/Tank 1"
		d.Hosts[0].Drive(`D:\e0`).Mounts["n2"] = "/mnt/e0"
		text := string(d.Write(day, none))
		if strings.Contains(text, "rdma:") != (c.words != "") || !strings.Contains(text, c.words) {
			t.Errorf("%s: the file is\n%s", c.words, text)
		}
		f, problems := fabric.Parse("rdma.yaml", []byte(text), fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if drives := f.Hosts[0].Drives; len(drives) != 2 || drives[0].Name != "tank-1" || drives[0].Path != "/mnt/Tank 1" ||
			drives[1].Name != "e0-2" || drives[1].Mounts["n2"] != "/mnt/e0" {
			t.Errorf("drives: %+v in\n%s", drives, text)
		}
	}
}

// A speed that the user gives is that of both ends in the file, also where the system or the part has another.
func TestSetSpeed(t *testing.T) {
	catalog := testenv.Must(catalog.Load())(t)
	for _, machines := range [][]Machine{pair(), {
		machine("a", "linux", nic("eth0", "", 0, 1500, "10.9.0.1/24")),
		machine("b", "linux", nic("eth0", "", 0, 1500, "10.9.0.2/24")),
	}} {
		d := Of("x", machines, catalog)
		if err := d.SetSpeed(d.Nets[0], 10e9); err != nil {
			t.Fatal(err)
		}
		f, problems := fabric.Parse("x", d.Write(day, none), fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := plan.Build(f).Links[0].Speed; got != 10e9 {
			t.Errorf("%v\n%s", got, d.Write(day, none))
		}
		if text := d.Nets[0].String(); !strings.HasSuffix(text, ", 10Gb/s") {
			t.Error(text)
		}
	}
	nics := func(address string) []facts.Interface {
		bond := nic("bond0", "", 20e9, 1500, address)
		bond.Kind = "bond"
		port := nic("eth0", "0000:01:00.0", 10e9, 1500)
		port.Master = "bond0"
		return []facts.Interface{bond, port}
	}
	d := Of("x", []Machine{machine("a", "linux", nics("10.9.0.1/24")...), machine("b", "linux",
		nics("10.9.0.2/24")...)}, catalog)
	if err := d.SetSpeed(d.Nets[0], 10e9); err == nil || d.Nets[0].Speed != 20e9 ||
		!strings.Contains(err.Error(), "bond0 of a is a bond") {
		t.Errorf("%v, %v", err, d.Nets[0])
	}
}
