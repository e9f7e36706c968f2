package traffic

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// Sockets of both ends have the class that is asked for, and say so; nothing is said where none was.
func TestClassMark(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var setups []Setup
	var want []string
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
		setups = append(setups, Setup{Method: "stream", Direction: Out, Streams: 1, Transport: c.transport, Window: 200 * time.Millisecond, Local: at, Remote: at, ClassMark: c.mark})
		want = append(want, c.want)
	}
	for i, r := range pairs(t, time.Second, setups...) {
		if r.from.InEffect.Mark != want[i] || r.to.InEffect.Mark != want[i] {
			t.Errorf("%s to %s with %v: %q at from, %q at to; want %q", setups[i].Transport, setups[i].Remote, setups[i].ClassMark, r.from.InEffect.Mark, r.to.InEffect.Mark, want[i])
		}
	}
}

// A class that no packet can have is refused.
func TestClassMarkRefused(t *testing.T) {
	for _, bad := range []ClassMark{{DSCP: 64, Priority: 3}, {DSCP: -1, Priority: 3}, {DSCP: 26, Priority: 8}} {
		if err := bad.check(); err == nil || !strings.Contains(err.Error(), "not a number from") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
