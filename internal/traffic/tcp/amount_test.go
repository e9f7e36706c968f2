package tcp

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
)

// Every byte of an amount is received, each stream has its share, and the goodput is that of the time it took.
func TestAmount(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var names []string
	var setups []traffic.Setup
	for _, c := range []struct {
		name      string
		direction string
		streams   int
		size      unit.Bytes
		amount    unit.Bytes
		copies    string
		pace      unit.BitRate
	}{
		{"one stream", traffic.Out, 1, 0, 64 * unit.MiB, "", 0},
		{"paced", traffic.Out, 2, 0, 20 * unit.MiB, "", 100e6},
		{"shares that do not divide", traffic.In, 7, 0, 10*unit.MiB + 3, "", 0},
		{"both directions", traffic.Both, 2, 0, 9*unit.MiB + 1, "", 0},
		{"a byte a stream", traffic.Out, 3, 0, 3, "", 0},
		{"messages larger than a share", traffic.Out, 2, unit.MiB, 5, "", 0},
		{"small messages", traffic.Out, 1, 512, unit.MiB + 1, "", 0},
	} {
		names = append(names, c.name)
		setups = append(setups, traffic.Setup{Method: "throughput", Direction: c.direction, Streams: c.streams, Size: c.size,
			Interval: 2 * time.Minute, Amount: c.amount, Pace: c.pace, Tuning: traffic.Tuning{Copies: c.copies}})
	}
	for i, r := range traffictest.Pairs(t, table(), 0, setups...) {
		t.Run(names[i], func(t *testing.T) { checkAmount(t, setups[i], r.From, r.To) })
	}
}

func checkAmount(t *testing.T, s traffic.Setup, from, to *traffic.Outcome) {
	var received [2]int64 // out, in
	for i := range from.Streams {
		a, b := from.Streams[i], to.Streams[i]
		if a.Active {
			a, b = b, a
		}
		if a.Received != b.Sent || !a.Drained || !b.Drained || a.Goodput <= 0 {
			t.Errorf("stream %d: %d sent, %d received, drained %v %v, goodput %v", i, b.Sent, a.Received, b.Drained, a.Drained,
				a.Goodput)
		}
		if part := int64(s.Amount) / int64(s.Streams); a.Received != part && a.Received != part+1 {
			t.Errorf("stream %d carried %d; a share is %d", i, a.Received, part)
		}
		if a.Direction == traffic.Out {
			received[0] += a.Received
		} else {
			received[1] += a.Received
		}
	}
	for i, o := range []*traffic.Outcome{to, from} {
		if (received[i] > 0) != (s.Direction == traffic.Both || s.Direction == []string{traffic.Out, traffic.In}[i]) {
			t.Errorf("direction %d: %d bytes", i, received[i])
		}
		if received[i] == 0 {
			continue
		}
		if received[i] != int64(s.Amount) {
			t.Errorf("direction %d: %d of %d bytes", i, received[i], s.Amount)
		}
		took := float64(o.EndNS-o.StartNS) / 1e9
		if g := float64(s.Amount) * 8 / took; o.StartNS != o.OpenNS || took <= 0 || g < 0.999*o.Goodput ||
			g > 1.001*o.Goodput {
			t.Errorf("goodput %v, %d bytes in %v s are %v", o.Goodput, s.Amount, took, g)
		}
	}
}

func TestAmountRefused(t *testing.T) {
	at := netip.MustParseAddr("127.0.0.1")
	good := traffic.Setup{Method: "throughput", Side: traffic.To, Listen: true, Direction: traffic.Out, Streams: 2,
		Interval: time.Second, Local: at, Remote: at, Amount: 2}
	if err := table().Check(good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*traffic.Setup)
		says   string
	}{
		"negative":       {func(s *traffic.Setup) { s.Amount = -1 }, "not a number of bytes"},
		"below a stream": {func(s *traffic.Setup) { s.Amount = 1 }, "less than a byte"},
		"latency":        {func(s *traffic.Setup) { s.Method = "latency" }, "takes a time"},
		"udp":            {func(s *traffic.Setup) { s.Transport = traffic.UDP }, "use tcp"},
		"warm-up":        {func(s *traffic.Setup) { s.Warmup = 1 }, "no warm-up"},
		"trial":          {func(s *traffic.Setup) { s.Tuning.Trial = true }, "no trial"},
		"gather":         {func(s *traffic.Setup) { s.Tuning.Gather, s.Size = 2, 512 }, "gather"},
	} {
		s := good
		c.change(&s)
		if err := table().Check(s); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", name, err, c.says)
		}
	}
}
