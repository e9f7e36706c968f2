package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// InstrumentView is a line of a selftest.
type InstrumentView struct{ Name, Value, Meaning string }

// noisyShare is the share of time in scheduler pauses from which on other processes are mentioned.
const noisyShare = 0.02

// InstrumentViews returns the lines of a selftest, each with its consequence for figures.
func InstrumentViews(i *record.Instrument) []InstrumentView {
	if i == nil {
		return nil
	}
	bytes := func(v float64) string { return unit.BitRate(v * 8).String() }
	loop, follows := format.NotKnown, "not known how much one stream can carry here"
	if i.Loopback != nil {
		loop = format.Rate(*i.Loopback)
		follows = "one stream, both ends here, no network: a link above that takes several streams (--streams 4) to fill"
	}
	for _, u := range i.Unknown {
		if u.Subject == "loopback" {
			follows += ": " + format.Clean(u.Reason)
		}
	}
	busy := unit.If(i.JitterShare >= noisyShare,
		"; something else runs here: figures come out lower and further apart until it is stopped", "")
	return []InstrumentView{
		{
			"clock",
			unit.Seconds(i.ClockResolution) + ", " + unit.Seconds(i.ClockCost) + " a reading",
			"two readings go into a round trip: latencies that differ by less than " + unit.Seconds(
				math.Max(i.ClockResolution, 2*i.ClockCost),
			) + " are the same to it",
		},
		{
			"sleep",
			"+" + unit.Seconds(i.Overshoot.P50) + " on " + unit.Seconds(i.SleepAsked) + ", p99 +" + unit.Seconds(
				i.Overshoot.P99,
			),
			"how late a sleep ends, at most +" + unit.Seconds(
				i.Overshoot.Max,
			) + ": with --pace messages leave that late and the next ones closer behind; goodput over an interval is " +
				"right all " +
				"the same",
		},
		{
			"scheduler",
			unit.Seconds(i.JitterLongest) + " at most",
			"a thread that wants to run was kept from it, " + unit.Percent(
				i.JitterShare,
			) + " of its time in all: a highest latency up to that may be this machine's and not the network's" + busy,
		},
		{
			"copy",
			bytes(i.CopyCached) + " cached, " + bytes(i.CopyMemory) + " not",
			"each end copies every byte once: near these rates one core an end is the limit, and more streams on more cores " +
				"are the way",
		},
		{"loopback", loop, follows},
		releaseView(i),
	}
}

// releaseView is the line about the release skew of RDMA threads.
func releaseView(i *record.Instrument) InstrumentView {
	v := InstrumentView{Name: "release", Value: format.NotKnown,
		Meaning: "not known how far apart pairs of RDMA begin here"}
	var values []string
	far, shared := false, false
	for _, r := range i.Releases {
		values = append(values, fmt.Sprintf("%d threads within %s", r.Threads, unit.Seconds(r.Median)))
		far, shared = far || r.Median > record.ReleaseFar, shared || r.Cores < r.Threads
	}
	for _, u := range i.Unknown {
		if u.Subject == record.UnknownRelease {
			v.Meaning += ": " + format.Clean(u.Reason)
		}
	}
	if len(values) == 0 {
		return v
	}
	v.Value, v.Meaning = strings.Join(values, ", "), "how far apart pairs of RDMA begin (medians of "+fmt.Sprint(
		i.Releases[0].Rounds,
	)+" rounds): their interval begins later, so it bounds what their shares of the first moments can say"
	if far {
		v.Meaning += "; above " + unit.Seconds(record.ReleaseFar) + " threads waited for a core"
	}
	if shared {
		v.Meaning += ", and some of them shared one"
	}
	return v
}

// PrintInstrument prints a selftest.
func PrintInstrument(t terminal.Terminal, i *record.Instrument) error {
	l := t.Lines()
	for _, v := range InstrumentViews(i) {
		l.Line(l.Ink(terminal.Bold, format.Pad(v.Name, 10)), "  ", l.Ink(terminal.Normal, v.Value))
		l.Text(terminal.Faint, 12, v.Meaning)
	}
	return l.Flush()
}

// InstrumentJSON writes a selftest as one object (schema linerate/selftest/1).
func InstrumentJSON(w io.Writer, i *record.Instrument) error {
	return format.Write(w, "selftest", struct {
		Schema string `json:"schema"`
		*record.Instrument
	}{"linerate/selftest/1", i})
}

// printInstrumentLine prints the selftest's line in a run's report, for readers of latencies.
func printInstrumentLine(l *terminal.Lines, r *record.Run) {
	if i := r.Instrument; i != nil {
		l.Gap()
		l.Item(0, 10, "instrument", terminal.Faint, "clock "+unit.Seconds(
			i.ClockResolution,
		)+", sleep p99 +"+unit.Seconds(i.Overshoot.P99)+", scheduler stops up to "+unit.Seconds(
			i.JitterLongest,
		)+"; linerate doctor --self says more")
	}
}

// printCompared prints the variants of a run compared with its own.
func printCompared(l *terminal.Lines, r *record.Run) {
	if len(r.Comparisons) == 0 {
		return
	}
	l.Gap()
	compare.PrintComparisons(l, r.Comparisons)
	for _, n := range compare.ComparisonNotes(r.Comparisons) {
		l.Text(terminal.Faint, 0, n)
	}
}
