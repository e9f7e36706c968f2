// Package measure is the methods that put traffic on a link and count what comes out: stream (bulk TCP or UDP) and ping
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
// A stamp tells when bytes arrived only if the reader was not late, so a and b are the outermost reads that left the
// socket empty: the kernel is asked after reads in the first and last twentieth of the window (at most 100 ms), and if
// the answer took so long that this thread cannot have run, the read is no edge.
//
// A reader that is always behind leaves no empty socket. Then bytes that wait at a arrived before the window and could
// make the figure higher than the link, and it is the lower of what was read and what arrived:
//
//	arrived = read + held at b - held at a
//
// With a constant backlog both are equal and nothing is lost; when a backlog shrinks, the link's part is what counts.
// Held are bytes that wait to be read, and the memory of those that wait for a lost segment before them. Where a
// system does not tell, edges are the first and the last read and the figure is what was read.
//
// What remains is the packet under way at each edge: on a shaped link of 1 Gb/s and a window of 1 s some hundredths of
// a percent in both directions.
//
// If no stream reads for the first or last twentieth of the window the planned edge is used instead of the read, so
// that a link that goes dead is not reported with the rate it had before.
package measure
