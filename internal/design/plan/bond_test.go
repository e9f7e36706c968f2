package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/design/plan"
)

// TestBackupsPreferOneCable expects that two backups without a switch between them use the same, fastest cable, however
// they are plugged.
func TestBackupsPreferOneCable(t *testing.T) {
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
		p := plan.Build(parse(t, file))
		for host, want := range map[string]string{"a": c.wantA, "b": c.wantB} {
			if s := p.Host(host).Settings[0]; s.Kind != plan.SetBond || strings.Join(s.Of, " ") != want {
				t.Errorf("%+v: %s has %s %q, want %q", c, host, s.Kind, s.Of, want)
			}
		}
	}
}

// TestPathOverBond expects a path over a bond as fast as the members that work at once, and the bonds with their
// cables.
func TestPathOverBond(t *testing.T) {
	const hosts = `fabric: bonds
switches: {sw: {part: {kind: switch, speed: 10G, ports: 8}}}
hosts:
  "h[1-2]": {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 2}}, s: {part: {kind: nic, speed: 1G}}}, bonds: {team: {of: OF, mode: MODE}}}
  lone: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 2}}}}
links:
`
	direct := "  - {ends: [h1.n.1, h2.n.1]}\n  - {ends: [h1.n.2, h2.n.2]}\n"
	switched := "  - {ends: [h1.n.1, sw.1]}\n  - {ends: [h1.n.2, sw.2]}\n  - {ends: [h2.n.1, sw.3]}\n  - {ends: " +
		"[h2.n.2, sw.4]}\n  - {ends: [lone.n.1, sw.5]}\n"
	for name, c := range map[string]struct {
		mode, of, links, from, to string
		speed, port               float64 // Gb/s
		bundles                   string
	}{
		"two cables":    {"lacp", "[n.1, n.2]", direct, "h1", "h2", 20, 20, "h1.team--h2.team of 2"},
		"the other way": {"lacp", "[n.1, n.2]", direct, "h2", "h1", 20, 20, "h1.team--h2.team of 2"},
		"a backup": {"backup", "[s, n.1]", "  - {ends: [h1.s, h2.s]}\n  - {ends: [h1.n.1, h2.n.1]}\n", "h1",
			"h2", 10, 10, "h1.team--h2.team of 2"},
		"through a switch":    {"lacp", "[n.1, n.2]", switched, "h1", "h2", 20, 20, "h1.team of 2, h2.team of 2"},
		"to a host without":   {"lacp", "[n.1, n.2]", switched, "h1", "lone", 10, 20, "h1.team of 2, none"},
		"from a host without": {"lacp", "[n.1, n.2]", switched, "lone", "h1", 10, 10, "none, h1.team of 2"},
		"one cable of two": {"lacp", "[n.1, n.2]", "  - {ends: [h1.n.1, h2.n.1]}\n", "h1", "h2", 10, 20,
			"h1.team--h2.team of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, strings.NewReplacer("MODE", c.mode, "OF", c.of).Replace(hosts)+c.links)
			paths := plan.Build(f).Paths(c.from, c.to)
			if len(paths) == 0 {
				t.Fatal("no path")
			}
			p := paths[0]
			var got []string
			for i := range p.Bundles {
				b := p.Bundle(i)
				if b == nil {
					got = append(got, "none")
					continue
				}
				got = append(got, fmt.Sprintf("%s of %d", b.Name, len(b.Links)))
			}
			if s := strings.Join(got, ", "); s != c.bundles || float64(p.Speed()) != c.speed*1e9 ||
				float64(p.FromPort.Speed) != c.port*1e9 {
				t.Errorf("%q at %v, port %v; want %q at %v and %v Gb/s", s, p.Speed(), p.FromPort.Speed, c.bundles, c.speed, c.port)
			}
		})
	}
}
