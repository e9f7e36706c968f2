package job

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// An experiment that needs a missing module is marked as not run, once; all else is unchanged.
func TestWithoutModules(t *testing.T) {
	var said bytes.Buffer
	e := &cli.Env{Err: &said}
	p, err := e.LoadWith("../../../cmd/linerate/testdata/iwarp.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	combinations, err := run.Combinations(p, experiment.Options{})
	if err != nil || len(combinations) != 3 {
		t.Fatalf("%d combinations, %v", len(combinations), err)
	}
	before := map[string]string{}
	for _, c := range combinations {
		before[c.Record.Name] = c.Record.NotRun
	}
	withoutModules(e, p, combinations, lab.Info{Guests: []lab.Guest{{Host: "whole"}}})
	if said.Len() > 0 {
		t.Errorf("nothing is missing, and it was printed: %s", said.String())
	}
	missing := lab.Info{Guests: []lab.Guest{{Host: "whole", Missing: []string{"siw"}}}}
	withoutModules(e, p, combinations, missing)
	withoutModules(e, p, combinations, missing) // a resumed run
	const command = "linerate lab build --modules siw"
	if !strings.Contains(said.String(), command) || !strings.Contains(said.String(), "not run without it: reads\n") {
		t.Errorf("said: %s", said.String())
	}
	for _, c := range combinations {
		now := c.Record.NotRun
		if c.Record.Name != "reads" && now != before[c.Record.Name] {
			t.Errorf("%s: not run because %q, was %q", c.Record.Name, now, before[c.Record.Name])
		}
		if c.Record.Name == "reads" &&
			(!strings.Contains(now, "there is no iWARP on whole") || strings.Count(now, command) != 1) {
			t.Errorf("%s: not run because %q", c.Record.Name, now)
		}
	}
}

// Storage with NVMe/TCP as a substitute is measured without SMB Direct.
func TestWithoutSMBDirect(t *testing.T) {
	var said bytes.Buffer
	e := &cli.Env{Err: &said}
	p, err := e.LoadWith("../../../examples/roce-100g.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	combinations, err := run.Combinations(p, experiment.Options{Lab: true})
	if err != nil {
		t.Fatal(err)
	}
	withoutModules(e, p, combinations, lab.Info{
		Guests: []lab.Guest{
			{Host: "nas", Missing: []string{"smbdirect"}},
			{Host: "pc", Missing: []string{"smbdirect"}},
		},
	})
	for _, want := range []string{"there is no SMB Direct on nas, pc: build the modules with linerate lab build " +
		"--modules smbdirect", "something else replaces it: win-sriov, linux-sriov, win-remote, remote-cdm\n"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is missing: %s", want, said.String())
		}
	}
	for _, c := range combinations {
		if strings.Contains(c.Record.NotRun, "SMB Direct") {
			t.Errorf("%s is not run because %s", c.Record.Name, c.Record.NotRun)
		}
	}
}

// A host that another experiment made a guest runs no command.
func TestWithoutPrograms(t *testing.T) {
	p, err := (&cli.Env{}).LoadWith("../../../cmd/linerate/testdata/apps.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	combinations, err := run.Combinations(p, experiment.Options{Commands: true})
	if err != nil {
		t.Fatal(err)
	}
	withoutPrograms(p, combinations, lab.Info{Guests: []lab.Guest{{Host: "n2"}}})
	for _, c := range combinations {
		switch c.Record.Name {
		case "pair", "broken":
			want := "n2 is a guest in this lab, which has no programs of this machine; --experiments " + c.Record.Name +
				" measures it in namespaces"
			if c.Record.NotRun != want {
				t.Errorf("%s is not run because %q", c.Record.Name, c.Record.NotRun)
			}
		default:
			if c.Record.NotRun != "" {
				t.Errorf("%s is not run because %q", c.Record.Name, c.Record.NotRun)
			}
		}
	}
}

func TestLabHosts(t *testing.T) {
	for want, l := range map[string]lab.Summary{
		"1 host":                     {Hosts: []string{"a"}},
		"3 hosts, 2 guests: nas, ws": {Hosts: []string{"nas", "ws", "b"}, Guests: []string{"nas", "ws"}},
		"2 hosts, 1 guest that did not come up: a": {Hosts: []string{"a", "b"}, Failed: []string{"a"}},
	} {
		if got := LabHosts(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
