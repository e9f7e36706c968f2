//go:build linux

package wire

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Acks is how many acknowledgements without data the host that acknowledges towards this one has sent so far, by its
// kernel's counters: segments sent less those with data. Of two hosts it is the other one; in a ring of more, in which
// each sends to the next, it is the next.
func (h *Host) Acks() (int64, error) {
	var text string
	err := inside(h.next, func() error {
		for _, name := range []string{"snmp", "netstat"} {
			b, err := os.ReadFile("/proc/thread-self/net/" + name)
			if err != nil {
				return err
			}
			text += string(b)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	out, ok := counter(text, "Tcp:", "OutSegs")
	data, known := counter(text, "TcpExt:", "TCPOrigDataSent")
	if !ok || !known {
		return 0, errors.New("this kernel does not count OutSegs and TCPOrigDataSent")
	}
	return out - data, nil
}

// counter finds a counter in /proc/net/snmp or netstat: a line of names, and one of values below it.
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

// Count is what a token bucket has let through, as its own counters have it.
type Count struct {
	NS    int64 // stamp, between before and after the question
	Doubt int64 // half of the time that the question took
	Bytes uint64
	Drops uint32
}

// Carried is what the link has carried towards a host so far, and Sent what the host's own interface has.
func (h *Host) Carried() (Count, error) { return h.toward.count() }

func (h *Host) Sent() (Count, error) { return h.sender.count() }

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
