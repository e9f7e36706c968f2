package watch

import (
	"errors"
	"math"
	"testing"

	"linerate/internal/facts"
)

// Every kind of use counts; idle, waiting and steal do not, a core that came online in between is left out, and unknown
// is not zero.
func TestBusyCores(t *testing.T) {
	before := CPUReading{Cores: []facts.CoreTime{{Core: 0, User: 10, Idle: 90}, {Core: 1, Idle: 100}}}
	after := CPUReading{Cores: []facts.CoreTime{
		{Core: 0, User: 10.2, System: 0.3, SoftIRQ: 0.1, IRQ: 0.1, Nice: 0.1, Idle: 90.2},
		{Core: 1, Idle: 100.5, Steal: 0.25, IOWait: 0.25},
		{Core: 2, User: 5},
	}}
	if got, ok := busyCores(before, after); !ok || math.Abs(got-0.8) > 1e-9 {
		t.Errorf("busy %v, %v; want 0.8 of core 0 and nothing of core 1", got, ok)
	}
	if _, ok := busyCores(before, before); ok {
		t.Error("busy is known although no tick passed")
	}
	if _, ok := busyCores(before, CPUReading{Machine: errors.New("no /proc")}); ok {
		t.Error("busy is known although the cores could not be read")
	}
}
