package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"linerate/internal/record"
	"linerate/internal/report/format"
)

// EventSchema is the schema of a line of --jsonl.
const EventSchema = "linerate/event/1"

// Event is one line of --jsonl: what happened, when, and what it is about. Keys that do not belong to a kind are
// absent.
type Event struct {
	Schema string    `json:"schema"`
	Event  string    `json:"event"` // planned, started, repeat, done, verdict, goal, note, finished
	Time   time.Time `json:"time"`
	Run    string    `json:"run,omitempty"` // the four letters
	// planned, finished: where the run is kept; absent: nowhere
	Folder string `json:"folder,omitempty"`
	Fabric string `json:"fabric,omitempty"` // planned: its name
	// planned, started, done: about how long what remains will take
	SecondsLeft *float64          `json:"seconds_left,omitempty"`
	Experiments []EventExperiment `json:"experiments,omitempty"` // planned
	Experiment  string            `json:"experiment,omitempty"`  // the id: started, repeat, done, verdict
	// started, done: of the experiments that are measured, from 1
	Index  int  `json:"index,omitempty"`
	Total  int  `json:"total,omitempty"`
	Repeat *int `json:"repeat,omitempty"` // started, repeat: from 0
	// repeat, done: goodput, latency.p50, figure (of an app), or seconds (of a halo exchange)
	Metric string   `json:"metric,omitempty"`
	Unit   string   `json:"unit,omitempty"`  // bit/s or s
	Value  *float64 `json:"value,omitempty"` // repeat; done: the median
	// repeat: of its interval; done: what an amount took, the median
	Seconds  *float64         `json:"seconds,omitempty"`
	Bytes    int64            `json:"bytes,omitempty"` // repeat: of an amount
	Estimate *record.Estimate `json:"estimate,omitempty"`
	Warnings []string         `json:"warnings,omitempty"` // repeat
	Failed   string           `json:"failed,omitempty"`   // repeat, done
	NotRun   string           `json:"not_run,omitempty"`  // done
	Verdict  *EventVerdict    `json:"verdict,omitempty"`
	Goal     *record.Goal     `json:"goal,omitempty"`
	Message  string           `json:"message,omitempty"`  // note
	Complete *bool            `json:"complete,omitempty"` // finished
	Sentence string           `json:"sentence,omitempty"` // finished: the answer
	Exit     *int             `json:"exit,omitempty"`     // finished: the exit code
	Error    string           `json:"error,omitempty"`    // finished: what is printed to standard error
}

// EventExperiment is one experiment of a planned run.
type EventExperiment struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Method    string            `json:"method"`
	From      string            `json:"from"`
	To        string            `json:"to"`
	Direction string            `json:"direction"`
	Pattern   string            `json:"traffic,omitempty"`
	Variant   string            `json:"variant,omitempty"`
	Settings  map[string]string `json:"settings"`
	NotRun    string            `json:"not_run,omitempty"`
}

// EventVerdict is a verdict in short.
type EventVerdict struct {
	Limiter        string   `json:"limiter"`
	Component      string   `json:"component,omitempty"`
	Confidence     string   `json:"confidence,omitempty"`
	ShareOfCeiling *float64 `json:"share_of_ceiling,omitempty"`
	Sentence       string   `json:"sentence"`
	Fix            string   `json:"fix,omitempty"`
}

// Events writes events as they happen. The zero value writes nothing. The first error ends the writing and stays in
// Err.
type Events struct {
	Out io.Writer
	Err error
}

// Add writes one event; schema and time are filled in.
func (e *Events) Add(v Event) {
	if e.Out == nil || e.Err != nil {
		return
	}
	v.Schema, v.Time = EventSchema, time.Now().UTC()
	b, err := json.Marshal(v)
	if err == nil {
		_, err = e.Out.Write(append(format.EscapeControls(b), '\n'))
	}
	if err != nil {
		e.Err = fmt.Errorf("report: the event %s could not be written: %w", v.Event, err)
	}
}

// Planned is the first line of a run.
func (e *Events) Planned(r *record.Run, folder string, seconds float64) {
	v := Event{Event: "planned", Run: r.ID, Folder: folder, Fabric: r.Fabric, SecondsLeft: &seconds}
	for _, x := range r.Experiments {
		v.Experiments = append(v.Experiments,
			EventExperiment{ID: x.ID, Name: x.Name, Method: x.Method, From: x.From, To: x.To,
				Direction: x.Direction, Pattern: x.Pattern, Variant: x.Variant, Settings: x.Settings, NotRun: x.NotRun})
	}
	e.Add(v)
}

