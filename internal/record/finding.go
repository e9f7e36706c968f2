package record

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// Finding is something wrong, or worth knowing.
type Finding struct {
	ID       string         `json:"id"` // of its check
	Severity Severity       `json:"severity"`
	Subject  Subject        `json:"subject"`
	Have     string         `json:"have"`
	Want     string         `json:"want"`
	Evidence []EvidenceLine `json:"evidence"`
	// Consequence is the loss, in Gb/s or ms where known.
	Consequence string `json:"consequence"`
	// Loss is the lost share of the path's capacity, 0 to 1.
	Loss   unit.Opt[float64] `json:"loss"`
	Fix    string            `json:"fix"`  // a command for that operating system
	Undo   string            `json:"undo"` // empty: there is nothing to undo
	Source string            `json:"source"`
	// Explains are the findings that this one causes. Its fix removes them.
	Explains []Explained `json:"explains,omitempty"`

	// About are all subjects, those that Subject does not name among them. A finding with the same one may be its cause.
	About []Subject `json:"-"`
}

// EvidenceLine is a line that proves a finding, and its source.
type EvidenceLine struct {
	Host   string `json:"host"`
	Source string `json:"source"` // "ethtool -k eth2"
	Line   string `json:"line"`
}

// Explained is a finding that another finding causes.
type Explained struct {
	ID      string  `json:"id"`
	Subject Subject `json:"subject"`
	Have    string  `json:"have"`
}

// Short returns what is wrong in one line: "desk: xg0: MTU 9000; wanted: 1500". It leaves out what follows a comma.
func (f Finding) Short() string {
	want, _, _ := strings.Cut(f.Want, ", ")
	return fmt.Sprintf("%s: %s; wanted: %s", f.Subject, f.Have, want)
}

// Of reports whether the finding is about a host, alone or with others.
func (f Finding) Of(host string) bool {
	return f.Subject.Host == host ||
		slices.ContainsFunc(f.About, func(s Subject) bool { return s.Host == host }) ||
		slices.ContainsFunc(f.Evidence, func(e EvidenceLine) bool { return e.Host == host })
}

// Touches reports whether the finding is about an interface of a host, alone or with others.
func (f Finding) Touches(host, nic string) bool {
	return f.Subject.Has(host, nic) || slices.ContainsFunc(f.About, func(s Subject) bool { return s.Has(host, nic) })
}
