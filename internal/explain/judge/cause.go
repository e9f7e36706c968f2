package judge

import (
	"linerate/internal/record"
)

// Strength is the strength of the evidence for a cause.
type Strength int

// The strengths. Proved means that two counts that must be equal are within 5 %, or that removing the cause raised
// goodput. Likely means two independent pieces of evidence and none against.
const (
	Candidate Strength = iota + 1
	Likely
	Proved
)

// confidence returns the word for the strength in a verdict.
func (s Strength) confidence() string {
	switch s {
	case Likely:
		return "likely"
	case Proved:
		return "proved"
	}
	return ""
}

// CauseOf is a possible bottleneck. C is what its tests examine: a Case of a network, an experiment of storage, or a
// figure of another tool. Several causes may have one ID, if they find the same thing by different evidence. The first
// of them has Label and Plain.
type CauseOf[C any] struct {
	ID    string
	Title string // a few words for the table of causes: "receive window of the receiver"
	Label string // for tables with little room; empty: the ID with spaces
	// Plain is what the cause means, for a reader who does not know TCP windows and queues; empty: its sentence is plain
	// enough
	Plain string
	// Applies reports whether the cause is possible at all; nil: everywhere.
	Applies func(C) bool
	// Test looks for the cause in one experiment. It returns nil where there is no evidence. A cause without Test is only
	// for experiments without a figure.
	Test func(C) *Match
	// Fails is Test for an experiment without a figure: nothing arrived, or a connection did not open. Nil: not tried
	// there.
	Fails func(C) *Match
	// Settles judges a candidate by experiments that differ in one thing: they give one more piece of evidence, or exclude
	// the cause. Nil: they give nothing.
	Settles func(C) (more *record.Evidence, against bool)
}

// Cause is a possible bottleneck of a network.
type Cause = CauseOf[*Case]

// Match is a cause with evidence for it.
type Match struct {
	Strength    Strength
	Limiter     string // empty: the cause's ID
	Component   string // the component to look at: "nas: receive window"
	Sentence    string
	Evidence    []record.Evidence
	Identity    *record.Identity
	Fix, Undo   string
	Next        string // a measure command that would settle it
	NextCeiling string
	Unknown     []string
	// Interface is the one that the traffic used instead of the planned one, if the match is about that.
	Interface string
	// Ask is an experiment that would tell more about the found cause; nil: none.
	Ask *record.Next
}

// The transports of a cause. A cause without one also applies to concurrent flows.

// AnyTransport reports whether a case is about one flow.
func AnyTransport(c *Case) bool { return c.Exp.Pattern == "" }

// IP reports whether a case is about one flow of TCP or UDP.
func IP(c *Case) bool { return AnyTransport(c) && !c.OverRDMA() }

// TCP reports whether a case is about one flow of TCP.
func TCP(c *Case) bool { return IP(c) && !c.OverUDP() }

// UDP reports whether a case is about one flow of UDP.
func UDP(c *Case) bool { return IP(c) && c.OverUDP() }

// RDMA reports whether a case is about one flow of RDMA.
func RDMA(c *Case) bool { return AnyTransport(c) && c.OverRDMA() }
