package main

import (
	"bytes"
	"linerate/internal/inspect/check/checks"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/facts/read"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/check"
	"linerate/internal/testenv"
)

// slowBus is the text of a snapshot of an adapter with a bus that is slow at rest.
const slowBus = `-- readlink -f /sys/class/net/cardp1/device --
/sys/devices/pci0000:40/0000:41:00.0
-- grep -r . /sys/bus/pci/devices/0000:41:00.0 --
/sys/bus/pci/devices/0000:41:00.0/class:0x020000
/sys/bus/pci/devices/0000:41:00.0/current_link_speed:2.5 GT/s PCIe
/sys/bus/pci/devices/0000:41:00.0/current_link_width:8
/sys/bus/pci/devices/0000:41:00.0/max_link_speed:16.0 GT/s PCIe
/sys/bus/pci/devices/0000:41:00.0/max_link_width:8
`

// Hosts with a slow bus are read again under load, and the result is kept in the snapshot and reported by check;
// without a slow bus nothing is sent. The hosts of a lab have no bus: their answer under load is empty.
func TestUnderLoad(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "testdata/three.yaml", p.path("three.yaml"))
	s := p.labUp(t, file, "0.01")
	a := s.linerate(t, "facts", file, "--in-lab", s.id, "--under-load", "-o", p.path("kept"))
	if a.code != cli.ExitDone || !strings.Contains(a.err, "--under-load: nothing was loaded: no NIC in use is known") {
		t.Errorf("nothing is slow: %s", a)
	}

	t.Setenv("XDG_RUNTIME_DIR", p.dir)
	var said bytes.Buffer
	e := &cli.Env{Out: &bytes.Buffer{}, Err: &said, Getenv: os.Getenv}
	plan := testenv.Must(e.Load(file, ""))(t)
	o := inventory.Options{Folder: p.path("kept"), Lab: s.id, AgentFile: p.program(t), Connect: inventory.ConnectTimeout,
		Scale: 0.01}
	answers := testenv.Must(inventory.Ask(t.Context(), e, plan, o))(t)
	_, questions := inventory.Questions(e, plan, o)
	for i := range answers {
		if answers[i].Err != nil {
			t.Fatal(answers[i].Err)
		}
		questions[i].Spec = testenv.Must(connect.ParseFile(questions[i].To))(t)
	}
	testenv.Check(t, answers[0].Take(slices.Concat(answers[0].Text, []byte(slowBus)), o))
	began := time.Now()
	testenv.Check(t, inventory.UnderLoad(t.Context(), e, plan, answers, questions, o))
	if !strings.Contains(said.String(), "host1: reading PCI Express of cardp1 again, under 2s of TCP both ways with "+
		"host2") || time.Since(began) < inventory.LoadInterval {
		t.Errorf("after %v it said: %s", time.Since(began), &said)
	}
	text, err := os.ReadFile(filepath.Join(p.path("kept"), "host1.txtar"))
	if err != nil || !strings.Contains(string(text),
		"-- probe pcie 0000:41:00.0 --\nnot known: the host did not say it under load\n") {
		t.Errorf("the snapshot does not have the result (%v): %.2000s", err, text[max(0, len(text)-2000):])
	}

	// Later, from the snapshot alone, with the text of a host with a real adapter.
	text = bytes.Replace(text, []byte("not known: the host did not say it under load"),
		[]byte("link 16 GT/s x8, under 4 streams of TCP both ways with host2: 9.4 Gb/s"), 1)
	f := testenv.Must(read.Parse(text))(t)
	w := &check.World{Plan: plan}
	w.Add("host1", f)
	var ids []string
	for _, found := range check.Run(checks.All(), w,
		check.Choice{Only: []string{"pcie-degraded", "pcie-idle-downclock"}}).Findings {
		ids = append(ids, found.ID)
	}
	if !slices.Equal(ids, []string{"pcie-idle-downclock"}) {
		t.Errorf("found %v", ids)
	}

	// If the peer is unreachable the reason is kept.
	answers[0].Text, questions[1].To = append(bytes.Clone(answers[0].Text), slowBus...), ""
	questions[1].Spec.Name = "none"
	testenv.Check(t, inventory.UnderLoad(t.Context(), e, plan, answers, questions, o))
	if text, _ := os.ReadFile(filepath.Join(p.path("kept"), "host1.txtar")); !strings.Contains(string(text),
		"not known: no traffic went over it: ") {
		t.Errorf("no reason in %.2000s", text[max(0, len(text)-2000):])
	}
	for _, args := range [][]string{{"check", "--local"}, {"check", "--snapshots", p.path("kept")}, {"facts", "--local"}} {
		if a := p.linerate(t, append(args, "--under-load")...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, "--under-load") {
			t.Errorf("%v: %s", args, a)
		}
	}
}
