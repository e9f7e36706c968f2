package facts

import (
	"net/netip"
	"slices"
)

// Configured is the settings of an interface in a saved configuration, besides its traffic classes. They may not be in
// effect.
type Configured struct {
	MTU       int             `json:"mtu"` // 0: not set
	Addresses []netip.Prefix  `json:"addresses"`
	VLANs     []int           `json:"vlans"`    // the VLANs on it
	Members   []string        `json:"members"`  // of a bond
	Protocol  string          `json:"protocol"` // of a bond: "lacp", "failover"
	Offloads  map[string]bool `json:"offloads"` // by ethtool's names; nil: not set
	// FreeBSD's media: "autoselect", "10Gbase-SR"; empty: not set
	Media     string `json:"media"`
	Pause     bool   `json:"pause"` // pause of the whole link is allowed
	PauseSaid bool   `json:"pause_said"`
	Proof            // the line of its MTU, else of its addresses
	// Proofs are the lines of settings: "mtu", "addresses", "offloads", "media".
	Proofs map[string]Proof `json:"proofs"`
}

// Proves records the line that sets an aspect.
func (c *Configured) Proves(aspect string, p Proof) {
	if c.Proofs == nil {
		c.Proofs = map[string]Proof{}
	}
	c.Proofs[aspect] = p
}

// SetMTU sets its MTU; it ignores impossible values.
func (c *Configured) SetMTU(v int, p Proof) {
	if v >= 68 && v < 1<<17 {
		c.MTU, c.Proof = v, p
		c.Proves("mtu", p)
	}
}

// AddAddress adds an address.
func (c *Configured) AddAddress(a netip.Prefix, p Proof) {
	if !a.IsValid() || slices.Contains(c.Addresses, a) {
		return
	}
	c.Addresses = append(c.Addresses, a)
	if c.Line == "" {
		c.Proof = p
	}
	if c.Proofs["addresses"].Line == "" {
		c.Proves("addresses", p)
	}
}

// SetOffload sets whether an offload is enabled.
func (c *Configured) SetOffload(feature string, on bool, p Proof) {
	if c.Offloads == nil {
		c.Offloads = map[string]bool{}
	}
	c.Offloads[feature] = on
	c.Proves("offloads", p)
}
