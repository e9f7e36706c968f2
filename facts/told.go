package facts

import "net/netip"

// Told is what a configuration that was kept tells an interface, beside its traffic classes. It may be in effect or not.
type Told struct {
	MTU       int // 0: it says none
	Addresses []netip.Prefix
	VLANs     []int    // that are made on it
	Members   []string // of a bond
	Protocol  string   // of a bond: "lacp", "failover"
	Pause     bool     // it may pause the whole link; false: it is told not to
	PauseSaid bool
	Proof     // the line of its MTU, else of its addresses
}

// toldOf returns what an interface is told, and makes it if there is none yet.
func (f *Facts) toldOf(name string) *Told {
	n := f.nic(name)
	if n.Told == nil {
		n.Told = new(Told)
	}
	return n.Told
}
