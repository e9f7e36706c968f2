package traffic

import "linerate/internal/record"

// CPU is how one end's host spent the steady interval.
type CPU struct {
	Seconds        float64  `json:"seconds"` // between the two readings
	User           *float64 `json:"user"`    // of this process, in cores; nil: unknown
	System         *float64 `json:"system"`
	Cores          []Core   `json:"cores,omitempty"` // nil: unknown
	OtherProcesses *float64 `json:"foreign"`         // cores busy with other than this process
	Unknown        string   `json:"unknown,omitempty"`
}

// Core is one core's share of the interval by what it was spent on; the shares sum to about 1. User has nice in it and
// Idle has waiting for disks.
type Core struct {
	Core    int     `json:"core"`
	User    float64 `json:"user"`
	System  float64 `json:"system"`
	SoftIRQ float64 `json:"softirq"`
	IRQ     float64 `json:"irq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	// Own is the part of the core that threads of this process had, by where they were seen at the ticks. Softirq work in
	// their system calls is included, unless the kernel accounts interrupts apart. Nil: unknown, as all below.
	Own       *float64 `json:"own,omitempty"`
	Packets   *int64   `json:"packets,omitempty"`   // that its softirq took from its queue (softnet_stat)
	Dropped   *int64   `json:"dropped,omitempty"`   // for want of room in that queue
	Squeezed  *int64   `json:"squeezed,omitempty"`  // times that it ended with work left
	HzBefore  *float64 `json:"hz_before,omitempty"` // clock rate at the two edges of the interval
	Hz        *float64 `json:"hz,omitempty"`
	BaseHz    *float64 `json:"base_hz,omitempty"`   // that it is sold with, else the highest
	Throttled *int64   `json:"throttled,omitempty"` // times that heat slowed it down
}

// Work is the threads and processes that used the CPUs of one end's host over the interval.
type Work struct {
	Threads []record.Thread `json:"threads,omitempty"` // most first
	Rest    float64         `json:"rest,omitempty"`    // cores of those beyond mostThreads
	// threads and processes that ended meanwhile: their time is in no row
	Ended  int `json:"ended,omitempty"`
	Unread int `json:"unread,omitempty"` // those that there was no time to read
}

// LinkCount is what an interface counted while a host was watched: rx_bytes, tx_packets and so on. A counter that is
// missing is unknown.
type LinkCount struct {
	Interface string           `json:"interface"`
	Counters  map[string]int64 `json:"counters"`
}
