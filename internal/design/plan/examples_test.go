package plan_test

import (
	"path/filepath"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// withCatalog are the options to read a fabric with the catalogue.
func withCatalog(t testing.TB) fabric.Options {
	t.Helper()
	c := testenv.Must(catalog.Load())(t)
	return fabric.Options{Catalog: c}
}

// load reads a fabric file.
func load(t testing.TB, file string) *fabric.Fabric {
	t.Helper()
	f, problems := fabric.Load(file, withCatalog(t))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}

// parse reads the text of a fabric file.
func parse(t testing.TB, text string) *fabric.Fabric {
	t.Helper()
	f, problems := fabric.Parse("test.yaml", []byte(text), withCatalog(t))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}

// build plans one of the examples.
func build(t *testing.T, name string) *plan.Plan {
	t.Helper()
	return plan.Build(load(t, filepath.Join("../../..", "examples", name+".yaml")))
}

// TestTotals compares the bills of materials with the sums in the documents of the examples.
func TestTotals(t *testing.T) {
	for _, c := range []struct {
		example, amount, withoutSpares string
	}{
		{"nas-40g", "94.53 USD", "62.65 USD"},
		{"mesh-10g", "150.00 USD", "120.00 USD"},
	} {
		p := build(t, c.example)
		if len(p.BOM.Totals) != 1 {
			t.Fatalf("%s: totals %+v, want one currency", c.example, p.BOM.Totals)
		}
		total := p.BOM.Totals[0]
		if got := total.Amount.String(); got != c.amount {
			t.Errorf("%s: total %s, want %s", c.example, got, c.amount)
		}
		bare := total.Amount.Add(total.Spares.Times(-1))
		if got := bare.String(); got != c.withoutSpares {
			t.Errorf("%s: without spares %s, want %s", c.example, got, c.withoutSpares)
		}
	}
}

// TestExamples plans every example: each plugged port has its own address, each link a label, a subnet and a speed, and
// no problem is an error.
func TestExamples(t *testing.T) {
	for _, name := range []string{"nas-40g", "mesh-10g", "pairs-ib", "eval-25g", "roce-100g", "designs/mesh-4",
		"designs/leaf-spine-16", "designs/all-families"} {
		t.Run(name, func(t *testing.T) {
			p := build(t, name)
			for _, problem := range p.Problems {
				if problem.Severity == record.Error {
					t.Errorf("problem: %+v", problem)
				}
			}
			seen := map[string]string{}
			for _, h := range p.Hosts {
				names := map[string]bool{}
				for _, port := range h.Ports {
					if names[port.Interface] {
						t.Errorf("%s: interface %s twice", h.Name, port.Interface)
					}
					names[port.Interface] = true
					if !port.Address.IsValid() {
						continue
					}
					a := port.Address.Addr().String()
					if seen[a] != "" {
						t.Errorf("%s and %s have address %s", seen[a], port.ID, a)
					}
					seen[a] = port.ID
				}
			}
			labels := map[string]bool{}
			for _, l := range p.Links {
				if l.Label == "" || labels[l.Label] {
					t.Errorf("link %s: label %q", l.Name, l.Label)
				}
				labels[l.Label] = true
				if !l.Subnet.IsValid() {
					t.Errorf("link %s has no subnet", l.Name)
				}
				if l.Speed == 0 {
					t.Errorf("link %s has no speed", l.Name)
				}
			}
		})
	}
}
