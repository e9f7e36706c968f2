package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"linerate/fabric"
	"linerate/parts"
	"linerate/plan"
)

// Two backups that face each other over cables alone use the same cable, however it is plugged, and the fastest that there is.
func TestBackupsPreferOneCable(t *testing.T) {
	catalog, err := parts.Load()
	if err != nil {
		t.Fatal(err)
	}
	const text = `fabric: back-to-back
hosts:
  a: {os: linux, nics: {n: {part: &two {kind: nic, speed: 1G, ports: 2}}, f: {part: &fast {kind: nic, speed: 10G}}}, bonds: {team: {of: [OF_A], mode: MODE}}}
  b: {os: linux, nics: {n: {part: *two}, f: {part: *fast}}, bonds: {team: {of: [OF_B], mode: MODE}}}
links:
`
	for _, c := range []struct{ mode, a, b, links, wantA, wantB string }{
		{"backup", "n.1, n.2", "n.1, n.2", "a.n.1 b.n.1, a.n.2 b.n.2", "np1 np2", "np1 np2"},
		{"backup", "n.1, n.2", "n.1, n.2", "a.n.1 b.n.2, a.n.2 b.n.1", "np1 np2", "np2 np1"},
		{"backup", "n.2, n.1", "n.1, n.2", "a.n.1 b.n.1, a.n.2 b.n.2", "np1 np2", "np1 np2"},
		{"backup", "n.1, f", "f, n.1", "a.n.1 b.n.1, a.f b.f", "f np1", "f np1"},
		{"backup", "n.1, n.2", "n.1, n.2", "a.n.2 b.n.1", "np2 np1", "np1 np2"}, // one cable
		{"lacp", "n.2, n.1", "n.1, n.2", "a.n.1 b.n.1, a.n.2 b.n.2", "np2 np1", "np1 np2"},
	} {
		file := strings.NewReplacer("MODE", c.mode, "OF_A", c.a, "OF_B", c.b).Replace(text)
		for l := range strings.SplitSeq(c.links, ", ") {
			from, to, _ := strings.Cut(l, " ")
			file += fmt.Sprintf("  - {ends: [%s, %s]}\n", from, to)
		}
		f, problems := fabric.Parse("bond.yaml", []byte(file), fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		p := plan.Build(f)
		for host, want := range map[string]string{"a": c.wantA, "b": c.wantB} {
			if s := p.Host(host).Settings[0]; s.Kind != plan.SetBond || strings.Join(s.Of, " ") != want {
				t.Errorf("%+v: %s has %s %q, want %q", c, host, s.Kind, s.Of, want)
			}
		}
	}
}
