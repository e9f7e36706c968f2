package freebsd_test

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/config"
	"linerate/internal/config/configtest"
	"linerate/internal/facts"
)

// The files that are rendered, read back as a user's own files are, say what the plan does: MTU, address, VLAN, pause, and the meaning of
// each class.
func TestMeaning(t *testing.T) {
	plan := configtest.Plan(t, "examples/designs/all-families.yaml")
	d := config.Render(plan).Device("bsd")
	files := map[string][]byte{}
	for _, f := range d.Files {
		if f.Name == "files/rc.conf" || f.Name == "files/sysctl.conf" {
			files[strings.TrimPrefix(f.Name, "files/")] = []byte(f.Text())
		}
	}
	capture, notRead := facts.FromKept("bsd", files, []string{"rc.conf", "sysctl.conf"})
	f, err := facts.Parse(capture)
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
		if n == nil || n.Told == nil || n.Asked == nil {
			t.Fatalf("%s: nothing was read back of it", name)
		}
		if n.Told.MTU != p.MTU || !slices.Contains(n.Told.Addresses, p.Address) || !n.Told.PauseSaid || n.Told.Pause {
			t.Errorf("%s: %+v, planned MTU %d, %s, no pause of the whole link", name, n.Told, p.MTU, p.Address)
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

// A VLAN's interface, and the members of a bond, are read back from what is rendered.
func TestMeaningOfVLANsAndBonds(t *testing.T) {
	text := strings.Replace(with("}}}\n  b", "}}, bonds: {t: {of: [n.1, n.2], mode: lacp, subnet: s}}}\n  b")+"  - {ends: [a.n.2, b.n.2]}\nsubnets: {s: {vlan: 711}}\n",
		"links: [{ends: [a.n.1, b.n.1]}]", "links:\n  - {ends: [a.n.1, b.n.1]}", 1)
	d, refused := rendered(t, text)
	if d == nil {
		t.Fatal(refused)
	}
	f := new(facts.Facts)
	for _, file := range d.Files {
		if file.Name == "files/rc.conf" {
			capture, _ := facts.FromKept("a", map[string][]byte{"rc.conf": []byte(file.Text())}, []string{"rc.conf"})
			var err error
			if f, err = facts.Parse(capture); err != nil || len(f.Unknown) > 0 {
				t.Fatal(err, f.Unknown)
			}
		}
	}
	bond, vlan := f.NIC("lagg0"), f.NIC("lagg0.711")
	if bond == nil || bond.Told.Protocol != "lacp" || len(bond.Told.Members) != 2 || bond.Told.MTU != 9000 || !slices.Equal(bond.Told.VLANs, []int{711}) {
		t.Errorf("lagg0: %+v", bond)
	}
	if vlan == nil || len(vlan.Told.Addresses) != 1 {
		t.Errorf("lagg0.711: %+v", vlan)
	}
}
