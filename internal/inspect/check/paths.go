package check

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// RoundTrip returns the longest round trip from a host to its peers, each measured as the shortest of a few small
// packets.
func (w *World) RoundTrip(h *Host) (took time.Duration, to string, ok bool) {
	for _, v := range h.Facts.Probes.Paths {
		rtt, known := v.RTT.Get()
		if _, over := w.Over(h, v.To); known && over && rtt > took {
			took, to, ok = rtt, w.Named(v.To), true
		}
	}
	return took, to, ok
}

// LongTrip is a round trip far above that of any two hosts in a building, in seconds. Package plan plans buffers for
// it.
const LongTrip = 2e-3

// ShortTrip is a round trip below that of two hosts under load on one switch, in seconds. A buffer that is too small
// for it limits every stream.
const ShortTrip = 200e-6

// ToOneHost reports whether all cables of a bond end at one other host, so that all packets have the same two
// addresses.
func (w *World) ToOneHost(port *plan.Port) bool {
	b := w.Plan.Bundle(port)
	if b == nil {
		return false
	}
	return !slices.ContainsFunc(b.Links, func(l *plan.Link) bool {
		return l.Ends[0].Host == "" || l.Ends[1].Host == ""
	})
}

// Named returns an address with its host.
func (w *World) Named(addr netip.Addr) string {
	if name := w.owner(addr); name != "" {
		return fmt.Sprintf("%s (%s)", name, addr)
	}
	return addr.String()
}

// Way is the way from a host to an address as what a finding is about.
func (w *World) Way(h *Host, to netip.Addr) record.Subject {
	return record.Subject{Host: h.Name, Peer: w.owner(to), Address: to}
}

// owner is the host of the plan that has an address; empty: none.
func (w *World) owner(addr netip.Addr) string {
	if w.Plan == nil {
		return ""
	}
	for _, h := range w.Plan.Hosts {
		for _, p := range h.Ports {
			if p.Address.IsValid() && p.Address.Addr() == addr {
				return h.Name
			}
		}
	}
	return ""
}

// Holding is the interface of the plan that an address belongs on; false: none is known.
func (w *World) Holding(addr netip.Addr) (record.Subject, bool) {
	for p := range w.Ports() {
		if p.Port.Address.IsValid() && p.Port.Address.Addr() == addr {
			return p.Subject(), true
		}
	}
	return record.Subject{}, false
}

// OneHost reports whether all MAC addresses are of one host whose facts are known.
func (w *World) OneHost(macs []string) bool {
	return slices.ContainsFunc(w.Hosts, func(h *Host) bool {
		return !slices.ContainsFunc(macs, func(m string) bool { return MacOf(h.Facts, m) == "" })
	})
}

// Owners names MAC addresses by their interfaces, where these are known.
func (w *World) Owners(macs []string) (out []string) {
	for _, m := range macs {
		name := m
		for _, h := range w.Hosts {
			if nic := MacOf(h.Facts, m); nic != "" {
				name = fmt.Sprintf("%s (%s: %s)", m, h.Name, nic)
			}
		}
		out = append(out, name)
	}
	return out
}

// MacOf returns the interface with a MAC address; empty: none has it.
func MacOf(f *facts.Facts, mac string) string {
	for i := range f.NICs {
		if strings.EqualFold(f.NICs[i].MAC, mac) {
			return f.NICs[i].Name
		}
	}
	return ""
}

// Over returns the port of the plan through which a host reaches an address, if another host of the plan has it.
func (w *World) Over(h *Host, addr netip.Addr) (Port, bool) {
	for _, p := range w.Plugged(h) {
		if addr.IsValid() && p.Port.Address.IsValid() && p.Port.Address.Contains(addr) && addr != p.Port.Address.Addr() {
			return p, true
		}
	}
	return Port{}, false
}

// Peer returns the port at the other end of a link between two hosts.
func (w *World) Peer(p Port) *plan.Port {
	if p.Link == nil {
		return nil
	}
	for _, e := range p.Link.Ends {
		if e.Host != "" && e.ID != p.Port.ID {
			return w.Plan.Port(e.ID)
		}
	}
	return nil
}
