package render_test

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
)

// TestMeaning: the rendered files, parsed like a user's files, match the plan: MTU, address, VLAN, pause, and each
// class.
func TestMeaning(t *testing.T) {
	plan := configtest.Plan(t, "examples/designs/all-families.yaml")
	d := render.Render(plan).Device("bsd")
	files := map[string][]byte{}
	for _, f := range d.Files {
		if f.Name == "files/rc.conf" || f.Name == "files/sysctl.conf" {
			files[strings.TrimPrefix(f.Name, "files/")] = []byte(f.Text())
		}
	}
	snapshot, notRead := read.FromKept("bsd", files, []string{"rc.conf", "sysctl.conf"})
	f, err := read.Parse(snapshot)
	if err != nil || len(notRead)+len(f.Unknown) > 0 {
		t.Fatal(err, notRead, f.Unknown)
	}
	q := plan.QoS()
	seen := 0
	for _, p := range plan.Host("bsd").Ports {
		if p.Link == "" {
			continue
		}
		seen++
		name := p.Interface
		if !p.Declared {
			name = plan.Host("bsd").Expected()[p.ID]
		}
		n := f.NIC(name)
		if n == nil || n.Configured == nil || n.Asked == nil {
			t.Fatalf("%s: nothing was read back of it", name)
		}
		if n.Configured.MTU != p.MTU || !slices.Contains(n.Configured.Addresses, p.Address) || !n.Configured.PauseSaid ||
			n.Configured.Pause {
			t.Errorf("%s: %+v, planned MTU %d, %s, no pause of the whole link", name, n.Configured, p.MTU, p.Address)
		}
		if got := n.Asked.Trust.Or(""); got != q.Trust {
			t.Errorf("%s: it trusts %s, planned %s", name, got, q.Trust)
		}
		if pfc, why := n.Asked.PFC(); !slices.Equal(pfc, q.Lossless()) {
			t.Errorf("%s: PFC %v %s, planned %v", name, pfc, why, q.Lossless())
		}
		for _, class := range q.Classes {
			for _, point := range class.DSCP {
				if got, ok := n.Asked.DSCP[point]; !ok || got != class.Priority || n.Asked.Priorities[got] != class.Priority {
					t.Errorf("%s: DSCP %d has priority %d, planned %d", name, point, got, class.Priority)
				}
			}
		}
	}
	if seen == 0 {
		t.Fatal("no port carries a link")
	}
}

// TestMeaningOfVLANsAndBonds: a VLAN's interface and the members of a bond are parsed back.
func TestMeaningOfVLANsAndBonds(t *testing.T) {
	text := strings.Replace(with("}}}\n  b",
		"}}, bonds: {t: {of: [n.1, n.2], mode: lacp, subnet: s}}}\n  b")+"  - {ends: [a.n.2, b.n.2]}\nsubnets: {s: {vlan: "+
		"711}}\n",
		"links: [{ends: [a.n.1, b.n.1]}]", "links:\n  - {ends: [a.n.1, b.n.1]}", 1)
	d := rendered(t, text)
	f := new(facts.Facts)
	for _, file := range d.Files {
		if file.Name == "files/rc.conf" {
			snapshot, _ := read.FromKept("a", map[string][]byte{"rc.conf": []byte(file.Text())}, []string{"rc.conf"})
			var err error
			if f, err = read.Parse(snapshot); err != nil || len(f.Unknown) > 0 {
				t.Fatal(err, f.Unknown)
			}
		}
	}
	bond, vlan := f.NIC("lagg0"), f.NIC("lagg0.711")
	if bond == nil || bond.Configured.Protocol != "lacp" || len(bond.Configured.Members) != 2 ||
		bond.Configured.MTU != 9000 ||
		!slices.Equal(bond.Configured.VLANs, []int{711}) {
		t.Errorf("lagg0: %+v", bond)
	}
	if vlan == nil || len(vlan.Configured.Addresses) != 1 {
		t.Errorf("lagg0.711: %+v", vlan)
	}
}
