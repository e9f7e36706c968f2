package traffic

import (
	"net/netip"
	"time"

	"linerate/internal/record"
)

// Orders of an exchange.
const (
	TwoPhase = "two-phase" // to north and south at once, and when both halos are there to west and east
	OnePhase = "one-phase" // to all four at once
	SendRecv = "sendrecv"  // to north while the south halo comes, then the other three ways, one after the other
)

// WordSize is that of a word of a tile, in bytes.
const WordSize = 4

// HaloOptions are those of the method halo: N by N tiles on a torus of processes, of which each end carries those of
// one host.
type HaloOptions struct {
	Processes int `json:"processes"` // all, of which rank r is on host r mod Hosts
	// words of an edge, which is what a message carries; 0: the exchange alone, of a byte
	Tile     int    `json:"tile"`
	Exchange string `json:"exchange,omitempty"` // two-phase, one-phase or sendrecv; empty: two-phase
	Hosts    int    `json:"hosts"`
	Host     int    `json:"host"` // number of this one
	// Together is the number of processes on this machine, of all its ends; First is the number of this end's first among
	// them. With as many cores each process has one.
	Together int `json:"together"`
	First    int `json:"first,omitempty"`
	// Link is what the RDMA device is planned to speak (VerbsOptions); over the transport rdma alone.
	Link string `json:"link,omitempty"`
	// Nap is how long a process over RDMA sleeps where it would yield; 0: it does not. Machines whose CPUs are emulated
	// on one host would otherwise keep each other from running.
	Nap time.Duration `json:"nap,omitempty"`
}

// HaloPeer is where the end of one host takes connections, for the ends of the hosts behind it.
type HaloPeer struct {
	Address netip.Addr `json:"address"`
	Port    uint16     `json:"port,omitempty"` // 0: it takes none
	Token   string     `json:"token,omitempty"`
	Verbs   *VerbsPeer `json:"verbs,omitempty"` // over RDMA: the queue pairs of its sides, in place of a port
}

// HaloSeen is what an end saw of its processes.
type HaloSeen struct {
	Crowded  bool        `json:"crowded,omitempty"` // fewer cores than processes on this machine
	Checked  int64       `json:"checked"`           // words of the first exchange that were what the neighbours sent
	LeftNS   [2]int64    `json:"left_ns"`           // stamps at which the first and the last process left the barrier
	Ranks    []HaloTimes `json:"ranks"`
	Remote   int         `json:"remote"` // neighbours on other hosts, of all its processes
	Local    int         `json:"local"`
	Self     int         `json:"self,omitempty"`
	Exchange string      `json:"exchange"`
	Wait     string      `json:"wait"`             // how a process waits for its halo
	Link     string      `json:"link,omitempty"`   // over RDMA: ib, rocev1, rocev2, iwarp
	Device   string      `json:"device,omitempty"` // and its device,
	Soft     bool        `json:"soft,omitempty"`   // which the kernel may emulate,
	Inline   int64       `json:"inline,omitempty"` // the bytes up to which a message goes with its request,
	PathMTU  int64       `json:"path_mtu,omitempty"`
}

// HaloTimes has the times of one process over the interval.
type HaloTimes struct {
	Rank       int                `json:"rank"`
	Core       int                `json:"core"`            // -1: it is not placed
	Remote     int                `json:"remote"`          // of its four neighbours
	Exchanges  int64              `json:"exchanges"`       // that ended in the interval
	FirstNS    int64              `json:"first_ns"`        // stamps of the end of the first and the last of these
	LastNS     int64              `json:"last_ns"`         //
	RTTSamples *record.RTTSamples `json:"trips,omitempty"` // times of one exchange of this process
}

// Mean returns the time of an exchange, in seconds, from the ends of the first and the last of the interval; 0: there
// are not two.
func (t HaloTimes) Mean() float64 {
	if t.Exchanges < 2 {
		return 0
	}
	return float64(t.LastNS-t.FirstNS) / 1e9 / float64(t.Exchanges-1)
}
