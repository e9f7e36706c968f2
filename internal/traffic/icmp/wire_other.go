//go:build !linux

package icmp

import (
	"context"
	"runtime"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// wire needs Linux.
type wire struct {
	peer string
	tag  uint32
}

func unsupported() error {
	return &failure.Error{Code: failure.CodeUnsupported, Subject: "icmp",
		Text: "ICMP is measured from Linux only, not from " + runtime.GOOS + "; measure from the other end, or over tcp " +
			"or udp"}
}

func open(traffic.Endpoint, int) (*wire, error)                { return nil, unsupported() }
func (*wire) kind() string                                     { return "" }
func (*wire) refusal() string                                  { return "" }
func (*wire) One([]byte) (int, error)                          { return 0, unsupported() }
func (*wire) Read([]byte) (int, error)                         { return 0, unsupported() }
func (*wire) firstEcho(context.Context) (time.Duration, error) { return 0, unsupported() }
func (*wire) interrupt()                                       {}
func (*wire) IsEnded() bool                                    { return true }
func (*wire) close()                                           {}
func findPathMTU(context.Context, traffic.Endpoint, time.Duration) (*record.PathMTU, error) {
	return nil, unsupported()
}
