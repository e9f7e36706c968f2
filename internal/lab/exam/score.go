package exam

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/lab/fault"
)

// Outcome is the result of a trial.
type Outcome struct {
	Trial      int            `json:"trial"`
	Fault      string         `json:"fault,omitempty"` // empty: healthy
	Kind       fault.Kind     `json:"kind,omitempty"`
	Scenario   fault.Scenario `json:"scenario"`
	Transport  string         `json:"transport,omitempty"` // of its experiment: udp
	Values     fault.Values   `json:"values,omitempty"`
	Truth      string         `json:"truth"` // the expected cause, or healthy
	Limiter    string         `json:"limiter,omitempty"`
	Confidence string         `json:"confidence,omitempty"`
	Component  string         `json:"component,omitempty"`
	Sentence   string         `json:"sentence,omitempty"`
	Goodput    float64        `json:"goodput,omitempty"` // bit/s
	Mark       Mark           `json:"mark"`
	Error      string         `json:"error,omitempty"`
	Folder     string         `json:"folder,omitempty"` // of the run, below the exam's
}

// Tally counts marks.
type Tally struct {
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`
	Unknown int `json:"unknown"`
	Failed  int `json:"failed"`
}

func (t *Tally) add(m Mark) {
	switch m {
	case Right:
		t.Right++
	case Wrong:
		t.Wrong++
	case Unknown:
		t.Unknown++
	default:
		t.Failed++
	}
}

// All returns the number of trials.
func (t Tally) All() int { return t.Right + t.Wrong + t.Unknown + t.Failed }

// Row is one line of a confusion matrix: the truth, and the number of times each verdict was given.
type Row struct {
	Truth    string         `json:"truth"`
	Tally    Tally          `json:"tally"`
	Verdicts map[string]int `json:"verdicts"`
}

// Matrix is a confusion matrix.
type Matrix struct {
	Title string `json:"title"`
	Tally Tally  `json:"tally"`
	Rows  []Row  `json:"rows"` // by truth
}

// Matrices returns one matrix of the injected faults, one of the recorded ones and one of the healthy runs. A matrix
// without trials is omitted.
func Matrices(outcomes []Outcome) []Matrix {
	out := []Matrix{{Title: "injected faults"}, {Title: "fixtures"}, {Title: "healthy runs"}}
	for _, o := range outcomes {
		m := &out[0]
		switch {
		case o.Fault == "":
			m = &out[2]
		case o.Kind == fault.Recorded:
			m = &out[1]
		}
		m.Tally.add(o.Mark)
		i := slices.IndexFunc(m.Rows, func(r Row) bool { return r.Truth == o.Truth })
		if i < 0 {
			i = len(m.Rows)
			m.Rows = append(m.Rows, Row{Truth: o.Truth, Verdicts: map[string]int{}})
		}
		m.Rows[i].Tally.add(o.Mark)
		said := o.Limiter
		if o.Mark == Failed {
			said = "no verdict"
		}
		m.Rows[i].Verdicts[said]++
	}
	out = slices.DeleteFunc(out, func(m Matrix) bool { return len(m.Rows) == 0 })
	for _, m := range out {
		slices.SortFunc(m.Rows, func(a, b Row) int { return strings.Compare(a.Truth, b.Truth) })
	}
	return out
}

// Text formats the matrix: the truth, the counts, and the wrong verdicts in each line.
func (m Matrix) Text() string {
	var b strings.Builder
	width := len("all")
	for _, r := range m.Rows {
		width = max(width, len(r.Truth))
	}
	width = max(width, len(m.Title))
	fmt.Fprintf(&b, "%-*s  right  wrong  unknown  failed  verdicts\n", width, m.Title)
	line := func(name string, t Tally, said string) {
		fmt.Fprintf(&b, "%-*s  %5d  %5d  %7d  %6d  %s\n", width, name, t.Right, t.Wrong, t.Unknown, t.Failed, said)
	}
	for _, r := range m.Rows {
		line(r.Truth, r.Tally, counts(r.Verdicts))
	}
	line("all", m.Tally, fmt.Sprintf("%.1f %% right", 100*float64(m.Tally.Right)/float64(m.Tally.All())))
	return b.String()
}

// counts formats the number of times each verdict was given.
func counts(verdicts map[string]int) string {
	var said []string
	for _, v := range slices.Sorted(maps.Keys(verdicts)) {
		said = append(said, fmt.Sprintf("%s %d", v, verdicts[v]))
	}
	return strings.Join(said, ", ")
}
