package record

// Instrument is what a machine's clock, timers, memory and scheduler can resolve. Times are in seconds; nil is unknown,
// with the reason in Unknown.
type Instrument struct {
	Host            string    `json:"host,omitempty"`
	OS              string    `json:"os"`
	Arch            string    `json:"arch"`
	Cores           int       `json:"cores"`            // that this process may use
	ClockResolution float64   `json:"clock_resolution"` // the smallest step seen
	ClockCost       float64   `json:"clock_cost"`       // cost of one reading
	SleepAsked      float64   `json:"sleep_asked"`
	Overshoot       Overshoot `json:"sleep_overshoot"` // how much longer than requested a sleep took
	CopyCached      float64   `json:"copy_cached"`     // bytes per second of one core, within its caches
	CopyMemory      float64   `json:"copy_memory"`     // beyond them
	JitterLongest   float64   `json:"jitter_longest"`  // longest pause of a thread that only reads the clock
	JitterShare     float64   `json:"jitter_share"`    // share of its time in pauses above 10 us
	Loopback        *float64  `json:"loopback"`        // bits per second of one stream to 127.0.0.1 in one process
	// Releases is the skew with which threads leave the barrier of RDMA measurements; nil: not measured, or not known.
	Releases []Release `json:"releases,omitempty"`
	Unknown  []Unknown `json:"unknown,omitempty"`
}

// UnknownRelease is the subject of Unknown that says why Releases is missing.
const UnknownRelease = "release skew"

// Release is the time from the first to the last of a group of pinned threads that leaves a barrier, in seconds.
type Release struct {
	Threads int     `json:"threads"`
	Cores   int     `json:"cores"` // shared by the threads
	Rounds  int     `json:"rounds"`
	Median  float64 `json:"median"`
	Max     float64 `json:"max"`
	Yield   int     `json:"yield"` // polls after which a thread yields, where cores are fewer than threads; 0: never
}

// Overshoot is a distribution of delays in seconds.
type Overshoot struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}
