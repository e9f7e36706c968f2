package record

// Instrument is what a machine's clock, timers, memory and scheduler can
// resolve. Times are in seconds; nil is unknown, with the reason in Unknown.
type Instrument struct {
	Host            string    `json:"host,omitempty"`
	OS              string    `json:"os"`
	Arch            string    `json:"arch"`
	Cores           int       `json:"cores"`            // that this process may use
	ClockResolution float64   `json:"clock_resolution"` // the smallest step seen
	ClockCost       float64   `json:"clock_cost"`       // of one reading
	SleepAsked      float64   `json:"sleep_asked"`
	Overshoot       Overshoot `json:"sleep_overshoot"` // how much longer a sleep of SleepAsked took
	CopyCached      float64   `json:"copy_cached"`     // bytes per second of one core, within its caches
	CopyMemory      float64   `json:"copy_memory"`     // beyond them
	JitterLongest   float64   `json:"jitter_longest"`  // the longest time for which a thread that only reads the clock did not run
	JitterShare     float64   `json:"jitter_share"`    // of its time in which it did not, in gaps above 10 us
	Loopback        *float64  `json:"loopback"`        // bits per second of one stream to 127.0.0.1, both ends in one process
	// Releases are how far apart threads leave the barrier of verbs; nil: it was not measured, or is not known.
	Releases []Release `json:"releases,omitempty"`
	Unknown  []Unknown `json:"unknown,omitempty"`
}

// UnknownRelease is the subject of a reason why Releases are missing.
const UnknownRelease = "release skew"

// Release is how far apart pinned threads left a barrier that they left together: from the first to the last of them, in seconds.
type Release struct {
	Threads int     `json:"threads"`
	Cores   int     `json:"cores"` // that they had among them
	Rounds  int     `json:"rounds"`
	Median  float64 `json:"median"`
	Max     float64 `json:"max"`
	Yield   int     `json:"yield"` // looks in vain after which a thread gave its turn up, because there were fewer cores; 0: never
}

// Overshoot is a distribution of delays in seconds.
type Overshoot struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}
