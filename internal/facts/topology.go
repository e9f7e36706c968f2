package facts

import (
	"slices"

	"linerate/internal/base/unit"
)

// NUMANode is a part of the machine with its own CPUs and memory.
type NUMANode struct {
	Node int   `json:"node"`
	CPUs []int `json:"cpus"` // empty: it has only memory
	Proof
}

// NodeOf returns the node of a CPU; false: unknown.
func (f *Facts) NodeOf(cpu int) (int, bool) {
	for _, n := range f.NUMA {
		if slices.Contains(n.CPUs, cpu) {
			return n.Node, true
		}
	}
	return 0, false
}

// CPUs returns how many CPUs are online, from any source.
func (f *Facts) CPUs() unit.Opt[int] {
	switch {
	case f.CPU.Count.IsKnown():
		return f.CPU.Count
	case len(f.CPU.Cores) > 0:
		return unit.Known(len(f.CPU.Cores))
	case f.Interrupts != nil:
		return unit.Known(len(f.Interrupts.CPUs))
	}
	return unit.Unknown[int]("nothing in the snapshot counts them")
}

// Frequency is the settings of the CPUs' clock.
type Frequency struct {
	Governors []Governor `json:"governors"`
	Driver    string     `json:"driver"`  // "intel_pstate", "acpi-cpufreq"; empty: unknown
	Prefers   string     `json:"prefers"` // energy_performance_preference of the first CPU; empty: unknown
}

// Governor is a governor with the CPUs that have it.
type Governor struct {
	Name string `json:"name"` // "performance", "powersave", "schedutil"
	CPUs []int  `json:"cpus"`
	Proof
}

// Task is a process or thread in /proc/PID/stat and /proc/PID/task/TID/stat.
type Task struct {
	ID     int     `json:"id"`
	Name   string  `json:"name"`   // comm: at most 15 characters, more for kernel workers
	Kernel bool    `json:"kernel"` // a thread of the kernel (PF_KTHREAD)
	User   float64 `json:"user"`
	System float64 `json:"system"` // seconds since its start
	// time of its start since boot, in units of 10 ms: a different one means another task with the same id
	Start   uint64  `json:"start"`
	Core    int     `json:"core"`    // that it last ran on
	Runtime float64 `json:"runtime"` // seconds by the scheduler's clock, from its schedstat; 0: not read
}

// QueueCPUs are the CPUs of an interface's queue: those that process its received packets (RPS), or those that send
// through it (XPS).
type QueueCPUs struct {
	Transmit bool   `json:"transmit"`
	Queue    int    `json:"queue"`
	CPUs     CPUSet `json:"cpus"` // empty: none are set
	Proof
}

// CPUSet is a set of CPUs by number, 64 per word.
type CPUSet []uint64

// Has reports whether a CPU is in it.
func (s CPUSet) Has(cpu int) bool { return cpu >= 0 && cpu/64 < len(s) && s[cpu/64]>>(cpu%64)&1 == 1 }

// Len returns one more than the highest possible CPU number.
func (s CPUSet) Len() int { return 64 * len(s) }

// List returns its CPUs in order.
func (s CPUSet) List() (cpus []int) {
	for cpu := range s.Len() {
		if s.Has(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
