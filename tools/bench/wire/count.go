//go:build linux

package wire

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Acks is how many acknowledgements without data the host's receiver has sent so far, by the counters of the receiver's
// kernel: all segments sent minus those with data. The receiver is the next host: each host of a ring sends to the next
// one, and of two hosts the next is the other.
func (h *Host) Acks() (int64, error) {
	text, err := readNet(h.next, "snmp", "netstat")
	if err != nil {
		return 0, err
	}
	segments, ok := counter(text, "Tcp:", "OutSegs")
	data, known := counter(text, "TcpExt:", "TCPOrigDataSent")
	if !ok || !known {
		return 0, errors.New("this kernel does not count OutSegs and TCPOrigDataSent")
	}
	return segments - data, nil
}

// readNet is the text of files below /proc/net of a namespace.
func readNet(namespace string, names ...string) (string, error) {
	var text string
	err := inside(namespace, func() error {
		for _, name := range names {
			b, err := os.ReadFile("/proc/thread-self/net/" + name)
			if err != nil {
				return err
			}
			text += string(b)
		}
		return nil
	})
	return text, err
}

// Listening waits until a TCP port of the host listens.
func (h *Host) Listening(port int) error {
	want := fmt.Sprintf(":%04X", port)
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(2 * time.Millisecond) {
		text, _ := readNet(h.Name, "tcp", "tcp6")
		for line := range strings.Lines(text) {
			// Local address, remote address, state: 0A is LISTEN.
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], want) && f[3] == "0A" {
				return nil
			}
		}
	}
	return fmt.Errorf("nobody listens on port %d", port)
}

// Received is the bytes that the host's interface has received so far, with Ethernet headers.
func (h *Host) Received() (int64, error) {
	link, err := h.sender.handle.LinkByName(h.sender.name)
	if err != nil {
		return 0, err
	}
	return int64(link.Attrs().Statistics.RxBytes), nil
}

// counter finds a counter in /proc/net/snmp or netstat, which have a line of names above each line of values.
func counter(text, group, name string) (int64, bool) {
	var names []string
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != group {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, n := range names {
			if n == name && i < len(f) {
				v, err := strconv.ParseInt(f[i], 10, 64)
				return v, err == nil
			}
		}
		names = nil
	}
	return 0, false
}

// Count is the counters of a token bucket at one moment.
type Count struct {
	NS    int64 // the moment by Now: the middle between before and after the query
	Doubt int64 // half of the time that the query took
	Bytes uint64
	Drops uint32
}

// Carried is what the link to a host has carried so far.
func (h *Host) Carried() (Count, error) { return h.toward.count() }

func (p *port) count() (Count, error) {
	before := Now()
	all, err := p.handle.QdiscList(p.link)
	after := Now()
	if err != nil {
		return Count{}, err
	}
	for _, q := range all {
		if s := q.Attrs().Statistics; q.Type() == "tbf" && s != nil && s.Basic != nil && s.Queue != nil {
			return Count{NS: (before + after) / 2, Doubt: (after - before) / 2, Bytes: s.Basic.Bytes, Drops: s.Queue.Drops}, nil
		}
	}
	return Count{}, fmt.Errorf("%s has no token bucket with counters", p.name)
}
