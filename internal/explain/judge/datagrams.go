package judge

import (
	"fmt"

	"linerate/internal/record"
)

const (
	// MinDatagramLoss is the share of datagrams below which losses do not explain goodput.
	MinDatagramLoss = 0.01
	// RoomForBursts is the limit of receive buffers that the fix sets: the size that linerate's own sockets request.
	RoomForBursts = 32 << 20
)

// Datagrams returns the sums over the streams of the case; dropped is in datagrams. known is false unless the socket
// drops of every stream are known.
func (c *Case) Datagrams() (sent, lost, missing, dropped float64, known bool) {
	for _, s := range c.Streams {
		if s.Datagrams == nil || s.Lost == nil || s.Missing == nil || s.Drops == nil {
			return 0, 0, 0, 0, false
		}
		sent, lost, missing = sent+float64(*s.Datagrams), lost+float64(*s.Lost), missing+float64(*s.Missing)
		dropped += DroppedDatagrams(s)
	}
	return sent, lost, missing, dropped, len(c.Streams) > 0
}

// DroppedDatagrams returns the drops of a stream's socket in datagrams, from the mean number of datagrams in a buffer.
func DroppedDatagrams(s record.Stream) float64 {
	merged := 1.0
	if s.Merged != nil {
		merged = *s.Merged
	}
	return float64(*s.Drops) * merged
}

// SocketDrops returns the drops of the receiving sockets in buffers, and the largest possible number of datagrams in
// one.
func (c *Case) SocketDrops() (buffers, most float64) {
	most = 1
	for _, s := range c.Streams {
		buffers += float64(*s.Drops)
		if s.Merged != nil && *s.Merged > 1.05 {
			most = float64(largestMerged)
		}
	}
	return buffers, most
}

// largestMerged is the largest number of datagrams that the kernel merges (UDP_MAX_SEGMENTS, include/linux/udp.h; 128
// in newer ones).
const largestMerged = 128

// BadDatagrams returns the number of datagrams with a wrong checksum, which the socket counts as drops, too.
func (c *Case) BadDatagrams() float64 {
	g, why := c.Delta(c.Receiver, "Udp.InCsumErrors")
	if why != "" {
		return 0
	}
	return g.Net
}

// Datagrams formats a number of datagrams.
func Datagrams(v float64) string { return fmt.Sprintf("%.0f datagrams", v) }
