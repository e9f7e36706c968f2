package traffic

import (
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// Method is one way to measure: what the active and the passive end of a connection do.
type Method struct {
	Name    string
	About   string
	active  func(*task) error
	passive func(*task) error
	size    func(streams int) unit.Bytes // of a message, where none is asked for
	noDelay bool                         // TCP_NODELAY: send a message at once, instead of filling packets
	drain   time.Duration                // for what is under way at the end of the window
}

// methods is the table: a method is a line here and a file.
func methods() []Method {
	return []Method{
		{Name: "stream", About: "bulk TCP or UDP", active: send, passive: receive, size: streamSize, drain: 300 * time.Millisecond},
		{Name: "ping", About: "request and response over TCP, UDP or ICMP", active: ask, passive: answer, size: pingSize, noDelay: true, drain: time.Second},
		{Name: "verbs", About: "RDMA write, read and send", size: verbsDefault, drain: verbsDrain},
		{Name: "halo", About: "2-D halo exchange of processes on several hosts", size: haloSize, noDelay: true, drain: haloDrain},
	}
}

// Names is the names of all methods.
func Names() []string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.Name)
	}
	return names
}

func method(name string) (Method, error) {
	for _, m := range methods() {
		if m.Name == name {
			return m, nil
		}
	}
	return Method{}, &Error{Code: CodeInput, Subject: "method", Text: fmt.Sprintf("%q is none of %s", name, strings.Join(Names(), ", "))}
}

// Grace is how long after its window an experiment of a method may still run.
func Grace(name string) time.Duration {
	m, err := method(name)
	if err != nil {
		return 0
	}
	return tail + m.drain
}

// message is the size of one message in effect.
func (s Setup) message(m Method) unit.Bytes {
	switch s.Transport {
	case UDP:
		return s.udpSize()
	case ICMP:
		return s.icmpSize()
	}
	if s.Size > 0 {
		return s.Size
	}
	return m.size(s.connections())
}

// receiveBuffer is the least that a receiver of gathered messages takes at once.
const receiveBuffer = 256 * unit.KiB

// trialBuffer is the largest buffer that a trial may choose; 0 without one.
func (s Setup) trialBuffer() unit.Bytes {
	if s.Method != "stream" || !s.Tuning.Trial {
		return 0
	}
	return s.largestBuffer()
}

// Memory is about what one end takes for s: buffers, slices and histograms.
func (s Setup) Memory() unit.Bytes {
	m, err := method(s.Method)
	if err != nil {
		return 0
	}
	if s.Method == "halo" {
		return s.haloMemory()
	}
	switch s.Transport {
	case UDP:
		return s.udpMemory() * unit.Bytes(s.connections())
	case ICMP:
		return s.icmpMemory() * unit.Bytes(s.connections())
	case RDMA:
		return s.verbsMemory()
	}
	perConnection := 2*max(s.message(m), receiveBuffer, s.trialBuffer()) + 2*8*unit.Bytes(newWindow(0, s, 0).slices())
	if s.Method == "ping" {
		perConnection += histogramMemory + s.openMemory()
	}
	return perConnection * unit.Bytes(s.connections())
}
