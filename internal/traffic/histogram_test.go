package traffic

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	h, other := NewHistogram(), NewHistogram()
	for i := range 1000 {
		h.Record(time.Duration(i+1) * time.Microsecond)
	}
	other.Record(0)
	other.Record(time.Hour) // counts as a minute
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeHistogram(text)
	if err != nil || back.Count() != 1000 {
		t.Fatalf("%v, %v", back, err)
	}
	for q, want := range map[float64]float64{0.5: 500e-6, 0.99: 990e-6, 1: 1000e-6} {
		if got := back.Quantile(q); math.Abs(got/want-1) > 0.002 {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	back.Merge(other)
	if back.Count() != 1002 || math.Abs(back.Max()-60) > 0.1 {
		t.Errorf("merged: %d, max %v", back.Count(), back.Max())
	}
	if l, err := NewHistogram().Latency(); l != nil || err != nil {
		t.Errorf("latency of nothing: %+v, %v", l, err)
	}
	l, err := h.Latency()
	if err != nil || l.Count != 1000 || l.Curve[0].Q != 0 || l.Curve[len(l.Curve)-1].Q != 1 || l.P50 > l.P99 ||
		l.P9999 > l.Max {
		t.Fatalf("%+v, %v", l, err)
	}
	for i := 1; i < len(l.Curve); i++ {
		if l.Curve[i].Seconds < l.Curve[i-1].Seconds || l.Curve[i].Q <= l.Curve[i-1].Q {
			t.Errorf("the curve falls at %+v", l.Curve[i])
		}
	}
}

func FuzzHistogram(f *testing.F) {
	h := NewHistogram()
	h.Record(time.Millisecond)
	text, err := h.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("")
	f.Add("HISTFAAAACB42pNpmSzMwMDAxAABzFCaEUzOYoCwmRgAAAzgAQM=")
	f.Add(strings.Repeat("A", histogramSize+1))
	f.Fuzz(func(t *testing.T, s string) {
		h, err := DecodeHistogram(s)
		if err == nil {
			if _, err := h.Latency(); err != nil {
				t.Errorf("decoded, not encoded: %v", err)
			}
		}
	})
}
