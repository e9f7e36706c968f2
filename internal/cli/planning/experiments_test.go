package planning

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/survey"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
	"linerate/internal/testenv"
)

// machines are hosts of the given names with an interface in each of some networks.
func machines(nets int, names ...string) (out []survey.Machine) {
	for i, name := range names {
		f := &facts.Facts{Host: name, OS: "linux"}
		for n := range nets {
			f.NICs = append(f.NICs, facts.Interface{Name: fmt.Sprintf("e%d", n), Kind: "veth", MTU: 1500, Up: true,
				UpKnown: true, Carrier: unit.Known(true), Speed: unit.Known(unit.BitRate(10e9)),
				Addresses: []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("10.%d.0.%d/24", n+1, i+1))}})
		}
		out = append(out, survey.Machine{Name: name, Connection: "ssh " + name, Facts: f})
	}
	return out
}

func numbered(stem string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s%d", stem, i+1))
	}
	return out
}

// A new file for many hosts tests every host in a time that does not grow with the square of the hosts, and says how
// every pair is tested.
func TestManyHosts(t *testing.T) {
	catalog := testenv.Must(catalog.Load())(t)
	words := strings.Fields("nas desk lab media backup router lounge attic garage cellar")
	for _, c := range []struct {
		nets   int
		names  []string
		limit  time.Duration
		says   string   // empty: every pair is tested
		starts []string // the experiments of the file, as they begin
	}{
		{1, numbered("n", 3), 10 * time.Minute, "", []string{"line-rate: {method: throughput, from: [n1, n2, n3], to: [n1,"}},
		{2, numbered("n", 3), 10 * time.Minute, "", []string{
			"line-rate: {method: throughput, from: [n1.e0, n2.e0, n3.e0], to: [n1.e0,"}},
		{1, numbered("n", 8), time.Hour, "", []string{"line-rate: {method: throughput, from: [n1, n2,"}},
		{1, numbered("n", 9), 5 * time.Minute, "9 hosts: 5 pairs are tested at once", []string{
			`line-rate: {method: throughput, from: "n[1-5]", to: "n[5-9]", traffic: pairs, streams: [1, 8], direction: [out, in]}`,
			`latency: {method: latency, from: n1, to: [n2, n3, n4, n5, n6, n7, n8, n9]}`,
			`incast: {method: throughput, from: "n[2-9]", to: n1, traffic: incast}`}},
		{1, numbered("hate", 32), 5 * time.Minute, "32 hosts: 16 pairs are tested at once", []string{
			`line-rate: {method: throughput, from: "hate[1-16]", to: "hate[17-32]", traffic: pairs,`}},
		{2, numbered("n", 10), 5 * time.Minute, "10 hosts: 5 pairs are tested at once", []string{
			`line-rate: {method: throughput, from: "n[1-5].e0", to: "n[6-10].e0", traffic: pairs,`}},
		{1, words, time.Hour, "10 hosts: each is tested with the first one of its network", []string{
			"line-rate: {method: throughput, from: nas, to: [desk, lab,", "latency: {method: latency, from: nas, to: [desk,"}},
		{1, numbered("n", 120), 10 * time.Minute, "120 hosts: 60 pairs are tested at once", []string{
			`line-rate: {method: throughput, from: "n[1-60]", to: "n[61-120]", traffic: pairs,`}},
	} {
		name := fmt.Sprintf("%d hosts from %s, %d networks", len(c.names), c.names[0], c.nets)
		d := survey.Of("many", machines(c.nets, c.names...), catalog)
		text, f, says, err := draftedFile("many.yaml", d, catalog, time.Unix(0, 0))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, line := range c.starts {
			if !strings.Contains(string(text), "\n  "+line) {
				t.Errorf("%s: no %q in\n%s", name, line, text)
			}
		}
		if !strings.HasPrefix(says, c.says) || (says == "") != (c.says == "") {
			t.Errorf("%s: %q", name, says)
		}
		p := plan.Build(f)
		all := testenv.Must(run.Combinations(p, experiment.Options{}))(t)
		tested := map[string]bool{}
		for _, x := range all {
			if x.Record.NotRun != "" {
				t.Errorf("%s: %s is skipped: %s", name, x.Record.Name, x.Record.NotRun)
			}
			for _, h := range x.Hosts() {
				tested[h] = true
			}
		}
		if len(tested) != len(c.names) {
			t.Errorf("%s: %d hosts are tested", name, len(tested))
		}
		if long, _ := run.Estimate([]run.Config{{Plan: p, Combinations: all}}); long > c.limit {
			t.Errorf("%s: the run takes %v", name, long)
		}
		command := "linerate run many.yaml --variant every-pair --experiments every-pair"
		if len(c.names) > mostListed || c.says == "" {
			if strings.Contains(says, "every-pair") || slices.Contains(f.Variants, everyPair) {
				t.Errorf("%s: a variant of every pair: %s", name, says)
			}
			continue
		}
		if !strings.HasSuffix(says, ": "+command) || !strings.Contains(string(text), command+"\n") {
			t.Errorf("%s: no %q in %q and\n%s", name, command, says, text)
		}
		whole, problems := fabric.Parse("many.yaml", text, fabric.Options{Catalog: catalog, Variant: everyPair})
		if len(problems) > 0 {
			t.Fatalf("%s: %v", name, problems)
		}
		pairs := testenv.Must(run.Combinations(plan.Build(whole), experiment.Options{Only: []string{everyPair}}))(t)
		if want := len(c.names) * (len(c.names) - 1) * 2; len(pairs) != want {
			t.Errorf("%s: the variant has %d combinations, not %d", name, len(pairs), want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{50 * time.Minute: "50 min", 119 * time.Minute: "119 min",
		9*time.Hour + 12*time.Minute: "9 h"} {
		if got := about(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
