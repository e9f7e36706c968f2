package nvmetcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Options configure an initiator; the zero value only reads, without digests.
type Options struct {
	Write        bool // without it every writing command is refused locally
	HeaderDigest bool // offered; the target may decline
	DataDigest   bool
	HostNQN      string // empty: one derived from HostID
	HostID       [16]byte
	Local        netip.Addr    // local address
	Timeout      time.Duration // of each step and of each command; Flush has at least two minutes; 0: 10 s
	KeepAlive    time.Duration // after which the target may disconnect a silent host; 0: 15 s, negative: none
	Queues       int           // I/O queues to request; 0: 64
	R2Ts         int           // outstanding requests for data of one command; 0: 4

	wrap func(net.Conn) net.Conn                                              // for tests
	dial func(ctx context.Context, network, address string) (net.Conn, error) // for tests; nil: the network
}

func (o Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return 10 * time.Second
}

func (o Options) keepAlive() time.Duration {
	if o.KeepAlive == 0 {
		return 15 * time.Second
	}
	return max(o.KeepAlive, 0)
}

func (o Options) r2ts() int {
	if o.R2Ts <= 0 {
		return 4
	}
	return min(o.R2Ts, 64)
}

func (o Options) queues() int {
	if o.Queues <= 0 {
		return 64
	}
	return min(o.Queues, 1024)
}

// identified fills in the identity of this host. Without a configured name each controller appears as a different host.
func (o Options) identified() Options {
	if o.HostID == [16]byte{} {
		rand.Read(o.HostID[:])
		o.HostID[6] = o.HostID[6]&0x0f | 0x40
		o.HostID[8] = o.HostID[8]&0x3f | 0x80
	}
	if o.HostNQN == "" {
		u := o.HostID
		o.HostNQN = fmt.Sprintf("nqn.2014-08.org.nvmexpress:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
	}
	return o
}

func (o Options) check() error {
	if o.HostNQN != "" {
		if err := checkNQN(o.HostNQN); err != nil {
			return &Error{Code: CodeInput, Subject: "host NQN", Text: err.Error()}
		}
	}
	if o.KeepAlive > 0 && o.KeepAlive < time.Second || o.KeepAlive > time.Hour {
		return failure(CodeInput, "keep alive", "%v is not between 1 s and 1 h", o.KeepAlive)
	}
	return nil
}
