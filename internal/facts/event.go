package facts

import (
	"linerate/internal/base/unit"
)

// Event is a message of a system, driver or switch: in its log, or as the state of a port.
type Event struct {
	What    Happening `json:"what"`
	Subject string    `json:"subject"` // interface, port or PCI address; empty: unknown
	Detail  string    `json:"detail"`  // further words of the message: a reason, a rate, a driver
	Count   int       `json:"count"`   // how often it was logged; at least 1
	// Of BusNarrow: the rate of the bus after line coding, and the rate of the adapter's ports together, if the message or
	// the adapter's name has them. BusNarrow is never reported for a port inside the CPU (E823), whose bus does not limit
	// it.
	Carries unit.Opt[unit.BitRate] `json:"carries"`
	Needs   unit.Opt[unit.BitRate] `json:"needs"`
	// Rate is that of the port, if the message has it, or the least possible one by the name of the adapter or its driver.
	Rate  unit.Opt[unit.BitRate] `json:"rate"`
	Proof                        // the first line with it
}

// Happening is what an event means, whatever its text.
type Happening string

// The events of systems and switches. A parser assigns one to each message that it knows; a check decides what it
// means.
const (
	ModuleRefused Happening = "module-refused" // the driver or switch refuses an optic or cable
	PortDisabled  Happening = "port-disabled"  // the device disabled the port itself
	TxTimeout     Happening = "tx-timeout"     // the watchdog of a transmit queue fired
	ProbeFailed   Happening = "probe-failed"   // a driver could not start an adapter
	NoDriverFound Happening = "no-driver"      // no driver attached to an adapter
	LinkDown      Happening = "link-down"      // a port lost its link
	BusNarrow     Happening = "bus-narrow"     // the driver or kernel reports that PCI Express limits an adapter
	BusError      Happening = "bus-error"      // an error of PCI Express
	// there is a signal but no link: negotiation failed, or a fault is reported
	LinkFailed Happening = "link-failed"
	// an aggregated link that is up has a member without a link; the subject is the member
	MemberDown Happening = "member-down"
	Pausing    Happening = "pausing"      // a port is pausing its other end at this moment
	TableFull  Happening = "table-full"   // the firewall's connection table was full, and new connections were dropped
	NoResource Happening = "pci-resource" // a range of addresses of an adapter could not be assigned
	OneQueue   Happening = "one-queue"    // a driver uses one receive queue where it has more by default
	// an offload was disabled by an administrator or its driver; the detail is its name in the system's words
	OffloadOff    Happening = "offload-off"
	NotInEffect   Happening = "not-in-effect"  // configured on a port, and not in effect; the detail is the setting
	HardwareFault Happening = "hardware-fault" // a power supply, fan or sensor of a switch that reports an error
)

// Proof is the unchanged line that a fact was read from, and its source.
type Proof struct {
	Source string `json:"source"` // "ethtool -S eth2"
	Line   string `json:"line"`
}

// Proves records the line that proves an aspect of the interface; a later one replaces it.
func (n *Interface) Proves(aspect string, p Proof) {
	if n.Proofs == nil {
		n.Proofs = map[string]Proof{}
	}
	n.Proofs[aspect] = p
}