// Repeat writes what one repeat gave, or that it failed.
func (e *Events) Repeat(x *record.Experiment, repeat int) {
	v := Event{Event: "repeat", Experiment: x.ID, Repeat: &repeat}
	if repeat < len(x.Repeats) {
		r := x.Repeats[repeat]
		v.Metric, v.Unit, v.Value, v.Bytes, v.Warnings = "goodput", "bit/s", &r.Goodput, r.Bytes, r.Warnings
		if r.Seconds > 0 {
			v.Seconds = &r.Seconds
		}
		if x.Latencies() {
			v.Metric, v.Unit, v.Value = "latency.p50", "s", &r.P50
		}
		if r.Halo != nil {
			v.Metric, v.Unit, v.Value = "seconds", "s", &r.Halo.Seconds
		}
		if r.Block != nil {
			sum := 0.0
			for _, k := range []*record.BlockCount{r.Block.Read, r.Block.Write} {
				if k != nil {
					sum += k.BytesPerSecond
				}
			}
			v.Metric, v.Unit, v.Value = "bytes_per_second", "B/s", &sum
		}
		if r.Copy != nil && r.Seconds > 0 {
			rate := float64(r.Bytes) / r.Seconds
			v.Metric, v.Unit, v.Value = "bytes_per_second", "B/s", &rate
		}
		if r.App != nil {
			v.Metric, v.Unit, v.Value = "figure", r.App.Unit, &r.App.Figure
		}
	} else {
		v.Failed, v.NotRun = x.Failed, x.NotRun
	}
	e.Add(v)
}

// Done writes what all repeats of an experiment gave.
func (e *Events) Done(x *record.Experiment, index, total int, left float64) {
	v := Event{Event: "done", Experiment: x.ID, Index: index, Total: total, SecondsLeft: &left,
		Failed: x.Failed, NotRun: x.NotRun}
	switch {
	case x.Halo != nil && x.Seconds != nil:
		v.Metric, v.Unit, v.Value, v.Estimate = "seconds", "s", &x.Seconds.Median, x.Seconds
		e.Add(v)
		return
	case x.Block != nil && x.Bytes != nil:
		v.Metric, v.Unit, v.Value, v.Estimate = "bytes_per_second", "B/s", &x.Bytes.Median, x.Bytes
		e.Add(v)
		return
	case x.Copy != nil && x.Bytes != nil:
		v.Metric, v.Unit, v.Value, v.Estimate = "bytes_per_second", "B/s", &x.Bytes.Median, x.Bytes
	case x.Figure != nil:
		v.Metric, v.Unit, v.Value, v.Estimate = "figure", x.FigureUnit, &x.Figure.Median, x.Figure
	case x.Goodput != nil:
		v.Metric, v.Unit, v.Value, v.Estimate = "goodput", "bit/s", &x.Goodput.Median, x.Goodput
	case x.Latency != nil:
		v.Metric, v.Unit, v.Value = "latency.p50", "s", &x.Latency.P50
	}
	if x.Seconds != nil {
		v.Seconds = &x.Seconds.Median
	}
	e.Add(v)
}

// Judged writes the verdict of every experiment, and every goal.
func (e *Events) Judged(r *record.Run) {
	for _, x := range r.Experiments {
		if v := x.Verdict; v != nil {
			e.Add(Event{Event: "verdict", Experiment: x.ID,
				Verdict: &EventVerdict{Limiter: v.Limiter, Component: v.Component, Confidence: v.Confidence,
					ShareOfCeiling: v.ShareOfCeiling, Sentence: v.Sentence, Fix: v.Fix}})
		}
	}
	for i := range r.Goals {
		e.Add(Event{Event: "goal", Goal: &r.Goals[i]})
	}
}

// Finished is the last line. r may be nil: the run did not begin.
func (e *Events) Finished(r *record.Run, folder string, exit int, message string) {
	v := Event{Event: "finished", Folder: folder, Exit: &exit, Error: message}
	if r != nil {
		v.Run, v.Complete, v.Sentence = r.ID, &r.Complete, r.Sentence
	}
	e.Add(v)
}
