package traffic

import "linerate/internal/record"

// Operations of verbs, and what is measured.
const (
	OpWrite = "write"
	OpRead  = "read"
	OpSend  = "send"

	MetricLatency = "latency"
	MetricGoodput = "goodput"
)

// Links that a plan can require of an RDMA device. The type of its GID tells the versions of RoCE apart.
const (
	LinkIB     = "ib"
	LinkRoCEv1 = "rocev1"
	LinkRoCEv2 = "rocev2"
	LinkIWARP  = "iwarp"
)

// VerbsOptions are those of the method verbs. Zero values are defaults.
type VerbsOptions struct {
	Op     string `json:"op,omitempty"`     // write, read or send; empty: write
	Metric string `json:"metric,omitempty"` // latency or goodput; empty: latency
	// Datagrams sends over UD in place of RC: send only, messages of at most the path's MTU.
	Datagrams bool `json:"datagrams,omitempty"`
	// ib, rocev1, rocev2 or iwarp, as planned; empty: what the device has, RoCE v2 before v1
	Link   string `json:"link,omitempty"`
	Device string `json:"device,omitempty"` // name of the RDMA device; empty: the one with the local address
	Depth  int    `json:"depth,omitempty"`  // requests under way in a pair; 0: by size
	Signal int    `json:"signal,omitempty"` // requests to one completion; 0: by size
	Batch  int    `json:"batch,omitempty"`  // requests to one doorbell; 0: 1
	// bytes up to which a request has its payload in itself; 0: 220 or what the device takes, -1: none
	Inline  int `json:"inline,omitempty"`
	PathMTU int `json:"path_mtu,omitempty"`
	Level   int `json:"service_level,omitempty"`
	Class   int `json:"traffic_class,omitempty"` // 0 to 255; its upper six bits are the DSCP
}

// VerbsPeer is what an end needs to know of the other end's queue pairs.
type VerbsPeer struct {
	Device string      `json:"device"`
	Link   string      `json:"link"`
	MTU    int64       `json:"mtu"` // of the port, as RDMA counts: 256 to 4096
	Pairs  []VerbsPair `json:"pairs,omitempty"`
	Port   uint16      `json:"port,omitempty"`  // rdma_cm listens there; 0: it does not
	Token  string      `json:"token,omitempty"` // which it wants of one that connects
}

// VerbsPair is one queue pair: its numbers, and the memory behind it.
type VerbsPair struct {
	QPN     int64  `json:"qpn"`
	PSN     int64  `json:"psn"`
	RKey    int64  `json:"rkey"`
	Address uint64 `json:"address"`
	LID     int64  `json:"lid"`
	MTU     int64  `json:"mtu"`   // of its port
	Reads   int64  `json:"reads"` // that it answers at once
	GID     string `json:"gid"`   // 32 hexadecimal digits
}

// VerbsSeen is what was in effect at an end, and what it saw of its pairs.
type VerbsSeen struct {
	Device    string  `json:"device"`
	Port      int     `json:"port"`
	Link      string  `json:"link"`
	GID       int     `json:"gid"`
	GIDText   string  `json:"gid_text,omitempty"`
	Soft      bool    `json:"soft,omitempty"`
	Transport string  `json:"transport"` // RC or UD
	Connected string  `json:"connected"` // how: through the controller, or rdma_cm
	MTU       int64   `json:"mtu"`
	Inline    int64   `json:"inline"`
	Depth     int64   `json:"depth"`
	Signal    int     `json:"signal"`
	Batch     int     `json:"batch"`
	Yield     int     `json:"yield,omitempty"` // polls without result after which a pair's thread yields; 0: never
	Crowded   bool    `json:"crowded,omitempty"`
	SkewNS    int64   `json:"skew_ns"`
	PostNS    float64 `json:"post_ns"` // mean of a call; 0: unknown
	PollNS    float64 `json:"poll_ns"`
	Seconds   float64 `json:"seconds"` // of the interval that all pairs filled
	// Level and Class are the service level and the traffic class of the first queue pair, as its device says; nil: it
	// does not.
	Level *int64 `json:"service_level,omitempty"`
	Class *int64 `json:"traffic_class,omitempty"`
	// ReleasedNS is the stamp at which the first pair began; 0: it is unknown.
	ReleasedNS int64 `json:"released_ns,omitempty"`
	// Broken says that a queue pair failed in the middle, and when; nil: none did.
	Broken  *VerbsBroken `json:"broken,omitempty"`
	LeftOut int          `json:"left_out,omitempty"` // tenths of the interval that a pair did not fill
	// of the requests of this end that completed in the interval
	AskedBytes int64       `json:"asked_bytes"`
	CameBytes  int64       `json:"came_bytes"` // of the messages that arrived here in the interval (send)
	Pairs      []VerbsSaid `json:"pairs"`
}

// VerbsSaid is what the program reported of one pair at one end.
type VerbsSaid struct {
	Core       int64 `json:"core"` // -1: not pinned
	Operations int64 `json:"operations"`
	Asked      int64 `json:"asked"` // bytes in the interval
	Came       int64 `json:"came"`
	Late       int64 `json:"late"` // operations that completed after the interval
	// Posted and Completed are the requests of this end from the first to the last, with those of the warm-up; nil: an
	// older program does not report them.
	Posted    *int64 `json:"posted,omitempty"`
	Completed *int64 `json:"completed,omitempty"`
	// RTTSamples are its latencies; nil: this end sent no requests.
	RTTSamples *record.RTTSamples `json:"trips,omitempty"`
}

// VerbsBroken is how a run ended before its time, because a queue pair of this end went into error. What was measured
// until then is kept.
type VerbsBroken struct {
	AtNS int64 `json:"at_ns"` // when it was noticed, after the interval began; below 0: before
	// LastNS is when the last request was done, after the interval began: since then packets were retransmitted without
	// success; 0: none was done.
	LastNS int64  `json:"last_ns"`
	Text   string `json:"text"`
}
