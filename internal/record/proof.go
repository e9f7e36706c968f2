package record

// The states of a Proof.
const (
	InEffect    = "in effect"
	NotInEffect = "not in effect"
	NotKnown    = "not known"
)

// The tests of a Proof. The first five decide its state. The others are present where they were possible.
const (
	ProofSequence = "sequence" // the class lost nothing between its ends
	ProofDiscards = "discards" // no port on the path dropped anything of the class
	ProofBytes    = "bytes"    // the counters of the class match what was sent in it
	ProofRelief   = "relief"   // PFC pauses of the class or ECN marks slowed the senders down
	ProofLossy    = "lossy"    // traffic outside the class was dropped
	ProofHeard    = "heard"    // the peer of each link counted the pauses that were sent
	ProofDevice   = "device"   // every device on the path has flow control by priority
)

// Proof is the result of a test that a lossless class loses nothing while one host is sent more than its link carries.
type Proof struct {
	Class    string `json:"class"`
	Priority int    `json:"priority"`
	DSCP     *int   `json:"dscp"` // of the class's traffic; null: not marked
	State    string `json:"state"`
	Sentence string `json:"sentence"`
	Traffic  string `json:"traffic"` // of the class: verbs (RDMA WRITE), tcp, udp
	// TrafficWhy is the reason for the choice of Traffic; empty in older records.
	TrafficWhy string `json:"traffic_why,omitempty"`
	Sent       *int64 `json:"sent"`   // payload in the class, bytes, warm-up included; null: not known
	BestEffort *int64 `json:"beside"` // payload of best effort, sent at the same time; null: not known
	// Tests are in the order in which they decide. NotKnown is why the state is not known, and Settles how to find out.
	Tests    []ProofTest `json:"tests"`
	NotKnown []string    `json:"not_known,omitempty"`
	Settles  []string    `json:"settles,omitempty"`
	// Causes are the checks and verdicts that explain why the class is not in effect.
	Causes []ProofCause `json:"causes,omitempty"`
	// NotShown lists what this traffic cannot show.
	NotShown []string `json:"not_shown,omitempty"`
}

// ProofTest is one test with the counts of both sides.
type ProofTest struct {
	Test     string         `json:"test"`
	Title    string         `json:"title"`
	Passed   *bool          `json:"passed"` // null: not known
	Want     string         `json:"want"`
	Have     string         `json:"have"`
	NotKnown []string       `json:"not_known,omitempty"`
	Counters []ProofCounter `json:"counters,omitempty"`
}

// ProofCounter is a counter of a device that a test uses.
type ProofCounter struct {
	Device string `json:"device"`
	Port   string `json:"port,omitempty"`
	What   string `json:"what"` // class-bytes-sent, class-pause-received, ...
	Source string `json:"source"`
	Line   string `json:"line"`
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
	// Low and High limit its growth. Where both are null, it must not grow, or must grow.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// ProofCause is a check or verdict that explains a state.
type ProofCause struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"`
	Undo string `json:"undo,omitempty"`
}
