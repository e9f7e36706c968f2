package connect

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
)

// marker is the beginning of what guard writes to standard error among the program's output: a record separator and a
// word.
const marker = "\x1elinerate "

// markers forwards a stream without the guard's lines, and records what these report.
type markers struct {
	to   io.Writer
	held []byte // the beginning of what may be a marker

	// aside, if not nil, gets the output before the guard's first marker and after its last: the output of the tool that
	// connects to the host and writes to the same stream.
	aside io.Writer

	pid     int           // of the guard; valid once started is closed
	started chan struct{} // closed when the guard has reported its pid

	mu        sync.Mutex
	exit255   bool // the program's own exit code is 255
	noProgram bool
	ended     bool // the guard reported the program's exit code
	exit      int
}

// longestMarker is the longest marker, in bytes.
const longestMarker = 48

func (m *markers) Write(p []byte) (int, error) {
	rest := append(m.held, p...)
	m.held = nil
	for len(rest) > 0 {
		at := bytes.IndexByte(rest, marker[0])
		if at < 0 {
			at = len(rest)
		}
		if at > 0 {
			if _, err := m.now().Write(rest[:at]); err != nil {
				return 0, err
			}
			rest = rest[at:]
			continue
		}
		n := min(len(rest), len(marker))
		end := bytes.IndexByte(rest, '\n')
		switch {
		case string(rest[:n]) != marker[:n] || end > longestMarker || end < 0 && len(rest) > longestMarker:
			if _, err := m.now().Write(rest[:1]); err != nil {
				return 0, err
			}
			rest = rest[1:]
		case end < 0:
			m.held = append([]byte(nil), rest...)
			return len(p), nil
		default:
			m.take(string(rest[len(marker):end]))
			rest = rest[end+1:]
		}
	}
	return len(p), nil
}

func (m *markers) take(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch what, value, _ := strings.Cut(line, " "); what {
	case "pid":
		if n, err := strconv.Atoi(value); err == nil && n > 1 && m.pid == 0 {
			m.pid = n
			close(m.started)
		}
	case "exit-255":
		m.exit255 = true
	case "no-program":
		m.noProgram = true
	case "exit":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n <= 255 {
			m.ended, m.exit = true, n
		}
	}
}

// now returns the writer for the stream at this point.
func (m *markers) now() io.Writer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.aside != nil && (m.pid == 0 || m.ended || m.noProgram) {
		return m.aside
	}
	return m.to
}

// exited returns the exit code that the guard reported; false if it reported none.
func (m *markers) exited() (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.exit, m.ended
}

// flush forwards the held bytes at the end of the stream.
func (m *markers) flush() {
	m.now().Write(m.held)
	m.held = nil
}

func (m *markers) said() (exit255, noProgram bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.exit255, m.noProgram
}
