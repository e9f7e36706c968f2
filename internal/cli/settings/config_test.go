package settings

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/device/config"
)

// What many devices share is printed once, with their names.
func TestNotes(t *testing.T) {
	devices := []config.Device{{Name: "a", Missing: []string{"lacks x"}, Unverified: []string{"not run", "only a"}}}
	for i := range 5 {
		devices = append(devices, config.Device{Name: fmt.Sprintf("vm%d", i+1), Unverified: []string{"not run", "not run"}})
	}
	var got []string
	for _, n := range notes(devices) {
		got = append(got, together(n.devices)+": "+n.text)
	}
	if want := "a: lacks x; a .. vm5 (6 devices): not run; a: only a"; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %q", strings.Join(got, "; "), want)
	}
}
