package record

import (
	"fmt"

	"linerate/internal/base/unit"
)

// Change is what a what-if changes. Zero fields stay as in the run.
type Change struct {
	MTU      int          `json:"mtu,omitempty"`
	Slots    []SlotChange `json:"slots,omitempty"`
	Streams  int          `json:"streams,omitempty"`
	Rate     unit.BitRate `json:"rate,omitempty"`   // bits per second, of every link and port of the path
	RTT      float64      `json:"rtt,omitempty"`    // seconds
	Interval unit.Bytes   `json:"window,omitempty"` // bytes in flight of one connection
	Drive    unit.BitRate `json:"drive,omitempty"`  // of a source, bits per second
}

// SlotChange is another slot for a NIC.
type SlotChange struct {
	NIC string `json:"nic,omitempty"` // nas.cx3; empty: every NIC of the path
	Bus string `json:"bus"`           // pcie3x8
}

// None reports whether the change changes nothing.
func (c Change) None() bool {
	return c.MTU == 0 && len(c.Slots) == 0 && c.Streams == 0 && c.Rate == 0 && c.RTT == 0 && c.Interval == 0 &&
		c.Drive == 0
}

// String returns the change in words: "MTU 9000 and 8 streams".
func (c Change) String() string {
	var all []string
	add := func(there bool, format string, v ...any) {
		if there {
			all = append(all, fmt.Sprintf(format, v...))
		}
	}
	add(c.MTU > 0, "MTU %d", c.MTU)
	for _, s := range c.Slots {
		if s.NIC == "" {
			add(true, "slots %s", s.Bus)
		} else {
			add(true, "%s in a slot %s", s.NIC, s.Bus)
		}
	}
	add(c.Streams == 1, "1 stream")
	add(c.Streams > 1, "%d streams", c.Streams)
	add(c.Rate > 0, "a link of %s", c.Rate)
	add(c.RTT > 0, "a round trip of %s", unit.Seconds(c.RTT))
	add(c.Interval > 0, "a window of %s", c.Interval)
	add(c.Drive > 0, "a drive of %s", c.Drive.BytesPerSecond())
	return unit.List(all)
}

// WhatIf is how a run's experiments would change. Each has its next ceilings, lowest first.
type WhatIf struct {
	Run         string          `json:"run"`
	Change      Change          `json:"change"`
	Experiments []WhatIfOne     `json:"experiments"`
	NotAsked    []WhatIfLeft    `json:"not_asked"`
	Problems    []WhatIfProblem `json:"problems"` // of the plan, and new with the change
}

// WhatIfOne is one experiment with a change.
type WhatIfOne struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Path      string            `json:"path"` // nas -> desk
	Direction string            `json:"direction"`
	Variant   string            `json:"variant,omitempty"`
	Settings  map[string]string `json:"settings"`
	Sentence  string            `json:"sentence"`
	Goodput   Estimate          `json:"goodput"`   // as measured, bits per second
	Limiter   string            `json:"limiter"`   // of its verdict
	Stays     *bool             `json:"stays"`     // the change does not affect the bottleneck; null: not known
	Predicted *Band             `json:"predicted"` // null: none can be derived
	Ceilings  []NextCeiling     `json:"ceilings"`  // lowest first
	Measured  *WhatIfMeasured   `json:"measured"`  // by an experiment of this run with the change; null: there is none
	Unknown   []string          `json:"unknown"`
}

// Kept returns the present bottleneck, if the change does not affect it and no known ceiling is lower; nil otherwise.
func (w *WhatIfOne) Kept() *NextCeiling {
	if w.Stays == nil || !*w.Stays {
		return nil
	}
	for i := range w.Ceilings {
		c := &w.Ceilings[i]
		if c.Today {
			return c
		}
		if c.Floor() < w.Goodput.Median*0.95 {
			return nil
		}
	}
	return nil
}

// Band is a range in bits per second. A nil end is not known.
type Band struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Floor returns the lower end of the range; 0 if it is not known.
func (b Band) Floor() float64 {
	if b.Low == nil {
		return 0
	}
	return *b.Low
}

// NextCeiling is the ceiling of one component, as goodput of the experiment.
type NextCeiling struct {
	Component string `json:"component"`
	Kind      string `json:"kind"` // as of a hop, or "window", "source", "pace", "unexplained"
	Band
	Origin  string  `json:"origin"` // computed, measured, assumed: the least certain of its parts
	Formula string  `json:"formula"`
	Inputs  []Input `json:"inputs"`
	Assumes string  `json:"assumes,omitempty"` // in words
	Today   bool    `json:"today"`             // it was the bottleneck of the experiment
}

// WhatIfMeasured is an experiment of the same run with the changed settings.
type WhatIfMeasured struct {
	ID      string   `json:"id"`
	Goodput Estimate `json:"goodput"`
}

// WhatIfLeft is an experiment that the change does not apply to.
type WhatIfLeft struct {
	Name   string `json:"name"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// WhatIfProblem is a problem that the plan has with the change.
type WhatIfProblem struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Subject  string `json:"subject"`
	Message  string `json:"message"`
	Fix      string `json:"fix"`
}
