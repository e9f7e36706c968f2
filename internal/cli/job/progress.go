package job

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/explain/goals"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
	"linerate/internal/run"
	"linerate/internal/run/remote"
)

// progress prints the progress of a run to standard error.
type progress struct {
	*terminal.Progress
	own    string // the run's variant
	events *report.Events
	live   *remote.Live
}

func (j *Job) progress() progress {
	p := &terminal.Progress{Out: j.news(), ASCII: !j.Utf8()}
	for _, c := range j.Combinations {
		if c.Record.NotRun == "" {
			p.Total++
		}
	}
	if f, ok := j.news().(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.Terminal = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.Width = w
		}
	}
	live := &remote.Live{}
	p.Now = func() (string, []string) { return liveText(live.Now()) }
	return progress{p, j.Run.Variant, &j.Events, live}
}

// liveText is the current figure of a measurement, and its distance to the known limits.
func liveText(now remote.Now) (figure string, more []string) {
	switch {
	case now.Latency != nil:
		figure = "up to " + unit.Seconds(*now.Latency)
	case now.Goodput != nil:
		figure = unit.BitRate(*now.Goodput).String()
		if now.Ceiling != nil {
			more = append(more,
				fmt.Sprintf("%s of %s", unit.Percent(*now.Goodput/float64(now.Ceiling.Limit)), now.Ceiling.Component))
		}
	case now.IOPS != nil && now.Bytes != nil:
		figure = unit.BytesPerSecond(*now.Bytes) + ", " + unit.Count(*now.IOPS) + " IOPS"
	case now.Link != nil:
		figure = unit.BitRate(*now.Link).String() + " on the link"
	}
	switch {
	case len(now.Cores) == 0:
	case len(now.Cores) <= 2:
		var each []string
		for _, c := range now.Cores {
			each = append(each, c.Host+" "+unit.Percent(c.Busy))
		}
		more = append(more, "busiest core "+strings.Join(each, ", "))
	default:
		most := slices.MaxFunc(now.Cores, func(a, b remote.LiveCore) int { return cmp.Compare(a.Busy, b.Busy) })
		more = append(more, fmt.Sprintf("busiest core %s %s", most.Host, unit.Percent(most.Busy)))
	}
	return figure, more
}

func (p progress) step(s run.Step) {
	if s.Combination == nil {
		p.Note(cli.Clean(s.Text))
		p.events.Add(report.Event{Event: "note", Message: s.Text})
		return
	}
	p.event(s)
	x := s.Combination.Record
	if s.Over || run.Unusable(x) { // these were reported together
		return
	}
	what := named(x)
	if x.Variant != p.own {
		what += " [" + x.Variant + "]"
	}
	if s.Repeat >= 0 && x.FollowedUp == nil {
		p.Start(s.Index, what, s.Left)
		return
	}
	if s.Repeat >= 0 {
		return // follow-ups are not counted among the run's own combinations
	}
	figure := "failed"
	switch {
	case x.NotRun != "":
		figure = "not run"
	case x.Goodput != nil:
		figure = unit.BitRate(x.Goodput.Median).String()
	case x.Halo != nil && x.Seconds != nil:
		figure = unit.Seconds(x.Seconds.Median)
	case x.Block != nil && x.Bytes != nil && x.IOPS != nil:
		figure = tables.BlockText(x)
	case x.Copy != nil && x.Bytes != nil && x.Seconds != nil:
		figure = tables.CopyText(x)
	case x.Figure != nil:
		figure = tables.FigureText(x.Figure.Median, x.FigureUnit)
	case x.Latency != nil:
		figure = unit.Seconds(x.Latency.P50)
	}
	if x.FollowedUp != nil {
		p.Note(fmt.Sprintf("  %s: %s", what, figure))
	} else {
		p.Done(s.Index, what, figure, reached(x))
	}
	if x.Failed != "" {
		p.Note("  " + x.Failed)
	}
}

// named names a measurement: "desktop -> nas  1 stream, size 64 KiB".
func named(x *record.Experiment) string {
	var parts []string
	if streams := x.Settings["streams"]; streams != "" {
		parts = append(parts, result.Streams(streams))
	} else if !method.Named(x.Method).Bulk {
		parts = append(parts, x.Method+unit.If(x.Settings["load_streams"] != "", " under load", ""))
	}
	for _, k := range goals.Parameters() {
		if v := x.Settings[k]; v != "" && k != "streams" {
			parts = append(parts, result.SettingWord(k, v))
		}
	}
	return strings.TrimSpace(x.Path() + "  " + strings.Join(parts, ", "))
}

// reached is the share of the planned ceiling that an experiment reached, as in the report: a leftover shaper is not
// one. It is empty if there is none.
func reached(x *record.Experiment) string {
	if x.Goodput == nil || x.Ceiling == nil || x.Ceiling.Planned() <= 0 || x.Direction == "both" { // that of one direction
		return ""
	}
	return unit.Percent(x.Goodput.Median / float64(x.Ceiling.Planned()))
}

// heartbeat is the longest silence of a log.
const heartbeat = 30 * time.Second

// watch prints the status on a signal, and without a terminal also periodically, until the run is over.
func (p progress) watch() (stop func()) {
	over := make(chan struct{})
	var wait sync.WaitGroup
	asked := make(chan os.Signal, 1)
	if signals := statusSignals(); len(signals) > 0 {
		signal.Notify(asked, signals...)
	}
	wait.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-asked:
				p.Status()
			}
		}
	})
	if p.Terminal {
		wait.Go(func() { p.redraw(over) })
	} else {
		wait.Go(func() { p.Beat(heartbeat, over) })
	}
	return func() {
		signal.Stop(asked)
		close(over)
		wait.Wait()
	}
}

// redraw updates the status line every second.
func (p progress) redraw(over <-chan struct{}) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticks.C:
			p.Redraw()
		}
	}
}

// event is a step as a line of --jsonl.
func (p progress) event(s run.Step) {
	x, left := s.Combination.Record, s.Left.Seconds()
	switch {
	case s.Over:
		p.events.Repeat(x, s.Repeat)
	case s.Repeat >= 0:
		p.events.Add(report.Event{Event: "started", Experiment: x.ID, Index: s.Index, Total: s.Total,
			Repeat: &s.Repeat, SecondsLeft: &left})
	default:
		p.events.Done(x, s.Index, s.Total, left)
	}
}

// news is the stream for plans and progress of a run, separate from errors and omissions.
func (j *Job) news() io.Writer {
	if j.Flags.Quiet {
		return io.Discard
	}
	return j.Err
}
