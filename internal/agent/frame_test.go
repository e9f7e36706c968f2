package agent

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

func framed(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestReadFrame(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"no end of the length":   {"\x00\x00", "middle of a frame"},
		"no end of the body":     {"\x00\x00\x00\x09{}", "middle of a frame"},
		"too long":               {"\x00\x10\x00\x01", "1.05 MB is above 1 MiB, the protocol's limit"},
		"a login banner":         {"Welcome to nas\n", `wrote "Welc"`},
		"empty":                  {string(framed("")), "bad JSON"},
		"no object":              {string(framed("[]")), "bad JSON"},
		"unknown key":            {string(framed(`{"id":1,"kind":"beat","bodies":{}}`)), "unknown field"},
		"trailing bytes":         {string(framed(`{"id":1,"kind":"beat"} {}`)), "after its end"},
		"no kind":                {string(framed(`{"id":1}`)), "no kind"},
		"id of the wrong type":   {string(framed(`{"id":"1","kind":"beat"}`)), "bad JSON"},
		"id below zero":          {string(framed(`{"id":-1,"kind":"beat"}`)), "bad JSON"},
		"kind of the wrong type": {string(framed(`{"id":1,"kind":{}}`)), "bad JSON"},
	} {
		if _, err := readFrame(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := readFrame(strings.NewReader("")); err != io.EOF {
		t.Errorf("end between two frames: %v", err)
	}
}

// The longest frame passes. One byte more is refused before it is read.
func TestFrameLimit(t *testing.T) {
	const limit = 1 << 20
	for _, n := range []int{limit - 1, limit, limit + 1} {
		body := `{"id":1,"kind":"beat"}`
		body += strings.Repeat(" ", n-len(body))
		_, err := readFrame(bytes.NewReader(framed(body)))
		if (err == nil) != (n <= limit) {
			t.Errorf("a frame of %d bytes: %v", n, err)
		}
	}
	if _, err := encodeFrame(1, kindResult, part{Data: make([]byte, limit)}); err == nil {
		t.Error("a frame that nobody reads was made")
	}
}

func FuzzFrame(f *testing.F) {
	ok, _ := encodeFrame(7, kindStop, stopRequest{Experiment: 1})
	f.Add(ok)
	f.Add(framed(`{"id":18446744073709551615,"kind":"x","body":null}`))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		fr, err := readFrame(r)
		if err != nil {
			return
		}
		again, err := encodeFrame(fr.ID, fr.Kind, fr.Body)
		if err != nil {
			return // escaped, it may be longer than the limit
		}
		back, err := readFrame(bytes.NewReader(again))
		if err != nil || back.ID != fr.ID || back.Kind != strings.ToValidUTF8(fr.Kind, "\uFFFD") {
			t.Errorf("%q: %+v became %+v, %v", b, fr, back, err)
		}
	})
}

func good() traffic.Setup {
	at := netip.MustParseAddr("127.0.0.1")
	return traffic.Setup{Method: "throughput", Side: traffic.To, Listen: true, Direction: traffic.Out, Streams: 1,
		Interval: 100 * time.Millisecond, Local: at, Remote: at}
}

