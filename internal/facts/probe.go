package facts

import (
	"net/netip"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Probes are the tests of peers.
type Probes struct {
	Paths  []PathProbe    `json:"paths"`
	Owners []OwnerProbe   `json:"owners"`
	Ways   []Way          `json:"ways"`
	Silent []netip.Addr   `json:"silent"` // those without an answer to ICMP echo of any size
	Bus    []BusUnderLoad `json:"bus"`    // PCI Express under load
}

// PathProbe is the largest packet that reached an address and returned, unfragmented.
type PathProbe struct {
	To      netip.Addr              `json:"to"`
	Asked   int                     `json:"asked"`   // the largest tested size, in bytes of the IP packet
	Through unit.Opt[int]           `json:"through"` // the largest answered size
	TooBig  bool                    `json:"too_big"` // this host's interface has a smaller MTU
	RTT     unit.Opt[time.Duration] `json:"rtt"`     // the shortest of the smallest packets
	Proof                           // the line of the largest
}

// OwnerProbe is who answers for an address on the network of an interface, by ARP.
type OwnerProbe struct {
	Address   netip.Addr `json:"address"`
	Interface string     `json:"interface"`
	Own       bool       `json:"own"`     // this host's own address: any answer is from another machine
	Answers   []string   `json:"answers"` // MAC addresses
	Proofs    []Proof    `json:"proofs"`  // of each answer, or of the missing answer
}

// Way is the kernel's route of a packet to an address.
type Way struct {
	To        netip.Addr `json:"to"`
	Interface string     `json:"interface"`
	Gateway   netip.Addr `json:"gateway"` // invalid: none
	From      netip.Addr `json:"from"`
	Proof
}

// Way returns the route to an address, if it was queried.
func (p *Probes) Way(to netip.Addr) (Way, bool) {
	return xslices.Find(p.Ways, func(w Way) bool { return w.To == to })
}

// Path returns the test of an address.
func (p *Probes) Path(to netip.Addr) (PathProbe, bool) {
	return xslices.Find(p.Paths, func(v PathProbe) bool { return v.To == to })
}

// BusUnderLoad is the speed of a device's PCI Express link under load: an idle link may be slower to save power.
type BusUnderLoad struct {
	Address string   `json:"address"`
	Link    PCIeLink `json:"link"`
	Load    string   `json:"load"` // the traffic: "4 streams of TCP both ways with pc: 9.41 Gb/s"
	Proof
}

// UnderLoad returns the fastest reading of a device's link under load, which shows what the link can do.
func (p *Probes) UnderLoad(address string) (best BusUnderLoad, ok bool) {
	for _, b := range p.Bus {
		if b.Address == address && (!ok || b.Link.Rate() > best.Link.Rate()) {
			best, ok = b, true
		}
	}
	return best, ok
}
