package facts

import "linerate/internal/base/unit"

// MLAG is one switch's half of an aggregated link that ends at two switches.
type MLAG struct {
	Enabled unit.Opt[bool]
	State   string // of the pair, in the switch's words: "Active", "Inactive", "Down"
	Peer    string // of the link between the two: "Up", "Lowerlayerdown"
	// Partial is how many of its ports are up at one of the two switches alone.
	Partial unit.Opt[int]
	// Mismatches are what the two switches have differently, each with the line that says so.
	Mismatches []Mismatch
	Proof      // the line that says the state
}

// Mismatch is a setting in which a switch and its peer differ.
type Mismatch struct {
	What string // "system-mac"
	Proof
}
