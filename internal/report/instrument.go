package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

type instrumentView struct{ Name, Value, Meaning string }

// noisyShare is from where on the scheduler's stops are worth a word about other work.
const noisyShare = 0.02

// instrumentViews are the lines of a selftest, each with what it means for figures.
func instrumentViews(i *record.Instrument) []instrumentView {
	if i == nil {
		return nil
	}
	bytes := func(v float64) string { return unit.BitRate(v * 8).String() }
	loop, follows := notKnown, "not known how much one stream can carry here"
	if i.Loopback != nil {
		loop = rate(*i.Loopback)
		follows = "one stream, both ends here, no network: a link above that takes several streams (--streams 4) to fill"
	}
	for _, u := range i.Unknown {
		if u.Subject == "loopback" {
			follows += ": " + clean(u.Reason)
		}
	}
	busy := ""
	if i.JitterShare >= noisyShare {
		busy = "; something else runs here: figures come out lower and further apart until it is stopped"
	}
	return []instrumentView{
		{"clock", unit.Seconds(i.ClockResolution) + ", " + unit.Seconds(i.ClockCost) + " a reading", "two readings go into a round trip: latencies that differ by less than " + unit.Seconds(math.Max(i.ClockResolution, 2*i.ClockCost)) + " are the same to it"},
		{"sleep", "+" + unit.Seconds(i.Overshoot.P50) + " on " + unit.Seconds(i.SleepAsked) + ", p99 +" + unit.Seconds(i.Overshoot.P99), "how late a sleep ends, at most +" + unit.Seconds(i.Overshoot.Max) + ": with --pace messages leave that late and the next ones closer behind; goodput over a window is right all the same"},
		{"scheduler", unit.Seconds(i.JitterLongest) + " at most", "a thread that wants to run was kept from it, " + unit.Percent(i.JitterShare) + " of its time in all: a highest latency up to that may be this machine's and not the network's" + busy},
		{"copy", bytes(i.CopyCached) + " cached, " + bytes(i.CopyMemory) + " not", "each end copies every byte once: near these rates one core an end is the limit, and more streams on more cores are the way"},
		{"loopback", loop, follows},
		releaseView(i),
	}
}

// releaseView is how far apart threads leave the barrier of verbs.
func releaseView(i *record.Instrument) instrumentView {
	v := instrumentView{Name: "release", Value: notKnown, Meaning: "not known how far apart pairs of RDMA begin here"}
	var values []string
	far, shared := false, false
	for _, r := range i.Releases {
		values = append(values, fmt.Sprintf("%d threads within %s", r.Threads, unit.Seconds(r.Median)))
		far, shared = far || r.Median > record.ReleaseFar, shared || r.Cores < r.Threads
	}
	for _, u := range i.Unknown {
		if u.Subject == record.UnknownRelease {
			v.Meaning += ": " + clean(u.Reason)
		}
	}
	if len(values) == 0 {
		return v
	}
	v.Value, v.Meaning = strings.Join(values, ", "), "how far apart pairs of RDMA begin (medians of "+fmt.Sprint(i.Releases[0].Rounds)+" rounds): their window opens later, so it bounds what their shares of the first moments can say"
	if far {
		v.Meaning += "; above " + unit.Seconds(record.ReleaseFar) + " threads waited for a core"
	}
	if shared {
		v.Meaning += ", and some of them shared one"
	}
	return v
}

// Instrument prints a selftest.
func (t Terminal) Instrument(i *record.Instrument) error {
	l := t.lines()
	for _, v := range instrumentViews(i) {
		l.line(l.ink(bold, pad(v.Name, 10)), "  ", l.ink(normal, v.Value))
		l.text(faint, 12, v.Meaning)
	}
	return l.flush()
}

// InstrumentJSON writes a selftest as one object (schema linerate/selftest/1).
func InstrumentJSON(w io.Writer, i *record.Instrument) error {
	return write(w, "selftest", struct {
		Schema string `json:"schema"`
		*record.Instrument
	}{"linerate/selftest/1", i})
}

// instrument is its line in the report of a run: what a reader of latencies needs.
func (l *lines) instrument(r *record.Run) {
	if i := r.Instrument; i != nil {
		l.gap()
		l.item(0, 10, "instrument", faint, "clock "+unit.Seconds(i.ClockResolution)+", sleep p99 +"+unit.Seconds(i.Overshoot.P99)+", scheduler stops up to "+unit.Seconds(i.JitterLongest)+"; linerate selftest says more")
	}
}

// compared prints what the variants of a run are beside its own.
func (l *lines) compared(r *record.Run) {
	if len(r.Comparisons) == 0 {
		return
	}
	l.gap()
	l.comparisons(r.Comparisons)
	for _, n := range comparisonNotes(r.Comparisons) {
		l.text(faint, 0, n)
	}
}
