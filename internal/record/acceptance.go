package record

// MethodAcceptance is the method whose record has an Acceptance.
const MethodAcceptance = "acceptance"

// CertificateName is the page of a run folder that has what its acceptances found, to print.
const CertificateName = "certificate.html"

// What an acceptance bounds where nobody says: IEEE 802.3 asks of its links up to 10 Gb/s, and behind FEC of the faster ones, for fewer than one wrong bit in 10^12.
const (
	DefaultBitErrorRate  = 1e-12
	AcceptanceConfidence = 0.95
)

// Acceptance is what the test of a link, and of the cards and the cable of it, found.
type Acceptance struct {
	// Passed is nil where it is not known, because something that had to be read could not be.
	Passed  *bool    `json:"passed"`
	Against []string `json:"against,omitempty"` // what speaks against it
	Unknown []string `json:"unknown,omitempty"` // what is not known
	Wanted  float64  `json:"bit_error_rate"`    // that was to be bounded
	// Confidence is that of the bounds: 0.95.
	Confidence float64           `json:"confidence"`
	Seconds    float64           `json:"seconds"`
	Ways       []AcceptanceWay   `json:"ways"`
	Ends       []AcceptanceEnd   `json:"ends"`
	Changed    []AcceptanceCount `json:"changed,omitempty"` // counters of trouble that moved meanwhile
	Watched    int               `json:"watched"`           // counters of trouble that were read, moved or not
	// Loop says that the cable joins two ports of one machine: of one card, or of two; empty: of two machines.
	Loop string `json:"loop,omitempty"`
}

// The values of Acceptance.Loop.
const (
	LoopOfCard    = "card"
	LoopOfMachine = "machine"
)

// LoopReach is what the reach of a host begins with that is a port of a loop, in its state.
const LoopReach = "loop "

// AcceptanceWay is one direction of the link.
type AcceptanceWay struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Bits   *int64 `json:"bits"`   // that the receiving card counted; nil: not known
	Errors *int64 `json:"errors"` // frames or blocks that came in damaged; nil: not known
	// Bound is the bit error rate below which the link's is, with the confidence; nil: not known.
	Bound *float64 `json:"bound"`
	// Source names the counter of the errors, or says why it is not known.
	Source string `json:"source"`
}

// AcceptanceEnd is a card and its port, before, meanwhile and behind.
type AcceptanceEnd struct {
	Host      string `json:"host"`
	Interface string `json:"interface"`
	Card      string `json:"card"` // as the bus names it, with driver and firmware; what is not known is left out
	Module    string `json:"module,omitempty"`
	// Bus are the links between card and processor at rest, under load and behind: "PCIe 3.0 x8 (8 GT/s)"; empty: not known.
	Bus  [3]string        `json:"bus"`
	Heat []AcceptanceHeat `json:"heat,omitempty"`
}

// AcceptanceHeat is a sensor of a card or module, in degrees Celsius; nil: not known.
type AcceptanceHeat struct {
	Sensor string      `json:"sensor"`
	Now    [3]*float64 `json:"now"`
	Limit  *float64    `json:"limit"` // its own
}

// AcceptanceCount is a counter of trouble that moved.
type AcceptanceCount struct {
	Host   string `json:"host"`
	What   string `json:"what"` // bad-frames, link-downs ..
	Line   string `json:"line"` // as it was behind
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
}
