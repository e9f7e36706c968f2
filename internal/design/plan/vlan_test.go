package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/design/plan"
)

const tagged = `fabric: tagged
mtu: 9000
subnets: {v: {range: 10.9.0.0/24, vlan: 711}, u: {range: 10.9.1.0/24}}
hosts:
  a: {os: linux, nics: {n: {part: MCX312B-XCCT}, averylongname: {part: MCX312B-XCCT}}}
  b: {os: linux, nics: {n: {part: MCX312B-XCCT}}, bonds: {team: {of: [n.1, n.2], mode: lacp, subnet: v}}}
switches: {sw: {part: CRS317}}
links:
  - {ends: [a.n.1, sw.1], subnet: v, cable: SFP+-DAC-1m}
  - {ends: [a.n.2, sw.2], subnet: u, cable: SFP+-DAC-1m}
  - {ends: [a.averylongname.1, sw.5], subnet: v, cable: SFP+-DAC-1m}
  - {ends: ["b.n.[1-2]", "sw.[3-4]"], cable: SFP+-DAC-1m}
`

// TestVLAN expects the address of a tagged subnet on an interface of its own, made after its port is up, none on
// members of a bond, and the tag at switch ports.
func TestVLAN(t *testing.T) {
	p := plan.Build(parse(t, tagged))
	settings := func(host string) string {
		var out []string
		for _, s := range p.Host(host).Settings {
			switch s.Kind {
			case plan.SetMTU:
				out = append(out, fmt.Sprintf("%s mtu %d", s.Interface, s.Int))
			case plan.SetLink:
				out = append(out, s.Interface+" up")
			case plan.SetVLAN:
				out = append(out, fmt.Sprintf("%s vlan %d as %s", s.Interface, s.Int, s.Key))
			case plan.SetAddress:
				out = append(out, s.Interface+" "+s.Prefix.String())
			case plan.SetBond:
				out = append(out, s.Interface+" bond "+strings.Join(s.Of, "+"))
			}
		}
		return strings.Join(out, ", ")
	}
	for host, want := range map[string]string{
		"a": "np1 mtu 9000, np1 up, np1 vlan 711 as np1.711, np1.711 mtu 9000, np1.711 up, np1.711 10.9.0.1/24, " +
			"np2 mtu 9000, np2 up, np2 10.9.1.1/24, " +
			"averylongnamep1 mtu 9000, averylongnamep1 up, averylongnamep1 vlan 711 as averylongna.711, averylongna.711 mtu " +
			"9000, averylongna.711 up, averylongna.711 10.9.0.2/24",
		"b": "team bond np1+np2, np1 mtu 9000, np1 up, np2 mtu 9000, np2 up, team mtu 9000, team up, team vlan 711 as " +
			"team.711, team.711 mtu 9000, team.711 up, team.711 10.9.0.3/24",
	} {
		if got := settings(host); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", host, got, want)
		}
	}
	for _, port := range p.Switch("sw").Ports {
		want := 711
		if port.ID == "sw.2" {
			want = 0
		}
		if port.VLAN != want {
			t.Errorf("%s has VLAN %d, want %d", port.ID, port.VLAN, want)
		}
	}
}
