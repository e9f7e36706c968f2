package freebsd

import (
	"fmt"
	"slices"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// port is an interface that the plan uses.
type port struct {
	*plan.Port
	name    string       // mlxen0
	guessed bool         // the file does not name it
	driver  string       // mlx4en; empty if no source says
	bond    *fabric.Bond // is this bond
	of      []string     // its members' names
	media   string       // what its media line has beside the MTU
}

// findPorts lists the plugged ports, bonds last. That their names can be written is the plan's to know.
func findPorts(p *plan.Plan, h *plan.Host) []*port {
	expected := h.Expected()
	lagg := 0
	var out []*port
	byID := map[string]*port{}
	for _, x := range h.Ports {
		one := &port{Port: x, name: x.Interface}
		card := cardOf(h, x)
		if x.Part != nil {
			one.driver = x.Part.Drivers["freebsd"].Driver
		}
		if card != nil {
			if !x.Declared {
				one.name, one.guessed = expected[x.ID], true
			}
		} else {
			one.name = fmt.Sprintf("lagg%d", lagg)
			lagg++
			for i := range h.Decl.Bonds {
				if h.Decl.Bonds[i].Name == x.Card {
					one.bond = h.Decl.Bonds[i]
				}
			}
			for _, m := range p.Members(one.bond) {
				if mp := byID[m.ID]; mp != nil {
					one.of = append(one.of, mp.name)
				}
			}
		}
		byID[x.ID] = one
		byID[fmt.Sprintf("%s.%s.%d", x.Host, x.Card, x.Index)] = one
		if x.Link == "" && !x.Address.IsValid() {
			continue
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b *port) int { return boolInt(a.bond != nil) - boolInt(b.bond != nil) })
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func cardOf(h *plan.Host, p *plan.Port) *fabric.NIC {
	for _, n := range h.Decl.NICs {
		if n.Name == p.Card {
			return n
		}
	}
	return nil
}

// modules are the kernel modules of a driver, as loader.conf and kldload name them; none if the kernel has it, or nobody says.
func modules(driver string) []string {
	switch driver {
	case "mlx4en", "mlx5en":
		return []string{driver}
	case "cxgb", "cxgbe", "qlnxe":
		return []string{"if_" + driver}
	case "ice+irdma":
		return []string{"if_ice", "irdma"}
	case "ice":
		return []string{"if_ice"}
	}
	return nil
}

// carries says whether the fabric's classes are for this port.
func carries(q *plan.QoS, h *plan.Host, p *port) bool {
	card := cardOf(h, p.Port)
	return q != nil && card != nil && card.VF == "" && card.Mode != "ib"
}

// isFreeBSD says whether a TrueNAS is one of FreeBSD: CORE and FreeNAS.
func isFreeBSD(h *plan.Host) (core, known bool) {
	system := catalog.SystemOf(h.OS, h.Decl.Version)
	return system == "freebsd", system != ""
}
