package block

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// Patterns of a job.
const (
	PatternRandom     = "random"     // every block of the span once before any is repeated
	PatternSequential = "sequential" // each thread through its own part of the span, repeatedly
	// a share of the requests goes anywhere, each other one to the block after the previous one (diskspd -rs)
	PatternMixed = "mixed"
	PatternZipf  = "zipf" // few blocks often, most of them rarely, spread over the span
)

// OnError: what happens after a request that failed.
const (
	OnErrorStop = "stop"
	OnErrorGoOn = "go-on"
)

// Ways: engines that send the requests.
const (
	WayRing       = "ring"       // io_uring
	WayThreads    = "threads"    // as many threads as outstanding requests, with pread and pwrite
	WayOverlapped = "overlapped" // completion ports of Windows
	WayNop        = "nop"        // requests that the kernel completes at once, through a ring: the engine's own overhead
)

// Limits of a job.
const (
	smallestBlock = 512 * unit.Byte
	largestBlock  = 8 * unit.MiB
	maxThreads    = 256
	maxDepth      = 1024
	maxBuffers    = 4 * unit.GiB
	longestJob    = 24 * time.Hour
	maxSpoken     = 1 << 12 // characters of a target
)

// Job describes the work of one initiator.
type Job struct {
	Target string `json:"target"` // a file, a folder, a device, or an address of a Remote
	// bytes of the target that are used, from its beginning; 0: all. For a new file: its size
	Span    unit.Bytes `json:"span,omitempty"`
	Size    unit.Bytes `json:"size"`              // of a block
	Pattern string     `json:"pattern,omitempty"` // random (default), sequential, mixed, zipf
	// for mixed: share of requests that go anywhere, above 0 and below 1
	Random  float64       `json:"random,omitempty"`
	Theta   float64       `json:"theta,omitempty"` // for zipf: the exponent, above 1; 0: 1.1
	Read    float64       `json:"read"`            // share of reads, 0..1
	Depth   int           `json:"depth"`           // outstanding requests of each thread
	Threads int           `json:"threads"`         //
	Think   time.Duration `json:"think,omitempty"` // of a slot, between a completion and its next request
	// operations a second of all threads together; 0: unlimited
	Rate     float64       `json:"rate,omitempty"`
	Warmup   time.Duration `json:"warmup,omitempty"` //
	Interval time.Duration `json:"window"`           //
	Amount   unit.Bytes    `json:"amount,omitempty"` // instead of an interval, which is then the limit
	Seed     uint64        `json:"seed,omitempty"`   // of offsets and data
	// share of each block that is zeros; 0: incompressible
	Compressible float64 `json:"compressible,omitempty"`
	// every block contains its position, which is checked when it is read
	Verify  bool   `json:"verify,omitempty"`
	Cached  bool   `json:"cached,omitempty"`   // through the system's cache
	Warm    bool   `json:"warm,omitempty"`     // with cached: the cache is not emptied first
	Sync    bool   `json:"sync,omitempty"`     // a write counts when it is on the medium
	OnError string `json:"on_error,omitempty"` // stop (default), go-on
	Steady  bool   `json:"steady,omitempty"`   // end as soon as it is steady, after the interval at most
	// DEVICE=SERIAL or DEVICE=SIZE: this device may be overwritten
	Destroy string `json:"destroy,omitempty"`
	Way     string `json:"way,omitempty"` // empty: the best that works on this system
	// completions that one wait collects at most; 0: 8, and fewer the slower they come
	Batch int `json:"batch,omitempty"`

	// for NVMe/TCP: the initiator's name (host NQN); empty: a generated one
	HostName string `json:"host_name,omitempty"`

	// Ours marks a file, or the storage behind a device, that was created for this job and others: it is written without a
	// warning, and stays. With Verify it is laid out with the job's data.
	Ours bool `json:"-"`

	Remote Remote `json:"-"` // opens remote targets by their scheme; nil: nvme-tcp alone
}

// withDefaults fills in the defaults of j.
func (j Job) withDefaults() Job {
	j.Pattern = cmp.Or(j.Pattern, PatternRandom)
	j.Theta = cmp.Or(j.Theta, 1.1)
	j.OnError = cmp.Or(j.OnError, OnErrorStop)
	j.Batch = cmp.Or(j.Batch, 8)
	if j.Remote == nil {
		j.Remote = nvmeRemote{j.HostName}
	}
	return j
}

func (j Job) writes() bool { return j.Read < 1 && j.Way != WayNop }

func input(subject, format string, args ...any) *failure.Error {
	return &failure.Error{Code: failure.CodeInput, Subject: subject, Text: fmt.Sprintf(format, args...)}
}

func unsafeTo(subject, format string, args ...any) *failure.Error {
	return &failure.Error{Code: failure.CodeUnsafe, Subject: subject, Text: fmt.Sprintf(format, args...)}
}

