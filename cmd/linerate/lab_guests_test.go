package main

import (
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/lab"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
	"linerate/internal/testenv"
)

func TestGuestFlags(t *testing.T) {
	for given, want := range map[string]string{"": "", "all": "all", "needed": "needed", "none": "none", "true": "all",
		"false": ""} {
		f := job.GuestFlags{Which: given}
		if err := f.Check(); err != nil || f.Which != want {
			t.Errorf("--guests=%s: %q, %v", given, f.Which, err)
		}
	}
	for _, given := range []string{"nas", "ALL", "all,none", "0"} {
		f := job.GuestFlags{Which: given, Share: []string{"/no/such/folder"}}
		if err := f.Check(); err == nil || !strings.Contains(err.Error(),
			"--guests="+given+": write all (or --guests alone), needed or none") ||
			!strings.Contains(err.Error(), "no such folder") {
			t.Errorf("--guests=%s: %v", given, err)
		}
	}
	for want, f := range map[string]job.GuestFlags{"": {}, " --guests": {Which: job.AllGuests},
		" --guests=needed --share 'a b:rw'": {Which: job.NeededGuests, Share: []string{"a b:rw"}}} {
		if got := f.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if a := call(t, nil, "lab", "up", mesh, "--guests=some"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "--guests=some is not valid\nhelp: write all") {
		t.Errorf("%s", a)
	}
	if a := call(t, nil, "run", mesh, "--guests=needed"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "add --lab") {
		t.Errorf("%s", a)
	}
}

// Experiments that are not measured cause no boot; the flag selects them, or none.
func TestNeededGuests(t *testing.T) {
	e := &cli.Env{}
	p := testenv.Must(e.LoadWith("testdata/iwarp.yaml", "", ""))(t)
	p.Host("whole").Decl.Guest = false
	combinations := testenv.Must(run.Combinations(p, experiment.Options{}))(t)
	guests := func(which string) string {
		f := job.GuestFlags{Which: which}
		return strings.Join(lab.Guests(p, f.Options(p, job.MeasuredNeeds(p, combinations))), " ")
	}
	for which, want := range map[string]string{"": "whole thin", job.AllGuests: "whole thin",
		job.NeededGuests: "whole thin", job.NoGuests: ""} {
		if got := guests(which); got != want {
			t.Errorf("--guests=%s: %q, want %q", which, got, want)
		}
	}
	f := job.GuestFlags{}
	const hint = "experiments reads and other need RDMA, which namespaces do not have; --guests=needed makes whole " +
		"and thin " +
		"guests"
	if got := f.Hint(p, lab.Info{}, false); got != hint {
		t.Errorf("hint: %s", got)
	}
	if got := f.Hint(p, lab.Info{}, true); got != "experiments reads and other need RDMA, which namespaces do not have" {
		t.Errorf("where no guest can be started: %s", got)
	}
	if got := f.Hint(p, lab.Info{Guests: []lab.Guest{{Host: "whole"}, {Host: "thin", Failed: "it burns"}}},
		false); !strings.HasSuffix(got, "makes thin a guest") {
		t.Errorf("with one of them there: %s", got)
	}
	if got := (&job.GuestFlags{Which: job.NoGuests}).Hint(p, lab.Info{}, false); got != "" {
		t.Errorf("where guests are refused: %s", got)
	}
	// None of them is measured.
	was := map[*experiment.Combination]string{}
	for _, c := range combinations {
		was[c], c.Record.NotRun = c.Record.NotRun, "it was not asked for"
	}
	if got := guests(""); got != "" {
		t.Errorf("guests for experiments that are not measured: %q", got)
	}
	for c, why := range was {
		c.Record.NotRun = why
	}
	job.WithoutGuests(p, combinations, lab.Info{Guests: []lab.Guest{{Host: "whole"}}})
	for _, c := range combinations {
		switch c.Record.Name {
		case "reads":
			if c.Record.NotRun != "it needs RDMA, and in this lab thin is a namespace: a lab in which it runs makes thin a "+
				"guest, with --guests=needed" {
				t.Errorf("not run because %q", c.Record.NotRun)
			}
		case "latency":
			if c.Record.NotRun != "" {
				t.Errorf("latency is not run because %q", c.Record.NotRun)
			}
		}
	}
	job.WithoutGuests(p, combinations, lab.Info{Guests: []lab.Guest{{Host: "whole"}, {Host: "thin"}}})
}

// The errors of a link's command line come together, each once, also if both directions have it.
func TestWireErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"e0", []string{"error: missing B"}},
		{"e0 e0", []string{"between two interfaces"}},
		{"e0 e1 --delay 5 --loss 3 --rate 10g --seed x",
			[]string{`--delay: "5" is not a duration`, `--loss: "3" is not a percentage`, "--rate: ", "--seed x"}},
		{"e0 e1 --loss 200% --ce-above 10KiB --queue-packets -1",
			[]string{"--loss 200%: from 0% to 100%", "--ce-above 10 KiB: ", "--queue 0 B, -1 packets"}},
		{"e0 e1 --loss 1%,2%,3%", []string{"--loss 1%,2%,3%: at most two values"}},
		{"e0 e1 --loss 1%,2% --from e0", []string{"one value, for the direction of --from"}},
		{"e0 e1 --from e2 --both", []string{"--from e2: it is none of the two", "--from contradicts --both"}},
		{"e0 e1 --all=perhaps --frob", []string{"has no flag --frob", `--all: "perhaps" is not true or false`}},
	} {
		a := call(t, nil, append([]string{"lab-wire"}, strings.Fields(c.args)...)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("%s: want exit code 2 and nothing on standard output: %s", c.args, a)
		}
		for _, want := range c.want {
			if strings.Count(a.err, want) != 1 {
				t.Errorf("%s: not once %q: %s", c.args, want, a)
			}
		}
	}
}
