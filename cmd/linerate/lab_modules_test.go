package main

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/lab"
	"linerate/internal/run"
)

// What needs a module that a guest lacks is listed as not run, once; all else is as it was.
func TestWithoutModules(t *testing.T) {
	var said bytes.Buffer
	e := &env{err: &said}
	p, err := e.loadWith("testdata/iwarp.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := run.Cells(p, run.Options{})
	if err != nil || len(cells) != 3 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	before := map[string]string{}
	for _, c := range cells {
		before[c.Exp.Name] = c.Exp.NotRun
	}
	e.withoutModules(p, cells, lab.Info{Guests: []lab.Guest{{Host: "whole"}}})
	if said.Len() > 0 {
		t.Errorf("nothing lacks, and it was said: %s", said.String())
	}
	lacking := lab.Info{Guests: []lab.Guest{{Host: "whole", Lacks: []string{"siw"}}}}
	e.withoutModules(p, cells, lacking)
	e.withoutModules(p, cells, lacking) // a run that goes on
	const command = "linerate lab build --modules siw"
	if !strings.Contains(said.String(), command) || !strings.Contains(said.String(), "not run without it: reads\n") {
		t.Errorf("said: %s", said.String())
	}
	for _, c := range cells {
		now := c.Exp.NotRun
		if c.Exp.Name != "reads" && now != before[c.Exp.Name] {
			t.Errorf("%s: not run because %q, was %q", c.Exp.Name, now, before[c.Exp.Name])
		}
		if c.Exp.Name == "reads" && (!strings.Contains(now, "there is no iWARP on whole") || strings.Count(now, command) != 1) {
			t.Errorf("%s: not run because %q", c.Exp.Name, now)
		}
	}
}

// Storage for which NVMe/TCP stands in is measured without SMB Direct.
func TestWithoutSMBDirect(t *testing.T) {
	var said bytes.Buffer
	e := &env{err: &said}
	p, err := e.loadWith("../../examples/roce-100g.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := run.Cells(p, run.Options{Lab: true})
	if err != nil {
		t.Fatal(err)
	}
	e.withoutModules(p, cells, lab.Info{Guests: []lab.Guest{{Host: "nas", Lacks: []string{"smbdirect"}}, {Host: "pc", Lacks: []string{"smbdirect"}}}})
	for _, want := range []string{"there is no SMB Direct on nas, pc: build the modules with linerate lab build --modules smbdirect", "something else stands in for it: win-sriov, linux-sriov, win-remote, remote-cdm\n"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is missing: %s", want, said.String())
		}
	}
	for _, c := range cells {
		if strings.Contains(c.Exp.NotRun, "SMB Direct") {
			t.Errorf("%s is not run because %s", c.Exp.Name, c.Exp.NotRun)
		}
	}
}
