package layout

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/lab/labtest"
)

func TestInterfaceName(t *testing.T) {
	for in, want := range map[string]string{"enp1s0f0np0": "enp1s0f0np0", "enp129s0f0np0d1": "enp129s0f0np0d1",
		"Ethernet 4": "Ethernet-4", "SLOT 2 Port 1 (100)": "SLOT--ort-1-(100)"[:5] + "-" + "t-1-(100)", "sw1.2/3": "sw1.2-3",
		"a:b": "a-b", "größe": "gr--e", "..": "dot", "": ""} {
		got := InterfaceName(in)
		if got != want {
			t.Errorf("interfaceName(%q) = %q, want %q", in, got, want)
		}
		if len(got) > interfaceLimit {
			t.Errorf("interfaceName(%q) = %q: longer than %d bytes", in, got, interfaceLimit)
		}
	}
}

func TestLayoutPointToPoint(t *testing.T) {
	got := New(labtest.Pair(10*unit.GigabitPerSecond, 9000))
	if len(got.Bridges) != 0 || len(got.Wires) != 1 || len(got.Notes) != 0 {
		t.Fatalf("want one wire and nothing else, got %+v", got)
	}
	want := Wire{Link: "a--b", Speed: 1e10, MTU: 9000, Ends: [2]WireEnd{
		{Host: "a", Interface: "nic1", Alias: "a.nic.1", MTU: 9000},
		{Host: "b", Interface: "nic1", Alias: "b.nic.1", MTU: 9000},
	}}
	if got.Wires[0] != want {
		t.Errorf("wire %+v, want %+v", got.Wires[0], want)
	}
}

func TestLayoutVLANs(t *testing.T) {
	got := New(labtest.Star([]int{0, 711, 711, 712}, false))
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
	if want := []string{"sw1 sw1:sw1.1", "sw1 sw1-v711:sw1.2", "sw1 sw1-v711:sw1.3",
		"sw1 sw1-v712:sw1.4"}; !slices.Equal(on, want) {
		t.Errorf("ports %q, want %q", on, want)
	}
}

func TestLayoutVirtualFunctions(t *testing.T) {
	got := New(labtest.Star([]int{0}, true))
	// sw1 and the NIC's own switch; the cable, the host's own port, the virtual machine's.
	if len(got.Bridges) != 2 || len(got.Wires) != 3 {
		t.Fatalf("got %+v", got)
	}
	nic := got.Wires[0].Ends[0].Bridge
	if nic == "" || got.Wires[0].Ends[1].Bridge != "sw1" || got.Wires[0].Speed == 0 {
		t.Errorf("the cable leaves the NIC's switch and is limited: %+v", got.Wires[0])
	}
	for _, w := range got.Wires[1:] {
		if w.Ends[1].Bridge != nic || w.Speed != 0 || w.Link != "" {
			t.Errorf("%s: want it on the NIC's switch %q without a limit: %+v", w, nic, w)
		}
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0].Text+got.Notes[0].Subject, "a.nic.1") {
		t.Errorf("emulated: %q", got.Notes)
	}
}

func TestLayoutTrunk(t *testing.T) {
	p := labtest.Star([]int{0, 711, 712}, false)
	far := &plan.Switch{Name: "sw2", Ports: []plan.SwitchPort{{ID: "sw2.1", Index: 1, VLAN: 711}, {ID: "sw2.9", Index: 9}}}
	p.Switches = append(p.Switches, far)
	p.Links = append(p.Links, &plan.Link{Name: "up", Speed: 1e9, MTU: 1500,
		Ends: [2]plan.End{{ID: "sw1.9", Switch: "sw1"}, {ID: "sw2.9", Switch: "sw2"}}})
	var ends []string
	for _, w := range New(p).Wires[3:] {
		ends = append(ends, w.Link+" "+w.Ends[0].Bridge+" "+w.Ends[1].Bridge)
	}
	if want := []string{"up sw1 sw2", "up (VLAN 711) sw1-v711 sw2-v711"}; !slices.Equal(ends, want) {
		t.Errorf("wires %q, want %q", ends, want)
	}
}

func TestLayoutUnpluggedAndInfiniBand(t *testing.T) {
	p := labtest.Pair(1e10, 1500)
	p.Links[0].InfiniBand = true
	p.Hosts[0].Ports = append(p.Hosts[0].Ports,
		&plan.Port{ID: "a.nic.2", Host: "a", NIC: "nic", Index: 2, Interface: "Ethernet 4"})
	got := New(p)
	if len(got.Wires) != 2 || !got.Wires[1].Down || got.Wires[1].Ends[0].Interface != "Ethernet-4" ||
		got.Wires[1].Ends[0].MTU != 1500 {
		t.Errorf("the unplugged port: %+v", got.Wires)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0].Text+got.Notes[0].Subject, "InfiniBand") {
		t.Errorf("emulated: %q", got.Notes)
	}
}

func TestLayoutNamesAreUnique(t *testing.T) {
	p := labtest.Star(make([]int, 20), false)
	for i := range p.Switches[0].Ports {
		// Two ports whose names are cut to the same 15 bytes.
		id := "a-switch-with-a-long-name-" + string(rune('a'+i)) + ".1234567"
		p.Switches[0].Ports[i].ID, p.Links[i].Ends[1].ID = id, id
	}
	seen := map[string]bool{}
	for _, w := range New(p).Wires {
		if n := w.Ends[1].Interface; seen[n] || n == "" || len(n) > interfaceLimit {
			t.Errorf("interface %q is taken or wrong", n)
		} else {
			seen[n] = true
		}
	}
}
