package traffic

import (
	"crypto/sha256"
	"encoding/binary"
)

// Kinds of datagrams of a connection that stands.
const (
	kindData  = 'd' // of stream
	kindEnd   = 'e' // the sender has stopped; the number is how many it sent in its window
	kindProbe = 'p' // a trial of how to send; counts nothing
	kindAsk   = 'q' // of ping
	kindReply = 'r'
)

// stampSize is what every datagram begins with: kind, mark, connection (2 bytes), tag of the experiment (4), number (8)
// and the sender's time in nanoseconds (8), all big-endian.
const stampSize = 24

// inWindow is the mark of a datagram that was sent inside the window.
const inWindow = 1

// stamp is the beginning of a datagram.
type stamp struct {
	kind   byte
	window bool
	index  int
	tag    uint32
	number int64
	time   int64
}

func (s stamp) put(b []byte) {
	b[0], b[1] = s.kind, 0
	if s.window {
		b[1] = inWindow
	}
	binary.BigEndian.PutUint16(b[2:], uint16(s.index))
	binary.BigEndian.PutUint32(b[4:], s.tag)
	binary.BigEndian.PutUint64(b[8:], uint64(s.number))
	binary.BigEndian.PutUint64(b[16:], uint64(s.time))
}

// parseStamp reads the beginning of a datagram. False: it is not one of this program's.
func parseStamp(b []byte) (s stamp, ok bool) {
	if len(b) < stampSize {
		return s, false
	}
	s = stamp{kind: b[0], window: b[1] == inWindow, index: int(binary.BigEndian.Uint16(b[2:])), tag: binary.BigEndian.Uint32(b[4:]),
		number: int64(binary.BigEndian.Uint64(b[8:])), time: int64(binary.BigEndian.Uint64(b[16:]))}
	switch s.kind {
	case kindData, kindEnd, kindProbe, kindAsk, kindReply:
	default:
		return s, false
	}
	return s, b[1] <= inWindow && s.number >= 0
}

// tagOf tells the datagrams of one experiment from what an earlier one has left on the way.
func tagOf(token string) uint32 {
	sum := sha256.Sum256([]byte("tag" + token))
	return binary.BigEndian.Uint32(sum[:])
}
