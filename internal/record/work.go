package record

// Kinds of a Thread.
const (
	OwnThread    = "own"    // of the measuring process
	KernelThread = "kernel" // ksoftirqd/0, napi/.., kworker/0
	OtherProcess = "other"  // that has nothing to do with the measurement; all its threads together
)

// Thread is a thread of the measuring process or of the kernel, or another process, with what it used of the
// processors over the steady window. Threads of one name are one, and kernel workers of one core (kworker/0).
type Thread struct {
	Kind   string  `json:"kind"`
	Host   string  `json:"host,omitempty"` // whose measuring process it belongs to; empty: of the machine
	Name   string  `json:"name"`
	ID     int     `json:"id,omitempty"`    // number of the thread or process, of several the one that did most
	Count  int     `json:"count,omitempty"` // how many there were; of several repeats the most
	Core   int     `json:"core"`            // that it was on last
	User   float64 `json:"user"`            // in cores
	System float64 `json:"system"`
}

// Landing says where the softirq of one core ran: the work of receiving, and of sending what had to wait.
type Landing struct {
	Host      string  `json:"host"`
	Core      int     `json:"core"`
	SoftIRQ   float64 `json:"softirq"`           // share of the core
	Ksoftirqd float64 `json:"ksoftirqd"`         // of that, in its own thread; all else on top of whatever ran there
	Packets   float64 `json:"packets,omitempty"` // a second
	// Ran is who had the core else, as shares of it; a softirq runs at the end of a system call or interrupt of theirs.
	Ran  []Ran  `json:"ran"`
	Text string `json:"text"`
}

// Ran is a share of a core that one end's threads, or others, had.
type Ran struct {
	Who   string  `json:"who"` // a host, or "others"
	Share float64 `json:"share"`
}

// PerCPU is goodput over processor time, in bits per processor second.
type PerCPU struct {
	Processes *float64 `json:"processes,omitempty"` // of both ends' measuring processes
	Hosts     *float64 `json:"hosts,omitempty"`     // of everything that both hosts' cores did, other work too
}
