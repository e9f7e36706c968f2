package record

// The kinds of a Thread.
const (
	OwnThread    = "own"    // of the measuring process
	KernelThread = "kernel" // ksoftirqd/0, napi/.., kworker/0
	OtherProcess = "other"  // not part of the measurement; the sum of its threads
)

// Thread is a thread of the measuring process or of the kernel, or another process, with its CPU time over the steady
// interval. Threads with the same name are added up, and so are the kernel workers of one core (kworker/0).
type Thread struct {
	Kind   string  `json:"kind"`
	Host   string  `json:"host,omitempty"` // the host of its measuring process; empty: of the machine
	Name   string  `json:"name"`
	ID     int     `json:"id,omitempty"`    // of the thread or process; of the busiest, where there are several
	Count  int     `json:"count,omitempty"` // number of threads; the largest of all repeats
	Core   int     `json:"core"`            // last seen on this core
	User   float64 `json:"user"`            // in cores
	System float64 `json:"system"`
}

// Placement is the context in which the softirqs of one core ran: the work of receiving, and of sending from a queue.
type Placement struct {
	Host      string  `json:"host"`
	Core      int     `json:"core"`
	SoftIRQ   float64 `json:"softirq"`           // share of the core
	Ksoftirqd float64 `json:"ksoftirqd"`         // of SoftIRQ, in ksoftirqd; the rest ran on top of other threads
	Packets   float64 `json:"packets,omitempty"` // per second
	// Ran has the shares of the other threads on the core. Softirqs run at the end of their system calls and interrupts.
	Ran  []Ran  `json:"ran"`
	Text string `json:"text"`
}

// Ran is the share of a core used by one end's threads, or by others.
type Ran struct {
	Who   string  `json:"who"` // a host, or "others"
	Share float64 `json:"share"`
}

// PerCPU is goodput over CPU time, in bits per CPU second.
type PerCPU struct {
	Processes *float64 `json:"processes,omitempty"` // CPU time of both ends' measuring processes
	Hosts     *float64 `json:"hosts,omitempty"`     // CPU time of everything on both hosts, other processes included
}

// EvidenceCost is the CPU time of the snapshots that were taken during measurements.
type EvidenceCost struct {
	Hosts []HostCost `json:"hosts"`
	// Share is the largest share of one core over the steady interval, over all hosts and experiments; null: no snapshot
	// has a known cost.
	Share   *float64  `json:"share"`
	Unknown []Unknown `json:"unknown,omitempty"` // hosts without a cost
}

// HostCost is the cost of one host or switch, over all experiments.
type HostCost struct {
	Host      string  `json:"host"`
	Snapshots int     `json:"snapshots"` // taken in steady intervals
	Seconds   float64 `json:"processor_seconds"`
	Windows   float64 `json:"window_seconds"` // of the repeats in which they were taken
	Share     float64 `json:"share"`          // the largest in one experiment
}
