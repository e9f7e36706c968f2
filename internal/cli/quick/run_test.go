package quick

import (
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
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
