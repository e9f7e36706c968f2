package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// Bond is how an interface with several members distributes frames over them.
type Bond struct {
	Mode       string           `json:"mode"`       // in the kernel's form: "IEEE 802.3ad Dynamic link aggregation"
	Hash       unit.Opt[string] `json:"hash"`       // xmit_hash_policy: "layer2", "layer3+4"
	LACP       string           `json:"lacp"`       // "fast", "slow"; empty: unknown, or no LACP
	Aggregator string           `json:"aggregator"` // the one in use; empty: unknown, or no LACP
	Members    []BondMember     `json:"members"`
	HashProof  Proof            `json:"hash_proof"`
	ModeProof  Proof            `json:"mode_proof"`
}

// BondMember is an interface of a bond.
type BondMember struct {
	Name       string `json:"name"`
	Up         bool   `json:"up"`         // MII status
	Aggregator string `json:"aggregator"` // members with another one than the bond's carry nothing; empty: unknown
	Proof             // of the status
}

// Carries reports whether a member is in use: it has a link, and with LACP the other end put it into the same group as
// the others. A bond that uses one member at a time has spare members that carry nothing; they are not distinguished.
func (b *Bond) Carries(m BondMember) bool {
	return m.Up && (m.Aggregator == "" || b.Aggregator == "" || m.Aggregator == b.Aggregator)
}

// Spreads reports whether all members carry traffic at once, with a hash that assigns connections to members. The
// modes' names are those of Linux' bond_mode_name (XOR, LACP, and modes that balance load) and of FreeBSD's laggproto.
func (b *Bond) Spreads() bool {
	return b.mode("802.3ad", "xor", "adaptive", "lacp", "loadbalance")
}

// PerPacket reports whether the packets of one connection use all members in turn (balance-rr).
func (b *Bond) PerPacket() bool { return b.mode("round-robin", "roundrobin") }

func (b *Bond) mode(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(b.Mode, w) })
}
