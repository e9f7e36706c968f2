package block

import (
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// Ready describes what is in effect before the first request.
type Ready struct {
	Kind       string     `json:"kind"` // file, folder, device, remote, nop
	Way        string     `json:"way"`
	Why        string     `json:"why,omitempty"`    // reason for the engine
	Path       string     `json:"path"`             // of the file that is read and written
	Size       unit.Bytes `json:"size"`             // of the target
	Span       unit.Bytes `json:"span"`             // bytes of it that are used: whole blocks
	Blocks     int64      `json:"blocks"`           // in the span
	Sector     unit.Bytes `json:"sector,omitempty"` // alignment of requests; 0: any
	Direct     *bool      `json:"direct"`           // bypasses the system's cache; nil: not known
	DirectWhy  string     `json:"direct_why,omitempty"`
	Created    bool       `json:"created,omitempty"`     // by Prepare; Close removes it
	Mark       string     `json:"mark,omitempty"`        // how a file that was made is identified
	FileSystem string     `json:"file_system,omitempty"` // "": not known
	Mount      string     `json:"mount,omitempty"`       // mount point
	Source     string     `json:"source,omitempty"`      // what is mounted: a device, a share
	// names in /proc/diskstats: the device itself, then those that it is made of; empty: not known
	Devices  []string `json:"devices,omitempty"`
	Identity string   `json:"identity,omitempty"` // serial number of a device
	Found    []string `json:"found,omitempty"`    // partition tables and file systems on a device
	Cache    string   `json:"cache,omitempty"`    // how the system's cache was treated, or why it was not
	Warnings []string `json:"warnings,omitempty"`
}

// Counts are the requests of one kind that ended in the interval.
type Counts struct {
	Operations int64  `json:"operations"`
	Bytes      int64  `json:"bytes"`
	Histogram  string `json:"histogram,omitempty"` // of latencies, encoded as record.Latency
}

// Slice is one step of the series.
type Slice struct {
	Reads        int64 `json:"reads"`
	Writes       int64 `json:"writes"`
	ReadBytes    int64 `json:"read_bytes"`
	WrittenBytes int64 `json:"written_bytes"`
}

// IOError is one request that failed.
type IOError struct {
	Offset int64  `json:"offset"`
	Op     string `json:"op"`
	Errno  int    `json:"errno"` // 0: the system gave none
	Text   string `json:"text"`
	AtNS   int64  `json:"at_ns"`
}

// WrongBlock is a block that is not what was written.
type WrongBlock struct {
	Offset int64  `json:"offset"` // of the first 512 bytes that are wrong
	Kind   string `json:"kind"`   // one of the Wrong constants
	Text   string `json:"text"`   // what it held
	AtNS   int64  `json:"at_ns"`
}

// Verified counts the blocks that verify mode checked. Blocks in neither Right nor Wrong were not compared with
// anything.
type Verified struct {
	Right   int64 `json:"right"`   // blocks that were read and right
	Wrong   int64 `json:"wrong"`   // blocks that were read and wrong
	Unknown int64 `json:"unknown"` // blocks that were read without an expected content
	// blocks that were read after the last write to them, in the job or after it
	ReadBack    int64        `json:"read_back"`
	NotReadBack int64        `json:"not_read_back"` // blocks that were written and not read since
	Blocks      []WrongBlock `json:"blocks,omitempty"`
}

// Outcome is what an initiator measured. Stamps are of traffic.Now. It comes with an error where the job ended early.
type Outcome struct {
	OpenNS  int64 `json:"open_ns"`
	CloseNS int64 `json:"close_ns"` // end of the interval, also where that was early
	FirstNS int64 `json:"first_ns"` // first request, also of the warm-up; 0: there was none
	LastNS  int64 `json:"last_ns"`  // last completion in the interval
	EndNS   int64 `json:"end_ns"`   // everything drained and synced

	Read  Counts `json:"read"`
	Write Counts `json:"write"`

	Slice  float64 `json:"slice"` // seconds
	Series []Slice `json:"series,omitempty"`

	MeanDepth float64 `json:"mean_depth"`       // outstanding requests: sum of latencies over the interval
	Making    float64 `json:"making,omitempty"` // mean number of threads that made the data of writes
	Batch     float64 `json:"batch"`            // completions that shared one reading of the clock, on average

	Errors     []IOError `json:"errors,omitempty"`
	ErrorCount int64     `json:"error_count"`
	LostNS     int64     `json:"lost_ns,omitempty"` // when a job with on_error stop stopped
	Hanging    int64     `json:"hanging,omitempty"` // requests that did not complete in time

	Steady    *SteadyState `json:"steady,omitempty"`
	Verified  *Verified    `json:"verified,omitempty"`
	FinalSync float64      `json:"final_sync,omitempty"` // duration of the last sync in seconds, for jobs that write
	Cache     string       `json:"cache,omitempty"`      // what was found and done before the warm-up
	Warnings  []string     `json:"warnings,omitempty"`
}

// Latency decodes the histogram of c; nil if there is none.
func (c Counts) Latency() (*traffic.Histogram, error) {
	if c.Histogram == "" {
		return nil, nil
	}
	return traffic.DecodeHistogram(c.Histogram)
}
