package record

// CertificateName is the page of a run folder with the results of its acceptances, made to be printed.
const CertificateName = "certificate.html"

// The bit error rates that an acceptance proves by default. IEEE 802.3 allows one wrong bit in 10^12 on links up to 10
// Gb/s, and fewer on faster links behind FEC.
const (
	DefaultBitErrorRate  = 1e-12
	AcceptanceConfidence = 0.95
)

// Acceptance is the result of an acceptance test of a link: its NICs and its cable.
type Acceptance struct {
	// Passed is nil where a counter or fact that decides could not be read.
	Passed  *bool    `json:"passed"`
	Against []string `json:"against,omitempty"` // reasons why the link fails
	Unknown []string `json:"unknown,omitempty"` // what is not known
	Wanted  float64  `json:"bit_error_rate"`    // the bit error rate to prove
	// Confidence is that of the bounds: 0.95.
	Confidence float64           `json:"confidence"`
	Seconds    float64           `json:"seconds"`
	Ways       []AcceptanceWay   `json:"ways"`
	Ends       []AcceptanceEnd   `json:"ends"`
	Changed    []AcceptanceCount `json:"changed,omitempty"` // error counters that grew during the test
	Watched    int               `json:"watched"`           // error counters that were read
	// Loop is set where the cable joins two ports of one host; empty: two hosts.
	Loop string `json:"loop,omitempty"`
}

// The values of Acceptance.Loop.
const (
	LoopOfNIC     = "nic"
	LoopOfMachine = "machine"
)

// LoopConnection is the prefix of Connection in the state of a host that is one port of a loop.
const LoopConnection = "loop "

// AcceptanceWay is one direction of the link.
type AcceptanceWay struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Bits   *int64 `json:"bits"`   // counted by the receiving NIC; nil: not known
	Errors *int64 `json:"errors"` // damaged frames or blocks received; nil: not known
	// Bound is the upper limit of the bit error rate, with Confidence; nil: not known.
	Bound *float64 `json:"bound"`
	// Source names the counter that Errors comes from, or the reason why there is none.
	Source string `json:"source"`
}

// AcceptanceEnd is a NIC and its port before, during and after the test.
type AcceptanceEnd struct {
	Host      string `json:"host"`
	Interface string `json:"interface"`
	NIC       string `json:"nic"` // its name on the bus, its driver and its firmware, as far as known
	Module    string `json:"module,omitempty"`
	// Bus has the PCIe links between NIC and CPU before, during and after the test: "PCIe 3.0 x8 (8 GT/s)"; empty: not
	// known.
	Bus  [3]string        `json:"bus"`
	Heat []AcceptanceHeat `json:"heat,omitempty"`
}

// AcceptanceHeat is a temperature sensor of a NIC or a module, in degrees Celsius; nil: not known.
type AcceptanceHeat struct {
	Sensor string      `json:"sensor"`
	Now    [3]*float64 `json:"now"`
	Limit  *float64    `json:"limit"` // from the sensor itself
}

// AcceptanceCount is an error counter that grew.
type AcceptanceCount struct {
	Host   string `json:"host"`
	What   string `json:"what"` // bad-frames, link-downs ..
	Line   string `json:"line"` // the counter's line, as printed after the test
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
}
