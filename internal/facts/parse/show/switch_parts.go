package show

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// switchParts are the outputs of a switch that are combined later.
type switchParts struct {
	members          []LAGMember
	lags             map[string]bool // aggregated links, and whether they are up
	Idle             []NotInEffect
	all              *facts.Classes // in effect on all ports
	QueueDrops       []QueueDrop
	Running, Startup []ConfLine // configurations; nil if unknown
}

// StateOf returns the switch's outputs so far.
func StateOf(f *parse.Builder) *switchParts { return parse.StateOf[switchParts](f) }
