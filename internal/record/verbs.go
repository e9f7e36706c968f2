package record

// ReleaseFar is the release skew, in seconds, from which on a thread must have waited for a core: an idle core notices
// the release within some 100 ns.
const ReleaseFar = 50e-6

// Verbs has the figures of one repeat of RDMA.
type Verbs struct {
	Op     string `json:"op"`     // write, read or send
	Metric string `json:"metric"` // latency or goodput
	// Latency defines the measured latency: "half of a round trip", or "from post to completion".
	Latency string     `json:"latency,omitempty"`
	Ends    []VerbsEnd `json:"ends"`
}

// VerbsEnd is one end of RDMA.
type VerbsEnd struct {
	Host      string `json:"host"`
	Device    string `json:"device"` // mlx5_0
	Port      int    `json:"port"`
	Link      string `json:"link"` // ib, rocev1, rocev2 or iwarp
	GIDIndex  int    `json:"gid_index"`
	GID       string `json:"gid,omitempty"`
	Soft      bool   `json:"soft,omitempty"` // the kernel does the work of a NIC
	Transport string `json:"transport"`      // RC or UD
	Connected string `json:"connected"`      // how: through the controller, or rdma_cm
	PathMTU   int64  `json:"path_mtu"`       // bytes
	Level     *int64 `json:"service_level"`  // of the first queue pair; null: the device does not report it
	Class     *int64 `json:"traffic_class"`  // its upper six bits are the DSCP
	Inline    int64  `json:"inline"`         // bytes up to which a request carries its payload itself
	Depth     int64  `json:"depth"`
	Signal    int    `json:"signal"` // requests per completion
	Batch     int    `json:"batch"`  // requests per doorbell
	Yield     int    `json:"yield"`  // polls after which a thread yields; 0: never
	// Skew is the time from the release of the first pair to that of the last. Post and Poll are the mean time of such a
	// call, measured before the interval; nil: not known. All are in seconds.
	Skew    float64      `json:"release_skew"`
	Post    *float64     `json:"post"`
	Poll    *float64     `json:"poll"`
	LeftOut int          `json:"tenths_left_out,omitempty"` // slices of the interval that a pair did not fill
	Crowded bool         `json:"crowded,omitempty"`         // more pairs than cores
	Pairs   []VerbsPairs `json:"pairs"`
	// Counters are the growth of the counters of the device and its port, and of the NIC's counters by priority, over all
	// repeats: packet_seq_err, tx_prio3_pause. Counters that did not grow are omitted; nil: they were not read before and
	// after.
	Counters map[string]int64 `json:"counters,omitempty"`
}

// VerbsPairs is one pair at one end.
type VerbsPairs struct {
	Core       int64 `json:"core"` // -1: not pinned
	Operations int64 `json:"operations"`
	Asked      int64 `json:"asked_bytes"` // this end's requests that completed in the interval
	Came       int64 `json:"came_bytes"`  // received messages (send)
}

// Broken is what a repeat had measured when it broke. RDMA breaks when a queue pair fails. Storage breaks when the
// target is lost, a request fails, or a block that was read differs from what was written.
type Broken struct {
	Repeat     int     `json:"repeat"`
	Host       string  `json:"host"`              // the end that noticed it and measured these figures
	Text       string  `json:"text"`              // the device's message
	After      float64 `json:"after_seconds"`     // of the interval; below 0: before its start
	Last       float64 `json:"last_seconds"`      // end of the last request in the interval; 0: there was none
	Operations int64   `json:"operations"`        // completed in the interval until then
	Goodput    float64 `json:"goodput"`           // bits per second until then; 0: none was measured
	P50        float64 `json:"p50"`               // seconds; 0: none was measured
	Block      *Block  `json:"storage,omitempty"` // of storage: the work of all workers until then; not part of any figure
}
