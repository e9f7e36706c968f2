package facts

import (
	"maps"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Classes is a port's traffic classes, in terms that do not depend on its device: as configured, or as the device
// reports them in effect. A nil map and an unknown Opt are unknown; a missing key means that the device's output was
// complete without it.
type Classes struct {
	// Trust is how packets are sorted into classes: dscp, pcp, both (DSCP first, PCP without IP), none.
	Trust unit.Opt[string] `json:"trust"`
	// Forced is the class of all packets if nothing is trusted.
	Forced unit.Opt[int] `json:"forced"`
	DSCP   map[int]int   `json:"dscp"` // code point to traffic class
	PCP    map[int]int   `json:"pcp"`  // 802.1p priority to traffic class
	// PFCReceive and PFCSend are the classes that obey pause frames, and those that send them.
	PFCReceive unit.Opt[[]int] `json:"pfc_receive"`
	PFCSend    unit.Opt[[]int] `json:"pfc_send"`
	PauseRx    unit.Opt[bool]  `json:"pause_rx"`
	PauseTx    unit.Opt[bool]  `json:"pause_tx"` // 802.3x, of the whole port
	Queues     map[int]Queue   `json:"queues"`   // by traffic class
	Willing    unit.Opt[bool]  `json:"willing"`  // DCBX: accepts the settings of its peer
	DCBX       unit.Opt[bool]  `json:"dcbx"`     // announces its settings
	Agents     []string        `json:"agents"`   // LLDP agents of the port: "lldpad", "firmware"; nil: unknown
	Watchdog   unit.Opt[bool]  `json:"watchdog"` // empties a lossless queue that is paused too long
	Capacity   unit.Opt[int]   `json:"capacity"` // how many lossless classes are possible
	Offload    unit.Opt[bool]  `json:"offload"`  // the hardware implements the classes, not the CPU
	Profiles   []Profile       `json:"profiles"` // of RouterOS; nil: unknown
	// priority (of PFC and the switch) to traffic class, if the device distinguishes them
	Priorities map[int]int `json:"priorities"`
	// metres of cable that the buffers are sized for; 0: not configured
	Cable  unit.Opt[float64] `json:"cable"`
	Proofs map[string]Proof  `json:"proofs"` // by aspect: "trust", "pfc", "dscp 26", "queue 3", "ecn 3", "willing"

	HostClasses
}

// Queue is the queue of a traffic class at a port.
type Queue struct {
	Strict unit.Opt[bool] `json:"strict"`
	// its weight among those that are not strict; in percent if the device prints percent
	Weight unit.Opt[float64] `json:"weight"`
	// of RouterOS: high-priority-group is served before low-priority-group; else empty
	Group  string                 `json:"group"`
	ECN    unit.Opt[bool]         `json:"ecn"`  // marks packets
	WRED   unit.Opt[bool]         `json:"wred"` // drops packets that cannot be marked before the queue is full
	Min    unit.Opt[unit.Bytes]   `json:"min"`
	Max    unit.Opt[unit.Bytes]   `json:"max"`    // queue thresholds from which some packets are marked, and all
	Rate   unit.Opt[unit.BitRate] `json:"rate"`   // configured egress rate
	Active unit.Opt[bool]         `json:"active"` // false: no traffic is sorted into it, according to the device
}

// Profile is what RouterOS sorts packets into: a class, and the marks that its packets get.
type Profile struct {
	Name  string        `json:"name"`
	Class int           `json:"class"`
	DSCP  unit.Opt[int] `json:"dscp"`
	PCP   unit.Opt[int] `json:"pcp"`
	Proof
}

// Proves records the line that proves an aspect; the first one takes precedence.
func (c *Classes) Proves(aspect string, p Proof) {
	if c.Proofs == nil {
		c.Proofs = map[string]Proof{}
	}
	if _, ok := c.Proofs[aspect]; !ok {
		c.Proofs[aspect] = p
	}
}

// SetQueue changes the queue of a traffic class.
func (c *Classes) SetQueue(class int, change func(q *Queue)) {
	if c.Queues == nil {
		c.Queues = map[int]Queue{}
	}
	q := c.Queues[class]
	change(&q)
	c.Queues[class] = q
}

// PFC returns the classes that are paused in both directions, ascending; why is empty if they are known.
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

// Points returns the code points of a traffic class, ascending.
func (c *Classes) Points(class int) []int {
	return xslices.Filter(slices.Sorted(maps.Keys(c.DSCP)), func(point int) bool {
		return c.DSCP[point] == class
	})
}

// HostClasses is the settings of traffic classes that only hosts have.
type HostClasses struct {
	// Buffers are the receive buffers of an adapter by number, BufferOf the buffer of each priority.
	Buffers  map[int]unit.Bytes `json:"buffers"`
	BufferOf map[int]int        `json:"buffer_of"`
	ToS      unit.Opt[int]      `json:"tos"` // type of service of RoCE: DSCP << 2 and the two bits of ECN
}

// ClassCount is a counter of one class of a port. It counts like Count, but is also kept if it is 0.
type ClassCount struct {
	What    ClassCounted `json:"what"`
	Subject string       `json:"subject"` // the interface or port
	// Class is the priority of an adapter's counters and of pauses, the traffic class of a switch's queues, or AllClasses
	// if the device has one counter for all.
	Class int    `json:"class"`
	Value uint64 `json:"value"`
	Proof
}

// AllClasses is the class of a counter that covers all classes.
const AllClasses = -1

// ClassCounted is what a counter of one class counts.
type ClassCounted string

// The counted events of a class: bytes of frames, without preamble and gap; for all others frames.
const (
	ClassBytesSent     ClassCounted = "class-bytes-sent"
	ClassBytesReceived ClassCounted = "class-bytes-received"
	ClassPauseSent     ClassCounted = "class-pause-sent"     // PFC: this end paused the class at the other one
	ClassPauseReceived ClassCounted = "class-pause-received" // PFC: this end was paused
	ClassSendDrops     ClassCounted = "class-send-drops"     // dropped before transmission: the port's queue was full
	ClassReceiveDrops  ClassCounted = "class-receive-drops"  // dropped on receipt: no room in the port's buffer
	ClassMarked        ClassCounted = "class-marked"         // ECN: marked because of congestion
)

// Quota is the CPU time that a control group grants, as found by linerate's own process: an agent started over ssh is
// in the login's group, one in a container in the container's.
type Quota struct {
	Group          string  `json:"group"`     // path of the group: "/sys/fs/cgroup/user.slice"
	CPUs           float64 `json:"cpus"`      // number of CPUs; 0: no limit
	Periods        uint64  `json:"periods"`   // in which the group ran
	Throttled      uint64  `json:"throttled"` // of those in which it had to wait
	Proof                  // the line of the limit
	ThrottledProof Proof   `json:"throttled_proof"`
}
