package path

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
)

// star is n hosts behind one switch, or every second one behind a second switch that one link connects to the first.
type star struct {
	ports map[string]*plan.Port
	links map[string]*plan.Link
	trunk *plan.Link
}

func newStar(n int, speed, trunk unit.BitRate) star {
	s := star{ports: map[string]*plan.Port{}, links: map[string]*plan.Link{}}
	for i := 1; i <= n; i++ {
		h, sw := fmt.Sprintf("n%d", i), "sw"
		if trunk > 0 && i%2 == 0 {
			sw = "far"
		}
		l := &plan.Link{Name: h + "--" + sw, Speed: speed, MTU: 1500, Ends: [2]plan.End{{ID: h + ".c", Host: h},
			{ID: fmt.Sprintf("%s.%d", sw, i), Switch: sw}}}
		s.links[h] = l
		s.ports[h] = &plan.Port{ID: h + ".c", Host: h, NIC: "c", Interface: "c", Speed: speed, MTU: 1500,
			Address: netip.MustParsePrefix(fmt.Sprintf("10.0.0.%d/24", i)), Link: l.Name}
	}
	if trunk > 0 {
		s.trunk = &plan.Link{Name: "sw--far", Speed: trunk, MTU: 1500, Ends: [2]plan.End{{ID: "sw.40", Switch: "sw"},
			{ID: "far.40", Switch: "far"}}}
	}
	return s
}

func (s star) flow(from, to string, duplex, backward bool) Flow {
	p := plan.Path{From: from, To: to, FromPort: s.ports[from], ToPort: s.ports[to], Links: []*plan.Link{s.links[from]}}
	if s.trunk != nil && s.links[from].Ends[1].Switch != s.links[to].Ends[1].Switch {
		p.Links = append(p.Links, s.trunk)
	}
	p.Links = append(p.Links, s.links[to])
	direction := "out"
	if backward {
		direction = "in"
	}
	return Flow{Path: p, Backward: backward, Chain: TCP(p, direction, Conditions{Duplex: duplex})}
}

// TestGroup checks the sum of concurrent flows, in units of the goodput of one flow on a 10 Gb/s link.
func TestGroup(t *testing.T) {
	one := float64(TCP(twoHosts(1500), "out", Conditions{}).Limit)
	duplex := float64(TCP(twoHosts(1500), "out", Conditions{Duplex: true}).Limit)
	slow := newStar(4, 10e9, 0)
	slow.links["n4"].Speed, slow.ports["n4"].Speed = 1e9, 1e9
	for _, c := range []struct {
		name      string
		star      star
		flows     string // a>b; a<b is the backward half of a flow
		duplex    bool
		want      float64
		component string
	}{
		{"pairs", newStar(4, 10e9, 0), "n1>n3 n2>n4", false, 2 * one, "the sum of 2 links"},
		{"pairs, both directions", newStar(4, 10e9, 0), "n1>n3 n1<n3 n2>n4 n2<n4", true, 4 * duplex, "the sum of 4 links"},
		{"incast", newStar(4, 10e9, 0), "n1>n4 n2>n4 n3>n4", false, one, "link n4--sw"},
		{"incast at a slow receiver", slow, "n1>n4 n2>n4 n3>n4", false, one / 10, "link n4--sw"},
		{"incast of slow senders", slow, "n4>n1", false, one / 10, "link n4--sw"},
		{"one sends to many", newStar(4, 10e9, 0), "n1>n2 n1>n3 n1>n4", false, one, "link n1--sw"},
		{"all to all", newStar(3, 10e9, 0), "n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2", true, 3 * duplex, "the sum of 3 links"},
		{"a link between switches that is too slow", newStar(4, 10e9, 10e9), "n1>n2 n3>n4", false, one, "link sw--far"},
		{"the same link, one flow each way", newStar(4, 10e9, 10e9), "n1>n2 n4>n3", false, 2 * one, "the sum of 2 links"},
		{"the same link, a flow next to it", newStar(6, 10e9, 10e9), "n1>n2 n3>n4 n5>n1", false, 2 * one,
			"the sum of 2 links"},
		{"nobody knows a rate", newStar(2, 0, 0), "n1>n2", false, 0, ""},
	} {
		var flows []Flow
		for _, f := range strings.Fields(c.flows) {
			from, to, forward := strings.Cut(f, ">")
			if !forward {
				from, to, _ = strings.Cut(f, "<")
			}
			flows = append(flows, c.star.flow(from, to, c.duplex, !forward))
		}
		g := Group(flows)
		if have := float64(g.Limit); math.Abs(have-c.want) > 1e-3*c.want {
			t.Errorf("%s: %v; want %v: %+v", c.name, g.Limit, unit.BitRate(c.want), g.Hops)
		}
		if g.Component != c.component || !g.AtMost {
			t.Errorf("%s: %q, at most %v; want %q", c.name, g.Component, g.AtMost, c.component)
		}
		if g.Limit > 0 && (g.Lowest() == nil || g.Lowest().Formula == "") {
			t.Errorf("%s: no hop with a formula is named %q", c.name, g.Component)
		}
	}
}
