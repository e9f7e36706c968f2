//go:build !linux

package traffic

import (
	"context"
	"linerate/internal/record"
	"runtime"
	"time"
)

// icmpWire is Linux's alone here.
type icmpWire struct {
	peer string
	tag  uint32
}

func noICMP() error {
	return &Error{Code: CodeUnsupported, Subject: "icmp", Text: "ICMP is measured from Linux only, not from " + runtime.GOOS + "; measure from the other end, or over tcp or udp"}
}

func openICMP(Setup, int) (*icmpWire, error)                       { return nil, noICMP() }
func (*icmpWire) kind() string                                     { return "" }
func (*icmpWire) refusal() string                                  { return "" }
func (*icmpWire) one([]byte) (int, error)                          { return 0, noICMP() }
func (*icmpWire) read([]byte) (int, error)                         { return 0, noICMP() }
func (*icmpWire) firstEcho(context.Context) (time.Duration, error) { return 0, noICMP() }
func (*icmpWire) interrupt()                                       {}
func (*icmpWire) isEnded() bool                                    { return true }
func (*icmpWire) close()                                           {}
func findPathMTU(context.Context, Setup, time.Duration) (*record.PathMTU, error) {
	return nil, noICMP()
}
