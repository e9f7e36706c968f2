package tcp

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/facts"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/traffictest"
	"linerate/internal/traffic/watch"
)

func TestCheck(t *testing.T) {
	good := traffictest.Setup("throughput", 1)
	good.Side, good.Listen = traffic.To, true
	if err := table().Check(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*traffic.Setup){"method": func(s *traffic.Setup) { s.Method = "storage" },
		"no method": func(s *traffic.Setup) { s.Method = "" }, "side": func(s *traffic.Setup) { s.Side = "left" },
		"direction": func(s *traffic.Setup) { s.Direction = "OUT" }, "streams": func(s *traffic.Setup) { s.Streams = 0 },
		"streams -": func(s *traffic.Setup) { s.Streams = -1 }, "size": func(s *traffic.Setup) { s.Size = -1 },
		"window": func(s *traffic.Setup) { s.Interval = 0 }, "window -": func(s *traffic.Setup) { s.Interval = -time.Second },
		"warmup":      func(s *traffic.Setup) { s.Warmup = -1 },
		"no local":    func(s *traffic.Setup) { s.Local = netip.Addr{} },
		"any local":   func(s *traffic.Setup) { s.Local = netip.IPv4Unspecified() },
		"multicast":   func(s *traffic.Setup) { s.Remote = netip.MustParseAddr("224.0.0.1") },
		"no remote":   func(s *traffic.Setup) { s.Remote = netip.Addr{} },
		"two family":  func(s *traffic.Setup) { s.Remote = netip.MustParseAddr("fd00::1") },
		"no port":     func(s *traffic.Setup) { s.Listen, s.Token = false, socket.NewToken() },
		"no token":    func(s *traffic.Setup) { s.Listen, s.Port = false, 1 },
		"long token":  func(s *traffic.Setup) { s.Listen, s.Port, s.Token = false, 1, socket.NewToken()+"0" },
		"device path": func(s *traffic.Setup) { s.Device = "../eth0" },
		"device long": func(s *traffic.Setup) { s.Device = strings.Repeat("x", 65) }} {
		s := good
		change(&s)
		var e *failure.Error
		if err := table().Check(s); !errors.As(err, &e) || e.Code != failure.CodeInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDirections(t *testing.T) {
	s := traffictest.Setup("throughput", 2)
	s.Direction = traffic.Both
	for side, want := range map[string][]bool{traffic.From: {true, true, false, false},
		traffic.To: {false, false, true, true}} {
		s.Side = side
		for i, active := range want {
			if s.Active(i) != active {
				t.Errorf("both, %s: connection %d active %v", side, i, s.Active(i))
			}
		}
	}
	s.Direction, s.Side = traffic.In, traffic.To
	if s.Connections() != 2 || !s.Active(0) || s.DirectionOf(1) != traffic.In {
		t.Errorf("in: %d connections, to active: %v", s.Connections(), s.Active(0))
	}
}

func TestStreamSize(t *testing.T) {
	for streams, want := range map[int]int64{0: 1 << 20, 1: 1 << 20, 2: 512 << 10, 4: 256 << 10, 8: 128 << 10,
		1024: 128 << 10} {
		if got := streamSize(streams); int64(got) != want {
			t.Errorf("%d streams: %v", streams, got)
		}
	}
}

func TestCPUBetween(t *testing.T) {
	core := func(n int, user, system, softirq, irq, idle float64) facts.CoreTime {
		return facts.CoreTime{Core: n, User: user, System: system, SoftIRQ: softirq, IRQ: irq, Idle: idle}
	}
	a := watch.CPUReading{At: 0, User: 1, System: 1,
		Cores: []facts.CoreTime{core(0, 100, 100, 100, 0, 100), core(1, 5, 5, 5, 0, 5)}}
	b := watch.CPUReading{At: 1e9, User: 1.1, System: 1.5,
		Cores: []facts.CoreTime{core(0, 100.2, 100.5, 100.2, 0, 100.1), core(1, 5.1, 5, 5, 0, 5.9), core(2, 9, 9, 9, 0, 9)}}
	c := watch.CPUBetween(a, b)
	near := func(what string, got, want float64) {
		t.Helper()
		if d := got - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("user", *c.User, 0.1)
	near("system", *c.System, 0.5)
	if len(c.Cores) != 2 {
		t.Fatalf("cores %+v: one came online in the interval", c.Cores)
	}
	near("core 0 softirq", c.Cores[0].SoftIRQ, 0.2)
	near("core 1 idle", c.Cores[1].Idle, 0.9)
	near("foreign, interrupts billed to tasks", *c.OtherProcesses, 0.2+0.5+0.2+0.1-0.6)
	b.Cores[0].IRQ = 0.05 // the kernel accounts interrupts apart: softirq belongs to no task
	b.Cores[0].Idle -= 0.05
	near("foreign, interrupts apart", *watch.CPUBetween(a, b).OtherProcesses, 0.2+0.5+0.1-0.6)
	still := a
	still.At = 1e9
	if c := watch.CPUBetween(a, still); c.Cores != nil || c.OtherProcesses != nil || c.Unknown == "" {
		t.Errorf("cores that counted nothing: %+v", c)
	}
	b.Machine = errors.New("no /proc")
	if c := watch.CPUBetween(a, b); c.User == nil || c.OtherProcesses != nil || c.Unknown == "" || c.Cores != nil {
		t.Errorf("cores that cannot be read: %+v", c)
	}
	if c := watch.CPUBetween(b, b); c.User != nil || c.Unknown == "" {
		t.Errorf("no time between two readings: %+v", c)
	}
}
