package explain

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// fullShare is the share of a ceiling from which on storage has reached it: blocks that are under way at an edge of the window are in no count.
	fullShare = 0.95
	// moreByDepth is what a cell with more requests at once gives more where this one lacks requests; noMore is what it gives at most where the drive is full.
	moreByDepth, noMore = 1.2, 1.1
)

// storageCase is what one cell of block left behind.
type storageCase struct {
	e     *record.Experiment
	all   []*record.Experiment // of the run: those that differ in one thing alone say what it does
	b     *record.Block
	what  string // the cell in a few words
	rate  string
	share *float64 // of the lowest ceiling; nil: that is not known
	shots func(host string) Shots
	// deeper is the cell that has more requests at once, and is the same but for that; nil: there is none.
	deeper *record.Experiment
}

// storageCause is one thing that can hold storage back. Test is nil where nothing speaks for it; a match that is a candidate alone is told, and decides nothing.
type storageCause struct {
	ID    string
	Title string
	Test  func(*storageCase) *Match
}

// storageCauses in the order in which they are asked, because each would be taken for those behind it. IDs that several have tell of one thing by different marks.
var storageCauses = []storageCause{
	storageAbove, // a candidate alone
	storageFull,
	storageQuota,    // before all that wait for a processor
	sourceGenerator, // before the cache, which takes what is made
	pageCacheRead,   // before the drive and the processors: it is no figure of theirs
	pageCacheWrite,
	askingThreads,
	smbEncryption, // before the processors of the host, of which one is full alone
	smbSigning,
	smbSingleChannel,
	hostProcessors,
	burstCache,  // before the drive, which is busy then
	syncWrites,  // before the requests at once, of which more help it, too
	fewRequests, // before the drive, which one request keeps busy
	storageMedia,
	oneRequest,
	storageBehind, // a candidate alone
}

// StorageCauses lists the ids of what is looked for where storage was measured, each once, in the order in which they are asked.
func StorageCauses() []string {
	var ids []string
	for _, c := range storageCauses {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// storageVerdict says which part holds a cell of block back: the network, a processor, the drive, too few requests at once, or, of a figure that is no drive's, memory. all are
// the experiments of the run, among which those that differ in their requests alone say what more of them give; shots gives a host's captures, nil: there are none.
func storageVerdict(e *record.Experiment, all []*record.Experiment, shots func(host string) Shots) *record.Verdict {
	return storageVerdictOf(storageCauses, e, all, shots)
}

// storageVerdictOf is storageVerdict by the causes of a table.
func storageVerdictOf(table []storageCause, e *record.Experiment, all []*record.Experiment, shots func(host string) Shots) *record.Verdict {
	b := e.Block
	if b == nil || e.Bytes == nil || e.IOPS == nil || e.Bytes.Median <= 0 || len(b.Workers) == 0 {
		return nil
	}
	c := &storageCase{e: e, all: all, b: b, what: fmt.Sprintf("%s (%s)", e.Path(), loadOf(e)), rate: unit.BytesPerSecond(e.Bytes.Median), shots: shots, deeper: deeperThan(e, all)}
	if shots == nil {
		c.shots = func(string) Shots { return Shots{} }
	}
	if e.Ceiling != nil && e.Ceiling.Limit > 0 {
		c.share = ptr(e.Bytes.Median * 8 / float64(e.Ceiling.Limit))
	}
	v := &record.Verdict{ShareOfCeiling: c.share, Evidence: []record.Evidence{}, Candidates: []record.Candidate{}}
	next := ""
	for i := range table {
		m := table[i].Test(c)
		switch {
		case m == nil:
		case v.Limiter == "" && m.Strength >= Likely:
			v.Limiter, v.Component, v.Sentence, v.Identity = table[i].ID, m.Component, m.Sentence, m.Identity
			v.Confidence = map[Strength]string{Likely: "likely", Proved: "proved"}[m.Strength]
			v.Evidence = append(v.Evidence, m.Evidence...)
			v.Fix, v.Undo, v.NextCeiling, v.NextExperiment = m.Fix, m.Undo, m.NextCeiling, m.Next
			if id := m.Other; id != "" {
				v.Limiter = id
			}
		case v.Limiter == "":
			v.Candidates = append(v.Candidates, record.Candidate{Limiter: table[i].ID, Text: m.Sentence})
			next = cmp.Or(next, m.Next)
		}
	}
	if v.Limiter == "" {
		v.Limiter, v.NextExperiment = Unexplained, cmp.Or(next, "the same with twice the depth and twice the threads: what gives no more is full")
		v.Sentence = c.unexplained()
	}
	return v
}

// requestTook is how long half of the requests took.
func requestTook(e *record.Experiment) string {
	if e.Latency == nil || e.Latency.P50 <= 0 {
		return "a while"
	}
	return unit.Seconds(e.Latency.P50)
}
