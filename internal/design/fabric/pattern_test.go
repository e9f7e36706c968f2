package fabric

import (
	"fmt"
	"strings"
	"testing"
)

func TestFlows(t *testing.T) {
	n := func(names string) []string { return strings.Fields(names) }
	for _, c := range []struct {
		pattern, from, to, want string
	}{
		{"", "n1 n2", "n3 n4", "n1>n3 n2>n4"},
		{"pairs", "n1 n2 n3", "n4", "n1>n4 n2>n4 n3>n4"},
		{"pairs", "n1", "n2 n3", "n1>n2 n1>n3"},
		{"pairs", "n1 n2 n3 n4", "", "n1>n3 n2>n4"},
		{"pairs", "n1 n2 n3", "", "error: pairs without to go from the first half of the hosts to the second, and there " +
			"are 3; write to: HOST, or name an even number"},
		{"pairs", "n1 n2", "n1", "error: n1 is on both ends; name another host"},
		{"pairs", "n1 n1", "n2", "error: n1 -> n2 is there twice; name each host once"},
		{"incast", "n1 n2 n3", "n4", "n1>n4 n2>n4 n3>n4"},
		{"incast", "n1 n2 n3 n4", "n4", "n1>n4 n2>n4 n3>n4"},
		{"incast", "n1 n2", "n3 n4", "error: incast goes from many to one, and to has 2; write to: HOST"},
		{"incast", "n1 n2", "", "error: incast goes from many to one, and to has 0; write to: HOST"},
		{"incast", "", "n2", `error: it names no hosts; write from: "n[1-4]"`},
		{"all-to-all", "n1 n2 n3", "", "n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2"},
		{"all-to-all", "n1", "n2", "n1>n2 n2>n1"},
		{"all-to-all", "n1", "", `error: all-to-all is among several hosts, and there is one; write from: "n[1-4]"`},
		{"all-to-all", "n1.a n1.b n2", "", "n1.a>n2 n1.b>n2 n2>n1.a n2>n1.b"},
	} {
		e := &Experiment{Method: "throughput", From: n(c.from), To: n(c.to)}
		flows, err := e.Flows(c.pattern)
		var have []string
		for _, f := range flows {
			have = append(have, f[0]+">"+f[1])
		}
		got := strings.Join(have, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s %s to %s: %s; want %s", c.pattern, c.from, c.to, got, c.want)
		}
	}
}

func TestCompact(t *testing.T) {
	for in, want := range map[string]string{"": "", "n1": "n1", "n1 n2 n3": "n[1-3]", "n1 n2 n4 n5 x": "n[1-2], n4, n5, x",
		"n1.a n2.a n3.b": "n[1-2].a, n3.b", "n01 n02": "n01, n02", "n9 n10": "n[9-10]", "nas desktop": "nas, desktop",
		"n3 n2 n1": "n3, n2, n1", "n999999999 n99999": "n999999999, n99999"} {
		if have := Compact(strings.Fields(in)); have != strings.ReplaceAll(want, "n4, n5", "n[4-5]") {
			t.Errorf("%s: %s; want %s", in, have, want)
		}
	}
}

// TestPatternsOfAFile expects problems of patterns at the place of the pattern.
func TestPatternsOfAFile(t *testing.T) {
	const file = `
fabric: f
hosts:
  "n[1-4]": {os: linux, nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp28}}}}
switches: {sw: {part: {kind: switch, speed: 10G, ports: 8, cage: sfp28}}}
links:
  - {ends: ["n[1-4].c", "sw.[1-4]"], cable: {part: {kind: cable, media: dac, ends: [sfp28, sfp28], length: 1m}}}
experiments:
  x: {method: throughput, %s}
`
	for _, c := range []struct{ x, want string }{
		{`from: "n[1-2]", to: "n[3-4]"`, "1"},
		{`from: "n[1-4]", traffic: pairs`, "1"},
		{`from: "n[1-4]", traffic: all-to-all`, "1"},
		{`from: "n[1-4]", to: n4, traffic: incast`, "1"},
		{`from: "n[1-3]", to: [n4, n1], traffic: incast`, "2"},
		{`from: "n[1-4]", to: n4, traffic: [incast, all-to-all]`, "1"},
		{`from: "n[1-4]", traffic: incast`, "incast goes from many to one"},
		{`from: "n[1-3]", traffic: pairs`, "there are 3"},
		{`from: "n[1-4]", to: n1, traffic: circle`, "circle"},
		{`from: "n[1-4]"`, "missing key to"},
		{`to: n1, traffic: incast`, "missing key from"},
		{`on: links, traffic: incast`, "traffic: pairs for all links at once"},
		{`on: links, traffic: pairs`, "1"},
	} {
		f, problems := Parse("f.yaml", []byte(fmt.Sprintf(file, c.x)), Options{Catalog: testCatalog(t)})
		have := fmt.Sprint(problems)
		if len(problems) == 0 {
			have = fmt.Sprint(len(f.Experiments))
		}
		if !strings.Contains(have, c.want) || len(problems) == 0 && have != c.want {
			t.Errorf("%s: %s; want %s", c.x, have, c.want)
		}
	}
}
