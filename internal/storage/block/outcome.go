package block

import (
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// Ready is what is in effect before the first request.
type Ready struct {
	Kind       string     `json:"kind"` // file, folder, device, remote, nop
	Way        string     `json:"way"`
	Why        string     `json:"why,omitempty"`    // of the way
	Path       string     `json:"path"`             // of what is read and written
	Size       unit.Bytes `json:"size"`             // of the target
	Span       unit.Bytes `json:"span"`             // of it that is used: whole blocks
	Blocks     int64      `json:"blocks"`           // in the span
	Sector     unit.Bytes `json:"sector,omitempty"` // to which requests are aligned; 0: any
	Direct     *bool      `json:"direct"`           // around the system's cache; nil: not known
	DirectWhy  string     `json:"direct_why,omitempty"`
	Created    bool       `json:"created,omitempty"`     // by Prepare; Close removes it
	Mark       string     `json:"mark,omitempty"`        // by what a file that was made is known again
	FileSystem string     `json:"file_system,omitempty"` // "": not known
	Mount      string     `json:"mount,omitempty"`       // where it is mounted
	Source     string     `json:"source,omitempty"`      // what is mounted there: a device, a share
	Devices    []string   `json:"devices,omitempty"`     // names in /proc/diskstats: the device itself, then what it is made of; empty: not known
	Identity   string     `json:"identity,omitempty"`    // serial number of a device
	Found      []string   `json:"found,omitempty"`       // tables and file systems on a device
	Cache      string     `json:"cache,omitempty"`       // what is done about the system's cache, or why nothing
	Warnings   []string   `json:"warnings,omitempty"`
}

// Counts is the requests of one kind that ended in the window.
type Counts struct {
	Operations int64  `json:"operations"`
	Bytes      int64  `json:"bytes"`
	Histogram  string `json:"histogram,omitempty"` // of latencies, as record.Latency
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

// WrongBlock is one that is not what was written.
type WrongBlock struct {
	Offset int64  `json:"offset"` // of the first 512 bytes that are wrong
	Kind   string `json:"kind"`   // of the Wrong constants
	Text   string `json:"text"`   // what stood there
	AtNS   int64  `json:"at_ns"`
}

// Verified is what verify mode looked at, in blocks. What is in none of Right and Wrong was not compared with anything.
type Verified struct {
	Right       int64        `json:"right"`         // reads whose block was what was written
	Wrong       int64        `json:"wrong"`         // and those that were not
	Unknown     int64        `json:"unknown"`       // reads of blocks of which nobody knows what is to be there
	ReadBack    int64        `json:"read_back"`     // blocks that were read after the last write to them, in the job or behind it
	NotReadBack int64        `json:"not_read_back"` // blocks that were written and not read since
	Blocks      []WrongBlock `json:"blocks,omitempty"`
}

// Outcome is what an initiator saw. Stamps are of measure.Now. It stands beside an error where the job ended before its time.
type Outcome struct {
	OpenNS  int64 `json:"open_ns"`
	CloseNS int64 `json:"close_ns"` // when it closed, also where that was early
	FirstNS int64 `json:"first_ns"` // when the first request went out, of the warm-up where there is one; 0: none did
	LastNS  int64 `json:"last_ns"`  // last completion in the window
	EndNS   int64 `json:"end_ns"`   // everything drained and synced

	Read  Counts `json:"read"`
	Write Counts `json:"write"`

	Slice  float64 `json:"slice"` // seconds
	Series []Slice `json:"series,omitempty"`

	MeanDepth float64 `json:"mean_depth"`       // requests under way: sum of latencies over the window
	Making    float64 `json:"making,omitempty"` // threads on average that made the data of writes
	Batch     float64 `json:"batch"`            // completions that shared one reading of the clock, on average

	Errors     []IOError `json:"errors,omitempty"`
	ErrorCount int64     `json:"error_count"`
	LostNS     int64     `json:"lost_ns,omitempty"` // when a job that stops at errors stopped
	Hanging    int64     `json:"hanging,omitempty"` // requests that did not come back in time

	Steady    *SteadyState `json:"steady,omitempty"`
	Verified  *Verified    `json:"verified,omitempty"`
	FinalSync float64      `json:"final_sync,omitempty"` // seconds that the last sync took, of jobs that write
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
