package experiment

import (
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/testenv"
)

// An end may be a host, its NIC or a port of it; of two paths the one between the named ports is measured.
func TestPathsOfPorts(t *testing.T) {
	const text = `
fabric: two
hosts:
  a: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 2}}, m: {part: {kind: nic, speed: 10G}}}}
  b: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 2}}, m: {part: {kind: nic, speed: 10G}}}}
links:
  - {ends: [a.n.1, b.n.1]}
  - {ends: [a.n.2, b.n.2]}
  - {ends: [a.m.1, b.m.1]}
`
	f, problems := fabric.Parse("two.yaml", []byte(text), fabric.Options{Catalog: testenv.Must(catalog.Load())(t)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p := plan.Build(f)
	for _, c := range []struct{ from, to, via, want string }{
		{"a.m", "b", "", "a.m b.m"},
		{"a.n.2", "b.n", "", "a.n.2 b.n.2"},
		{"b.m.1", "a.m.1", "", "b.m a.m"},
		{"a.n", "b", "n.1", "a.n.1 b.n.1"},
		{"a", "b", "", "there are several paths"},
		{"a.n", "b", "", "there are several paths"},
		{"a.m", "b.n", "", "no link joins a.m and b.n"},
		{"a.m", "b", "n", "none of the 1 paths from a.m to b goes via n"},
	} {
		e := &fabric.Experiment{From: []string{c.from}, To: []string{c.to}}
		if c.via != "" {
			e.Via = []string{c.via}
		}
		paths, got := PathsOf(p, e)
		for _, path := range paths {
			got += path.FromPort.ID + " " + path.ToPort.ID
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
