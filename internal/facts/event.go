package facts

import "linerate/internal/base/unit"

// Event is something that a system, a driver or a switch says in words: in its log, or as the state of a port.
type Event struct {
	What    Happening
	Subject string // interface, port or PCI address that it is about; empty: not known
	Detail  string // what the words say further: a reason, a rate, a driver
	Count   int    // how often it is said; at least 1
	// Of BusNarrow: what the bus carries after line coding, and what the card's ports need together, where the words or the
	// card's name say it. Nobody says BusNarrow of a port inside of the processor (E823), whose bus is a formality.
	Carries, Needs unit.Opt[unit.BitRate]
	// Rate is that of the port that it is about, where the words say it, or what the card or its driver is called: then the least
	// that such a port has.
	Rate  unit.Opt[unit.BitRate]
	Proof // the first line that says it
}

// Happening is what an event means, whatever the words.
type Happening string

// What systems and switches say. A parser gives an event one of these; a check decides what it is worth.
const (
	ModuleRefused Happening = "module-refused" // an optic or cable that the driver or switch does not take
	PortDisabled  Happening = "port-disabled"  // the device itself took the port out of service
	TxTimeout     Happening = "tx-timeout"     // the watchdog of a transmit queue fired
	ProbeFailed   Happening = "probe-failed"   // a driver took a card and could not start it
	NoDriverFound Happening = "no-driver"      // no driver took a card
	LinkDown      Happening = "link-down"      // a port lost its link
	BusNarrow     Happening = "bus-narrow"     // the driver or kernel says that PCI Express holds a card back
	BusError      Happening = "bus-error"      // an error of PCI Express
	LinkFailed    Happening = "link-failed"    // there is a signal, and no link comes of it: negotiation failed, or a fault is told
	MemberDown    Happening = "member-down"    // an aggregated link that is up has a member without a link; the subject is the member
	Pausing       Happening = "pausing"        // a port is asking its other end to wait at this moment
	TableFull     Happening = "table-full"     // the firewall's table of connections was full, and new ones were dropped
	NoResource    Happening = "pci-resource"   // an address window of a card could not be given
	OneQueue      Happening = "one-queue"      // a driver works with one receive queue where it has more by itself
	OffloadOff    Happening = "offload-off"    // an offload was switched off, or its driver gave it up; the detail is which, in the system's words
	NotInEffect   Happening = "not-in-effect"  // set on a port, and not in effect there; the detail says what
	HardwareFault Happening = "hardware-fault" // a power supply, fan or sensor of a switch that says it is in error
)

// maxEvents is how many different ones are kept of a host: a log that says more has something else wrong.
const maxEvents = 4096

// happened adds an event, or counts one up that was said before.
func (f *Facts) happened(e Event) {
	if e.Count == 0 {
		e.Count = 1
	}
	key := e
	key.Proof, key.Count = Proof{Source: e.Source}, 0
	if e.What == LinkDown {
		key.Detail = ""
	}
	if at, ok := f.told[key]; ok {
		f.Events[at].Count += e.Count
		return
	}
	if len(f.Events) >= maxEvents {
		return
	}
	if f.told == nil {
		f.told = map[Event]int{}
	}
	f.told[key] = len(f.Events)
	f.Events = append(f.Events, e)
}
