package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/check"
)

// slowBus is what a capture says of a card whose link is slow at rest.
const slowBus = `-- readlink -f /sys/class/net/cardp1/device --
/sys/devices/pci0000:40/0000:41:00.0
-- grep -r . /sys/bus/pci/devices/0000:41:00.0 --
/sys/bus/pci/devices/0000:41:00.0/class:0x020000
/sys/bus/pci/devices/0000:41:00.0/current_link_speed:2.5 GT/s PCIe
/sys/bus/pci/devices/0000:41:00.0/current_link_width:8
/sys/bus/pci/devices/0000:41:00.0/max_link_speed:16.0 GT/s PCIe
/sys/bus/pci/devices/0000:41:00.0/max_link_width:8
`

// Under load the hosts of a slow bus are read again, and what came of it is kept in the capture and told by the check; where there is
// nothing slow nothing is sent. The hosts of a lab have no bus: what they say under load is that they say nothing.
func TestUnderLoad(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "testdata/three.yaml", p.path("three.yaml"))
	s := p.labUp(t, file, "0.01")
	a := s.linerate(t, "facts", file, "--lab", s.id, "--under-load", "-o", p.path("kept"))
	if a.code != exitDone || !strings.Contains(a.err, "--under-load: nothing was loaded: no card in use is known") {
		t.Errorf("nothing is slow: %s", a)
	}

	t.Setenv("XDG_RUNTIME_DIR", p.dir)
	var said bytes.Buffer
	e := &env{out: &bytes.Buffer{}, err: &said, getenv: os.Getenv}
	plan, err := e.load(file, "")
	if err != nil {
		t.Fatal(err)
	}
	o := asking{folder: p.path("kept"), lab: s.id, agentFile: p.program(t), connect: connectTimeout, scale: 0.01}
	answers, err := e.askPlan(t.Context(), plan, o)
	if err != nil {
		t.Fatal(err)
	}
	_, questions := e.questions(plan, o)
	for i := range answers {
		if answers[i].err != nil {
			t.Fatal(answers[i].err)
		}
		if questions[i].spec, err = connect.ParseFile(questions[i].to); err != nil {
			t.Fatal(err)
		}
	}
	if err := answers[0].take(slices.Concat(answers[0].text, []byte(slowBus)), o); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := e.underLoad(t.Context(), plan, answers, questions, o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "host1: reading PCI Express of cardp1 again, under 2s of TCP both ways with host2") || time.Since(began) < loadWindow {
		t.Errorf("after %v it said: %s", time.Since(began), &said)
	}
	text, err := os.ReadFile(filepath.Join(p.path("kept"), "host1.txtar"))
	if err != nil || !strings.Contains(string(text), "-- probe pcie 0000:41:00.0 --\nnot known: the host did not say it under load\n") {
		t.Errorf("the capture does not say what came of it (%v): %.2000s", err, text[max(0, len(text)-2000):])
	}

	// Later, from the capture alone, as the host of a real card would have said it.
	text = bytes.Replace(text, []byte("not known: the host did not say it under load"), []byte("link 16 GT/s x8, under 4 streams of TCP both ways with host2: 9.4 Gb/s"), 1)
	f, err := facts.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	w := &check.World{Plan: plan}
	w.Add("host1", f)
	var ids []string
	for _, found := range check.Run(w, check.Choice{Only: []string{"pcie-degraded", "pcie-idle-downclock"}}).Findings {
		ids = append(ids, found.ID)
	}
	if !slices.Equal(ids, []string{"pcie-idle-downclock"}) {
		t.Errorf("found %v", ids)
	}

	// A peer that cannot be reached over it: the reason is kept.
	answers[0].text, questions[1].to = append(bytes.Clone(answers[0].text), slowBus...), ""
	questions[1].spec.Name = "none"
	if err := e.underLoad(t.Context(), plan, answers, questions, o); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(p.path("kept"), "host1.txtar")); !strings.Contains(string(text), "not known: no traffic went over it: ") {
		t.Errorf("no reason in %.2000s", text[max(0, len(text)-2000):])
	}
	for _, args := range [][]string{{"check", "--local"}, {"check", "--captures", p.path("kept")}, {"facts", "--local"}} {
		if a := p.linerate(t, append(args, "--under-load")...); a.code != exitInput || !strings.Contains(a.err, "--under-load") {
			t.Errorf("%v: %s", args, a)
		}
	}
}
