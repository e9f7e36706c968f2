package explain

import (
	"strings"
	"testing"

	"linerate/ceiling"
	"linerate/figure"
	"linerate/path"
	"linerate/unit"
)

// claim is a figure held against an Ethernet link, TCP without timestamps as Windows sends it.
func claim(t *testing.T, f figure.Figure, link unit.BitRate, mtu int) *Claim {
	t.Helper()
	frame := ceiling.Ethernet{MTU: mtu}
	c := &Claim{Figure: f, Name: "out", MTU: mtu, Segment: frame.Segment()}
	for _, tr := range path.Transports() {
		if tr.Name == "tcp" {
			chain, _, errs := path.Asked{Rate: link, Frame: frame}.Chain(tr)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			c.Chain, c.Plain = chain, chain.Limit
		}
	}
	l, err := ceiling.Layer2(link, frame)
	if err != nil {
		t.Fatal(err)
	}
	c.Frames = l.Rate
	return c
}

// Two measurements over 40GbE with 4 streams at two MTUs are one thread that packets fill; what more processes would do follows.
func TestClaimsOfOneThread(t *testing.T) {
	f := func(sum unit.BitRate, streams ...unit.BitRate) figure.Figure {
		return figure.Figure{Tool: "iperf3", Rate: sum, Streams: streams, OneThread: unit.Unknown[bool]("it does not say")}
	}
	small := claim(t, f(12e9, 3e9, 3e9, 3e9, 2.99e9), 40e9, 1500)
	jumbo := claim(t, f(24.5e9, 6.23e9, 6.2e9, 6.06e9, 6.01e9), 40e9, 9000)
	Claims([]*Claim{small, jumbo})
	for _, c := range []*Claim{small, jumbo} {
		v := c.Verdict
		if v.Limiter != "tool-single-thread" || v.Confidence != "likely" || !strings.Contains(v.Sentence, "593 ns each") || !strings.Contains(v.Sentence, "30.7 Gb/s at most") || v.Fix == "" {
			t.Errorf("%+v", v)
		}
	}
	if !strings.HasPrefix(small.Verdict.NextCeiling, "4 processes on cores of their own: 38.0 Gb/s") {
		t.Error(small.Verdict.NextCeiling)
	}
	// One of them alone is not enough, nor are both of a tool with a thread a stream.
	small = claim(t, f(12e9, 3e9, 3e9, 3e9, 2.99e9), 40e9, 1500)
	Claims([]*Claim{small})
	if v := small.Verdict; v.Limiter != Unexplained || len(v.Candidates) != 1 || v.Candidates[0].Limiter != "tool-single-thread" || v.NextExperiment == "" {
		t.Errorf("%+v", v)
	}
	small.OneThread = unit.Known(false)
	jumbo.OneThread = unit.Known(false)
	Claims([]*Claim{small, jumbo})
	if v := small.Verdict; v.Limiter != Unexplained || len(v.Candidates) != 0 {
		t.Errorf("%+v", v)
	}
	// A full core beside equal streams is.
	small.OneThread, small.SenderCPU = unit.Known(true), unit.Known(0.99)
	Claims([]*Claim{small})
	if v := small.Verdict; v.Limiter != "tool-single-thread" {
		t.Errorf("%+v", v)
	}
	// Costs that cannot be: goodput that falls with the MTU.
	small, jumbo = claim(t, f(20e9, 5e9, 5.4e9), 40e9, 1500), claim(t, f(10e9, 5e9, 5.4e9), 40e9, 9000)
	Claims([]*Claim{small, jumbo})
	if small.Verdict.Limiter != Unexplained || jumbo.Verdict.Limiter != Unexplained {
		t.Errorf("%+v %+v", small.Verdict, jumbo.Verdict)
	}
}

func TestClaimsAlone(t *testing.T) {
	for _, c := range []struct {
		rate, link unit.BitRate
		mtu        int
		limiter    string
		sentence   string
	}{
		{9.6e9, 10e9, 1500, "layer-mixed", "Of data it is about 9.26 Gb/s"},
		{9.84e9, 10e9, 1500, "layer-mixed", "9.84 Gb/s of frames"},
		{9.9e9, 10e9, 1500, "above-ceiling", "cannot be"},
		{9.49e9, 10e9, 1500, "link", "is all that link allows"},
		{9.22e9, 10e9, 1500, "link", "is all that link allows"},
		{9.2e9, 10e9, 1500, Unexplained, "96.9 %"},
		{108e9, 100e9, 9000, "above-ceiling", "at most 99.1 Gb/s"},
		{136e9, 100e9, 9000, "above-ceiling", "at most 99.1 Gb/s"},
		{454e6, 1e9, 1500, Unexplained, "why is not to be seen"},
	} {
		x := claim(t, figure.Figure{Rate: c.rate}, c.link, c.mtu)
		Claims([]*Claim{x})
		if v := x.Verdict; v.Limiter != c.limiter || !strings.Contains(v.Sentence, c.sentence) || (v.Limiter == Unexplained) != (v.Confidence == "") {
			t.Errorf("%v of %v: %s: %s", c.rate, c.link, v.Limiter, v.Sentence)
		}
	}
	roce := &Claim{Figure: figure.Figure{Rate: 93e9}, Name: "93G"}
	for _, tr := range path.Transports() {
		if tr.Name == "rocev2" {
			roce.Chain, _, _ = path.Asked{Rate: 100e9, Frame: ceiling.Ethernet{MTU: 1500}}.Chain(tr)
		}
	}
	Claims([]*Claim{roce})
	if v := roce.Verdict; v.Limiter != "link" || !strings.Contains(v.NextCeiling, "98.0 Gb/s") {
		t.Errorf("%+v", v)
	}
}
