package facts

import (
	"linerate/internal/base/unit"
)

// SwitchState is the state of a whole switch.
type SwitchState struct {
	Sensors []Sensor // power supplies, fans and temperatures; nil if unknown
	MLAG    *MLAG    // nil if unknown
	// Asked and Effect are settings of all ports, such as a RoCE mode. Nil if there is none, or unknown.
	Asked, Effect *Classes
	// Pools are the parts of its buffer, AskedPools the configured ones; nil if unknown.
	Pools, AskedPools []BufferPool
	Saved             *Saved // whether a restart keeps its configuration; nil if unknown
}

// MLAG is one switch's half of an aggregated link that ends at two switches.
type MLAG struct {
	Enabled unit.Opt[bool]
	State   string // of the pair, in the switch's words: "Active", "Inactive", "Down"
	Peer    string // of the link between the two: "Up", "Lowerlayerdown"
	// Partial is how many of its ports are up at only one of the two switches.
	Partial unit.Opt[int]
	// Mismatches are differences between the two switches, each with its line.
	Mismatches []Mismatch
	Proof      // the line of the state
}

// Mismatch is a setting in which a switch and its peer differ.
type Mismatch struct {
	What string // "system-mac"
	Proof
}

// BufferPool is a part of a switch's buffer that is reserved for some priorities.
type BufferPool struct {
	Name       string
	Lossless   bool
	Priorities []int
	Proof
}

// Saved compares a switch's running configuration with the one that it starts with.
type Saved struct {
	OK bool
	// Lost is what a restart would remove from the running configuration, Back what it would bring back; each at most
	// mostLines lines.
	Lost, Back []Proof
}
