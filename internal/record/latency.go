package record

// Latency is a distribution of round trips, in seconds. A quantile that too few of them carry is 0 and left out of the
// JSON; Percentiles says why.
type Latency struct {
	P50         float64      `json:"p50,omitzero"`
	P90         float64      `json:"p90,omitzero"`
	P99         float64      `json:"p99,omitzero"`
	P999        float64      `json:"p999,omitzero"`
	P9999       float64      `json:"p9999,omitzero"`
	Max         float64      `json:"max"`
	Count       int64        `json:"count"`
	Percentiles []Percentile `json:"percentiles,omitempty"`
	Curve       []Quantile   `json:"curve"`     // for the drawing
	Histogram   string       `json:"histogram"` // HdrHistogram V2, compressed, base64; nanoseconds
}

// Quantile is one point of a percentile curve.
type Quantile struct {
	Q       float64 `json:"q"` // 0..1
	Seconds float64 `json:"seconds"`
}

// Percentile is a quantile with what stands behind it.
type Percentile struct {
	Q       float64  `json:"q"`             // 0..1
	Seconds *float64 `json:"seconds"`       // null: not known
	Behind  int64    `json:"behind"`        // round trips that took at least as long; of an unknown one those that there are in all
	Why     string   `json:"why,omitempty"` // it is not known
}

// Trips is what one pair of ping measured, in seconds; a quantile that too few round trips carry is 0 and left out.
type Trips struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50,omitzero"`
	P99   float64 `json:"p99,omitzero"`
	Max   float64 `json:"max,omitzero"`
}

// Pairs is the spread of the medians of concurrent pairs, in seconds; the median of each is the middle of its repeats.
type Pairs struct {
	Pairs  int     `json:"pairs"`
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// OpenLoop is an open loop: questions leave at their times, whatever the answers do. The experiment's latency counts from
// the time at which a question was due.
type OpenLoop struct {
	Asked      float64  `json:"asked"`   // questions a second that were due, all pairs together
	Reached    float64  `json:"reached"` // questions a second that were sent in the window
	Answered   int64    `json:"answered"`
	Unanswered int64    `json:"unanswered"` // due in the window, and without an answer at the end
	Service    *Latency `json:"service"`    // round trips from the moment of sending, as a closed loop counts them
	Late       *Latency `json:"late"`       // how long after their time questions were sent
}

// OpenRepeat is the open loop of one repeat; Service and Late are histograms as Latency has them.
type OpenRepeat struct {
	Due      int64  `json:"due"`     // questions of the window, all pairs together
	Sent     int64  `json:"sent"`    // of these
	Reached  int64  `json:"reached"` // sent within the window, whenever they were due
	Answered int64  `json:"answered"`
	Service  string `json:"service,omitempty"`
	Late     string `json:"late,omitempty"`
}

// Load is the stream beside a ping, and the same ping without it.
type Load struct {
	Streams   int       `json:"streams"`   // in each direction
	Direction string    `json:"direction"` // of the stream's data: out, in or both
	Goodput   *Estimate `json:"goodput"`   // bits per second, both directions together
	Forward   *Estimate `json:"goodput_out,omitempty"`
	Backward  *Estimate `json:"goodput_in,omitempty"`
	Idle      *Latency  `json:"idle"` // of the same path just before
	Added     *Added    `json:"added"`
}

// Added is what the load adds to quantiles of the round trip, in seconds: of every repeat loaded less idle.
type Added struct {
	P50 *Estimate `json:"p50"`
	P99 *Estimate `json:"p99"` // nil: too few round trips
}

// LoadRepeat is the load of one repeat, and what was measured before it.
type LoadRepeat struct {
	Goodput   float64 `json:"goodput"`
	Forward   float64 `json:"goodput_out"`
	Backward  float64 `json:"goodput_in"`
	Idle      string  `json:"idle,omitempty"` // histogram
	IdleP50   float64 `json:"idle_p50,omitzero"`
	IdleP99   float64 `json:"idle_p99,omitzero"`
	LoadedP99 float64 `json:"loaded_p99,omitzero"`
}

// Clock is what stands between a round trip and its figure on the host that asks, in seconds.
type Clock struct {
	Host       string  `json:"host,omitempty"`
	Resolution float64 `json:"resolution"` // its step: all differences of readings are multiples of it
	Cost       float64 `json:"cost"`       // of one reading
	Overhead   float64 `json:"overhead"`   // of each round trip: what passes between its two stamps without a socket
}

// PathMTU is the largest packet that gets through to the other end unfragmented, found by trying.
type PathMTU struct {
	Bytes    int      `json:"bytes,omitzero"` // of the IP packet; 0: not known
	Why      string   `json:"why,omitempty"`  // it is not known
	Fails    int      `json:"fails,omitzero"` // the smallest packet that was tried and did not get through; 0: none
	Device   int      `json:"device,omitzero"`
	Kernel   int      `json:"kernel,omitzero"`   // what the kernel takes the path's MTU for, after the search; 0: unknown
	Hop      string   `json:"hop,omitempty"`     // the address that answered "fragmentation needed" or "packet too big"
	Reported int      `json:"reported,omitzero"` // the MTU that it named; 0: none
	Silent   bool     `json:"silent,omitempty"`  // larger packets vanish without an answer: a black hole
	Tried    int      `json:"tried"`             // packets sent
	Notes    []string `json:"notes,omitempty"`
}
