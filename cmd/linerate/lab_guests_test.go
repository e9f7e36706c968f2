package main

import (
	"strings"
	"testing"

	"linerate/internal/lab"
	"linerate/internal/run"
)

func TestGuestFlags(t *testing.T) {
	for given, want := range map[string]string{"": "", "all": "all", "needed": "needed", "none": "none", "true": "all", "false": ""} {
		f := guestFlags{which: given}
		if err := f.check(); err != nil || f.which != want {
			t.Errorf("--guests=%s: %q, %v", given, f.which, err)
		}
	}
	for _, given := range []string{"nas", "ALL", "all,none", "0"} {
		f := guestFlags{which: given, share: []string{"/no/such/folder"}}
		if err := f.check(); err == nil || !strings.Contains(err.Error(), "--guests="+given+": write all (or --guests alone), needed or none") || !strings.Contains(err.Error(), "no such folder") {
			t.Errorf("--guests=%s: %v", given, err)
		}
	}
	for want, f := range map[string]guestFlags{"": {}, " --guests": {which: allGuests}, " --guests=needed --share 'a b:rw'": {which: neededGuests, share: []string{"a b:rw"}}} {
		if got := f.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if a := call(t, nil, "lab", "up", mesh, "--guests=some"); a.code != exitInput || !strings.Contains(a.err, "--guests=some: write all") {
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "run", mesh, "--guests=needed"); a.code != exitInput || !strings.Contains(a.err, "add --lab") {
		t.Errorf("%s", a)
	}
}

// Experiments that are not measured cost no boot; the flag asks for them, and for none.
func TestNeededGuests(t *testing.T) {
	e := &env{}
	p, err := e.loadWith("testdata/iwarp.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	p.Host("whole").Decl.Guest = false
	cells, err := run.Cells(p, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	guests := func(which string) string {
		f := guestFlags{which: which}
		return strings.Join(lab.Guests(p, f.options(p, measuredNeeds(p, cells))), " ")
	}
	for which, want := range map[string]string{"": "whole thin", allGuests: "whole thin", neededGuests: "whole thin", noGuests: ""} {
		if got := guests(which); got != want {
			t.Errorf("--guests=%s: %q, want %q", which, got, want)
		}
	}
	f := guestFlags{}
	const hint = "experiments reads and other need RDMA, which namespaces lack; --guests=needed makes whole and thin guests"
	if got := f.hint(p, lab.Info{}, false); got != hint {
		t.Errorf("hint: %s", got)
	}
	if got := f.hint(p, lab.Info{}, true); got != "experiments reads and other need RDMA, which namespaces lack" {
		t.Errorf("where no guest can be started: %s", got)
	}
	if got := f.hint(p, lab.Info{Guests: []lab.Guest{{Host: "whole"}, {Host: "thin", Failed: "it burns"}}}, false); !strings.HasSuffix(got, "makes thin a guest") {
		t.Errorf("with one of them there: %s", got)
	}
	if got := (&guestFlags{which: noGuests}).hint(p, lab.Info{}, false); got != "" {
		t.Errorf("where guests are refused: %s", got)
	}
	// None of them is measured.
	was := map[*run.Cell]string{}
	for _, c := range cells {
		was[c], c.Exp.NotRun = c.Exp.NotRun, "it was not asked for"
	}
	if got := guests(""); got != "" {
		t.Errorf("guests for experiments that are not measured: %q", got)
	}
	for c, why := range was {
		c.Exp.NotRun = why
	}
	withoutGuests(p, cells, lab.Info{Guests: []lab.Guest{{Host: "whole"}}})
	for _, c := range cells {
		switch c.Exp.Name {
		case "reads":
			if c.Exp.NotRun != "it needs RDMA, and in this lab thin is a namespace: a lab in which it runs makes thin a guest, with --guests=needed" {
				t.Errorf("not run because %q", c.Exp.NotRun)
			}
		case "latency":
			if c.Exp.NotRun != "" {
				t.Errorf("latency is not run because %q", c.Exp.NotRun)
			}
		}
	}
	withoutGuests(p, cells, lab.Info{Guests: []lab.Guest{{Host: "whole"}, {Host: "thin"}}})
}
