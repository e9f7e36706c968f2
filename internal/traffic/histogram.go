package traffic

import (
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

const (
	longestTrip   = time.Minute
	significant   = 3       // digits: a value is kept within 0.1 %
	histogramSize = 1 << 18 // limit of an encoded histogram, characters

	// HistogramMemory is the memory of an empty histogram, in bytes.
	HistogramMemory = 256 << 10
)

// Histogram is a distribution of durations in nanoseconds, each within 0.1 %; longer than a minute counts as a minute.
// The maximum is exact within the same 0.1 %.
type Histogram struct{ h *hdrhistogram.Histogram }

// NewHistogram makes an empty histogram of about 220 kB.
func NewHistogram() *Histogram {
	return &Histogram{hdrhistogram.New(1, int64(longestTrip), significant)}
}

// Record adds one duration.
func (h *Histogram) Record(d time.Duration) {
	_ = h.h.RecordValue(min(max(int64(d), 1), int64(longestTrip))) // in range, so it cannot fail
}

// RecordN adds one duration n times.
func (h *Histogram) RecordN(d time.Duration, n int64) {
	_ = h.h.RecordValues(min(max(int64(d), 1), int64(longestTrip)), n)
}

// Merge adds everything in o.
func (h *Histogram) Merge(o *Histogram) { h.h.Merge(o.h) }

// Count returns the number of durations.
func (h *Histogram) Count() int64 { return h.h.TotalCount() }

// Quantile returns the duration, in seconds, that a share q (0..1) does not exceed.
func (h *Histogram) Quantile(q float64) float64 {
	return float64(h.h.ValueAtPercentile(q*100)) / 1e9
}

// Max returns the longest duration, in seconds.
func (h *Histogram) Max() float64 { return float64(h.h.Max()) / 1e9 }

// doubt is the probability at which a quantile may lie above everything that was measured.
const doubt = 0.05

// least returns the number of durations that carry the quantile q: all of n lie below it with a probability of q^n,
// which may be at most 0.05. 5 carry the median, 299 carry p99, 29956 carry p99.99.
func least(q float64) int64 { return int64(math.Ceil(math.Log(doubt) / math.Log(q))) }

// Carried returns Quantile where there are enough durations for it, else 0.
func (h *Histogram) Carried(q float64) float64 {
	if h.Count() < least(q) {
		return 0
	}
	return h.Quantile(q)
}

// RTTSamples returns the short record of the distribution.
func (h *Histogram) RTTSamples() *record.RTTSamples {
	return &record.RTTSamples{Count: h.Count(), P50: h.Carried(0.5), P99: h.Carried(0.99), Max: h.Max()}
}

func (h *Histogram) percentile(q float64) record.Percentile {
	if n := h.Count(); n < least(q) {
		return record.Percentile{Q: q, Behind: n, Why: fmt.Sprintf("only %d were measured, and it takes %d", n, least(q))}
	}
	v := h.Quantile(q)
	return record.Percentile{Q: q, Seconds: &v, Behind: h.behind(q)}
}

// behind returns the number of durations that are as long as the quantile q or longer, within the width of a value.
func (h *Histogram) behind(q float64) int64 {
	at, n := h.h.ValueAtPercentile(q*100), int64(0)
	for _, b := range h.h.Distribution() {
		if b.To >= at {
			n += b.Count
		}
	}
	return n
}

// Encode writes HdrHistogram's V2 format, compressed, base64.
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

// Latency returns the record of the distribution; nil if it is empty.
func (h *Histogram) Latency() (*record.Latency, error) {
	if h == nil || h.Count() == 0 {
		return nil, nil
	}
	text, err := h.Encode()
	if err != nil {
		return nil, err
	}
	l := &record.Latency{P50: h.Carried(0.5), P90: h.Carried(0.9), P99: h.Carried(0.99), P999: h.Carried(0.999),
		P9999: h.Carried(0.9999), Max: h.Max(), Count: h.Count(), Histogram: text}
	l.Percentiles = xslices.Map([]float64{0.5, 0.9, 0.99, 0.999, 0.9999}, h.percentile)
	longest := l.Max
	l.Percentiles = append(l.Percentiles, record.Percentile{Q: 1, Seconds: &longest, Behind: h.behind(1)})
	l.Curve = append(l.Curve, record.Quantile{Q: 0, Seconds: float64(h.h.Min()) / 1e9})
	// Equal steps in the number of nines, as far as the count carries, eight to a decade.
	for k := 1; ; k++ {
		rest := math.Pow(10, -float64(k)/8)
		if rest*float64(h.Count()) < 1 {
			break
		}
		l.Curve = append(l.Curve, record.Quantile{Q: 1 - rest, Seconds: h.Quantile(1 - rest)})
	}
	l.Curve = append(l.Curve, record.Quantile{Q: 1, Seconds: l.Max})
	return l, nil
}
