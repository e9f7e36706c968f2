package tcp

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/traffictest"
)

// Sockets of both ends have the class of the setup, and the outcome has it; without one it has none.
func TestClassMark(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var setups []traffic.Setup
	var want []string
	for _, c := range []struct {
		transport, address string
		mark               *socket.ClassMark
		want               string
	}{
		{traffic.TCP, "127.0.0.1", &socket.ClassMark{DSCP: 26, Priority: 3}, "DSCP 26, priority 3"},
		{traffic.TCP, "::1", &socket.ClassMark{DSCP: 48, Priority: -1}, "DSCP 48"},
		{traffic.UDP, "127.0.0.1", &socket.ClassMark{DSCP: 26, Priority: 3}, "DSCP 26, priority 3"},
		{traffic.TCP, "127.0.0.1", nil, ""},
	} {
		at := netip.MustParseAddr(c.address)
		setups = append(setups, traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 1,
			Transport: c.transport,
			Interval:  200 * time.Millisecond, Local: at, Remote: at, ClassMark: c.mark})
		want = append(want, c.want)
	}
	for i, r := range traffictest.Pairs(t, table(), time.Second, setups...) {
		if r.From.InEffect.Mark != want[i] || r.To.InEffect.Mark != want[i] {
			t.Errorf("%s to %s with %v: %q at from, %q at to; want %q", setups[i].Transport, setups[i].Remote,
				setups[i].ClassMark, r.From.InEffect.Mark, r.To.InEffect.Mark, want[i])
		}
	}
}

// A class that no packet can have is refused.
func TestClassMarkRefused(t *testing.T) {
	for _, bad := range []socket.ClassMark{{DSCP: 64, Priority: 3}, {DSCP: -1, Priority: 3}, {DSCP: 26, Priority: 8}} {
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), "not a number from") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
