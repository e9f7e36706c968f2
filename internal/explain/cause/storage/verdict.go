package storage

import (
	"cmp"
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

const (
	// fullShare is the share of a ceiling from which on storage has reached it: blocks in flight at the edges of the
	// interval are not counted.
	fullShare = 0.95
	// moreByDepth is the speedup with more concurrent requests from which on this combination has too few of them. noMore
	// is the largest speedup where the drive is full.
	moreByDepth, noMore = 1.2, 1.1
)

// Case is one combination of the storage method with everything known about it.
type Case struct {
	e     *record.Experiment
	all   []*record.Experiment // of the run: those that differ in one thing show its effect
	b     *record.Block
	what  string // the combination in a few words
	rate  string
	share *float64 // of the lowest ceiling; nil: that is not known
	shots func(host string) judge.Shots
	// deeper is the combination that has more requests at once, and is the same but for that; nil: there is none.
	deeper *record.Experiment
}

// Cause is a possible bottleneck of storage.
type Cause = judge.CauseOf[*Case]

// Causes returns the causes in the order in which they are tried: each could be mistaken for a later one. Causes with
// the same ID find the same thing by different evidence.
func Causes() []Cause {
	return []Cause{
		storageAbove, // only ever a candidate
		storageFull,
		storageQuota,    // before all that wait for a CPU
		sourceGenerator, // before the cache, which takes what is made
		pageCacheRead,   // before the drive and the CPUs, which the figure is not about
		pageCacheWrite,
		askingThreads,
		smbEncryption, // before the CPUs of the host, of which only one is full
		smbSigning,
		smbSingleChannel,
		hostCPUs,
		burstCache,  // before the drive, which is busy then
		syncWrites,  // before the requests at once, because more of them help here, too
		fewRequests, // before the drive, which one request keeps busy
		storageMedia,
		oneRequest,
		storageBehind, // only ever a candidate
	}
}

// Verdict returns the bottleneck of a storage experiment: the network, a CPU, the drive, too few concurrent requests,
// or memory, if no drive was involved. all are the experiments of the run: those that differ only in their requests
// show the effect of more requests. shots returns a host's snapshots, and is nil where there are none. Nil: there is no
// figure.
func Verdict(causes []Cause, e *record.Experiment, all []*record.Experiment,
	shots func(host string) judge.Shots) *record.Verdict {
	b := e.Block
	if b == nil || e.Bytes == nil || e.IOPS == nil || e.Bytes.Median <= 0 || len(b.Workers) == 0 {
		return nil
	}
	c := &Case{e: e, all: all, b: b, shots: shots, deeper: deeperThan(e, all),
		what: fmt.Sprintf("%s (%s)", e.Path(), loadOf(e)), rate: unit.BytesPerSecond(e.Bytes.Median),
		share: shareOfCeiling(e)}
	if shots == nil {
		c.shots = func(string) judge.Shots { return judge.Shots{} }
	}
	return verdict(c, causes, c.share, func(d judge.Decision) *judge.Match {
		return &judge.Match{Limiter: record.LimiterUnexplained, Sentence: c.unexplained(),
			Next: cmp.Or(d.Settles, "the same with twice the depth and twice the threads: what gives no more is full")}
	})
}

// verdict returns the first cause of storage or a copy that applies, or else the verdict unexplained.
func verdict[C any](c C, causes []judge.CauseOf[C], share *float64,
	unexplained func(judge.Decision) *judge.Match) *record.Verdict {
	d := judge.Judge(c, 0, causes, judge.OwnSentence)
	if d.Match == nil {
		d.Match = unexplained(d)
	}
	v := &record.Verdict{ShareOfCeiling: share, Evidence: []record.Evidence{},
		Candidates: append([]record.Candidate{}, d.Candidates...)}
	d.Conclude(v)
	return v
}

// shareOfCeiling returns the rate as a share of the lowest ceiling; nil: not known.
func shareOfCeiling(e *record.Experiment) *float64 {
	if e.Ceiling == nil || e.Ceiling.Limit <= 0 {
		return nil
	}
	return new(e.Bytes.Median * 8 / float64(e.Ceiling.Limit))
}

// requestTook describes the median time of a request.
func requestTook(e *record.Experiment) string {
	if e.Latency == nil || e.Latency.P50 <= 0 {
		return "a while"
	}
	return unit.Seconds(e.Latency.P50)
}
