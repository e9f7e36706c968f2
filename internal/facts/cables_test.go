package facts

import (
	"fmt"
	"strings"
	"testing"
)

// TestCables connects machines with a few interfaces and neighbours.
func TestCables(t *testing.T) {
	mac := func(v string) LLDPID { return LLDPID{LLDPMAC, v} }
	name := func(v string) LLDPID { return LLDPID{LLDPInterface, v} }
	one := func(name, host, os string, nics ...Interface) NamedFacts {
		return NamedFacts{Name: name, Facts: &Facts{Host: host, OS: os, NICs: nics}, BridgeInPortID: os == "routeros"}
	}
	nic := func(name, mac string, heard ...LLDPNeighbour) Interface {
		return Interface{Name: name, MAC: mac, LLDP: heard}
	}
	const a1, a2, b1, b2, sw = "02:00:00:00:0a:01", "02:00:00:00:0a:02", "02:00:00:00:0b:01", "02:00:00:00:0b:02",
		"02:00:00:00:05:00"
	of := func(kind string, n Interface) Interface { n.Kind = kind; return n }
	for _, c := range []struct {
		what     string
		machines []NamedFacts
		want     string
	}{
		{"both by the port's MAC, as lldpd sends it", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: mac(b2)})),
			one("b", "right", "linux", nic("e1", b1), nic("e2", b2, LLDPNeighbour{Chassis: mac(a1), Port: mac(a1)}))},
			"a: e1 to b: e2 by port MAC both alone; b: e2 to a: e1 by port MAC both alone"},
		{"chassis and name of the port", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: name("e2")})),
			one("b", "right", "linux", nic("e1", b1), nic("e2", b2))},
			"a: e1 to b: e2 by chassis MAC alone"},
		{"a switch by its name, with a domain, its port written differently", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1,
				LLDPNeighbour{Chassis: mac(sw), Port: name("Ethernet 1/19"), System: "Leaf1.example.com"})),
			one("sw1", "leaf1", "onyx", nic("Eth1/19", ""), nic("Eth1/1", ""))},
			"a: e1 to sw1: Eth1/19 by system name alone"},
		{"RouterOS writes the bridge before it", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: name("bridge1/sfp2")})),
			one("mt", "mt", "routeros", nic("sfp1", b1), nic("sfp2", b2))},
			"a: e1 to mt: sfp2 by chassis MAC alone"},
		{"the members of a bond have one address: the description tells", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: mac(b1), PortDescription: "e2"})),
			one("b", "right", "linux", of("bond", nic("bond0", b1)), nic("e1", b1), nic("e2", b1))},
			"a: e1 to b: e2 by port MAC alone"},
		{"and else it is not known", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: mac(b1)})),
			one("b", "right", "linux", of("bond", nic("bond0", b1)), nic("e1", b1), nic("e2", b1))},
			`a: e1 to b:  by port MAC alone (b has no port that is known to be "02:00:00:00:0b:01")`},
		{"but a bridge above one NIC is not a second one", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: mac(b1)})),
			one("b", "right", "linux", of("bridge", nic("br0", b1)), nic("e1", b1))},
			"a: e1 to b: e1 by port MAC alone"},
		{"clones: the name decides", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: name("e1"), System: "two"})),
			one("b", "one", "linux", nic("e1", b1)), one("c", "two", "linux", nic("e1", b1))},
			"a: e1 to c: e1 by system name alone"},
		{"clones of one name", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: name("e1"), System: "one"})),
			one("b", "one", "linux", nic("e1", b1)), one("c", "one", "linux", nic("e1", b1))},
			`a: e1 to :  by  alone several (2 machines are called "one")`},
		{"a stranger, and a number is not a name", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1,
				LLDPNeighbour{Chassis: mac(sw), Port: LLDPID{LLDPLocal, "512"}, System: "sw"})),
			one("b", "right", "linux", Interface{Name: "e1", Index: 512, MAC: b1})},
			`a: e1 to :  by  alone ("sw" is none of the machines of which facts are known)`},
		{"the MAC address speaks against the name", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: name("e1"), System: "three"})),
			one("b", "right", "linux", nic("e1", b1)), one("c", "three", "linux", nic("e1", b2))},
			"a: e1 to b: e1 by chassis MAC alone"},
		{"several behind a bridge", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(b1), Port: mac(b1)},
				LLDPNeighbour{Chassis: mac(sw), Port: name("p"), System: "x"})),
			one("b", "right", "linux", nic("e1", b1))},
			`a: e1 to b: e1 by port MAC; a: e1 to :  by  ("x" is none of the machines of which facts are known)`},
		{"two names with domains that differ", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(sw), Port: name("e1"), System: "nas.home"})),
			one("b", "nas.work", "linux", nic("e1", b1))},
			`a: e1 to :  by  alone ("nas.home" is none of the machines of which facts are known)`},
		{"two ports of one machine joined", []NamedFacts{
			one("a", "left", "linux", nic("e1", a1, LLDPNeighbour{Chassis: mac(a1), Port: mac(a2)}),
				nic("e2", a2, LLDPNeighbour{Chassis: mac(a1), Port: mac(a1)}))},
			"a: e1 to a: e2 by port MAC both alone; a: e2 to a: e1 by port MAC both alone"},
	} {
		var lines []string
		for _, h := range Cables(c.machines) {
			line := fmt.Sprintf("%s to %s by %s", h.At, h.To, h.By)
			if h.Both {
				line += " both"
			}
			if h.Alone {
				line += " alone"
			}
			if h.Several {
				line += " several"
			}
			if h.Why != "" {
				line += " (" + h.Why + ")"
			}
			lines = append(lines, line)
		}
		if got := strings.Join(lines, "; "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}
