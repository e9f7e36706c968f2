package agent

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// Package json reads what append writes. A value that is not a number is omitted.
func TestSamplesAsJSON(t *testing.T) {
	rows := []traffic.Sample{
		{Stream: -1, TimeNS: math.MaxInt64, Metric: "core.3.softirq", Value: 0.1, Unit: "s"},
		{Stream: 1023, TimeNS: math.MinInt64, Metric: "rtt", Value: 5e-324, Unit: "bit/s"},
		{Value: math.MaxFloat64}, {Value: -1e21, Metric: "a\"b\\c\nü\xff"}, {Value: 123456789},
	}
	for _, want := range [][]traffic.Sample{rows, {}} {
		b := testenv.Must(encodeFrame(7, kindSample, samples{append([]traffic.Sample{{Value: math.NaN()}},
			append(want, traffic.Sample{Value: math.Inf(1)})...)}))(t)
		f, err := readFrame(bytes.NewReader(b))
		if err != nil || f.ID != 7 || f.Kind != kindSample {
			t.Fatalf("%+v %v", f, err)
		}
		var got samples
		testenv.Check(t, decode(f.Body, &got))
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
		rows[i] = traffic.Sample{Stream: i, TimeNS: 1234567890123456 + int64(i), Metric: "sndbuf_limited",
			Value: float64(i) * 1.25, Unit: "B"}
	}
	b.ReportAllocs()
	for b.Loop() {
		testenv.Must(encodeFrame(1, kindSample, samples{rows}))(b)
	}
}
