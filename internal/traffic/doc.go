// Package traffic has what all engines share: the setup of an experiment, its interval, the counters, and the outcome.
// An engine puts traffic on a link and counts what arrives; a Table lists them by method and transport.
//
// # What goodput is
//
// Only the receiver counts, and only bytes that its read calls returned inside the steady interval. What a sender has
// written is not a measure: these bytes went into a socket buffer, and read high by buffered / duration.
//
// The interval is cut at the time stamps of reads, never at timer ticks. Let a be a read at the beginning and b one at
// the end of the planned interval, of any stream of one direction. Then
//
//	goodput = bytes returned by the reads after a up to and including b / (stamp of b - stamp of a)
//
// The bytes of a itself arrived before its stamp and are left out; nothing is interpolated. The cut is common to all
// streams: with separate edges, two streams that alternate would both get the full rate, and the sum would be more than
// the link carries.
//
// A stamp is the time of arrival only if the reader was not late. So a and b are the reads that were least late: of all
// reads in the first and last twentieth of the interval (at most 100 ms), those at which the most bytes had arrived for
// their time, bytes - mean rate x time. A full link is never early. A thread that did not run, a token bucket that was
// refilled while no one sent, and bytes that wait in the sockets of other streams only put a read behind the line of
// the full link. So goodput is above the link's rate by no more than the difference of the least delay at the two
// edges.
//
// Readers that are behind have bytes in their sockets at a that arrived before the interval. They could make goodput
// higher than the link. The kernel counts what it has received in order, read or not; it is asked for that of every
// connection at both edges of the interval. When more than two large packets waited unread at the first edge, or
// segments waited there for a lost one before them, goodput is the lower of what was read and what arrived, the latter
// less the memory by which such segments became fewer. Where a backlog grows, what was read counts, and a warning says
// so.
//
// Over UDP and where a system does not count arrivals, each receiver asks after some of its reads what is left in its
// socket, and it is
//
//	arrived = read + left at b - left at a
//
// in place of read where that is lower. Where a system reports neither, goodput is what was read.
//
// What remains is the time from the packet's arrival to the read at each edge, the least of many: on a shaped link of
// 1 Gb/s some parts in a million of 10 s. tools/bench/accuracy/latest.md has the figures.
//
// If no stream reads for the first or last twentieth of the interval, the planned edge is used instead of the read: a
// link that goes dead is not reported with the rate that it had before.
package traffic
