package agent

import (
	"linerate/internal/facts/parse/probe"
	"linerate/internal/traffic"
)

// Protocol is the number of the protocol; ends with different ones do not talk to each other.
const Protocol = 1

// Hello describes one end to the other.
type Hello struct {
	Protocol int      `json:"protocol"`
	Version  string   `json:"version"`
	GOOS     string   `json:"os"`
	Arch     string   `json:"arch"`
	PID      int      `json:"pid"`
	ClockNS  int64    `json:"clock_ns"`
	Features []string `json:"features"`
	// BootID is the same for two agents on one machine between two boots, also in containers and namespaces; empty if the
	// system has none.
	BootID string `json:"boot_id"`
}

type clockAnswer struct {
	ClockNS int64 `json:"clock_ns"`
}

type factsRequest struct {
	Level string `json:"level"`
}

type probeRequest struct {
	Targets []probe.ProbeTarget `json:"targets"`
}

// part is a part of a snapshot.
type part struct {
	Data []byte `json:"data"`
	More bool   `json:"more"`
}

type prepared struct {
	Experiment uint64        `json:"experiment"`
	Ready      traffic.Ready `json:"ready"`
}

// programRequest is linerate-verbs, for the host on which the agent runs.
type programRequest struct {
	Data []byte `json:"data"`
}

// joinRequest has what the other end of verbs reported when it was prepared, or all ends of halo.
type joinRequest struct {
	Experiment uint64             `json:"experiment"`
	Peer       traffic.VerbsPeer  `json:"peer"`
	Halo       []traffic.HaloPeer `json:"halo,omitempty"`
}

type startRequest struct {
	Experiment uint64 `json:"experiment"`
	AtNS       int64  `json:"at_ns"` // agent's clock
}

type stopRequest struct {
	Experiment uint64 `json:"experiment"` // 0: all
}

// outcomePart is an outcome, or, with More, some of its streams: thousands do not fit into one frame.
type outcomePart struct {
	Outcome traffic.Outcome `json:"outcome"`
	More    bool            `json:"more"`
}

// Warning is a warning of the agent.
type Warning struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}
