// Package wire is a link in user space: it is between two Ethernet interfaces of one network namespace and carries
// frames in both directions, each with its own delay, losses, CE marks, reordering, corruption, duplicates, rate, queue
// and policer, for kernels that have no netem.
//
//	interface A -> packet socket -> cut -> Pipe -> packet socket -> interface B     and the same from B to A
//
// Everything is done to wire packets: super-packets of the hosts (TCP segmentation offload, UDP GSO) are split first,
// and checksums that were left to the NIC are completed. So the hosts' offloads stay as they are, and a loss of 1 % is
// one of a hundred frames of the MTU.
//
// Pipe is one direction without sockets: it takes frames with the time of their arrival and says which leaves when. It
// knows no clock and draws from a seed, each impairment from a sequence of its own: adding one does not change which
// packets another one hits.
//
// A frame passes the parts of a Pipe in this order: the host's own port (Line), the policer (Police), the queue (Queue,
// CEAbove) and the transmitter (Rate), then the wire: Loss, CE, Corrupt, Duplicate, Reorder, Delay.
//
// Limits: encapsulated super-packets (VXLAN with segmentation offload) and those of more than 64 KiB (BIG TCP) are not
// cut; they are dropped and counted as Uncut. Switch the offload of the tunnel off.
package wire

// Link is a link between two interfaces, by name.
type Link struct {
	A, B       string
	ToB, ToA   Settings // of what comes in at A, and of what comes in at B
	Seed       uint64
	Forwarding func() // called once, when frames are carried; nil: nobody is
}

// Totals are the counts of both directions.
type Totals struct {
	ToB, ToA Counts
}
