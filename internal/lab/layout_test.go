package lab

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

func TestInterfaceName(t *testing.T) {
	for in, want := range map[string]string{
		"enp1s0f0np0":         "enp1s0f0np0",
		"enp129s0f0np0d1":     "enp129s0f0np0d1",
		"Ethernet 4":          "Ethernet-4",
		"SLOT 2 Port 1 (100)": "SLOT--ort-1-(100)"[:5] + "-" + "t-1-(100)",
		"sw1.2/3":             "sw1.2-3",
		"a:b":                 "a-b",
		"größe":               "gr--e",
		"..":                  "dot",
		"":                    "",
	} {
		got := interfaceName(in)
		if got != want {
			t.Errorf("interfaceName(%q) = %q, want %q", in, got, want)
		}
		if len(got) > interfaceLimit {
			t.Errorf("interfaceName(%q) = %q: longer than %d bytes", in, got, interfaceLimit)
		}
	}
}

func TestLayoutPointToPoint(t *testing.T) {
	got := newLayout(pair(10*unit.GigabitPerSecond, 9000))
	if len(got.Bridges) != 0 || len(got.Wires) != 1 || len(got.Notes) != 0 {
		t.Fatalf("want one wire and nothing else, got %+v", got)
	}
	want := wire{Link: "a--b", Speed: 1e10, MTU: 9000, Ends: [2]wireEnd{
		{Host: "a", Interface: "nic1", Alias: "a.nic.1", MTU: 9000}, {Host: "b", Interface: "nic1", Alias: "b.nic.1", MTU: 9000}}}
	if got.Wires[0] != want {
		t.Errorf("wire %+v, want %+v", got.Wires[0], want)
	}
}

// star is a plan of hosts on one switch, each with a virtual machine if vms is set. VLANs of the ports are given.
func star(vlans []int, vms bool) *plan.Plan {
	p := &plan.Plan{Name: "star", MTU: 1500}
	sw := &plan.Switch{Name: "sw1"}
	p.Switches = []*plan.Switch{sw}
	for i, vlan := range vlans {
		n := string(rune('a' + i))
		id := "sw1." + string(rune('1'+i))
		l := &plan.Link{Name: n + "--sw", Speed: unit.GigabitPerSecond, MTU: 1500, VLAN: vlan,
			Ends: [2]plan.End{{ID: n + ".nic.1", Host: n}, {ID: id, Switch: "sw1"}}}
		port := &plan.Port{ID: n + ".nic.1", Host: n, Card: "nic", Index: 1, Interface: "eth0", MTU: 1500, Link: l.Name,
			Address: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 8, 0, byte(i + 1)}), 24)}
		h := &plan.Host{Name: n, Ports: []*plan.Port{port}, Decl: &fabric.Host{Name: n}, Settings: hostSettings(port)}
		p.Hosts, p.Links = append(p.Hosts, h), append(p.Links, l)
		sw.Ports = append(sw.Ports, plan.SwitchPort{ID: id, Index: i + 1, MTU: 9216, VLAN: vlan, Link: l.Name})
		if vms {
			vf := &plan.Port{ID: "vm" + n + ".vf.1", Host: "vm" + n, Card: "vf", Index: 1, Interface: "eth0", MTU: 1500,
				Address: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 8, 0, byte(i + 101)}), 24)}
			p.Hosts = append(p.Hosts, &plan.Host{Name: "vm" + n, Ports: []*plan.Port{vf}, Settings: hostSettings(vf),
				Decl: &fabric.Host{Name: "vm" + n, On: n, NICs: []*fabric.NIC{{Name: "vf", VF: n + ".nic.1"}}}})
		}
	}
	return p
}

func hostSettings(port *plan.Port) []plan.Setting {
	return []plan.Setting{
		{Kind: plan.SetAddress, Interface: port.Interface, Prefix: port.Address},
		{Kind: plan.SetLink, Interface: port.Interface},
	}
}

func TestLayoutVLANs(t *testing.T) {
	got := newLayout(star([]int{0, 711, 711, 712}, false))
	var names []string
	for _, b := range got.Bridges {
		names = append(names, b.Name+" = "+b.Alias)
	}
	want := []string{"sw1 = switch sw1", "sw1-v711 = switch sw1 VLAN 711", "sw1-v712 = switch sw1 VLAN 712"}
	if !slices.Equal(names, want) {
		t.Errorf("bridges %q, want %q", names, want)
	}
	var on []string
	for _, w := range got.Wires {
		on = append(on, w.Ends[1].Host+" "+w.Ends[1].Bridge+":"+w.Ends[1].Interface)
		if w.Ends[1].MTU != 9216 {
			t.Errorf("%s: the switch's port has MTU %d, want 9216", w, w.Ends[1].MTU)
		}
	}
	if want := []string{"sw1 sw1:sw1.1", "sw1 sw1-v711:sw1.2", "sw1 sw1-v711:sw1.3", "sw1 sw1-v712:sw1.4"}; !slices.Equal(on, want) {
		t.Errorf("ports %q, want %q", on, want)
	}
}

