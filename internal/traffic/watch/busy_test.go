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

// Idle time that goes back takes nothing from the whole: a core is busy for at most all of its time.
func TestSharesOfACore(t *testing.T) {
	a := CPUReading{At: 0, Cores: []facts.CoreTime{{Core: 0, User: 10, System: 10, Idle: 50, IOWait: 3}}}
	b := CPUReading{At: 1e9, Cores: []facts.CoreTime{{Core: 0, User: 10.4, System: 10.6, Idle: 50, IOWait: 2.97}}}
	c := CPUBetween(a, b)
	if len(c.Cores) != 1 {
		t.Fatalf("%+v", c)
	}
	k := c.Cores[0]
	if got := k.User + k.System + k.SoftIRQ + k.IRQ; math.Abs(got-1) > 1e-9 || k.Idle != 0 {
		t.Errorf("%v busy, %v idle; want all of it busy", got, k.Idle)
	}
	if got, ok := busyCores(a, b); !ok || got > 1+1e-9 {
		t.Errorf("%v cores busy", got)
	}
}
