package fabric

import (
	"fmt"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/design/catalog"
)

// member is a host of a mesh, with its NIC if the file names one.
type member struct {
	host *Host
	nic  string
	at   At
}

// mesh links every pair of the named hosts that has no link yet, in the order of the list, each through the first free
// ports that the cable fits.
func (d *decoder) mesh(item linkItem, have []made) []made {
	f := item.f
	f.subject = fmt.Sprintf("link %d, mesh", item.nr+1)
	for _, key := range []string{"addresses", "name"} {
		if f.has(key) {
			f.bad(diag.KeysConflict, key, "a mesh has no key "+key, "it makes several links",
				"delete it, or write the links with ends")
		}
	}
	members := d.members(f)
	if len(members) < 2 {
		if len(f.items("mesh")) < 2 {
			f.bad(diag.LinkEnds, "mesh", "a mesh needs at least two hosts", "", "write mesh: [HOST, HOST, HOST]")
		}
		return nil
	}
	linked := map[[2]string]bool{}
	for _, m := range have {
		a, b := m.link.Ends[0].Host, m.link.Ends[1].Host
		linked[[2]string{a, b}], linked[[2]string{b, a}] = true, true
	}
	shared := d.linkShared(item)
	var links []made
	for i, a := range members {
		for _, b := range members[i+1:] {
			if !d.src.charge(a.at, 1) {
				return links
			}
			if a.host == b.host || linked[[2]string{a.host.Name, b.host.Name}] {
				continue
			}
			if d.tooManyLinks(item) {
				return links
			}
			l := &Link{At: item.node.at}
			d.linkKeys(item, l, shared, single())
			l.Addresses = nil
			var ok bool
			if l.Ends[0], ok = d.freePort(f, a, l.Cable.Part, b); !ok {
				continue
			}
			if l.Ends[1], ok = d.freePort(f, b, l.Cable.Part, a); !ok {
				continue
			}
			l.Name = l.Ends[0].String() + "--" + l.Ends[1].String()
			d.plug(l.Ends[0], "link "+l.Name, a.at)
			d.plug(l.Ends[1], "link "+l.Name, b.at)
			d.finish(item, l, [2]At{a.at, b.at})
			links = append(links, made{l, item.nr})
		}
	}
	return links
}

func (d *decoder) members(f *fields) []member {
	var members []member
	for _, w := range f.words("mesh") {
		for _, text := range d.names(w, f.subject) {
			name, nic, _ := strings.Cut(text, ".")
			h := d.hosts[name]
			switch {
			case h == nil:
				d.bad(diag.HostUnknown, w.at, f.subject, fmt.Sprintf("no host is called %s", quote(name)), "", d.nearHost(name))
			case h.On != "":
				d.bad(diag.LinkEnds, w.at, f.subject, fmt.Sprintf("%s is a virtual machine", name), "it has no ports for cables",
					"name the host that it runs on")
			case nic != "" && h.nic(nic) == nil:
				d.bad(diag.PortUnknown, w.at, f.subject, fmt.Sprintf("host %s has no NIC %s", name, quote(nic)), "",
					"write a NIC of the host, or the host alone")
			default:
				members = append(members, member{h, nic, w.at})
			}
		}
	}
	return members
}

// freePort returns the first free port of a host that the cable fits.
func (d *decoder) freePort(f *fields, m member, cable *catalog.Part, to member) (Port, bool) {
	ports, unfit, broken := 0, "", false
	defer func() { d.src.charge(m.at, ports/4) }()
	for _, c := range m.host.NICs {
		if m.nic != "" && c.Name != m.nic || c.Part == nil {
			broken = broken || d.missing[m.host.Name+"."+c.Name]
			continue
		}
		for _, port := range c.Part.Ports {
			p := Port{Host: m.host.Name, NIC: c.Name, Index: port.Index}
			ports++
			if _, ok := d.used[p]; ok || m.host.bondOf(p) != nil {
				continue
			}
			if ok, why := anyPlug(cable, port.Cage); !ok {
				unfit = why
				continue
			}
			return p, true
		}
	}
	if broken {
		return Port{}, false // the NIC's part was reported
	}
	message, fix := fmt.Sprintf("%s has no free port for the cable to %s", m.host.Name, to.host.Name),
		"add a NIC, or remove a host from the mesh"
	if unfit != "" {
		message, fix = fmt.Sprintf("%s has no free port that takes the cable to %s: %s", m.host.Name, to.host.Name, unfit),
			"choose another cable or NIC"
		if reason, advice, ok := strings.Cut(unfit, ": "); ok {
			message = fmt.Sprintf("%s has no free port for the cable to %s: %s", m.host.Name, to.host.Name, reason)
			fix = advice
		}
	}
	d.bad(diag.PortUsed, m.at, f.subject, message, fmt.Sprintf("the host has %s", countPorts(ports)), fix)
	return Port{}, false
}
