package guest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Monitor reads QEMU's events of a machine.
type Monitor struct {
	rw io.ReadWriter
	in *bufio.Scanner
}

// The events that a Monitor returns (QEMU's QMP reference, run-state).
const (
	EventReset    = "RESET"    // the machine starts again, with its kernel
	EventShutdown = "SHUTDOWN" // it has powered off: QEMU ends
)

// monitorLine is the longest message of QEMU that is read. Unsolicited ones are below a KiB.
const monitorLine = 64 << 10

// NewMonitor does the handshake with the QEMU at the other end of rw.
func NewMonitor(rw io.ReadWriter) (*Monitor, error) {
	m := &Monitor{rw: rw, in: bufio.NewScanner(rw)}
	m.in.Buffer(nil, monitorLine)
	if _, err := io.WriteString(rw, `{"execute":"qmp_capabilities"}`+"\n"); err != nil {
		return nil, fmt.Errorf("QEMU's monitor: %w", err)
	}
	return m, nil
}

// Event returns the next event's name; io.EOF is the end of QEMU.
func (m *Monitor) Event() (string, error) {
	for m.in.Scan() {
		var said struct {
			Event string `json:"event"`
		}
		if err := json.Unmarshal(m.in.Bytes(), &said); err != nil {
			return "", fmt.Errorf("QEMU's monitor: %w", err)
		}
		if said.Event != "" {
			return said.Event, nil
		}
	}
	if err := m.in.Err(); err != nil {
		return "", fmt.Errorf("QEMU's monitor: %w", err)
	}
	return "", io.EOF
}