func TestLayoutVirtualFunctions(t *testing.T) {
	got := newLayout(star([]int{0}, true))
	// sw1 and the card's own switch; the cable, the host's own port, the virtual machine's.
	if len(got.Bridges) != 2 || len(got.Wires) != 3 {
		t.Fatalf("got %+v", got)
	}
	card := got.Wires[0].Ends[0].Bridge
	if card == "" || got.Wires[0].Ends[1].Bridge != "sw1" || got.Wires[0].Speed == 0 {
		t.Errorf("the cable leaves the card's switch and is limited: %+v", got.Wires[0])
	}
	for _, w := range got.Wires[1:] {
		if w.Ends[1].Bridge != card || w.Speed != 0 || w.Link != "" {
			t.Errorf("%s: want it on the card's switch %q without a limit: %+v", w, card, w)
		}
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0].Text+got.Notes[0].Subject, "a.nic.1") {
		t.Errorf("emulated: %q", got.Notes)
	}
}

func TestLayoutTrunk(t *testing.T) {
	p := star([]int{0, 711, 712}, false)
	far := &plan.Switch{Name: "sw2", Ports: []plan.SwitchPort{{ID: "sw2.1", Index: 1, VLAN: 711}, {ID: "sw2.9", Index: 9}}}
	p.Switches = append(p.Switches, far)
	p.Links = append(p.Links, &plan.Link{Name: "up", Speed: 1e9, MTU: 1500, Ends: [2]plan.End{{ID: "sw1.9", Switch: "sw1"}, {ID: "sw2.9", Switch: "sw2"}}})
	var ends []string
	for _, w := range newLayout(p).Wires[3:] {
		ends = append(ends, w.Link+" "+w.Ends[0].Bridge+" "+w.Ends[1].Bridge)
	}
	if want := []string{"up sw1 sw2", "up (VLAN 711) sw1-v711 sw2-v711"}; !slices.Equal(ends, want) {
		t.Errorf("wires %q, want %q", ends, want)
	}
}

func TestLayoutUnpluggedAndInfiniBand(t *testing.T) {
	p := pair(1e10, 1500)
	p.Links[0].InfiniBand = true
	p.Hosts[0].Ports = append(p.Hosts[0].Ports, &plan.Port{ID: "a.nic.2", Host: "a", Card: "nic", Index: 2, Interface: "Ethernet 4"})
	got := newLayout(p)
	if len(got.Wires) != 2 || !got.Wires[1].Down || got.Wires[1].Ends[0].Interface != "Ethernet-4" || got.Wires[1].Ends[0].MTU != 1500 {
		t.Errorf("the unplugged port: %+v", got.Wires)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0].Text+got.Notes[0].Subject, "InfiniBand") {
		t.Errorf("emulated: %q", got.Notes)
	}
}

func TestLayoutNamesAreUnique(t *testing.T) {
	p := star(make([]int, 20), false)
	for i := range p.Switches[0].Ports {
		// Two ports whose names are cut to the same 15 bytes.
		id := "a-switch-with-a-long-name-" + string(rune('a'+i)) + ".1234567"
		p.Switches[0].Ports[i].ID, p.Links[i].Ends[1].ID = id, id
	}
	seen := map[string]bool{}
	for _, w := range newLayout(p).Wires {
		if n := w.Ends[1].Interface; seen[n] || n == "" || len(n) > interfaceLimit {
			t.Errorf("interface %q is taken or wrong", n)
		} else {
			seen[n] = true
		}
	}
}

func mustPrefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// Members of a bond that speaks LACP are told from others: their cards say how fast they are.
func TestMembersOfLACP(t *testing.T) {
	for mode, want := range map[string]bool{"lacp": true, "backup": false} {
		n := node{Settings: []plan.Setting{{Kind: plan.SetLink, Interface: "c"}, {Kind: plan.SetBond, Interface: "team", Key: mode, Of: []string{"a", "b"}}}}
		if n.lacp("b") != want || n.lacp("team") || n.lacp("c") {
			t.Errorf("%s: %v %v %v", mode, n.lacp("b"), n.lacp("team"), n.lacp("c"))
		}
	}
}
