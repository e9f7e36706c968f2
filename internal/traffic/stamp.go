package traffic

import (
	"crypto/sha256"
	"encoding/binary"
)

// Headers of IP, and the largest datagram, in bytes.
const (
	Ipv4Header      = 20
	Ipv6Header      = 40
	LargestDatagram = 1 << 16
)

// Kinds of datagrams of an established connection.
const (
	KindData  = 'd' // of stream
	KindEnd   = 'e' // the sender has stopped; the number is how many it sent in its interval
	KindProbe = 'p' // a trial of how to send; counts nothing
	KindAsk   = 'q' // of ping
	KindReply = 'r'
)

// StampSize is what every datagram begins with: kind, mark, connection (2 bytes), tag of the experiment (4), number (8)
// and the sender's time in nanoseconds (8), all big-endian.
const StampSize = 24

// inInterval is the mark of a datagram that was sent inside the interval.
const inInterval = 1

// Stamp is the beginning of a datagram.
type Stamp struct {
	Kind     byte
	Interval bool
	Index    int
	Tag      uint32
	Number   int64
	Time     int64
}

// Put writes the stamp at the beginning of b.
func (s Stamp) Put(b []byte) {
	b[0], b[1] = s.Kind, 0
	if s.Interval {
		b[1] = inInterval
	}
	binary.BigEndian.PutUint16(b[2:], uint16(s.Index))
	binary.BigEndian.PutUint32(b[4:], s.Tag)
	binary.BigEndian.PutUint64(b[8:], uint64(s.Number))
	binary.BigEndian.PutUint64(b[16:], uint64(s.Time))
}

// ParseStamp reads the beginning of a datagram. False: it is not one of this program's.
func ParseStamp(b []byte) (s Stamp, ok bool) {
	if len(b) < StampSize {
		return s, false
	}
	s = Stamp{Kind: b[0], Interval: b[1] == inInterval, Index: int(binary.BigEndian.Uint16(b[2:])),
		Tag:    binary.BigEndian.Uint32(b[4:]),
		Number: int64(binary.BigEndian.Uint64(b[8:])), Time: int64(binary.BigEndian.Uint64(b[16:]))}
	switch s.Kind {
	case KindData, KindEnd, KindProbe, KindAsk, KindReply:
	default:
		return s, false
	}
	return s, b[1] <= inInterval && s.Number >= 0
}

// TagOf returns a tag that tells the datagrams of one experiment apart from late ones of an earlier one.
func TagOf(token string) uint32 {
	sum := sha256.Sum256([]byte("tag" + token))
	return binary.BigEndian.Uint32(sum[:])
}
