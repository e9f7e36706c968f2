package record

// MethodVerbs is the method that measures RDMA write, read and send.
const MethodVerbs = "verbs"

// ReleaseFar is the release skew, in seconds, from which on a thread waited for a core when its pair was let go: an idle core sees what all of them wait for in
// some 100 ns.
const ReleaseFar = 50e-6

// Verbs is what is of RDMA alone in a repeat of the method verbs.
type Verbs struct {
	Op     string `json:"op"`     // write, read or send
	Metric string `json:"metric"` // latency or goodput
	// Latency says what one is: "half of a round trip", or "from post to completion".
	Latency string     `json:"latency,omitempty"`
	Ends    []VerbsEnd `json:"ends"`
}

// VerbsEnd is one end of it.
type VerbsEnd struct {
	Host      string `json:"host"`
	Device    string `json:"device"` // mlx5_0
	Port      int    `json:"port"`
	Link      string `json:"link"` // ib, rocev1, rocev2 or iwarp
	GIDIndex  int    `json:"gid_index"`
	GID       string `json:"gid,omitempty"`
	Soft      bool   `json:"soft,omitempty"` // the kernel does what a card would
	Transport string `json:"transport"`      // RC or UD
	Connected string `json:"connected"`      // through the controller, or rdma_cm
	PathMTU   int64  `json:"path_mtu"`       // bytes
	Level     *int64 `json:"service_level"`  // of the first queue pair, as its device says; null: it does not
	Class     *int64 `json:"traffic_class"`  // its upper six bits are the DSCP
	Inline    int64  `json:"inline"`         // bytes up to which a request has its payload in itself
	Depth     int64  `json:"depth"`
	Signal    int    `json:"signal"` // requests to one completion
	Batch     int    `json:"batch"`  // requests to one doorbell
	Yield     int    `json:"yield"`  // looks in vain after which a thread gives its turn up; 0: never
	// Skew is how long after the first pair the last was released, in seconds; Post and Poll are what a call costs the
	// thread that makes it, mean of those before the window, in seconds; nil: not known.
	Skew    float64      `json:"release_skew"`
	Post    *float64     `json:"post"`
	Poll    *float64     `json:"poll"`
	LeftOut int          `json:"tenths_left_out,omitempty"` // of the window, because a pair did not fill them
	Crowded bool         `json:"crowded,omitempty"`         // more pairs than cores
	Pairs   []VerbsPairs `json:"pairs"`
	// Counters are by how much those of the device and its port, and those by priority of its card, grew over the experiment with all its
	// repeats: packet_seq_err, tx_prio3_pause. Those that did not grow are left out; nil: they were not read before and after.
	Counters map[string]int64 `json:"counters,omitempty"`
}

// VerbsPairs is one pair at one end.
type VerbsPairs struct {
	Core       int64 `json:"core"` // -1: not pinned
	Operations int64 `json:"operations"`
	Asked      int64 `json:"asked_bytes"` // of the requests that this end asked for and that completed in the window
	Came       int64 `json:"came_bytes"`  // of the messages that came in (send)
}

// Broken is what a repeat of verbs had measured when a queue pair failed in the middle: the other end was gone, or what was sent did not arrive. Of block: when the target
// was gone, or a request failed; also a whole repeat that read blocks which are not what was written.
type Broken struct {
	Repeat     int     `json:"repeat"`
	Host       string  `json:"host"`            // the end that saw it, and whose figures these are
	Text       string  `json:"text"`            // what its device said
	After      float64 `json:"after_seconds"`   // of the window; below 0: before it opened
	Last       float64 `json:"last_seconds"`    // of the window, at which the last request was done; 0: none was
	Operations int64   `json:"operations"`      // completed in the window until then
	Goodput    float64 `json:"goodput"`         // bits per second until then; 0: none was measured
	P50        float64 `json:"p50"`             // seconds; 0: none was measured
	Block      *Block  `json:"block,omitempty"` // of block: everything that all workers saw until then, in no figure
}
