package main

import (
	"testing"

	"linerate/internal/lab"
	"linerate/internal/run"
)

// TestWithoutPrograms: a host that another experiment made a guest runs no app.
func TestWithoutPrograms(t *testing.T) {
	p, err := (&env{}).loadWith("testdata/apps.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := run.Cells(p, run.Options{Commands: true})
	if err != nil {
		t.Fatal(err)
	}
	withoutPrograms(p, cells, lab.Info{Guests: []lab.Guest{{Host: "n2"}}})
	for _, c := range cells {
		switch c.Exp.Name {
		case "pair", "broken":
			if want := "n2 is a guest in this lab, which has no programs of this machine; --only " + c.Exp.Name + " measures it in namespaces"; c.Exp.NotRun != want {
				t.Errorf("%s is not run because %q", c.Exp.Name, c.Exp.NotRun)
			}
		default:
			if c.Exp.NotRun != "" {
				t.Errorf("%s is not run because %q", c.Exp.Name, c.Exp.NotRun)
			}
		}
	}
}
