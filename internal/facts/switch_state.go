package facts

import (
	"linerate/internal/base/unit"
)

// SwitchState is the state of a whole switch.
type SwitchState struct {
	Sensors []Sensor `json:"sensors"` // power supplies, fans and temperatures; nil if unknown
	MLAG    *MLAG    `json:"mlag"`    // nil if unknown
	// Asked and Effect are settings of all ports, such as a RoCE mode. Nil if there is none, or unknown.
	Asked  *Classes `json:"asked"`
	Effect *Classes `json:"effect"`
	// Pools are the parts of its buffer, AskedPools the configured ones; nil if unknown.
	Pools      []BufferPool `json:"pools"`
	AskedPools []BufferPool `json:"asked_pools"`
	Saved      *Saved       `json:"saved"` // whether a restart keeps its configuration; nil if unknown
}

// MLAG is one switch's half of an aggregated link that ends at two switches.
type MLAG struct {
	Enabled unit.Opt[bool] `json:"enabled"`
	State   string         `json:"state"` // of the pair, in the switch's words: "Active", "Inactive", "Down"
	Peer    string         `json:"peer"`  // of the link between the two: "Up", "Lowerlayerdown"
	// Partial is how many of its ports are up at only one of the two switches.
	Partial unit.Opt[int] `json:"partial"`
	// Mismatches are differences between the two switches, each with its line.
	Mismatches []Mismatch `json:"mismatches"`
	Proof                 // the line of the state
}

// Mismatch is a setting in which a switch and its peer differ.
type Mismatch struct {
	What string `json:"what"` // "system-mac"
	Proof
}

// BufferPool is a part of a switch's buffer that is reserved for some priorities.
type BufferPool struct {
	Name       string `json:"name"`
	Lossless   bool   `json:"lossless"`
	Priorities []int  `json:"priorities"`
	Proof
}

// Saved compares a switch's running configuration with the one that it starts with.
type Saved struct {
	OK bool `json:"ok"`
	// Lost is what a restart would remove from the running configuration, Back what it would bring back; each at most
	// mostLines lines.
	Lost []Proof `json:"lost"`
	Back []Proof `json:"back"`
}
