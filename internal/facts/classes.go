package facts

import (
	"maps"
	"slices"

	"linerate/internal/base/unit"
)

// Classes is what a port does with traffic classes, whatever the language of its device: what a configuration asks for, or
// what the device says is in effect. A nil map and an unknown Opt are not known; a map that is there and lacks a key means
// that the device's answer was whole and did not have it.
type Classes struct {
	// Trust is what sorts packets into classes: dscp, pcp, both (DSCP first, PCP where there is no IP), none.
	Trust unit.Opt[string]
	// Forced is the class of all packets where nothing is trusted.
	Forced unit.Opt[int]
	DSCP   map[int]int // code point to traffic class
	PCP    map[int]int // 802.1p priority to traffic class
	// PFCReceive and PFCSend are the classes that obey pause frames, and those that send them.
	PFCReceive, PFCSend unit.Opt[[]int]
	PauseRx, PauseTx    unit.Opt[bool]    // 802.3x, of the whole port
	Queues              map[int]Queue     // by traffic class
	Willing             unit.Opt[bool]    // DCBX: takes the settings of its peer
	DCBX                unit.Opt[bool]    // it announces its settings
	Agents              []string          // LLDP agents of the port: "lldpad", "firmware"; nil: not known
	Watchdog            unit.Opt[bool]    // empties a lossless queue that is paused too long
	Capacity            unit.Opt[int]     // how many lossless classes it can have
	Offload             unit.Opt[bool]    // the classes are the hardware's, not the processor's
	Profiles            []Profile         // of RouterOS; nil: not known
	Priorities          map[int]int       // priority (of PFC and the switch) to traffic class, where the device tells them apart
	Cable               unit.Opt[float64] // metres of cable that the port keeps room for after it has sent a pause; 0: none is set
	Proofs              map[string]Proof  // by aspect: "trust", "pfc", "dscp 26", "queue 3", "ecn 3", "willing"

	HostClasses
}

// Queue is what a traffic class gets of a port.
type Queue struct {
	Strict   unit.Opt[bool]
	Weight   unit.Opt[float64]      // its share of what the strict ones leave, by weight; in percent if the device says so
	Group    string                 // of RouterOS: high-priority-group goes before low-priority-group; else empty
	ECN      unit.Opt[bool]         // marks packets
	WRED     unit.Opt[bool]         // drops packets that cannot be marked before the queue is full
	Min, Max unit.Opt[unit.Bytes]   // fill at which marking begins, and at which every packet is marked
	Rate     unit.Opt[unit.BitRate] // egress rate that is set
	Active   unit.Opt[bool]         // false: nothing is sorted into it, as the device says
}

// Profile is what RouterOS sorts packets into: a class, and the marks that packets of it are given.
type Profile struct {
	Name      string
	Class     int
	DSCP, PCP unit.Opt[int]
	Proof
}

// proves keeps the line that says an aspect; the first one stays.
func (c *Classes) proves(aspect string, p Proof) {
	if c.Proofs == nil {
		c.Proofs = map[string]Proof{}
	}
	if _, ok := c.Proofs[aspect]; !ok {
		c.Proofs[aspect] = p
	}
}

// queue changes what a traffic class gets.
func (c *Classes) queue(class int, change func(q *Queue)) {
	if c.Queues == nil {
		c.Queues = map[int]Queue{}
	}
	q := c.Queues[class]
	change(&q)
	c.Queues[class] = q
}

// PFC are the classes that are paused in both directions, ascending; why is empty where they are known.
func (c *Classes) PFC() (classes []int, why string) {
	rx, ok := c.PFCReceive.Get()
	tx, ok2 := c.PFCSend.Get()
	switch {
	case !ok:
		return nil, c.PFCReceive.Why()
	case !ok2:
		return nil, c.PFCSend.Why()
	}
	for _, k := range rx {
		if slices.Contains(tx, k) {
			classes = append(classes, k)
		}
	}
	slices.Sort(classes)
	return classes, ""
}

// Points are the code points that are sorted into a traffic class, ascending.
func (c *Classes) Points(class int) []int {
	var out []int
	for _, point := range slices.Sorted(maps.Keys(c.DSCP)) {
		if c.DSCP[point] == class {
			out = append(out, point)
		}
	}
	return out
}
