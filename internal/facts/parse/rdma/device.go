package rdma

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// says records the line that proves an aspect of a port; the first one remains.
func says(p *facts.RDMAPort, aspect string, proof facts.Proof) {
	if p.Proofs == nil {
		p.Proofs = map[string]facts.Proof{}
	}
	if _, ok := p.Proofs[aspect]; !ok {
		p.Proofs[aspect] = proof
	}
}

// portState converts tools' names of a state to sysfs's: PORT_ACTIVE and Active are ACTIVE.
func portState(word string) string {
	word = strings.TrimPrefix(strings.ToUpper(word), "PORT_")
	if word == "INITIALIZING" || word == "INITIALIZE" {
		return "INIT"
	}
	return word
}

// physState does the same for the physical state: LINK_UP is LinkUp.
func physState(word string) string {
	for _, w := range []string{"LinkUp", "Disabled", "Polling", "Sleep"} {
		if strings.EqualFold(strings.NewReplacer("_", "", " ", "").Replace(word), w) {
			return w
		}
	}
	return word
}

// linkLayer returns InfiniBand or Ethernet for a word in any case.
func linkLayer(word string) string {
	for _, w := range []string{"InfiniBand", "Ethernet"} {
		if strings.EqualFold(word, w) {
			return w
		}
	}
	return word
}

// maxRDMADevices is the largest number of devices; a host with all its virtual functions has some hundreds.
const maxRDMADevices = 4096

// rdma returns the RDMA device of a name, and creates it if needed.
func rdma(f *parse.Builder, name string) *facts.RDMADevice {
	if d := f.RDMADevice(name); d != nil {
		return d
	}
	if len(f.RDMA) >= maxRDMADevices { // of a damaged text, and ignored
		return &facts.RDMADevice{Name: name}
	}
	f.RDMA = append(f.RDMA, facts.RDMADevice{Name: name})
	return &f.RDMA[len(f.RDMA)-1]
}

// portOfDevice returns the port of a number, and creates it if needed.
func portOfDevice(d *facts.RDMADevice, n int) *facts.RDMAPort {
	for i := range d.Ports {
		if d.Ports[i].Port == n {
			return &d.Ports[i]
		}
	}
	const only = "sysfs does not name it; ibv_devinfo does"
	d.Ports = append(d.Ports, facts.RDMAPort{Port: n, ActiveMTU: unit.Unknown[unit.Bytes](only),
		MaxMTU: unit.Unknown[unit.Bytes](only)})
	return &d.Ports[len(d.Ports)-1]
}

// gidOfPort returns the entry of an index, and creates it if needed.
func gidOfPort(p *facts.RDMAPort, index int) *facts.GID {
	for i := range p.GIDs {
		if p.GIDs[i].Index == index {
			return &p.GIDs[i]
		}
	}
	p.GIDs = append(p.GIDs, facts.GID{Index: index})
	return &p.GIDs[len(p.GIDs)-1]
}

// Settle removes the empty entries of GID tables, and sorts.
func Settle(f *parse.Builder) {
	for i := range f.RDMA {
		d := &f.RDMA[i]
		slices.SortFunc(d.Ports, func(a, b facts.RDMAPort) int { return a.Port - b.Port })
		for j := range d.Ports {
			p := &d.Ports[j]
			p.GIDs = slices.DeleteFunc(p.GIDs, func(g facts.GID) bool { return !g.GID.IsValid() || g.GID.IsUnspecified() })
			slices.SortFunc(p.GIDs, func(a, b facts.GID) int { return a.Index - b.Index })
			countRDMA(f, d.Name, p)
			if p.LinkLayer.Or("") == "Ethernet" {
				p.SMLid = unit.Unknown[int]("Ethernet has no subnet manager")
				delete(p.Proofs, "sm")
			}
			if p.LinkLayer.Or("") != "InfiniBand" {
				continue
			}
			for k := range p.GIDs {
				parse.Missing(&p.GIDs[k].Interface, "a GID of InfiniBand belongs to no network interface")
			}
		}
	}
	settleRDMAInterfaces(f)
	slices.SortFunc(f.RDMA, func(a, b facts.RDMADevice) int { return CompareNumbered(a.Name, b.Name) })
}

// CompareNumbered sorts mlx5_9 before mlx5_10.
func CompareNumbered(a, b string) int {
	stem := func(s string) (string, int) {
		head := strings.TrimRight(s, "0123456789")
		n, _ := strconv.Atoi(s[len(head):])
		return head, n
	}
	ha, na := stem(a)
	hb, nb := stem(b)
	if c := strings.Compare(ha, hb); c != 0 {
		return c
	}
	if na != nb {
		return na - nb
	}
	return strings.Compare(a, b)
}
