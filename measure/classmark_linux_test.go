package measure

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

// Sockets of both ends have the class that is asked for, and say so; nothing is said where none was.
func TestClassMark(t *testing.T) {
	for _, c := range []struct {
		transport, address string
		mark               *ClassMark
		want               string
	}{
		{TCP, "127.0.0.1", &ClassMark{DSCP: 26, Priority: 3}, "DSCP 26, priority 3"},
		{TCP, "::1", &ClassMark{DSCP: 48, Priority: -1}, "DSCP 48"},
		{UDP, "127.0.0.1", &ClassMark{DSCP: 26, Priority: 3}, "DSCP 26, priority 3"},
		{TCP, "127.0.0.1", nil, ""},
	} {
		at := netip.MustParseAddr(c.address)
		from, to := pair(t, Setup{Method: "stream", Direction: Out, Streams: 1, Transport: c.transport, Warmup: 20 * time.Millisecond, Window: 200 * time.Millisecond, Local: at, Remote: at, ClassMark: c.mark})
		if from.InEffect.Mark != c.want || to.InEffect.Mark != c.want {
			t.Errorf("%s to %s with %v: %q at from, %q at to; want %q", c.transport, c.address, c.mark, from.InEffect.Mark, to.InEffect.Mark, c.want)
		}
	}
	for _, bad := range []ClassMark{{DSCP: 64, Priority: 3}, {DSCP: -1, Priority: 3}, {DSCP: 26, Priority: 8}} {
		if err := bad.check(); err == nil || !strings.Contains(err.Error(), "not a number from") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
