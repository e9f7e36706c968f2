package traffic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// Copies says where the bytes of a stream are copied between a program's memory and the kernel. Figures of different
// kinds are not comparable, so each has a letter that is printed with it.
const (
	CopiesBoth    = "both"    // label A: at both ends, as an application does
	CopiesReceive = "receive" // label B: the sender hands over pages
	CopiesNone    = "none"    // label C: the sender hands over pages, the receiver discards in the kernel
)

// Placement of an end's threads.
const (
	PlaceAuto = "auto" // by the trial
	PlaceOff  = "off"  // wherever the system puts them
)

// Tuning is how an end does its work, beyond what the work is. The zero value is label A, no trial, threads unplaced.
type Tuning struct {
	Copies    string `json:"copies,omitempty"`    // both, receive or none; empty: both
	Placement string `json:"placement,omitempty"` // auto or off; empty: off
	Cores     []int  `json:"cores,omitempty"`     // thread i runs on core Cores[i % len]; overrides Placement
	Nodes     []int  `json:"nodes,omitempty"`     // NUMA nodes whose cores take the place of Cores; not beside those
	Trial     bool   `json:"trial,omitempty"`     // buffers, path and placement are chosen in the warm-up; both ends must be Linux
	Together  bool   `json:"together,omitempty"`  // both ends are on one machine
	Gather    int    `json:"gather,omitempty"`    // messages handed over with one call, label G; 0: each by itself
	Spin      bool   `json:"spin,omitempty"`      // ping asks the socket again and again instead of sleeping
}

// InEffect is what an end did.
type InEffect struct {
	Label         string        `json:"label,omitempty"`          // A, B, C or G; empty: not a stream
	Path          string        `json:"path,omitempty"`           // how the sender hands over
	SendBuffer    unit.Bytes    `json:"send_buffer,omitempty"`    // of one call
	ReceiveBuffer unit.Bytes    `json:"receive_buffer,omitempty"` // of one call
	LowWater      unit.Bytes    `json:"low_water,omitempty"`      // SO_RCVLOWAT; 0: the system's own
	Window        unit.Bytes    `json:"window,omitempty"`         // SO_RCVBUF, which bounds the window; 0: the system tunes it
	Pause         time.Duration `json:"pause,omitempty"`          // nanoseconds that a read which finds nothing sleeps; 0: none
	Placement     string        `json:"placement,omitempty"`      // "free", or "cores 0,1": thread i on the i-th
	Choice        string        `json:"choice,omitempty"`         // how the trial ended, or why there was none
	Wait          string        `json:"wait,omitempty"`           // of ping: blocking or spinning
	PerCall       int           `json:"per_call,omitempty"`       // messages handed over with one call, label G
	PaceBy        string        `json:"pace_by,omitempty"`        // kernel or program; empty: no pace
	PaceWhy       string        `json:"pace_why,omitempty"`       // why it is not the kernel; empty: it is, or the program was asked for
	PaceSpread    string        `json:"pace_spread,omitempty"`    // of UDP: what spaces the datagrams that the program hands over; empty: nothing
	Source        string        `json:"source,omitempty"`         // the file that is sent, with its size
	SourceFrom    string        `json:"source_from,omitempty"`    // how much of it the drive delivered in the window
	Mark          string        `json:"class_mark,omitempty"`     // the class that the sockets say they send in, and why it is not the one that was asked for
	SourceDevice  string        `json:"source_device,omitempty"`  // the block device that its file system is on, as /proc/diskstats names it; empty: not known, or none
}

// label is the letter of what a stream copies.
func (t Tuning) label() string {
	switch {
	case t.Gather > 1:
		return "G"
	case t.Copies == CopiesReceive:
		return "B"
	case t.Copies == CopiesNone:
		return "C"
	}
	return "A"
}

// mostGather is the kernel's limit of pieces in one call (IOV_MAX).
const mostGather = 1024

