package render

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/device/routeros"
)

// port is one interface of the switch that the plan uses. A cage of four lanes is four interfaces.
type port struct {
	name    string // qsfp28-1-1
	id      string // of the plan: crs504.1
	link    string
	rate    unit.BitRate // of the whole link
	vlan    int
	follows bool // a lane that only follows the first while the cage is one port
}

// ports lists the interfaces of the used ports, in the plan's order, with all lanes of a used cage. guessed reports
// whether the catalogue has no name for some of them.
func ports(s *plan.Switch) (list []port, guessed bool) {
	seen := map[string]int{}
	add := func(p port) {
		if at, ok := seen[p.name]; ok {
			if list[at].follows && !p.follows {
				list[at] = p
			}
			return
		}
		seen[p.name] = len(list)
		list = append(list, p)
	}
	for _, sp := range s.Ports {
		name, known := routeros.Port(s.Part, sp.Index)
		guessed = guessed || !known
		whole := port{name: name, id: sp.ID, link: sp.Link, rate: sp.Speed, vlan: sp.VLAN}
		base, ok := strings.CutSuffix(name, "-1")
		if !ok || !laned(s.Part, sp.Index) {
			add(whole)
			continue
		}
		first := max(sp.Lane, 1)
		for lane := 1; lane <= lanes(s.Part, sp.Index); lane++ {
			p := whole
			p.name, p.follows = fmt.Sprintf("%s-%d", base, lane), lane != first
			add(p)
		}
	}
	return list, guessed
}

// laned reports whether a port's cage appears as several interfaces.
func laned(p *catalog.Part, index int) bool {
	port, ok, known := p.Port(index)
	return ok && known && strings.HasPrefix(string(port.Cage), "qsfp")
}

// lanes returns the number of interfaces of a cage: eight for double density, else four.
func lanes(p *catalog.Part, index int) int {
	if port, _, _ := p.Port(index); strings.HasSuffix(string(port.Cage), "-dd") {
		return 8
	}
	return 4
}

// laneRate returns the link's rate in RouterOS's form: 100.0Gbps.
func (p port) laneRate() string { return fmt.Sprintf("%.1fGbps", float64(p.rate)/1e9) }
