package record

// Latency is a distribution of round trips, in seconds. A quantile with too few round trips is 0 and not in the JSON;
// Percentiles has the reason.
type Latency struct {
	P50         float64      `json:"p50,omitzero"`
	P90         float64      `json:"p90,omitzero"`
	P99         float64      `json:"p99,omitzero"`
	P999        float64      `json:"p999,omitzero"`
	P9999       float64      `json:"p9999,omitzero"`
	Max         float64      `json:"max"`
	Count       int64        `json:"count"`
	Percentiles []Percentile `json:"percentiles,omitempty"`
	Curve       []Quantile   `json:"curve"`     // for the chart
	Histogram   string       `json:"histogram"` // HdrHistogram V2, compressed, base64; nanoseconds
}

// Quantile is one point of a percentile curve.
type Quantile struct {
	Q       float64 `json:"q"` // 0..1
	Seconds float64 `json:"seconds"`
}

// Percentile is a quantile and the number of round trips that it is computed from.
type Percentile struct {
	Q       float64  `json:"q"`       // 0..1
	Seconds *float64 `json:"seconds"` // null: not known
	Behind  int64    `json:"behind"`  // round trips that took at least as long; all round trips, if Seconds is not known
	Why     string   `json:"why,omitempty"`
}

// RTTSamples is what one pair of ping measured, in seconds; a quantile with too few round trips is 0 and not in the
// JSON.
type RTTSamples struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50,omitzero"`
	P99   float64 `json:"p99,omitzero"`
	Max   float64 `json:"max,omitzero"`
}

// Pairs is the spread of the medians of concurrent pairs, in seconds. A pair's median is the median over its repeats.
type Pairs struct {
	Pairs  int     `json:"pairs"`
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// OpenLoop is the result of an open loop, in which requests are sent on schedule without waiting for answers. The
// experiment's latency counts from the time at which a request was due.
type OpenLoop struct {
	Asked      float64  `json:"asked"`   // requests per second that were due, of all pairs
	Reached    float64  `json:"reached"` // requests per second that were sent in the interval
	Answered   int64    `json:"answered"`
	Unanswered int64    `json:"unanswered"` // due in the interval and not answered by its end
	Service    *Latency `json:"service"`    // round trips from the moment of sending, as a closed loop counts them
	Late       *Latency `json:"late"`       // delay of the sending after the due time
}

// OpenRepeat is the open loop of one repeat; Service and Late are histograms as in Latency.
type OpenRepeat struct {
	Due      int64  `json:"due"`     // requests of the interval, of all pairs
	Sent     int64  `json:"sent"`    // of these, sent
	Reached  int64  `json:"reached"` // sent within the interval, whenever due
	Answered int64  `json:"answered"`
	Service  string `json:"service,omitempty"`
	Late     string `json:"late,omitempty"`
}

// Load is the stream that runs during a ping, and the same ping without it.
type Load struct {
	Streams   int       `json:"streams"`   // in each direction
	Direction string    `json:"direction"` // of the stream's data: out, in or both
	Goodput   *Estimate `json:"goodput"`   // bits per second, the sum of both directions
	Forward   *Estimate `json:"goodput_out,omitempty"`
	Backward  *Estimate `json:"goodput_in,omitempty"`
	Idle      *Latency  `json:"idle"` // of the same path, right before
	Added     *Added    `json:"added"`
}

// Added is the latency that the load adds to quantiles of the round trip, in seconds: loaded less idle, for every
// repeat.
type Added struct {
	P50 *Estimate `json:"p50"`
	P99 *Estimate `json:"p99"` // nil: too few round trips
}

// LoadRepeat is the load of one repeat, and the latencies before it.
type LoadRepeat struct {
	Goodput   float64 `json:"goodput"`
	Forward   float64 `json:"goodput_out"`
	Backward  float64 `json:"goodput_in"`
	Idle      string  `json:"idle,omitempty"` // histogram
	IdleP50   float64 `json:"idle_p50,omitzero"`
	IdleP99   float64 `json:"idle_p99,omitzero"`
	LoadedP99 float64 `json:"loaded_p99,omitzero"`
}

// Clock is the error that the measuring host's clock adds to a round trip, in seconds.
type Clock struct {
	Host       string  `json:"host,omitempty"`
	Resolution float64 `json:"resolution"` // step of the clock; all differences of readings are multiples of it
	Cost       float64 `json:"cost"`       // of one reading
	Overhead   float64 `json:"overhead"`   // time between the two timestamps of a round trip without a socket
}

// PathMTU is the largest unfragmented packet that reaches the other end, found by trying.
type PathMTU struct {
	Bytes    int      `json:"bytes,omitzero"` // of the IP packet; 0: not known
	Why      string   `json:"why,omitempty"`
	Fails    int      `json:"fails,omitzero"` // the smallest packet that was lost; 0: none
	Device   int      `json:"device,omitzero"`
	Kernel   int      `json:"kernel,omitzero"`   // the path MTU of the kernel after the search; 0: not known
	Hop      string   `json:"hop,omitempty"`     // the address that answered "fragmentation needed" or "packet too big"
	Reported int      `json:"reported,omitzero"` // the MTU in that answer; 0: none
	Silent   bool     `json:"silent,omitempty"`  // larger packets vanish without an answer: a black hole
	Tried    int      `json:"tried"`             // packets sent
	Notes    []string `json:"notes,omitempty"`
}