// check says what is wrong with t in a setup.
func (t Tuning) check(s Setup) error {
	bad := func(key string, value any, want string) error {
		return &Error{Code: CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
	}
	switch {
	case !slices.Contains([]string{"", CopiesBoth, CopiesReceive, CopiesNone}, t.Copies):
		return bad("copies", t.Copies, "both, receive or none")
	case !slices.Contains([]string{"", PlaceAuto, PlaceOff}, t.Placement):
		return bad("placement", t.Placement, "auto, off or a list of cores")
	case len(t.Cores) > 4096 || slices.ContainsFunc(t.Cores, func(c int) bool { return c < 0 || c >= mostCores }):
		return bad("placement", t.Cores, fmt.Sprintf("a list of cores from 0 to %d", mostCores-1))
	case len(t.Nodes) > mostNodes+1 || slices.ContainsFunc(t.Nodes, func(n int) bool { return n < 0 || n > mostNodes }):
		return bad("placement", t.Nodes, fmt.Sprintf("a list of NUMA nodes from 0 to %d", mostNodes))
	case len(t.Nodes) > 0 && len(t.Cores) > 0:
		return bad("placement", fmt.Sprintf("cores %v and nodes %v", t.Cores, t.Nodes), "one of the two")
	case t.Gather < 0 || t.Gather > mostGather:
		return bad("gather", t.Gather, fmt.Sprintf("a number of messages up to %d, the kernel's limit", mostGather))
	case t.Gather > 1 && (s.Size == 0 || s.Pace > 0 || t.label() != "G" || t.Copies != "" && t.Copies != CopiesBoth):
		return bad("gather", t.Gather, "possible without a size, with a pace, or without copies")
	case s.Transport == UDP && (t.Gather > 1 || t.label() != "A"):
		return bad("copies", t.Copies, "a setting of datagrams; leave it and gather out")
	case t.Spin && s.Method != "ping" && s.Method != "halo":
		return bad("spin", t.Spin, "a setting of "+s.Method+"; it is ping's and halo's")
	}
	return nil
}

// ParseCores reads a list of cores such as 0,2,4-7.
func ParseCores(text string) ([]int, error) {
	var out []int
	for _, part := range strings.Split(text, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || a < 0 || b < a || b >= mostCores {
			return nil, fmt.Errorf("%q is no list of cores such as 0,2,4-7", text)
		}
		for c := a; c <= b; c++ {
			out = append(out, c)
		}
	}
	return out, nil
}

// shareTrial gives the tasks that receive one trial; what it returns says afterwards how it ended.
func shareTrial(s Setup, w window, tasks []*task) (choice func() string) {
	trial, why := newTrial(s, w)
	if trial == nil {
		return func() string { return why }
	}
	for _, t := range tasks {
		if !t.active() {
			t.trial = trial
		}
	}
	return trial.choice
}

// inEffect is what the tasks of one end did. All of one direction do the same.
func inEffect(s Setup, tasks []*task, choice string) InEffect {
	e := InEffect{Mark: s.markEffect()}
	if s.Method == "ping" {
		e.Wait = "blocking"
		if s.Tuning.Spin {
			e.Wait = "spinning"
		}
	} else {
		e.Label = s.Tuning.label()
	}
	var sending, receiving bool
	for _, t := range tasks {
		e.Placement = t.effect.Placement
		if t.active() && !sending {
			sending = true
			e.Path, e.SendBuffer, e.PerCall = t.effect.Path, t.effect.SendBuffer, t.effect.PerCall
			e.PaceBy, e.PaceWhy, e.PaceSpread = t.effect.PaceBy, t.effect.PaceWhy, t.effect.PaceSpread
		}
		if !t.active() && !receiving {
			receiving = true
			e.ReceiveBuffer, e.LowWater, e.Window, e.Pause = t.effect.ReceiveBuffer, t.effect.LowWater, t.effect.Window, t.effect.Pause
			if s.Method != "ping" {
				e.Choice = choice
			}
		}
	}
	return e
}
