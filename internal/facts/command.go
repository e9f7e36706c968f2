package facts

import "bytes"

// commandMax is the most that is taken of a program's output, in bytes.
const commandMax = 4 << 20

// limited takes what fits and drops the rest.
type limited struct {
	bytes.Buffer
	max  int
	full bool
}

func (l *limited) Write(b []byte) (int, error) {
	room := max(0, l.max-l.Len())
	l.full = l.full || len(b) > room
	l.Buffer.Write(b[:min(len(b), room)])
	return len(b), nil
}
