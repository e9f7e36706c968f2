package traffic

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
)

func TestCheck(t *testing.T) {
	good := setup("stream", 1)
	good.Side, good.Listen = To, true
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Setup){
		"method":      func(s *Setup) { s.Method = "block" },
		"no method":   func(s *Setup) { s.Method = "" },
		"side":        func(s *Setup) { s.Side = "left" },
		"direction":   func(s *Setup) { s.Direction = "OUT" },
		"streams":     func(s *Setup) { s.Streams = 0 },
		"streams -":   func(s *Setup) { s.Streams = -1 },
		"size":        func(s *Setup) { s.Size = -1 },
		"window":      func(s *Setup) { s.Window = 0 },
		"window -":    func(s *Setup) { s.Window = -time.Second },
		"warmup":      func(s *Setup) { s.Warmup = -1 },
		"no local":    func(s *Setup) { s.Local = netip.Addr{} },
		"any local":   func(s *Setup) { s.Local = netip.IPv4Unspecified() },
		"multicast":   func(s *Setup) { s.Remote = netip.MustParseAddr("224.0.0.1") },
		"no remote":   func(s *Setup) { s.Remote = netip.Addr{} },
		"two family":  func(s *Setup) { s.Remote = netip.MustParseAddr("fd00::1") },
		"no port":     func(s *Setup) { s.Listen, s.Token = false, newToken() },
		"no token":    func(s *Setup) { s.Listen, s.Port = false, 1 },
		"long token":  func(s *Setup) { s.Listen, s.Port, s.Token = false, 1, newToken()+"0" },
		"device path": func(s *Setup) { s.Device = "../eth0" },
		"device long": func(s *Setup) { s.Device = strings.Repeat("x", 65) },
	} {
		s := good
		change(&s)
		var e *Error
		if err := s.Check(); !errors.As(err, &e) || e.Code != CodeInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDirections(t *testing.T) {
	s := setup("stream", 2)
	s.Direction = Both
	for side, want := range map[string][]bool{From: {true, true, false, false}, To: {false, false, true, true}} {
		s.Side = side
		for i, active := range want {
			if s.active(i) != active {
				t.Errorf("both, %s: connection %d active %v", side, i, s.active(i))
			}
		}
	}
	s.Direction, s.Side = In, To
	if s.connections() != 2 || !s.active(0) || s.direction(1) != In {
		t.Errorf("in: %d connections, to active: %v", s.connections(), s.active(0))
	}
}

func TestStreamSize(t *testing.T) {
	for streams, want := range map[int]int64{0: 1 << 20, 1: 1 << 20, 2: 512 << 10, 4: 256 << 10, 8: 128 << 10, 1024: 128 << 10} {
		if got := streamSize(streams); int64(got) != want {
			t.Errorf("%d streams: %v", streams, got)
		}
	}
}

func TestCPUBetween(t *testing.T) {
	core := func(n int, user, system, softirq, irq, idle float64) facts.CoreTime {
		return facts.CoreTime{Core: n, User: user, System: system, SoftIRQ: softirq, IRQ: irq, Idle: idle}
	}
	a := cpuReading{at: 0, user: 1, system: 1, cores: []facts.CoreTime{core(0, 100, 100, 100, 0, 100), core(1, 5, 5, 5, 0, 5)}}
	b := cpuReading{at: 1e9, user: 1.1, system: 1.5, cores: []facts.CoreTime{core(0, 100.2, 100.5, 100.2, 0, 100.1), core(1, 5.1, 5, 5, 0, 5.9), core(2, 9, 9, 9, 0, 9)}}
	c := cpuBetween(a, b)
	near := func(what string, got, want float64) {
		t.Helper()
		if d := got - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("user", *c.User, 0.1)
	near("system", *c.System, 0.5)
	if len(c.Cores) != 2 {
		t.Fatalf("cores %+v: one came online in the window", c.Cores)
	}
	near("core 0 softirq", c.Cores[0].SoftIRQ, 0.2)
	near("core 1 idle", c.Cores[1].Idle, 0.9)
	near("foreign, interrupts billed to tasks", *c.Foreign, 0.2+0.5+0.2+0.1-0.6)
	b.cores[0].IRQ = 0.5 // the kernel accounts interrupts apart: softirq is no task's
	b.cores[0].Idle -= 0.5
	near("foreign, interrupts apart", *cpuBetween(a, b).Foreign, 0.2+0.5+0.1-0.6)
	still := a
	still.at = 1e9
	if c := cpuBetween(a, still); c.Cores != nil || c.Foreign != nil || c.Unknown == "" {
		t.Errorf("cores that counted nothing: %+v", c)
	}
	b.machine = errors.New("no /proc")
	if c := cpuBetween(a, b); c.User == nil || c.Foreign != nil || c.Unknown == "" || c.Cores != nil {
		t.Errorf("cores that cannot be read: %+v", c)
	}
	if c := cpuBetween(b, b); c.User != nil || c.Unknown == "" {
		t.Errorf("no time between two readings: %+v", c)
	}
}
