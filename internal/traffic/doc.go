// Package traffic is the methods that put traffic on a link and count what comes out: stream (bulk TCP or UDP) and ping
// (request and response over either). A method is a row of a table: what the active end of a connection does and what the
// passive end does, side by side. Everything around it is common: the data port with its token, the window, the
// processor time and the kernel's own view of the sockets.
//
// # What goodput is
//
// Only the receiver counts, and only bytes that its read calls returned inside the steady window. What a sender has
// written is no measure: it is bytes put into a socket buffer, and reads high by buffered / duration.
//
// The window is cut at the time stamps of reads, never at timer ticks. Let a be a read at the beginning and b one at the
// end of the planned window, of any stream of one direction. Then
//
//	goodput = bytes returned by the reads after a up to and including b / (stamp of b - stamp of a)
//
// The bytes of a itself arrived before its stamp and are left out; nothing is interpolated. The cut is common to all
// streams: with edges of its own for each stream, two streams that take turns would both be given the full rate, and
// the sum would be more than the link carries.
//
// A stamp tells when bytes arrived only if the reader was not late, so a and b are the reads that were least late: of all
// reads in the first and last twentieth of the window (at most 100 ms), those at which the most bytes had come for
// their time, bytes - mean rate x time. A link that is kept full is never early: a thread that did not run, a bucket of
// tokens that was refilled while nobody sent, and bytes that wait in the sockets of other streams only put a read behind
// the line that the full link draws. A figure can then be above the link by no more than the least of these delays
// differs between the two edges.
//
// Readers that are behind have bytes in their sockets at a that arrived before the window and could make the figure
// higher than the link. The kernel counts what it has received in order, read or not; it is asked for that of every
// connection at both edges of the window. When more than two large packets waited unread at the first edge, or segments
// waited there for a lost one before them, goodput is the lower of what was read and what arrived, the latter less the
// memory by which such segments became fewer. Where a backlog grows, what was read counts, and a warning says so.
//
// Over UDP and where a system does not count arrivals, each receiver asks after some of its reads what is left in its
// socket, and it is
//
//	arrived = read + left at b - left at a
//
// in place of read where that is lower. Where a system does not tell either, the figure is what was read.
//
// What remains is the time from the packet's arrival to the read at each edge, the least of many: on a shaped link of
// 1 Gb/s some parts in a million of 10 s. tools/bench/accuracy/latest.md has the figures.
//
// If no stream reads for the first or last twentieth of the window the planned edge is used instead of the read, so
// that a link that goes dead is not reported with the rate it had before.
package traffic
