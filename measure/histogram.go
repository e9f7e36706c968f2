package measure

import (
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"linerate/result"
)

const (
	longestTrip   = time.Minute
	significant   = 3       // digits: a value is kept within 0.1 %
	histogramSize = 1 << 18 // limit of an encoded histogram, characters

	histogramMemory = 256 << 10 // of an empty one, in bytes
)

// Histogram is a distribution of durations in nanoseconds, each within 0.1 %; longer than a minute counts as a minute.
// The maximum is exact within the same 0.1 %.
type Histogram struct{ h *hdrhistogram.Histogram }

// NewHistogram is an empty one; it takes about 220 kB.
func NewHistogram() *Histogram {
	return &Histogram{hdrhistogram.New(1, int64(longestTrip), significant)}
}

// Record adds one duration.
func (h *Histogram) Record(d time.Duration) {
	_ = h.h.RecordValue(min(max(int64(d), 1), int64(longestTrip))) // in range, so it cannot fail
}

// Merge adds everything in o.
func (h *Histogram) Merge(o *Histogram) { h.h.Merge(o.h) }

// Count is how many durations there are.
func (h *Histogram) Count() int64 { return h.h.TotalCount() }

// Quantile is the duration, in seconds, that a share q (0..1) does not exceed.
func (h *Histogram) Quantile(q float64) float64 {
	return float64(h.h.ValueAtPercentile(q*100)) / 1e9
}

// Max is the longest, in seconds.
func (h *Histogram) Max() float64 { return float64(h.h.Max()) / 1e9 }

// Encode is HdrHistogram's V2 format, compressed, base64.
func (h *Histogram) Encode() (string, error) {
	b, err := h.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("histogram: %w", err)
	}
	return string(b), nil
}

// DecodeHistogram reads what Encode wrote. Text from outside is bounded before it is unpacked, and a decoder that
// fails in an unforeseen way is an error.
func DecodeHistogram(text string) (h *Histogram, err error) {
	if len(text) > histogramSize {
		return nil, fmt.Errorf("histogram: %d characters are above %d, the controller's limit", len(text), histogramSize)
	}
	defer func() {
		if r := recover(); r != nil {
			h, err = nil, fmt.Errorf("histogram: it is damaged (%v)", r)
		}
	}()
	in, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if in.HighestTrackableValue() > int64(longestTrip)*2 || in.LowestTrackableValue() < 0 {
		return nil, fmt.Errorf("histogram: its range is not one of ours")
	}
	out := NewHistogram()
	if dropped := out.h.Merge(in); dropped > 0 {
		return nil, fmt.Errorf("histogram: %d values are out of range", dropped)
	}
	return out, nil
}

// Latency is the record of the distribution; nil if it is empty.
func (h *Histogram) Latency() (*result.Latency, error) {
	if h == nil || h.Count() == 0 {
		return nil, nil
	}
	text, err := h.Encode()
	if err != nil {
		return nil, err
	}
	l := &result.Latency{
		P50: h.Quantile(0.5), P99: h.Quantile(0.99), P999: h.Quantile(0.999), P9999: h.Quantile(0.9999),
		Max: h.Max(), Count: h.Count(), Histogram: text,
	}
	l.Curve = append(l.Curve, result.Quantile{Q: 0, Seconds: float64(h.h.Min()) / 1e9})
	// Equal steps in the number of nines, as far as the count carries, eight to a decade.
	for k := 1; ; k++ {
		rest := math.Pow(10, -float64(k)/8)
		if rest*float64(h.Count()) < 1 {
			break
		}
		l.Curve = append(l.Curve, result.Quantile{Q: 1 - rest, Seconds: h.Quantile(1 - rest)})
	}
	l.Curve = append(l.Curve, result.Quantile{Q: 1, Seconds: l.Max})
	return l, nil
}
