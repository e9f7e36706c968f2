package plan_test

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
)

// TestMesh expects three networks outside the LAN, .1 at the first end and .2 at the second, and hosts files with the
// address of each peer.
func TestMesh(t *testing.T) {
	p := build(t, "mesh-10g")
	want := map[string]string{"desktop.a": "10.0.1.1/24", "nas.t3.1": "10.0.1.2/24", "desktop.b": "10.0.2.1/24",
		"homelab.t3.1": "10.0.2.2/24", "nas.t3.2": "10.0.3.1/24", "homelab.t3.2": "10.0.3.2/24"}
	for id, address := range want {
		port := p.Port(id)
		if port == nil || port.Address.String() != address {
			t.Errorf("%s: %+v, want address %s", id, port, address)
		}
	}
	names := map[string]string{}
	for _, n := range p.Host("desktop").Names {
		names[n.Names[0]] = n.Address.String()
	}
	if names["nas"] != "10.0.1.2" || names["homelab"] != "10.0.2.2" {
		t.Errorf("the desktop's hosts file: %v", names)
	}
	for _, l := range p.Links {
		for i, text := range l.EndLabel {
			if !strings.Contains(text, l.Ends[i].ID) || !strings.Contains(text, l.Ends[1-i].ID) ||
				!strings.Contains(text, "10.0.") {
				t.Errorf("label of %s: %q is without this end, the other end or the address", l.Ends[i].ID, text)
			}
		}
	}
}

func TestPathsBothWays(t *testing.T) {
	p := build(t, "mesh-10g")
	there, back := p.Paths("desktop", "nas"), p.Paths("nas", "desktop")
	if len(there) != 1 || len(back) != 1 {
		t.Fatalf("%d paths there, %d back, want 1", len(there), len(back))
	}
	if there[0].FromPort != back[0].ToPort || there[0].Links[0] != back[0].Links[0] {
		t.Error("the path back is not the path there")
	}
	if p.Paths("desktop", "desktop") != nil || p.Paths("desktop", "nobody") != nil {
		t.Error("a path to itself or to nobody")
	}
}

// TestSwitched expects that hosts at a switch share a subnet, and that a path has both cables and the switch.
func TestSwitched(t *testing.T) {
	p := build(t, "roce-100g")
	paths := p.Paths("nas", "pc")
	if len(paths) == 0 {
		t.Fatal("no path from nas to pc")
	}
	for _, path := range paths {
		if len(path.Links) != 2 || !slices.Equal(path.Switches, []string{"crs504"}) {
			t.Errorf("%s -> %s: links %d, switches %v", path.FromPort.ID, path.ToPort.ID, len(path.Links), path.Switches)
		}
		if path.Speed() == 0 {
			t.Errorf("%s: no speed", path.FromPort.ID)
		}
	}
}

// TestSettings expects the MTU before the address, and limits of socket buffers.
func TestSettings(t *testing.T) {
	for _, h := range build(t, "nas-40g").Hosts {
		at := map[string]int{}
		for i, s := range h.Settings {
			if s.Why == "" {
				t.Errorf("%s: setting %+v without a reason", h.Name, s)
			}
			at[string(s.Kind)+" "+s.Interface+s.Key] = i
		}
		for _, port := range h.Ports {
			if port.Link == "" {
				continue
			}
			if at["mtu "+port.Interface] > at["address "+port.Interface] {
				t.Errorf("%s: the address of %s is set before its MTU", h.Name, port.Interface)
			}
		}
		if _, ok := at["sysctl net.ipv4.tcp_rmem"]; !ok {
			t.Errorf("%s: no receive buffer limit", h.Name)
		}
	}
}

// TestDeterministic expects the same plan of the same file.
func TestDeterministic(t *testing.T) {
	a, b := build(t, "eval-25g"), build(t, "eval-25g")
	text := func(p *plan.Plan) string {
		var s strings.Builder
		for _, h := range p.Hosts {
			for _, port := range h.Ports {
				s.WriteString(port.ID + port.Interface + port.Address.String() + port.Link)
			}
		}
		for _, l := range p.Links {
			s.WriteString(l.Name + l.Label + strings.Join(l.EndLabel[:], "") + l.Subnet.String())
		}
		for _, i := range p.BOM.Items {
			s.WriteString(i.Part + i.Role)
		}
		return s.String()
	}
	if text(a) != text(b) {
		t.Error("the same file gave two plans")
	}
}
