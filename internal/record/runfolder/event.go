package runfolder

import (
	"encoding/json"
	"linerate/internal/record"
	"time"
)

// kind is the kind of an event in the journal.
type kind string

const (
	runStarted kind = "run-started" // body: startBody
	runResumed kind = "run-resumed" // body: resumeBody
	experiment kind = "experiment"  // body: an Experiment without repeats; recorded again when more is known
	repeatDone kind = "repeat"      // body: repeatBody
	samples    kind = "samples"     // body: samplesBody
	snapshot   kind = "snapshot"    // body: a File
	host       kind = "host"        // body: a HostState; recorded again when more is known
	warning    kind = "warning"     // body: textBody
	verdict    kind = "verdict"     // body: verdictBody
	runEnded   kind = "run-ended"   // body: endBody
)

// event is one line of the journal as it is written.
type event struct {
	Kind kind      `json:"event"`
	Time time.Time `json:"time"`
	Body any       `json:"body"`
}

// written is one line of the journal as it is read.
type written struct {
	Kind kind            `json:"event"`
	Time time.Time       `json:"time"`
	Body json.RawMessage `json:"body"`
}

type startBody struct {
	Schema string      `json:"schema"` // linerate/journal/2
	Run    *record.Run `json:"run"`    // without experiments
}

type resumeBody struct {
	Version   string   `json:"version"`
	Arguments []string `json:"arguments"`
}

type repeatBody struct {
	Experiment string        `json:"experiment"`
	Repeat     record.Repeat `json:"repeat"`
}

type verdictBody struct {
	Experiment string          `json:"experiment"`
	Verdict    *record.Verdict `json:"verdict"`
}

type textBody struct {
	Text string `json:"text"`
}

type endBody struct {
	Complete  bool             `json:"complete"`
	Why       string           `json:"why,omitempty"` // why it is not complete
	Goals     []record.Goal    `json:"goals"`
	Sentence  string           `json:"sentence"`
	Shortened []string         `json:"shortened,omitempty"`
	FollowUp  *record.FollowUp `json:"follow_up,omitempty"`
}

type samplesBody struct {
	Series []series `json:"series"`
}

// series is a group of samples that differ only in time and value. It takes a fifth of the size of one object a sample.
type series struct {
	Experiment string    `json:"experiment"`
	Repeat     int       `json:"repeat"`
	End        string    `json:"end"`
	Stream     int       `json:"stream"`
	Metric     string    `json:"metric"`
	Unit       string    `json:"unit"`
	TimeNS     []int64   `json:"time_ns"`
	Value      []float64 `json:"value"`
}

func bundle(batch []record.Sample) []series {
	var out []series
	at := make(map[record.Sample]int)
	for _, s := range batch {
		key := s
		key.TimeNS, key.Value = 0, 0
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out,
				series{Experiment: s.Experiment, Repeat: s.Repeat, End: s.End, Stream: s.Stream, Metric: s.Metric, Unit: s.Unit})
		}
		out[i].TimeNS = append(out[i].TimeNS, s.TimeNS)
		out[i].Value = append(out[i].Value, s.Value)
	}
	return out
}
