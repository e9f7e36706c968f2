package record

// Sample is one reading of one metric at one moment: a row of samples.parquet.
type Sample struct {
	Experiment string  `json:"experiment"` // id of the experiment
	Repeat     int     `json:"repeat"`     // from 0; -1: not of a repeat (idle evidence)
	End        string  `json:"end"`        // host that the reading is of
	Stream     int     `json:"stream"`     // connection, from 0; -1: of the host as a whole
	TimeNS     int64   `json:"time_ns"`    // controller's clock, nanoseconds since 1970 UTC
	Metric     string  `json:"metric"`     // "goodput", "rtt", "cpu.3.softirq", ..
	Value      float64 `json:"value"`      // in Unit; never NaN or Inf
	Unit       string  `json:"unit"`       // "bit/s", "s", "B", "1" for a share, "count"
}
