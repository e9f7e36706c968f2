package traffic

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
)

// The first bytes of every data connection: the token as hexadecimal text, and the connection's index, big-endian.
// The passive party answers with one byte once it has taken the connection.
const (
	tokenBits    = 128
	tokenSize    = tokenBits / 4
	preambleSize = tokenSize + 4
	accepted     = 'k'
)

// newToken is a token for one experiment.
func newToken() string {
	var b [tokenBits / 8]byte
	rand.Read(b[:]) // never fails: the program ends instead
	return hex.EncodeToString(b[:])
}

func preamble(token string, index int) []byte {
	return binary.BigEndian.AppendUint32([]byte(token), uint32(index))
}

// parsePreamble returns the index of a preamble that carries the token. The comparison takes the same time wherever
// the two differ.
func parsePreamble(token string, b []byte) (index uint32, ok bool) {
	if len(b) != preambleSize {
		return 0, false
	}
	ok = subtle.ConstantTimeCompare([]byte(token), b[:tokenSize]) == 1
	return binary.BigEndian.Uint32(b[tokenSize:]), ok
}
