package record

import (
	"slices"
	"strings"
)

// Verdict is the reason for a figure: its bottleneck, with the evidence.
type Verdict struct {
	Sentence       string      `json:"sentence"`
	Limiter        string      `json:"limiter"`
	Component      string      `json:"component"`
	ShareOfCeiling *float64    `json:"share_of_ceiling"`
	Confidence     string      `json:"confidence"` // proved, likely; empty for unexplained and unknown
	Evidence       []Evidence  `json:"evidence"`
	Identity       *Identity   `json:"identity"`
	Candidates     []Candidate `json:"candidates"`
	NextExperiment string      `json:"next_experiment"`
	// Next is NextExperiment in a form that a follow-up can run; nil: a follow-up cannot do it by itself.
	Next        *Next    `json:"next,omitempty"`
	Fix         string   `json:"fix"`
	Undo        string   `json:"undo"`
	NextCeiling string   `json:"next_ceiling"`
	Unknown     []string `json:"unknown"`
	// RuledOut are parts of the path that do not limit, by counters that were read.
	RuledOut []RuledOut `json:"ruled_out,omitempty"`
	// Expected is the predicted goodput after the fix; empty: it cannot be predicted.
	Expected []Expected `json:"expected,omitempty"`
}

// RuledOut is a possible cause that the counters exclude.
type RuledOut struct {
	What string `json:"what"` // an id: loss, drops, cable, pcie, cpu, mtu and others
	Host string `json:"host,omitempty"`
	Text string `json:"text"` // in words, with its figure: "loss (0 retransmits)"
}

// Expected is the predicted goodput of an experiment after the fix of its verdict, or of one that differs from it only
// in the number of streams.
type Expected struct {
	Change  Change `json:"change"` // what the fix changes
	Streams int    `json:"streams"`
	Band
}

// Evidence is one counter or value that supports a verdict.
type Evidence struct {
	Host          string   `json:"host"`
	Source        string   `json:"source"`
	Counter       string   `json:"counter"`
	Before        *float64 `json:"before"`
	After         *float64 `json:"after"`
	IdlePerSecond *float64 `json:"idle_per_second"`
	Unit          string   `json:"unit"`
	Text          string   `json:"text"` // the same as a sentence
}

// Identity is two counts that must be equal.
type Identity struct {
	Left       string  `json:"left"`
	Right      string  `json:"right"`
	Difference float64 `json:"difference"` // share of the larger
}

// Candidate is a cause with too little evidence.
type Candidate struct {
	Limiter string `json:"limiter"`
	Text    string `json:"text"`
}

// Limiters are the ids of causes that several packages use.
const (
	LimiterAboveCeiling   = "above-ceiling"
	LimiterAppLimited     = "app-limited"
	LimiterLink           = "link"
	LimiterLocalShaper    = "local-shaper"
	LimiterOneConnection  = "one-connection"
	LimiterPageCacheRead  = "page-cache-read"
	LimiterPageCacheWrite = "page-cache-write"
	// LimiterUnexplained is the limiter of a verdict where no cause has enough evidence.
	LimiterUnexplained = "unexplained"
	// LimiterUnknown is the limiter of a verdict without a known ceiling.
	LimiterUnknown = "unknown"
)

// Unknown is a fact that could not be read, with the reason.
type Unknown struct {
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}

// UnknownOf is what of several hosts could not be read, for the same reason.
func UnknownOf(hosts []string, what, reason string) Unknown {
	return Unknown{Subject: strings.Join(hosts, comma) + hostEnd + what, Reason: reason}
}

// Of reports whether it is of a host, alone or with others.
func (u Unknown) Of(host string) bool {
	hosts, _, ok := strings.Cut(u.Subject, hostEnd)
	return ok && slices.Contains(strings.Split(hosts, comma), host)
}
