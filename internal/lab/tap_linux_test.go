package lab

import (
	"errors"
	"os"
	"strings"
	"testing"

	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
)

// A tap is needed only between a guest and a namespace or switch.
func TestNeedsTap(t *testing.T) {
	far := map[string]layout.WireEnd{
		"guest":     {Host: "b"},
		"namespace": {Host: "c"},
		"switch":    {Bridge: "sw"},
		"nothing":   {},
	}
	for to, want := range map[string]bool{"guest": false, "namespace": true, "switch": true, "nothing": false} {
		l := &layout.Layout{
			Hosts: []layout.Node{{Name: "a", Guest: true}, {Name: "b", Guest: true}, {Name: "c"}, {Name: "d"}},
		}
		for _, ends := range [][2]layout.WireEnd{{{Host: "a"}, far[to]}, {far[to], {Host: "a"}}} {
			l.Wires = []layout.Wire{
				{Ends: [2]layout.WireEnd{{Host: "c"}, {Host: "d"}}},
				{Ends: [2]layout.WireEnd{{Host: "d"}, {Bridge: "sw"}}},
				{Ends: ends},
			}
			if got := l.NeedsTap(); got != want {
				t.Errorf("a guest and %s (%v): %v", to, ends, got)
			}
		}
	}
}

func TestTunMissing(t *testing.T) {
	var missing *guest.MissingError
	if err := tunMissing(
		"/dev/no/tun",
	); !errors.As(err, &missing) || !strings.Contains(err.Error(), "/dev/no/tun does not open (no such file or "+
		"directory)") || !strings.Contains(err.Error(), "modprobe tun") {
		t.Errorf("without the device: %v", err)
	}
	if err := tunMissing(os.DevNull); err != nil {
		t.Errorf("with it: %v", err)
	}
}
