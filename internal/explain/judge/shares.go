package judge

import (
	"linerate/internal/facts"
)

// CoreFull is the share of a core from which on it has no time left for more packets.
const CoreFull = 0.85

// Emulator returns the netem on the sender's interface that dropped most during the experiment; nil: there is none, or
// it did not exist all the time.
func (c *Case) Emulator() (most *facts.Qdisc, dropped float64) {
	a, b := c.Sender.Shots.Before, c.Sender.NIC()
	if a == nil || b == nil || a.NIC(b.Name) == nil {
		return nil, 0
	}
	for i, q := range b.Qdiscs {
		if q.Kind != "netem" {
			continue
		}
		for _, p := range a.NIC(b.Name).Qdiscs {
			if p.Kind != q.Kind || p.Handle != q.Handle || p.Parent != q.Parent || q.Bytes < p.Bytes {
				continue
			}
			if n, why := grew(p.Drops, q.Drops, true); why == "" && n > dropped {
				most, dropped = &b.Qdiscs[i], n
			}
		}
	}
	return most, dropped
}

// ManyPauses is the number of pause frames per second from which they are a cause.
const ManyPauses = 100

const (
	// CPUFull is the share of the CPU time of a host, of one core, or of one thread's core, from which on it is full.
	CPUFull = 0.95
	// ThreadFull is the share of a core from which on a thread is full: its core always runs other threads, too.
	ThreadFull = 0.9
	// MostlyOwn is the experiment's share of the used CPU time below which other processes fill the CPU.
	MostlyOwn = 0.5
)
