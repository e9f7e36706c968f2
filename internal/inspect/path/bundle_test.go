package path

import (
	"math"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// bonded returns a path over a bond of cables of 10 Gb/s between two hosts.
func bonded(mode string, members int) plan.Path {
	p := twoHosts(1500)
	bundle := &plan.Bundle{Name: "a.x--b.x", Mode: mode, Bonds: []*plan.Port{p.FromPort, p.ToPort}}
	for range members {
		l := *p.Links[0]
		bundle.Links = append(bundle.Links, &l)
	}
	p.FromPort.Speed = bundle.Speed()
	p.ToPort.Speed, p.Bundles = bundle.Speed(), []*plan.Bundle{bundle}
	return p
}

const single = 10e9 * 1448 / 1538

// joined returns a host whose interface is a bond. A member is "up", "down", or the number of another aggregator.
func joined(mode string, members ...string) *facts.Facts {
	b := &facts.Bond{Mode: mode}
	if strings.Contains(mode, "802.3ad") {
		b.Aggregator = "1"
	}
	for _, m := range members {
		x := facts.BondMember{Up: m != "down", Aggregator: b.Aggregator}
		if m != "up" && m != "down" {
			x.Aggregator = m
		}
		b.Members = append(b.Members, x)
	}
	f := host(1500, true)
	f.NICs[0].Bond, f.NICs[0].Speed = b, unit.Unknown[unit.BitRate]("not asked")
	return f
}

// A bond carries as much as its members in use together, and a connection as much as one of them.
func TestBundle(t *testing.T) {
	const lacp, backup = "IEEE 802.3ad Dynamic link aggregation", "fault-tolerance (active-backup)"
	for name, c := range map[string]struct {
		path       plan.Path
		conditions Conditions
		want       float64
		component  string
	}{
		"how many streams is not known": {bonded("lacp", 2), Conditions{}, 2 * single, "bond a.x--b.x"},
		"one stream": {bonded("lacp", 2), Conditions{Streams: 1}, single,
			"1 stream over bond a.x--b.x, each on one member"},
		"two streams, three members": {bonded("set", 3), Conditions{Streams: 2}, 2 * single,
			"2 streams over bond a.x--b.x, each on one member"},
		"as many streams as members": {bonded("lacp", 2), Conditions{Streams: 2}, 2 * single, "bond a.x--b.x"},
		"many streams": {bonded("lacp", 2), Conditions{Streams: 8, From: joined(lacp, "up", "up"),
			To: joined(lacp, "up", "up")}, 2 * single, "bond a.x--b.x"},
		"a backup": {bonded("backup", 2), Conditions{Streams: 8, From: joined(backup, "up", "up")},
			single, "bond a.x--b.x"},
		"a member without a link": {bonded("lacp", 2), Conditions{Streams: 8, From: joined(lacp, "up", "up"),
			To: joined(lacp, "up", "down")}, single, "bond a.x--b.x"},
		"a member that LACP left out": {bonded("lacp", 3), Conditions{Streams: 8, From: joined(lacp, "up", "2", "up")},
			2 * single, "bond a.x--b.x"},
		"packets in turn, one stream": {bonded("set", 2), Conditions{Streams: 1,
			From: joined("load balancing (round-robin)", "up", "up")}, 2 * single, "bond a.x--b.x"},
		"a bridge in a bond's place": {bonded("lacp", 2), Conditions{Lab: true, Scale: 1, Streams: 8,
			From: host(1500, true)}, single, "bond a.x--b.x"},
		"a lab whose bonds are not known": {bonded("lacp", 2), Conditions{Lab: true, Scale: 0.1, Streams: 8}, 0.2 * single,
			"bond a.x--b.x"},
		"a host that does not tell of one": {bonded("lacp", 2), Conditions{Streams: 8, From: joined(lacp, "up", "up"),
			To: &facts.Facts{}}, 2 * single, "bond a.x--b.x"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, direction := range []string{"out", "in"} {
				chain := TCP(c.path, direction, c.conditions)
				if got := float64(chain.Limit); math.Abs(got-c.want) > c.want*1e-4 || chain.Component != c.component {
					t.Errorf("%s: %v by %q, want %v by %q", direction, got, chain.Component, c.want, c.component)
				}
				low := chain.Lowest()
				if low == nil || !strings.Contains(low.Formula, "rate * ") || len(low.Inputs) < 3 {
					t.Fatalf("%s: no formula: %+v", direction, low)
				}
				members := low.Inputs[0].Value * single
				if c.conditions.Lab {
					members *= c.conditions.Scale
				}
				if math.Abs(members-c.want) > c.want*1e-4 {
					t.Errorf("%s: %s is %v, which does not make the limit", direction, low.Inputs[0].Name, low.Inputs[0].Value)
				}
			}
		})
	}
}

// Two hosts that send one connection each to a host with a bond of two may fill both members: the limit of one
// connection is not that of both.
func TestGroupOverBundle(t *testing.T) {
	flow := func(from string) Flow {
		p := bonded("lacp", 2)
		other := *p.FromPort
		other.Host, other.ID, other.Link = from, from+".x", from+".x--sw.1"
		p.From, p.FromPort = from, &other
		p.Bundles = []*plan.Bundle{nil, {Name: "b.x", Mode: "lacp", Links: p.Bundles[0].Links, Bonds: []*plan.Port{p.ToPort}}}
		first := *p.Links[0]
		first.Name, first.Ends = other.Link, [2]plan.End{{ID: other.ID, Host: from}, {ID: "sw.1", Switch: "sw"}}
		last := *p.Links[0]
		last.Name, last.Ends = "b.x--sw.2", [2]plan.End{{ID: "b.x", Host: "b"}, {ID: "sw.2", Switch: "sw"}}
		p.Links, p.Switches = []*plan.Link{&first, &last}, []string{"sw"}
		return Flow{Path: p, Chain: TCP(p, "out", Conditions{Streams: 1})}
	}
	one, two, three := Group([]Flow{flow("a")}), Group([]Flow{flow("a"), flow("c")}),
		Group([]Flow{flow("a"), flow("c"), flow("d")})
	for i, c := range []struct {
		got  record.Chain
		want float64
	}{{one, single}, {two, 2 * single}, {three, 2 * single}} {
		if math.Abs(float64(c.got.Limit)-c.want) > c.want*1e-4 {
			t.Errorf("%d flows: %v by %s, want %v", i+1, c.got.Limit, c.got.Component, c.want)
		}
	}
}
