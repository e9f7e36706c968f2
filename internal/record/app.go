package record

import (
	"linerate/internal/base/unit"
	"strings"
)

// OutputName is the folder of a run folder with the output of commands.
const OutputName = "output"

// App is one repeat of the method command.
type App struct {
	Command []string `json:"command"`           // as started on the first host
	Server  []string `json:"server,omitempty"`  // on the second host
	Program string   `json:"program,omitempty"` // which of the programs that linerate knows
	Figure  float64  `json:"figure"`
	Unit    string   `json:"unit,omitempty"`
	Line    string   `json:"line,omitempty"`     // the output line with the figure; empty: the figure is the time
	Output  string   `json:"output,omitempty"`   // name of the file in the run folder
	Left    int64    `json:"left_out,omitempty"` // bytes cut out of the middle of the output
	// OneMachine reports whether all hosts are on one machine. Each host's counters then include the work of all.
	OneMachine bool      `json:"one_machine,omitempty"`
	Hosts      []AppHost `json:"hosts"` // the first one runs the command
}

// AppHost is the work of a host while the command ran.
type AppHost struct {
	Host      string   `json:"host"`
	Interface string   `json:"interface,omitempty"` // of the planned path; empty: none is planned, or not known
	Seconds   float64  `json:"seconds"`             // duration of the observation
	Cores     *float64 `json:"cores"`               // in use on average, by any process; nil: not known, as all below
	Received  *int64   `json:"received_bytes"`      // by the interface
	Sent      *int64   `json:"sent_bytes"`
	Errors    *int64   `json:"errors"`  // received and sent
	Dropped   *int64   `json:"dropped"` // received and sent
}

// FigureText is a value in the unit of the experiment's figure, formatted for people.
func (e *Experiment) FigureText(v float64) string {
	switch e.FigureUnit {
	case "s":
		return unit.Seconds(v)
	case "bit/s":
		return unit.BitRate(v).String()
	}
	return strings.TrimSpace(unit.Significant(v) + " " + e.FigureUnit)
}
