package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

const mtuFabric = `
fabric: jumbo
mtu: 9000
hosts:
  a: {os: linux, nics: {n: {part: {kind: nic, speed: 100G, ports: 1, cage: qsfp28}}}}
  b: {os: linux, nics: {n: {part: {kind: nic, speed: 100G, ports: 1, cage: qsfp28}}}}
links: [{ends: [a.n, b.n], cable: {part: {kind: cable, media: dac, ends: [qsfp28, qsfp28], length: 1m}}}]
experiments:
  threads: {method: throughput, from: a, to: b, streams: 1, mtu: [1500, 9000], direction: out, time: 300ms, repeats: 2}
`

// What jumbo frames change when nothing merges packets: each is handled on its own, and is as large as its MTU allows.
// The costs of a packet and of a byte, or why there are none, are in the record. With the offloads on packets are
// merged, and their own cost is not known.
func TestMTUEffect(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	file := p.path("jumbo.yaml")
	testenv.WriteFile(t, file, []byte(mtuFabric), 0o644)
	n := 0
	measured := func(offloads string) *record.Run {
		n++
		a := p.linerate(t, "run", file, "--lab", "--scale", "1", "--offloads", offloads, "-o",
			p.path(fmt.Sprintf("run%d", n)), "--json").ends(t, cli.ExitDone)
		r := a.run(t)
		if r.Lab == nil || r.Lab.Offloads != offloads || len(r.Costs) != 1 || len(r.Costs[0].Combinations) != 2 {
			t.Fatalf("lab %+v, costs %+v", r.Lab, r.Costs)
		}
		for _, h := range r.Hosts {
			for _, name := range []string{"tso", "gso", "gro"} {
				found := false
				for _, s := range h.Settings {
					found = found || s.Subject == "n "+name && s.Want == offloads && s.Have == offloads
				}
				if !found {
					t.Errorf("%s: %s is not %s as asked for: %+v", h.Name, name, offloads, h.Settings)
				}
			}
		}
		return r
	}
	c := measured("off").Costs[0]
	if c.Host != "a+b" || c.End != "both" || len(c.Merged) > 0 {
		t.Errorf("%+v", c)
	}
	for i, most := range []float64{1448, 8948} {
		if x := c.Combinations[i]; x.Packet > most || x.Packet < most/2 || x.Measured <= 0 {
			t.Errorf("MTU %s: packets carry %.0f bytes, want up to %.0f; a CPU second carries %v bits", x.MTU, x.Packet, most,
				x.Measured)
		}
	}
	if known := c.PerPacket != nil && c.PerByte != nil; known == (c.Why != "") {
		t.Errorf("neither costs nor a reason, or both: %+v", c)
	}
	c = measured("on").Costs[0]
	if c.PerPacket != nil || len(c.Merged) == 0 || !strings.Contains(c.Why, "merged") {
		t.Errorf("with the offloads on: %+v", c)
	}
	for _, args := range [][]string{{"--offloads", "off"}, {"--lab", "--offloads", "some"}} {
		if a := p.linerate(t, append([]string{"run", file}, args...)...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, "--offloads") {
			t.Errorf("%v: %s", args, a)
		}
	}
}

// A sweep by measure: sizes as a range, kept in a folder, gone on with, and refused between other ends.
func TestSweepByMeasure(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/three.yaml", p.path("three.yaml")), "0.02")
	dir := p.path("sweep")
	args := func(to string, more ...string) []string {
		return append([]string{"measure", "throughput", "--from", "lab " + s.id + "/host1", "--to", "lab " + s.id + "/" + to,
			"--link", "200M",
			"--size", "1KiB..2KiB,64KiB", "--direction", "out,both", "--time", "0.2s", "-o", dir, "--json"}, more...)
	}
	a := p.linerate(t, args("host2", "--repeats", "1")...).ends(t, cli.ExitDone)
	var sizes []string
	for _, e := range a.run(t).Experiments {
		sizes = append(sizes, e.Settings["size"]+" "+e.Direction)
	}
	if got := strings.Join(sizes, ", "); got != "1KiB out, 1KiB both, 2KiB out, 2KiB both, 64KiB out, 64KiB both" {
		t.Errorf("combinations %s", got)
	}
	if !strings.Contains(a.err, "6 repeats") || !strings.Contains(a.err, "about ") {
		t.Errorf("nothing says how long it takes: %s", a.err)
	}
	page, err := os.ReadFile(filepath.Join(dir, runfolder.ReportName))
	if err != nil || !strings.Contains(string(page), "over size") ||
		!strings.Contains(string(page), "CPU seconds a gigabit") {
		t.Errorf("the page has no sweep: %v", err)
	}

	// Complete: there is nothing to go on with. Cut off: what is there stays.
	p.linerate(t, args("host2", "--repeats", "1", "--resume")...).ends(t, cli.ExitInput)
	testenv.Check(t, os.Remove(filepath.Join(dir, runfolder.ManifestName)))
	if a := p.linerate(t, args("host3", "--repeats", "2", "--resume")...); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "was measured with --to") {
		t.Errorf("another end, resumed: %s", a)
	}
	a = p.linerate(t, args("host2", "--repeats", "2", "--resume")...)
	if a.code != cli.ExitDone || !strings.Contains(a.err, "6 repeats are kept") {
		t.Fatalf("%s", a)
	}
	for _, e := range a.run(t).Experiments {
		if len(e.Repeats) != 2 {
			t.Errorf("%s %s: %d repeats", e.Settings["size"], e.Direction, len(e.Repeats))
		}
	}
}

func TestMeasureOtherMTU(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/three.yaml", p.path("three.yaml")), "0.02")
	a := p.linerate(t, "measure", "throughput", "--from", "lab "+s.id+"/host1", "--to", "lab "+s.id+"/host2", "--link",
		"200M",
		"--mtu", "1500,9000", "--direction", "out", "--time", "0.2s", "--repeats", "1", "--json")
	r := a.run(t)
	if a.code != cli.ExitIncomplete || len(r.Experiments) != 2 || r.Experiments[0].Goodput == nil ||
		!strings.Contains(r.Experiments[1].NotRun, "MTU 9000") {
		t.Errorf("%s", a)
	}
	if a := p.linerate(t, "measure", "throughput", "nas", "--resume"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "-o DIR") {
		t.Errorf("resume without a folder: %s", a)
	}
}
