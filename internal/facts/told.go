package facts

import (
	"net/netip"
	"slices"
)

// Told is what a configuration that was kept tells an interface, beside its traffic classes. It may be in effect or not.
type Told struct {
	MTU       int // 0: it says none
	Addresses []netip.Prefix
	VLANs     []int           // that are made on it
	Members   []string        // of a bond
	Protocol  string          // of a bond: "lacp", "failover"
	Offloads  map[string]bool // by ethtool's names; nil: it says none
	Media     string          // how its link is to run, as FreeBSD names it: "autoselect", "10Gbase-SR"; empty: it says none
	Pause     bool            // it may pause the whole link; false: it is told not to
	PauseSaid bool
	Proof     // the line of its MTU, else of its addresses
	// Proofs are the lines by what they tell: "mtu", "addresses", "offloads", "media".
	Proofs map[string]Proof
}

// toldOf returns what an interface is told, and makes it if there is none yet.
func (f *Facts) toldOf(name string) *Told {
	n := f.nic(name)
	if n.Told == nil {
		n.Told = new(Told)
	}
	return n.Told
}

// proves keeps the line that tells an aspect.
func (t *Told) proves(aspect string, p Proof) {
	if t.Proofs == nil {
		t.Proofs = map[string]Proof{}
	}
	t.Proofs[aspect] = p
}

// mtu tells it an MTU; a value that none can have is left out.
func (t *Told) mtu(v int, p Proof) {
	if v >= 68 && v < 1<<17 {
		t.MTU, t.Proof = v, p
		t.proves("mtu", p)
	}
}

// address tells it one more address.
func (t *Told) address(a netip.Prefix, p Proof) {
	if !a.IsValid() || slices.Contains(t.Addresses, a) {
		return
	}
	t.Addresses = append(t.Addresses, a)
	if t.Line == "" {
		t.Proof = p
	}
	if t.Proofs["addresses"].Line == "" {
		t.proves("addresses", p)
	}
}

// offload tells it whether an offload is to be on.
func (t *Told) offload(feature string, on bool, p Proof) {
	if t.Offloads == nil {
		t.Offloads = map[string]bool{}
	}
	t.Offloads[feature] = on
	t.proves("offloads", p)
}
