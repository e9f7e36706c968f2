// Package measure is the methods that put traffic on a link and count what comes out: stream (bulk TCP) and ping
// (TCP request and response). A method is a row of a table: what the active end of a connection does and what the
// passive end does, side by side. Everything around it is common: the data port with its token, the window, the
// processor time and the kernel's own view of the sockets.
//
// # What goodput is
//
// Only the receiver counts, and only bytes that its read calls returned inside the steady window. What a sender has
// written is no measure: it is bytes put into a socket buffer, and reads high by buffered / duration.
//
// The window is cut at the time stamps of reads, never at timer ticks. Let a be the first and b the last read, over
// all streams of one direction, whose stamp lies inside the planned window. Then
//
//	goodput = bytes returned by the reads after a up to and including b / (stamp of b - stamp of a)
//
// The bytes of a itself arrived before its stamp and are left out; nothing is interpolated. The cut is common to all
// streams: with edges of its own for each stream, two streams that take turns would both be given the full rate, and
// the sum would be more than the link carries.
//
// Bytes that waited in the socket at a, held there because the reader was late or because a segment before them was
// missing, arrived before the window and could still make the figure higher than the link. So the receiver asks the
// kernel what is held at both edges, and the figure is the lower of what was read and what arrived:
//
//	arrived = read + held at b - held at a
//
// With a constant backlog both are equal and nothing is lost; when a backlog shrinks, the link's part is what counts.
// If no stream reads for the first or last twentieth of the window the planned edge is used instead of the read, so
// that a link that goes dead is not reported with the rate it had before.
package measure
