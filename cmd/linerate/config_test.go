package main

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/config/device"
)

// What is the same of many devices is said once, with whom it is of.
func TestNotes(t *testing.T) {
	devices := []device.Device{{Name: "a", Missing: []string{"lacks x"}, Unverified: []string{"not run", "only a"}}}
	for i := range 5 {
		devices = append(devices, device.Device{Name: fmt.Sprintf("vm%d", i+1), Unverified: []string{"not run", "not run"}})
	}
	var got []string
	for _, n := range notes(devices) {
		got = append(got, together(n.devices)+": "+n.text)
	}
	if want := "a: lacks x; a .. vm5 (6 devices): not run; a: only a"; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %q", strings.Join(got, "; "), want)
	}
}
