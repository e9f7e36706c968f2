package traffic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/traffic/placement"
)

// An end whose setup names nodes gets their cores; a node that does not exist is refused before anything is opened.
func TestPlaceResolves(t *testing.T) {
	if placement.AllowedCores() == nil {
		t.Skip("this system does not say which cores a thread may use")
	}
	sys := t.TempDir()
	node := filepath.Join(sys, "devices/system/node/node0")
	if err := os.MkdirAll(node, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(node, "cpulist"), []byte("0-1023\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Endpoint{Setup: Setup{Device: "eth1", Tuning: Tuning{Nodes: []int{0}}}}
	if err := s.place(sys); err != nil || len(s.Tuning.Cores) == 0 || s.Layout == nil {
		t.Errorf("%v %+v", err, s.Tuning)
	}
	s = Endpoint{Setup: Setup{Tuning: Tuning{Nodes: []int{5}}}}
	if err := s.place(sys); err == nil || !strings.Contains(err.Error(), "node5") {
		t.Errorf("node5: %v", err)
	}
}
