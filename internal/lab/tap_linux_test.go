package lab

import (
	"errors"
	"os"
	"strings"
	"testing"

	"linerate/internal/lab/guest"
)

// A tap is needed where a guest meets a namespace or a switch, and nowhere else.
func TestNeedsTap(t *testing.T) {
	far := map[string]wireEnd{"guest": {Host: "b"}, "namespace": {Host: "c"}, "switch": {Bridge: "sw"}, "nothing": {}}
	for to, want := range map[string]bool{"guest": false, "namespace": true, "switch": true, "nothing": false} {
		l := &layout{Hosts: []node{{Name: "a", Guest: true}, {Name: "b", Guest: true}, {Name: "c"}, {Name: "d"}}}
		for _, ends := range [][2]wireEnd{{{Host: "a"}, far[to]}, {far[to], {Host: "a"}}} {
			l.Wires = []wire{{Ends: [2]wireEnd{{Host: "c"}, {Host: "d"}}}, {Ends: [2]wireEnd{{Host: "d"}, {Bridge: "sw"}}}, {Ends: ends}}
			if got := l.needsTap(); got != want {
				t.Errorf("a guest and %s (%v): %v", to, ends, got)
			}
		}
	}
}

func TestTunLack(t *testing.T) {
	var lack *guest.LackError
	if err := tunLack("/dev/no/tun"); !errors.As(err, &lack) || !strings.Contains(err.Error(), "/dev/no/tun does not open (no such file or directory)") || !strings.Contains(err.Error(), "modprobe tun") {
		t.Errorf("without the device: %v", err)
	}
	if err := tunLack(os.DevNull); err != nil {
		t.Errorf("with it: %v", err)
	}
}