// FuzzRequest decodes the body of every request as the agent does, and compares the result with the limits.
func FuzzRequest(f *testing.F) {
	b := testenv.Must(json.Marshal(good()))(f)
	f.Add(b)
	for _, s := range []string{`{}`, `null`, `{"experiment":1,"at_ns":-9223372036854775808}`, `{"level":"full"}`,
		`{"streams":1e99}`,
		`{"method":"throughput","side":"to","listen":true,"direction":"both","streams":9223372036854775807,"size":9223372036854775807,"warmup_ns":9223372036854775807,"window_ns":9223372036854775807,"local":"::1","remote":"::1","seed":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, into := range []any{new(factsRequest), new(probeRequest), new(startRequest), new(stopRequest), new(Hello)} {
			_ = decode(b, into)
		}
		var s traffic.Setup
		if decode(b, &s) != nil || engines.All().Check(s) != nil {
			return
		}
		if limits().checkSetup(s, 0, 0) != nil {
			return
		}
		if s.Streams > 1024 || s.Size > 64*unit.MiB || s.Warmup+s.Interval > 24*time.Hour || engines.All().Memory(s) <= 0 ||
			engines.All().Memory(s) > 4*unit.GiB {
			t.Errorf("allowed: %+v with %v", s, engines.All().Memory(s))
		}
	})
}

func TestLimits(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name   string
		set    func(s *traffic.Setup, v int64)
		limit  int64
		memory int64
		says   string
	}{
		{"streams", func(s *traffic.Setup, v int64) { s.Streams = int(v) }, 1024, 0, "1025 is above 1024, the agent's limit"},
		{"size", func(s *traffic.Setup, v int64) { s.Size = unit.Bytes(v) }, 64 << 20, 0, "64 MiB, the agent's limit"},
		{"amount", func(s *traffic.Setup, v int64) { s.Amount = unit.Bytes(v) }, 1 << 50, 0, "1024 TiB, the agent's limit"},
		{"window", func(s *traffic.Setup, v int64) { s.Interval = time.Duration(v) }, int64(day), 0,
			"24h0m0s, the agent's limit"},
		{"warm-up", func(s *traffic.Setup, v int64) { s.Warmup = time.Duration(v) - s.Interval }, int64(day), 0,
			"24h0m0s, the agent's limit"},
		{"every", func(s *traffic.Setup, v int64) { s.Every = time.Second / time.Duration(v) }, 1e6, 0,
			"questions a second of a pair is above 1000000"},
		{"samples a second", func(s *traffic.Setup, v int64) { s.Samples = int(v) }, 100, 0,
			"101 is above 100, the agent's limit"},
		{"ICMP", func(s *traffic.Setup, v int64) {
			s.Method, s.Transport, s.Streams, s.Every = "latency", traffic.ICMP, 1, time.Second/time.Duration(v)
		}, 10000, 0, "ICMP questions a second of all pairs is above 10000"},
		{"memory", func(s *traffic.Setup, v int64) { s.Streams, s.Size = int(v), 1<<20 }, 100, 100*(2<<20) + 100*16,
			"a quarter of this host's memory"},
	} {
		for _, d := range []int64{-1, 0, 1} {
			s := good()
			c.set(&s, c.limit+d)
			err := limits().checkSetup(s, c.memory, 0)
			if (err == nil) != (d <= 0) {
				t.Errorf("%s %+d: %v", c.name, d, err)
			}
			var e *failure.Error
			if err != nil && (!errors.As(err, &e) || e.Code != failure.CodeLimit || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%s %+d: %v, want %q", c.name, d, err, c.says)
			}
		}
	}
	for _, l := range []limit{limits().frame, limits().experiments, limits().requests, limits().samples, limits().facts,
		limits().ahead, limits().targets, limits().probeMTU} {
		if l.check(l.max-1) != nil || l.check(l.max) != nil || l.check(l.max+1) == nil {
			t.Errorf("%s: not held at %d", l.name, l.max)
		}
	}
	s := good()
	if err := limits().checkSetup(s, 0, 4<<30-int64(engines.All().Memory(s))); err != nil {
		t.Errorf("what is left of the memory: %v", err)
	}
	if err := limits().checkSetup(s, 0, 4<<30-int64(engines.All().Memory(s))+1); err == nil {
		t.Error("more than is left of the memory was allowed")
	}
}

func TestProbeLimits(t *testing.T) {
	target := func(address string, mtu int) probe.ProbeTarget {
		return probe.ProbeTarget{Address: netip.MustParseAddr(address), MTU: mtu}
	}
	many := func(n int) (q probeRequest) {
		for range n {
			q.Targets = append(q.Targets, target("10.0.0.2", 1500))
		}
		return q
	}
	for _, c := range []struct {
		q    probeRequest
		says string
	}{
		{many(0), ""}, {many(255), ""}, {many(256), ""}, {many(257), "257 is above 256, the agent's limit"},
		{probeRequest{[]probe.ProbeTarget{target("10.0.0.2", 575)}}, "575 is less than 576"},
		{probeRequest{[]probe.ProbeTarget{target("10.0.0.2", 576)}}, ""},
		{probeRequest{[]probe.ProbeTarget{target("fd00::2", 65534)}}, ""},
		{probeRequest{[]probe.ProbeTarget{target("fd00::2", 65535)}}, ""},
		{probeRequest{[]probe.ProbeTarget{target("fd00::2", 65536)}}, "65536 is above 65535, the agent's limit"},
		{probeRequest{[]probe.ProbeTarget{{MTU: 1500}}}, "not an address of one other host"},
		{probeRequest{[]probe.ProbeTarget{target("224.0.0.1", 1500)}}, "not an address of one other host"},
		{probeRequest{[]probe.ProbeTarget{target("255.255.255.255", 1500)}}, "not an address of one other host"},
		{probeRequest{[]probe.ProbeTarget{target("127.0.0.1", 1500)}}, "not an address of one other host"},
	} {
		if err := limits().checkProbe(c.q); (err == nil) != (c.says == "") || err != nil &&
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
