package record

// MethodProof is the method whose record has a Proof.
const MethodProof = "proof"

// The states of a Proof.
const (
	InEffect    = "in effect"
	NotInEffect = "not in effect"
	NotKnown    = "not known"
)

// The tests of a Proof. The first five decide; the others stand there only where they could be made.
const (
	ProofSequence = "sequence" // nothing of the class was lost between its ends
	ProofDiscards = "discards" // no port on the way dropped anything of the class
	ProofBytes    = "bytes"    // the class's counters have what was sent in it, and nothing else
	ProofRelief   = "relief"   // a pause of the class or a mark of ECN held the senders back
	ProofLossy    = "lossy"    // what was sent beside the class was dropped
	ProofHeard    = "heard"    // the pauses that one end of a link sent were counted at the other
	ProofDevice   = "device"   // every device on the way has flow control by priority
)

// Proof is whether a lossless class loses nothing while more is sent to one host than its link takes.
type Proof struct {
	Class    string `json:"class"`
	Priority int    `json:"priority"`
	DSCP     *int   `json:"dscp"` // that the class's traffic was marked with; null: none
	State    string `json:"state"`
	Sentence string `json:"sentence"`
	Traffic  string `json:"traffic"` // of the class: verbs (RDMA WRITE), tcp, udp
	// TrafficWhy is why it was that one; empty: an older record does not say.
	TrafficWhy string `json:"traffic_why,omitempty"`
	Sent       *int64 `json:"sent"`   // payload in the class, bytes, warm-up and all; null: not known
	Beside     *int64 `json:"beside"` // payload of best effort, sent at once; null: not known
	// Tests in the order in which they are asked. NotKnown is why the state is not known, and Settles what would settle it.
	Tests    []ProofTest `json:"tests"`
	NotKnown []string    `json:"not_known,omitempty"`
	Settles  []string    `json:"settles,omitempty"`
	// Causes are ids of checks and causes that say why the class is not in effect.
	Causes []ProofCause `json:"causes,omitempty"`
	// NotShown is what the traffic cannot show.
	NotShown []string `json:"not_shown,omitempty"`
}

// ProofTest is one test with its numbers on both sides.
type ProofTest struct {
	Test     string         `json:"test"`
	Title    string         `json:"title"`
	Passed   *bool          `json:"passed"` // null: not known
	Want     string         `json:"want"`
	Have     string         `json:"have"`
	NotKnown []string       `json:"not_known,omitempty"`
	Counters []ProofCounter `json:"counters,omitempty"`
}

// ProofCounter is a counter of a device that a test looked at.
type ProofCounter struct {
	Device string `json:"device"`
	Port   string `json:"port,omitempty"`
	What   string `json:"what"` // class-bytes-sent, class-pause-received ..
	Source string `json:"source"`
	Line   string `json:"line"`
	Before uint64 `json:"before"`
	After  uint64 `json:"after"`
	// Low and High are between what it had to grow; null: it has to stand still, or to move.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// ProofCause is what explains a state.
type ProofCause struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"`
	Undo string `json:"undo,omitempty"`
}
