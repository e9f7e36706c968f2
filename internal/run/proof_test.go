package run

import (
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

func planned(t *testing.T, text string) *plan.Plan {
	t.Helper()
	catalog := partsOnce(t)
	f, problems := fabric.Parse("proof.yaml", []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// In document 004's network the PC and the node send to the NAS, which all other experiments go to: in the class, and as much beside it. The
// virtual machines on the NAS send by its own port and are left out.
func TestProofOfDocument004(t *testing.T) {
	text, err := os.ReadFile("../../examples/roce-100g.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := Cells(planned(t, string(text)), Options{Proof: true})
	if err != nil || len(cells) != 1 {
		t.Fatal(len(cells), err)
	}
	c := cells[0]
	if c.Exp.NotRun != "" || c.Exp.Name != "proof-roce" || c.Exp.Method != record.MethodProof || c.Repeat != 1 || c.Window != "10s" {
		t.Errorf("%+v", c.Exp)
	}
	var flows []string
	for i, f := range c.Exp.Flows {
		mark := "unmarked"
		if m := c.marks[i]; m != nil {
			mark = m.String()
		}
		flows = append(flows, f.From+">"+f.To+" "+f.Class+" "+mark)
	}
	want := []string{"pc>nas roce DSCP 26, priority 3", "node>nas roce DSCP 26, priority 3", "pc>nas best effort unmarked", "node>nas best effort unmarked"}
	if !slices.Equal(flows, want) {
		t.Errorf("%q, want %q", flows, want)
	}
	if wire(c.Exp.Method) != "stream" {
		t.Error(wire(c.Exp.Method))
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

// Who sends to whom where the file says some of it, and what it cannot be.
func TestProofEnds(t *testing.T) {
	for _, x := range []struct{ experiment, want string }{
		{"p: {method: proof, class: roce}", "n2>n1 n3>n1"},
		{"p: {method: proof, class: roce, to: n2}", "n1>n2 n3>n2"},
		{"p: {method: proof, class: roce, from: n3, to: n2}", "n3>n2"},
		{"s: {method: stream, from: n1, to: n3}\n  p: {method: proof, class: roce}", "n1>n3 n2>n3"}, // a server of others
		{"p: {method: proof, class: roce, from: \"n[1-2]\"}", "n1>n3 n2>n3"},
	} {
		cells, err := Cells(planned(t, proofFabric+"  "+x.experiment+"\n"), Options{})
		if err != nil {
			t.Fatal(x.experiment, err)
		}
		var got []string
		c := cells[len(cells)-1]
		for i, f := range c.Flows {
			if c.marks[i] != nil {
				got = append(got, f.From+">"+f.To)
			}
		}
		if strings.Join(got, " ") != x.want || c.Exp.NotRun != "" {
			t.Errorf("%s: %q %s, want %s", x.experiment, got, c.Exp.NotRun, x.want)
		}
	}
	cells, _ := Cells(planned(t, proofFabric+"  p: {method: proof, class: roce, mtu: 9000}\n"), Options{})
	if !strings.Contains(cells[0].Exp.NotRun, "the setting mtu") {
		t.Errorf("%q", cells[0].Exp.NotRun)
	}
	without := strings.Replace(proofFabric, "lossless: true", "ecn: true", 1)
	if _, err := Cells(planned(t, without+"  s: {method: stream, from: n1, to: n2}\n"), Options{Proof: true}); err == nil || !strings.Contains(err.Error(), "no lossless class") {
		t.Error(err)
	}
	if m := (traffic.ClassMark{DSCP: 0, Priority: 3}); m.String() != "DSCP 0, priority 3" {
		t.Error(m)
	}
}
