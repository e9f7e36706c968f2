package report

import (
	"io"
	"math"

	"linerate/result"
	"linerate/unit"
)

type instrumentView struct{ Name, Value, Meaning string }

// instrumentViews are the lines of a selftest, each with what it means for figures.
func instrumentViews(i *result.Instrument) []instrumentView {
	if i == nil {
		return nil
	}
	bytes := func(v float64) string { return unit.BitRate(v * 8).String() }
	loop := notKnown
	if i.Loopback != nil {
		loop = rate(*i.Loopback)
	}
	unknown := ""
	for _, u := range i.Unknown {
		if u.Subject == "loopback" {
			unknown = "; " + clean(u.Reason)
		}
	}
	return []instrumentView{
		{"clock", unit.Seconds(i.ClockResolution) + ", " + unit.Seconds(i.ClockCost) + " a reading", "a round trip carries two readings; what is shorter than " + unit.Seconds(math.Max(i.ClockResolution, 2*i.ClockCost)) + " cannot be told apart"},
		{"sleep", "+" + unit.Seconds(i.Overshoot.P50) + ", p99 +" + unit.Seconds(i.Overshoot.P99), "how late a paced message leaves; asked for " + unit.Seconds(i.SleepAsked) + ", at most +" + unit.Seconds(i.Overshoot.Max)},
		{"scheduler", unit.Seconds(i.JitterLongest) + " at most", "a spinning thread was stopped for " + unit.Percent(i.JitterShare) + " of its time; maxima of latency below the longest stop may be this machine's"},
		{"copy", bytes(i.CopyCached) + " cached, " + bytes(i.CopyMemory) + " not", "by one core; each end of a stream copies every byte once"},
		{"loopback", loop, "one stream within this machine: a faster link is beyond what one stream can show here" + unknown},
	}
}

// Instrument prints a selftest.
func (t Terminal) Instrument(i *result.Instrument) error {
	l := t.lines()
	for _, v := range instrumentViews(i) {
		l.line(l.ink(bold, pad(v.Name, 10)), "  ", l.ink(normal, v.Value))
		l.text(faint, 12, v.Meaning)
	}
	return l.flush()
}

// InstrumentJSON writes a selftest as one object (schema linerate/selftest/1).
func InstrumentJSON(w io.Writer, i *result.Instrument) error {
	return write(w, "selftest", struct {
		Schema string `json:"schema"`
		*result.Instrument
	}{"linerate/selftest/1", i})
}

// instrument is its line in the report of a run: what a reader of latencies needs.
func (l *lines) instrument(r *result.Run) {
	if i := r.Instrument; i != nil {
		l.gap()
		l.item(0, 10, "instrument", faint, "clock "+unit.Seconds(i.ClockResolution)+", sleep p99 +"+unit.Seconds(i.Overshoot.P99)+", scheduler stops up to "+unit.Seconds(i.JitterLongest)+"; linerate selftest says more")
	}
}

// compared prints what the variants of a run are beside its own.
func (l *lines) compared(r *result.Run) {
	if len(r.Comparisons) == 0 {
		return
	}
	l.gap()
	l.comparisons(r.Comparisons)
	for _, n := range comparisonNotes(r.Comparisons) {
		l.text(faint, 0, n)
	}
}
