package agent

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"linerate/internal/traffic"
)

// TestSamplesAsJSON: what is written by hand is what package json reads; a value that is no number is left out.
func TestSamplesAsJSON(t *testing.T) {
	rows := []traffic.Sample{
		{Stream: -1, TimeNS: math.MaxInt64, Metric: "core.3.softirq", Value: 0.1, Unit: "s"},
		{Stream: 1023, TimeNS: math.MinInt64, Metric: "rtt", Value: 5e-324, Unit: "bit/s"},
		{Value: math.MaxFloat64}, {Value: -1e21, Metric: "a\"b\\c\nü\xff"}, {Value: 123456789},
	}
	for _, want := range [][]traffic.Sample{rows, {}} {
		b, err := encodeFrame(7, kindSample, samples{append([]traffic.Sample{{Value: math.NaN()}}, append(want, traffic.Sample{Value: math.Inf(1)})...)})
		if err != nil {
			t.Fatal(err)
		}
		f, err := readFrame(bytes.NewReader(b))
		if err != nil || f.ID != 7 || f.Kind != kindSample {
			t.Fatalf("%+v %v", f, err)
		}
		var got samples
		if err := decode(f.Body, &got); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if want[i].Metric == "a\"b\\c\nü\xff" {
				want[i].Metric = "a\"b\\c\nü\uFFFD" // as package json says it
			}
		}
		if !reflect.DeepEqual(got.Samples, want) {
			t.Errorf("%+v, want %+v", got.Samples, want)
		}
	}
}

func BenchmarkSamples(b *testing.B) {
	rows := make([]traffic.Sample, 250)
	for i := range rows {
		rows[i] = traffic.Sample{Stream: i, TimeNS: 1234567890123456 + int64(i), Metric: "sndbuf_limited", Value: float64(i) * 1.25, Unit: "B"}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encodeFrame(1, kindSample, samples{rows}); err != nil {
			b.Fatal(err)
		}
	}
}
