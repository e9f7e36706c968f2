package render

import (
	"fmt"
	"slices"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/families"
)

// port is an interface that the plan uses.
type port struct {
	*plan.Port
	name    string       // mlxen0
	guessed bool         // the file does not name it
	driver  string       // mlx4en; empty if unknown
	bond    *fabric.Bond // the bond that it is
	of      []string     // its members' names
	media   string       // the media settings besides the MTU
}

// findPorts lists the plugged ports, bonds last. The plan refuses invalid names.
func findPorts(p *plan.Plan, h *plan.Host) []*port {
	expected := h.Expected()
	lagg := 0
	var out []*port
	byID := map[string]*port{}
	for _, x := range h.Ports {
		one := &port{Port: x, name: x.Interface}
		nic := nicOf(h, x)
		if x.Part != nil {
			one.driver = x.Part.Drivers["freebsd"].Driver
		}
		if nic != nil {
			if !x.Declared {
				one.name, one.guessed = expected[x.ID], true
			}
		} else {
			one.name = fmt.Sprintf("lagg%d", lagg)
			lagg++
			for i := range h.Decl.Bonds {
				if h.Decl.Bonds[i].Name == x.NIC {
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
		byID[fmt.Sprintf("%s.%s.%d", x.Host, x.NIC, x.Index)] = one
		if x.Link == "" && !x.Address.IsValid() {
			continue
		}
		out = append(out, one)
	}
	isBond := func(p *port) bool { return p.bond != nil }
	return append(slices.DeleteFunc(slices.Clone(out), isBond),
		slices.DeleteFunc(out, func(p *port) bool { return !isBond(p) })...)
}

func nicOf(h *plan.Host, p *plan.Port) *fabric.NIC {
	i := slices.IndexFunc(h.Decl.NICs, func(n *fabric.NIC) bool { return n.Name == p.NIC })
	if i < 0 {
		return nil
	}
	return h.Decl.NICs[i]
}

// modules returns the kernel modules of a driver, in the terms of loader.conf and kldload; none if the driver is built
// in, or if unknown.
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

// carries reports whether a port carries the fabric's classes.
func carries(q *device.QoS, h *plan.Host, p *port) bool {
	nic := nicOf(h, p.Port)
	return q != nil && nic != nil && nic.VF == "" && nic.Mode != "ib"
}

// isFreeBSD reports whether a TrueNAS runs FreeBSD, as CORE and FreeNAS do.
func isFreeBSD(h *plan.Host) (core, known bool) {
	system := families.Drivers(h.OS, h.Decl.Version)
	return system == "freebsd", system != ""
}
