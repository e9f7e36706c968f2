package quick

import (
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
	"linerate/internal/report/summary"
	"linerate/internal/testenv"
)

// quick --lab writes no test file: it has no drive and no experiment of storage, and it still measures the network.
func TestLabWritesNoTestFile(t *testing.T) {
	o := labOrder()
	f, problems := fabric.Parse("quick", o.text, fabric.Options{Catalog: testenv.Must(catalog.Load())(t)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, h := range f.Hosts {
		if len(h.Drives) > 0 {
			t.Errorf("%s has drives", h.Name)
		}
	}
	o.wanted.From, o.wanted.To = f.Hosts[0].Name, f.Hosts[1].Name
	all := summary.Experiments(o.wanted)
	if len(all) == 0 {
		t.Error("nothing is measured")
	}
	for _, x := range all {
		if method.Named(x.Method).Stores {
			t.Errorf("%s writes test files", x.Name)
		}
	}
}

// The hint names both ends: doctor compares the machines that it is given, and this one.
func TestDoctored(t *testing.T) {
	for want, connections := range map[string][]string{
		" nas":                 {"local", "ssh nas"},
		" root@desk nas":       {"ssh root@desk", "ssh nas"},
		` "netns a" "netns b"`: {"netns a", "netns b"},
	} {
		ends := inventory.Ends{From: []string{"x", "y"}, Connection: map[string]connect.Spec{}}
		for i, text := range connections {
			ends.Connection[ends.From[i]] = testenv.Must(connect.Parse(text))(t)
		}
		if got := doctored(ends); got != want {
			t.Errorf("%v: %q, want %q", connections, got, want)
		}
	}
}
