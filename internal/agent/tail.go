package agent

import (
	"strings"
	"sync"
)

const (
	tailSize  = 4 << 10
	tailLines = 5
)

// tail keeps the last of what an agent writes to its standard error.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if n := len(t.buf) - tailSize; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(p), nil
}

// String is its last lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(printable(strings.ToValidUTF8(string(t.buf), "?"))), "\n")
	if n := len(lines) - tailLines; n > 0 {
		lines = lines[n:]
	}
	return strings.Join(lines, "\n")
}
