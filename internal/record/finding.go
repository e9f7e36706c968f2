package record

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// Finding is something that is not as it should be, or worth knowing.
type Finding struct {
	ID       string         `json:"id"` // of its check
	Severity Severity       `json:"severity"`
	Subject  string         `json:"subject"` // "nas: eth2", "link nas.t3.1--pc.a"
	Have     string         `json:"have"`    // what is there
	Want     string         `json:"want"`    // what should be
	Evidence []EvidenceLine `json:"evidence"`
	// Consequence is what it costs, in Gb/s or ms where that can be said.
	Consequence string `json:"consequence"`
	// Loss is the share of what the path could carry that is lost, 0 to 1.
	Loss   unit.Opt[float64] `json:"loss"`
	Fix    string            `json:"fix"`  // a command for that operating system
	Undo   string            `json:"undo"` // empty: there is nothing to take back
	Source string            `json:"source"`
	// Explains are findings that are there because of this one: mended with it.
	Explains []Explained `json:"explains,omitempty"`

	// About is what it is about: "nas", "nas: eth2", "10.0.1.2". A finding about the same may be its reason.
	About []string `json:"-"`
}

// EvidenceLine is a line that proves a finding, and where it stands.
type EvidenceLine struct {
	Host   string `json:"host"`
	Source string `json:"source"` // "ethtool -k eth2"
	Line   string `json:"line"`
}

// Explained is a finding that another one is the reason of.
type Explained struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Have    string `json:"have"`
}

// Of says whether the finding is about a host, alone or with others.
func (f Finding) Of(host string) bool {
	return f.Subject == host || strings.HasPrefix(f.Subject, host+": ") ||
		slices.ContainsFunc(f.About, func(a string) bool { return a == host || strings.HasPrefix(a, host+": ") }) ||
		slices.ContainsFunc(f.Evidence, func(e EvidenceLine) bool { return e.Host == host })
}

// Touches says whether the finding is about an interface of a host, alone or with others.
func (f Finding) Touches(host, nic string) bool {
	of, ports, several := strings.Cut(f.Subject, ": ")
	return slices.Contains(f.About, host+": "+nic) || several && of == host && slices.Contains(strings.Split(ports, ", "), nic)
}
