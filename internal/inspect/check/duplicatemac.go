package check

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkDuplicateMAC = Check{
	ID:     "duplicate-mac",
	Title:  "one hardware address, one card",
	Why:    "a switch sends frames to the port where it saw the address last: two cards of one address take each other's traffic",
	Worst:  record.Error,
	Source: "IEEE 802.1Q: a bridge learns one port for an address; cloned virtual machines and copied configurations have the same ones",
	look: func(w *World, r *report) {
		first := map[string]plugged{}
		for p := range w.ports() {
			mac := strings.ToLower(p.nic.MAC)
			if mac == "" || mac == "00:00:00:00:00:00" {
				continue
			}
			o, seen := first[mac]
			if !seen {
				first[mac] = p
				continue
			}
			if o.host.is(p.host) { // a bond gives its members one address, and says so
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: p.subject(), Have: fmt.Sprintf("%s, which %s has too", mac, o.subject()), Want: "an address of its own",
				Evidence: []record.EvidenceLine{
					{Host: p.host.Name, Source: "ip link", Line: fmt.Sprintf("%s: link/ether %s", p.nic.Name, mac)},
					{Host: o.host.Name, Source: "ip link", Line: fmt.Sprintf("%s: link/ether %s", o.nic.Name, mac)},
				},
				Consequence: "nothing while no switch sees both",
				Fix:         fmt.Sprintf("ip link set dev %s address ADDRESS, with the one that is printed on the card; of a cloned machine, let its hypervisor give it a new one", p.nic.Name),
				Undo:        fmt.Sprintf("ip link set dev %s address %s", p.nic.Name, mac),
			}
			if w.sameSwitch(o, p) {
				f.Severity = record.Error
				f.Consequence = fmt.Sprintf("the switches send to %s and %s in turns what is for one of them: connections stall and break", o.subject(), p.subject())
			}
			r.found(f, p.subject(), o.subject())
		}
	},
}

// is says whether two hosts are one, asked under two names: of one boot, with the same cards. Network namespaces of one boot have other cards.
func (h *Host) is(o *Host) bool {
	if h == o {
		return true
	}
	a, b := h.Facts, o.Facts
	return a.Boot != "" && a.Boot == b.Boot && slices.EqualFunc(a.NICs, b.NICs, func(x, y facts.Interface) bool {
		return x.Name == y.Name && x.MAC == y.MAC && slices.Equal(x.Addresses, y.Addresses)
	})
}

// sameSwitch says whether both ports are plugged into switches, which the plan joins.
func (w *World) sameSwitch(a, b plugged) bool {
	on := func(p plugged) bool {
		return p.link != nil && (p.link.Ends[0].Switch != "" || p.link.Ends[1].Switch != "")
	}
	return on(a) && on(b)
}
