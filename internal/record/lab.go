package record

import (
	"slices"

	"linerate/internal/base/unit"
)

// MemoryOfLab reports whether memory, and not a drive, served a storage experiment in a lab. A lab's drive is a file on
// its machine, so this is expected and not a finding.
func (r *Run) MemoryOfLab(e *Experiment) bool {
	return r.Lab != nil && e.Verdict != nil &&
		(e.Verdict.Limiter == LimiterPageCacheRead || e.Verdict.Limiter == LimiterPageCacheWrite)
}

// LabStorage reports whether an experiment of storage or copies in a lab says nothing of what the run is about: a lab's
// drives are files of one machine. Its figure leads no report. One whose cause was found counts if nothing else shows
// the network.
func (r *Run) LabStorage(e *Experiment) bool {
	if r.MemoryOfLab(e) {
		return true
	}
	if r.Lab == nil || e.Verdict == nil || e.Copy == nil && e.Block == nil {
		return false
	}
	switch e.Verdict.Limiter {
	case LimiterUnexplained, LimiterUnknown, "":
		return true
	}
	return slices.ContainsFunc(r.Experiments, func(x *Experiment) bool {
		return x.Copy == nil && x.Block == nil && x.Verdict != nil && x.Failed == "" && len(x.Repeats) > 0
	})
}

// Lab describes the lab of a run that was not on real hardware.
type Lab struct {
	ID         string       `json:"id"`
	Scale      float64      `json:"scale"` // 0.1: every rate is a tenth of the planned one
	Calibrated unit.BitRate `json:"calibrated"`
	Shaped     []string     `json:"shaped"` // links with a shaper that enforces their rate
	// Offloads is on or off for every NIC, from the command line; empty: as in the file.
	Offloads string `json:"offloads,omitempty"`
	// Emulated is what the lab only imitates: speed, PCIe, InfiniBand carried as Ethernet.
	Emulated []string `json:"emulated"`
	Guests   []string `json:"guests,omitempty"` // hosts that are emulated machines
}
