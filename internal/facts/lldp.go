package facts

import (
	"net/netip"
	"time"

	"linerate/internal/base/unit"
)

// LLDPNeighbour is the device at the other end of an interface's cable, received by LLDP (IEEE 802.1AB), or by a
// similar protocol if Via names it. Values that it did not send, or the tool does not print, are empty.
type LLDPNeighbour struct {
	Chassis     LLDPID `json:"chassis"`
	Port        LLDPID `json:"port"`
	System      string `json:"system,omitempty"` // its name
	Description string `json:"description,omitempty"`
	// PortDescription is the neighbour's description of its port. Linux' lldpd sends the interface's name, switches an
	// administrator's text.
	PortDescription string       `json:"port_description,omitempty"`
	Management      []netip.Addr `json:"management,omitempty"` // addresses
	// since it was first received (lldpd), or last (switches)
	Age   unit.Opt[time.Duration] `json:"age"`
	TTL   unit.Opt[time.Duration] `json:"ttl"`           // how long it is valid after the last message
	Via   string                  `json:"via,omitempty"` // LLDP, CDPv2; empty: not printed
	Proof `json:"-"`
}

// LLDPID is the identity of a chassis or port with its kind.
type LLDPID struct {
	Kind  LLDPKind `json:"kind,omitempty"`
	Value string   `json:"value,omitempty"` // of a MAC address: small letters, with colons
}

// LLDPKind is the subtype of an identity; empty: the tool does not print it, and the value does not show it.
type LLDPKind string

// The kinds of IEEE 802.1AB, tables 8-2 and 8-3, in lldpd's words.
const (
	LLDPMAC       LLDPKind = "mac"
	LLDPInterface LLDPKind = "ifname"
	LLDPAlias     LLDPKind = "ifalias"
	LLDPLocal     LLDPKind = "local" // a name or number that only the neighbour understands
	LLDPAddress   LLDPKind = "ip"
	LLDPComponent LLDPKind = "component"
)
