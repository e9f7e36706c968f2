package traffic

import (
	"fmt"
	"slices"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic/placement"
)

// Copy modes: where the bytes of a stream are copied between a program's memory and the kernel. Figures of different
// modes are not comparable, so each has a letter that is printed with it.
const (
	CopiesBoth    = "both"    // at both ends, as an application does
	CopiesReceive = "receive" // the sender hands over pages
	CopiesNone    = "none"    // the sender hands over pages, the receiver discards in the kernel
)

// Placement of an end's threads.
const (
	PlaceAuto = "auto" // by the trial
	PlaceOff  = "off"  // wherever the system puts them
)

// Tuning is how an end does its work, beyond what the work is. The zero value is copy mode both, no trial, threads
// unplaced.
type Tuning struct {
	Copies    string `json:"copies,omitempty"`    // both, receive or none; empty: both
	Placement string `json:"placement,omitempty"` // auto or off; empty: off
	Cores     []int  `json:"cores,omitempty"`     // thread i runs on core Cores[i % len]; overrides Placement
	// NUMA nodes whose cores take the place of Cores; not together with those
	Nodes []int `json:"nodes,omitempty"`
	// buffers, path and placement are chosen in the warm-up; both ends must be Linux
	Trial    bool `json:"trial,omitempty"`
	Together bool `json:"together,omitempty"` // both ends are on one machine
	Gather   int  `json:"gather,omitempty"`   // messages handed over with one call; 0: each by itself
	Spin     bool `json:"spin,omitempty"`     // ping polls the socket instead of sleeping
}

// InEffect is what an end did.
type InEffect struct {
	Label         string     `json:"label,omitempty"`          // A, B, C or G; empty: not a stream
	Path          string     `json:"path,omitempty"`           // how the sender passes bytes to the kernel
	SendBuffer    unit.Bytes `json:"send_buffer,omitempty"`    // of one call
	ReceiveBuffer unit.Bytes `json:"receive_buffer,omitempty"` // of one call
	LowWater      unit.Bytes `json:"low_water,omitempty"`      // SO_RCVLOWAT; 0: the system's own
	// SO_RCVBUF, which limits the TCP window; 0: the system tunes it
	TCPWindow unit.Bytes `json:"window,omitempty"`
	// nanoseconds that a read which finds nothing sleeps; 0: none
	Pause     time.Duration `json:"pause,omitempty"`
	Placement string        `json:"placement,omitempty"` // "free", or "cores 0,1": thread i on the i-th
	Choice    string        `json:"choice,omitempty"`    // how the trial ended, or why there was none
	Wait      string        `json:"wait,omitempty"`      // of ping: blocking or spinning
	PerCall   int           `json:"per_call,omitempty"`  // messages handed over with one call
	PaceBy    string        `json:"pace_by,omitempty"`   // kernel or program; empty: no pace
	// why it is not the kernel; empty: it is, or the program was configured
	PaceWhy string `json:"pace_why,omitempty"`
	// of UDP: what spaces the datagrams that the program sends; empty: nothing
	PaceSpread string `json:"pace_spread,omitempty"`
	Source     string `json:"source,omitempty"`      // the file that is sent, with its size
	SourceFrom string `json:"source_from,omitempty"` // how much of it the drive delivered in the interval
	// over MPTCP: how many connections fell back to TCP, and why; the paths are in StreamEnd.Subflows
	Multipath string `json:"multipath,omitempty"`
	// the class that the sockets have in effect, and why it is not that of the setup
	Mark string `json:"class_mark,omitempty"`
	// the block device that its file system is on, as /proc/diskstats names it; empty: unknown, or none
	SourceDevice string `json:"source_device,omitempty"`
}

// Label returns the letter of the copy mode.
func (t Tuning) Label() string {
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

// MostGather is the kernel's limit of pieces in one call (IOV_MAX).
const MostGather = 1024

// checkTuning reports what is wrong with the tuning of s.
func (s Setup) checkTuning(e Entry) error {
	t := s.Tuning
	switch {
	case !slices.Contains([]string{"", CopiesBoth, CopiesReceive, CopiesNone}, t.Copies):
		return Invalid("copies", t.Copies, "both, receive or none")
	case !slices.Contains([]string{"", PlaceAuto, PlaceOff}, t.Placement):
		return Invalid("placement", t.Placement, "auto, off or a list of cores")
	case len(t.Cores) > 4096 || slices.ContainsFunc(t.Cores,
		func(c int) bool { return c < 0 || c >= placement.MostCores }):
		return Invalid("placement", t.Cores, fmt.Sprintf("a list of cores from 0 to %d", placement.MostCores-1))
	case len(t.Nodes) > placement.MostNodes+1 ||
		slices.ContainsFunc(t.Nodes, func(n int) bool { return n < 0 || n > placement.MostNodes }):
		return Invalid("placement", t.Nodes, fmt.Sprintf("a list of NUMA nodes from 0 to %d", placement.MostNodes))
	case len(t.Nodes) > 0 && len(t.Cores) > 0:
		return Invalid("placement", fmt.Sprintf("cores %v and nodes %v", t.Cores, t.Nodes), "one of the two")
	case t.Gather < 0 || t.Gather > MostGather:
		return Invalid("gather", t.Gather, fmt.Sprintf("a number of messages up to %d, the kernel's limit", MostGather))
	case t.Gather > 1 && (s.Size == 0 || s.Pace > 0 || t.Label() != "G" || t.Copies != "" && t.Copies != CopiesBoth):
		return Invalid("gather", t.Gather, "possible without a size, with a pace, or without copies")
	case t.Spin && !e.Takes.Spin:
		return Invalid("spin", t.Spin, "a setting of "+s.Method+"; it is for latency and halo")
	}
	return nil
}

// EffectOf returns what the flows of one end did. All of one direction do the same.
func EffectOf(s Endpoint, asks bool, tasks []*Flow, choice string) InEffect {
	e := InEffect{Mark: s.MarkEffect()}
	if asks {
		e.Wait = "blocking"
		if s.Tuning.Spin {
			e.Wait = "spinning"
		}
	} else {
		e.Label = s.Tuning.Label()
	}
	var sending, receiving bool
	for _, t := range tasks {
		e.Placement = t.Effect.Placement
		if t.Active() && !sending {
			sending = true
			e.Path, e.SendBuffer, e.PerCall = t.Effect.Path, t.Effect.SendBuffer, t.Effect.PerCall
			e.PaceBy, e.PaceWhy, e.PaceSpread = t.Effect.PaceBy, t.Effect.PaceWhy, t.Effect.PaceSpread
		}
		if !t.Active() && !receiving {
			receiving = true
			e.ReceiveBuffer, e.LowWater, e.TCPWindow, e.Pause = t.Effect.ReceiveBuffer, t.Effect.LowWater, t.Effect.TCPWindow,
				t.Effect.Pause
			if !asks {
				e.Choice = choice
			}
		}
	}
	return e
}
