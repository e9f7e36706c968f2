package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// Bond is how an interface of several members spreads frames over them.
type Bond struct {
	Mode                 string           // as the kernel writes it: "IEEE 802.3ad Dynamic link aggregation"
	Hash                 unit.Opt[string] // xmit_hash_policy: "layer2", "layer3+4"
	LACP                 string           // "fast", "slow"; empty: not known, or no LACP
	Aggregator           string           // the one in use; empty: not known, or no LACP
	Members              []BondMember
	HashProof, ModeProof Proof
}

// BondMember is an interface of a bond.
type BondMember struct {
	Name       string
	Up         bool   // MII status
	Aggregator string // members with another one than the bond's carry nothing; empty: not known
	Proof             // of the status
}

// Carries says whether a member is in use: it has a link, and with LACP the other end has taken it into the same group as the others. Of a bond
// that uses one member at a time the spare ones carry nothing, either, and are not told from that one here.
func (b *Bond) Carries(m BondMember) bool {
	return m.Up && (m.Aggregator == "" || b.Aggregator == "" || m.Aggregator == b.Aggregator)
}

// Spreads says whether all members carry something at once, each connection one of them, by a hash. The modes' names are those of Linux' bond_mode_name
// (XOR, LACP, and those that weigh what each carries) and of FreeBSD's laggproto.
func (b *Bond) Spreads() bool {
	return b.mode("802.3ad", "xor", "adaptive", "lacp", "loadbalance")
}

// PerPacket says whether single packets of one connection go by all members in turn (balance-rr).
func (b *Bond) PerPacket() bool { return b.mode("round-robin", "roundrobin") }

func (b *Bond) mode(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(b.Mode, w) })
}

// parseBond reads /proc/net/bonding/NAME: lines "KEY: VALUE", first of the bond, then of each member from "Slave Interface:" on.
// Format: https://docs.kernel.org/networking/bonding.html, section 5 (Querying Bonding Configuration), where the capture behind it is from.
func parseBond(text []byte) (*Bond, error) {
	b := &Bond{Hash: unit.Unknown[string]("the kernel names it for the modes alone that use it")}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		if !ok {
			continue
		}
		var m *BondMember
		if n := len(b.Members); n > 0 {
			m = &b.Members[n-1]
		}
		switch {
		case key == "Bonding Mode":
			b.Mode, b.ModeProof.Line = value, oneLine(line)
		case key == "Transmit Hash Policy":
			policy, _, _ := strings.Cut(value, " ")
			b.Hash, b.HashProof.Line = known(policy), oneLine(line)
		case key == "LACP rate":
			b.LACP = value
		case key == "Slave Interface":
			if len(b.Members) >= maxFunctions || value == "" {
				return nil, toolError(text)
			}
			b.Members = append(b.Members, BondMember{Name: value})
		case key == "MII Status" && m != nil && m.Line == "":
			m.Up, m.Line = value == "up", oneLine(line)
		case key == "Aggregator ID" && m == nil:
			b.Aggregator = value
		case key == "Aggregator ID" && m != nil && m.Aggregator == "":
			m.Aggregator = value
		}
	}
	if b.Mode == "" {
		return nil, toolError(text)
	}
	return b, nil
}

func putBond(f *Facts, args []string, b *Bond) {
	for _, p := range []*Proof{&b.HashProof, &b.ModeProof} {
		p.Source = f.reading
	}
	for i := range b.Members {
		b.Members[i].Source = f.reading
	}
	if slices.ContainsFunc(b.Members, func(m BondMember) bool { return m.Up }) {
		for _, m := range b.Members {
			if !m.Up && m.Line != "" {
				f.happened(Event{What: MemberDown, Subject: m.Name, Detail: "of " + args[0], Proof: m.Proof})
			}
		}
	}
	f.nic(args[0]).Bond = b
}
