package network

import (
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic/socket"
)

// In document 004's network the PC and the node send to the NAS, the target of all other experiments: in the class, and
// as much outside of it. The virtual machines on the NAS send through its port and are left out.
func TestProofOfDocument004(t *testing.T) {
	text, err := os.ReadFile("../../../examples/roce-100g.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := runtest.Plan(t, string(text))
	all, err := LosslessExperiments(p)
	if err != nil || len(all) != 1 {
		t.Fatal(len(all), err)
	}
	c := Lossless(p, all[0], experiment.Options{})[0]
	if c.Record.NotRun != "" || c.Record.Name != "lossless-roce" || c.Record.Method != method.Lossless || c.Repeats != 1 ||
		c.Interval != "10s" {
		t.Errorf("%+v", c.Record)
	}
	var flows []string
	for i, f := range c.Record.Flows {
		mark := "unmarked"
		if m := losslessOf(c).marks[i]; m != nil {
			mark = m.String()
		}
		flows = append(flows, f.From+">"+f.To+" "+f.Class+" "+mark)
	}
	want := []string{"pc>nas roce DSCP 26, priority 3", "node>nas roce DSCP 26, priority 3", "pc>nas best effort unmarked",
		"node>nas best effort unmarked"}
	if !slices.Equal(flows, want) {
		t.Errorf("%q, want %q", flows, want)
	}
}

const proofFabric = `fabric: star
hosts:
  "n[1-3]":
    nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}
switches: {sw: {part: {kind: switch, speed: 10G, ports: 8, cage: sfp+}}}
links:
  - {ends: ["n[1-3].c", "sw.[1-3]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
classes: {roce: {priority: 3, lossless: true}, bulk: {priority: 1}}
experiments:
`

// Senders and receivers where the file names some of them, and the errors.
func TestProofEnds(t *testing.T) {
	for _, x := range []struct{ experiment, want string }{
		{"p: {method: lossless, class: roce}", "n2>n1 n3>n1"},
		{"p: {method: lossless, class: roce, to: n2}", "n1>n2 n3>n2"},
		{"p: {method: lossless, class: roce, from: n3, to: n2}", "n3>n2"},
		{"s: {method: throughput, from: n1, to: n3}\n  p: {method: lossless, class: roce}", "n1>n3 n2>n3"},
		// a server of others
		{"p: {method: lossless, class: roce, from: \"n[1-2]\"}", "n1>n3 n2>n3"},
	} {
		combinations := runtest.Expand(runtest.Plan(t, proofFabric+"  "+x.experiment+"\n"), experiment.Options{}, Lossless)
		var got []string
		c := combinations[len(combinations)-1]
		for i, f := range c.Paths() {
			if losslessOf(c).marks[i] != nil {
				got = append(got, f.From+">"+f.To)
			}
		}
		if strings.Join(got, " ") != x.want || c.Record.NotRun != "" {
			t.Errorf("%s: %q %s, want %s", x.experiment, got, c.Record.NotRun, x.want)
		}
	}
	combinations := runtest.Expand(runtest.Plan(t, proofFabric+"  p: {method: lossless, class: roce, mtu: 9000}\n"),
		experiment.Options{}, Lossless)
	if !strings.Contains(combinations[0].Record.NotRun, "the setting mtu") {
		t.Errorf("%q", combinations[0].Record.NotRun)
	}
	without := strings.Replace(proofFabric, "lossless: true", "ecn: true", 1)
	if _, err := LosslessExperiments(runtest.Plan(t, without+"  s: {method: throughput, from: n1, to: "+
		"n2}\n")); err == nil ||
		!strings.Contains(err.Error(), "no lossless class") {
		t.Error(err)
	}
	if m := (socket.ClassMark{DSCP: 0, Priority: 3}); m.String() != "DSCP 0, priority 3" {
		t.Error(m)
	}
}

func losslessOf(c *experiment.Combination) *lossless { return c.Measurement.(*lossless) }
