package record

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
)

// Change is what is asked to be otherwise than it was in a run. What is zero stays as it was.
type Change struct {
	MTU     int          `json:"mtu,omitempty"`
	Slots   []SlotChange `json:"slots,omitempty"`
	Streams int          `json:"streams,omitempty"`
	Rate    unit.BitRate `json:"rate,omitempty"`   // of every link and port of the path, bits per second
	RTT     float64      `json:"rtt,omitempty"`    // seconds
	Window  unit.Bytes   `json:"window,omitempty"` // that may be in flight, of one connection
	Drive   unit.BitRate `json:"drive,omitempty"`  // that a source delivers, bits per second
}

// SlotChange is another slot for a card.
type SlotChange struct {
	Card string `json:"card,omitempty"` // nas.cx3; empty: every card of the path
	Bus  string `json:"bus"`            // pcie3x8
}

// None says whether nothing is asked to be otherwise.
func (c Change) None() bool {
	return c.MTU == 0 && len(c.Slots) == 0 && c.Streams == 0 && c.Rate == 0 && c.RTT == 0 && c.Window == 0 && c.Drive == 0
}

// String is the change in words: "MTU 9000 and 8 streams".
func (c Change) String() string {
	var all []string
	add := func(there bool, format string, v ...any) {
		if there {
			all = append(all, fmt.Sprintf(format, v...))
		}
	}
	add(c.MTU > 0, "MTU %d", c.MTU)
	for _, s := range c.Slots {
		if s.Card == "" {
			add(true, "slots %s", s.Bus)
		} else {
			add(true, "%s in a slot %s", s.Card, s.Bus)
		}
	}
	add(c.Streams == 1, "1 stream")
	add(c.Streams > 1, "%d streams", c.Streams)
	add(c.Rate > 0, "a link of %s", c.Rate)
	add(c.RTT > 0, "a round trip of %s", unit.Seconds(c.RTT))
	add(c.Window > 0, "a window of %s", c.Window)
	add(c.Drive > 0, "a drive of %s", c.Drive.BytesPerSecond())
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}

// WhatIf is what a run's experiments would do with a change: the next ceilings of each, lowest first.
type WhatIf struct {
	Run         string          `json:"run"`
	Change      Change          `json:"change"`
	Experiments []WhatIfOne     `json:"experiments"`
	NotAsked    []WhatIfLeft    `json:"not_asked"`
	Problems    []WhatIfProblem `json:"problems"` // that the plan has with the change and had not without
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
	Goodput   Estimate          `json:"goodput"`   // as measured, without the change; bits per second
	Limiter   string            `json:"limiter"`   // the verdict on it
	Stays     *bool             `json:"stays"`     // the limiter is not touched by the change; null: not known
	Predicted *Band             `json:"predicted"` // null: nothing follows
	Ceilings  []NextCeiling     `json:"ceilings"`  // lowest first
	Measured  *WhatIfMeasured   `json:"measured"`  // what this run measured with the change itself; null: it did not
	Unknown   []string          `json:"unknown"`
}

// Band is between what and what something lies, bits per second. Nil: that side is not known.
type Band struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// NextCeiling is what one component would allow, as goodput of the experiment.
type NextCeiling struct {
	Component string `json:"component"`
	Kind      string `json:"kind"` // as of a hop; also window, source, pace, unexplained
	Band
	Origin  string  `json:"origin"` // computed, measured, assumed: where the least sure part of it is from
	Formula string  `json:"formula"`
	Inputs  []Input `json:"inputs"`
	Assumes string  `json:"assumes,omitempty"` // in words
	Today   bool    `json:"today"`             // it is what limited the experiment as it was measured
}

// WhatIfMeasured is an experiment of the same run that has the settings asked for.
type WhatIfMeasured struct {
	ID      string   `json:"id"`
	Goodput Estimate `json:"goodput"`
}

// WhatIfLeft is an experiment of which the question cannot be asked.
type WhatIfLeft struct {
	Name   string `json:"name"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// WhatIfProblem is what planning says of the change.
type WhatIfProblem struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Subject  string `json:"subject"`
	Message  string `json:"message"`
	Fix      string `json:"fix"`
}
