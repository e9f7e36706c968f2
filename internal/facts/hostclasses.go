package facts

import "linerate/internal/base/unit"

// HostClasses is what only a host has of traffic classes.
type HostClasses struct {
	// Buffers are the receive buffers of a card by number, BufferOf the one that each priority is kept in.
	Buffers  map[int]unit.Bytes
	BufferOf map[int]int
	ToS      unit.Opt[int] // type of service that it sends RoCE with: DSCP << 2 and the two bits of ECN

	points map[string]bool // of ECN, read, not yet given to the queue: "np 3", "rp 3"
}
