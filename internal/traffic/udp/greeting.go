package udp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
)

// Before a connection carries data its two ends greet each other in four steps, each of one datagram of 64 bytes:
//
//	hello      dialing end    I know the token; here is a number of mine
//	challenge  listening end  so do I; here is a number of mine
//	confirm    dialing end    your number came back from where you sent it to
//	accept     listening end  the connection is established
//
// The token itself is not sent: each step carries an HMAC of itself under it. A forged source address receives nothing,
// because a hello without the token has no answer, and the answer to an overheard one has as many bytes. Neither end
// sends anything else before it has received a number of its own.
const (
	stepHello     = 'H'
	stepChallenge = 'C'
	stepConfirm   = 'F'
	stepAccept    = 'A'

	greetingSize = 64
	nonceSize    = 16
	signed       = 8 + 2*nonceSize // bytes that the HMAC covers
)

// greeting is one step.
type greeting struct {
	step      byte
	index     int
	dialer    [nonceSize]byte
	listening [nonceSize]byte
}

func newNonce() (n [nonceSize]byte) {
	rand.Read(n[:]) // never fails: the program ends instead
	return n
}

// bytes is the step as it is sent.
func (g greeting) bytes(token string) []byte {
	b := make([]byte, greetingSize)
	b[0] = g.step
	binary.BigEndian.PutUint32(b[4:], uint32(g.index))
	copy(b[8:], g.dialer[:])
	copy(b[8+nonceSize:], g.listening[:])
	copy(b[signed:], signature(token, b[:signed]))
	return b
}

// parseGreeting reads a step that was signed with the token.
func parseGreeting(token string, b []byte) (g greeting, ok bool) {
	if len(b) != greetingSize || !hmac.Equal(b[signed:signed+nonceSize], signature(token, b[:signed])) {
		return g, false
	}
	for _, v := range b[signed+nonceSize:] {
		if v != 0 {
			return g, false
		}
	}
	index := binary.BigEndian.Uint32(b[4:])
	if index > 1<<15 || b[1] != 0 || b[2] != 0 || b[3] != 0 {
		return g, false
	}
	g.step, g.index = b[0], int(index)
	copy(g.dialer[:], b[8:])
	copy(g.listening[:], b[8+nonceSize:])
	return g, true
}

func signature(token string, b []byte) []byte {
	m := hmac.New(sha256.New, []byte(token))
	m.Write(b)
	return m.Sum(nil)[:nonceSize]
}