// Check returns every error that shows without looking at the target.
func (j Job) Check() []*failure.Error {
	j = j.withDefaults()
	var out []*failure.Error
	wrong := func(subject, format string, args ...any) { out = append(out, input(subject, format, args...)) }
	if j.Target == "" && j.Way != WayNop {
		wrong("target", "none is given; name a file, a folder or a device")
	}
	if len(j.Target) > maxSpoken || strings.ContainsRune(j.Target, 0) {
		wrong("target", "a name of %d characters is not one of a file", len(j.Target))
	}
	switch {
	case j.Size < smallestBlock || j.Size > largestBlock:
		wrong("size", "a block of %v is outside of %v to %v, linerate's limits", j.Size, smallestBlock, largestBlock)
	case j.Size%smallestBlock != 0:
		wrong("size", "a block of %d bytes is not a multiple of 512, the smallest sector there is; take %d or %d", j.Size,
			j.Size/512*512, (j.Size/512+1)*512)
	}
	if j.Span < 0 || j.Span > 0 && j.Size > 0 && j.Span < j.Size {
		wrong("span", "%v has no room for a block of %v; make it larger", j.Span, j.Size)
	}
	oneOf := func(subject, value string, values ...string) {
		for _, v := range values {
			if v == value {
				return
			}
		}
		wrong(subject, "%.40q is not one of %s", value, strings.Join(values, ", "))
	}
	oneOf("pattern", j.Pattern, PatternRandom, PatternSequential, PatternMixed, PatternZipf)
	if (j.Pattern == PatternMixed) != (j.Random > 0 && j.Random < 1) {
		wrong("random", "%v: it is of the pattern mixed, a share above 0 and below 1", j.Random)
	}
	oneOf("on_error", j.OnError, OnErrorStop, OnErrorGoOn)
	if j.Way != "" {
		oneOf("way", j.Way, WayRing, WayThreads, WayOverlapped, WayNop)
	}
	if j.Pattern == PatternZipf && !(j.Theta > 1 && j.Theta <= 10) {
		wrong("theta", "%v is not above 1 and at most 10; 1.1 is usual", j.Theta)
	}
	if !(j.Read >= 0 && j.Read <= 1) {
		wrong("read", "%v is not a share from 0 to 1", j.Read)
	}
	if !(j.Compressible >= 0 && j.Compressible <= 1) {
		wrong("compressible", "%v is not a share from 0 to 1", j.Compressible)
	}
	if j.Depth < 1 || j.Depth > maxDepth {
		wrong("depth", "%d is not from 1 to %d, linerate's limit for each thread", j.Depth, maxDepth)
	}
	if j.Threads < 1 || j.Threads > maxThreads {
		wrong("threads", "%d is not from 1 to %d, linerate's limit", j.Threads, maxThreads)
	}
	if need := unit.Bytes(max(j.Depth, 0)) * unit.Bytes(max(j.Threads, 0)) * j.Size; len(out) == 0 &&
		need > maxBuffers {
		out = append(out, &failure.Error{Code: failure.CodeLimit, Subject: "depth", Text: fmt.Sprintf(
			"%d threads with %d requests of %v each need %v of memory, above linerate's limit of %v; lower one of them",
			j.Threads, j.Depth, j.Size, need, maxBuffers)})
	}
	if j.Interval <= 0 || j.Interval > longestJob {
		wrong("window", "%v is not above 0 and at most %v", j.Interval, longestJob)
	}
	if j.Warmup < 0 || j.Warmup > longestJob {
		wrong("warmup", "%v is not from 0 to %v", j.Warmup, longestJob)
	}
	if j.Think < 0 || j.Think > time.Hour {
		wrong("think", "%v is not from 0 to %v", j.Think, time.Hour)
	}
	if !(j.Rate >= 0 && j.Rate <= 1e9) {
		wrong("rate", "%v is not a number of operations a second", j.Rate)
	}
	if j.Amount < 0 || j.Amount > 0 && j.Amount < j.Size {
		wrong("amount", "%v is less than one block of %v", j.Amount, j.Size)
	}
	if j.Amount > 0 && j.Steady {
		wrong("steady", "an amount ends when it is read or written; leave one of them out")
	}
	if j.Amount > 0 && j.Warmup > 0 {
		wrong("warmup", "an amount is read or written from its first byte on; leave one of them out")
	}
	if j.Batch < 1 || j.Batch > maxDepth {
		wrong("batch", "%d is not from 1 to %d", j.Batch, maxDepth)
	}
	if j.Warm && !j.Cached {
		wrong("warm", "it says that the system's cache stays as it is, and the job goes around it; add cached")
	}
	if j.Destroy != "" && !strings.Contains(j.Destroy, "=") {
		wrong("destroy",
			"%.80q names no serial number or size; write DEVICE=SERIAL, or DEVICE=SIZE where the device has none", j.Destroy)
	}
	if j.Destroy != "" && !j.writes() {
		wrong("destroy", "the job only reads; leave it out, or lower the share of reads")
	}
	if j.Verify && j.Way == WayNop {
		wrong("verify", "requests that do nothing read nothing; leave one of them out")
	}
	return out
}

// together joins several errors, a line each. The code is that of the first that is about safety, else of the first.
func together(all []*failure.Error) error {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	one := &failure.Error{Code: all[0].Code}
	var lines []string
	for _, e := range all {
		if e.Code == failure.CodeUnsafe {
			one.Code = e.Code
		}
		lines = append(lines, e.Error())
	}
	one.Text = strings.Join(lines, "\n")
	return one
}
