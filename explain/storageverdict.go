package explain

import (
	"fmt"
	"math"
	"strconv"

	"linerate/fabric"
	"linerate/result"
	"linerate/unit"
)

const (
	// fullShare is the share of a ceiling from which on storage has reached it: blocks that are under way at an edge of the window are in no count.
	fullShare = 0.95
	// fromMemory is the share of what was asked for below which a drive moved so little of it that the figure is of a cache.
	fromMemory = 0.5
	// moreByDepth is what a cell with more requests at once gives more where this one lacks requests; noMore is what it gives at most where the drive is full.
	moreByDepth, noMore = 1.2, 1.1
	// wholeThread is the share of a core from which on a thread that asks has no time left.
	wholeThread = 0.9
)

// storageVerdict says which part holds a cell of block back: the network, a processor, the drive, too few requests at once, or, of a figure that is no drive's, memory. all are
// the experiments of the run, among which those that differ in their requests alone say what more of them give.
func storageVerdict(e *result.Experiment, all []*result.Experiment) *result.Verdict {
	b := e.Block
	if b == nil || e.Bytes == nil || e.IOPS == nil || e.Bytes.Median <= 0 || len(b.Workers) == 0 {
		return nil
	}
	v := &result.Verdict{Evidence: []result.Evidence{}, Candidates: []result.Candidate{}}
	what := fmt.Sprintf("%s (%s)", e.Path(), loadOf(e))
	rate := unit.BytesPerSecond(e.Bytes.Median)
	full := false
	if e.Ceiling != nil && e.Ceiling.Limit > 0 {
		share := e.Bytes.Median * 8 / float64(e.Ceiling.Limit)
		v.ShareOfCeiling, full = &share, share >= fullShare
	}
	set := func(limiter, component, confidence, sentence string) *result.Verdict {
		v.Limiter, v.Component, v.Confidence, v.Sentence = limiter, component, confidence, sentence
		return v
	}
	if full {
		limiter := "link"
		if h := e.Ceiling.Lowest(); h != nil && h.Kind != "cable" && h.Kind != "port" && h.Kind != "shaper" && h.Kind != "streams" {
			limiter = map[string]string{"drive": "media-limit", "pcie": "pcie"}[h.Kind]
		}
		if limiter == "" {
			limiter = "link"
		}
		return set(limiter, e.Ceiling.Component, "proved", fmt.Sprintf("%s reaches what %s allows: %s of %s.", what, e.Ceiling.Component, rate, unit.BytesPerSecond(float64(e.Ceiling.Limit)/8)))
	}
	if m := servedFromMemory(e, what); m != nil {
		m.ShareOfCeiling = v.ShareOfCeiling
		return m
	}
	threads := requestsOf(e).threads
	for _, h := range b.Hosts {
		if h.Asks && h.Own != nil && threads > 0 && *h.Own >= wholeThread*float64(min(threads, max(h.Of, 1))) {
			v.Evidence = append(v.Evidence, result.Evidence{Host: h.Host, Source: "/proc/self/task", Counter: "processor time", After: h.Own, Unit: "cores", Text: fmt.Sprintf("the %s that ask had %s cores", plural(threads, "thread"), unit.Significant(*h.Own))})
			v.Fix, v.NextExperiment = "more threads, each has a core of its own, where "+h.Host+" has cores left; larger blocks where bytes count", "--threads "+strconv.Itoa(threads*2)
			return set("cpu-per-request", "processor of "+h.Host, "likely", fmt.Sprintf("%s is held back by the processor that asks: %s on %s had no time left, at %s IOPS.", what, plural(threads, "thread"), h.Host, unit.Count(e.IOPS.Median)))
		}
		if h.Cores != nil && h.Of > 0 && *h.Cores >= fullShare*float64(h.Of) {
			v.Evidence = append(v.Evidence, result.Evidence{Host: h.Host, Source: "/proc/stat", Counter: "cores in use", After: h.Cores, Unit: "cores", Text: fmt.Sprintf("%s of the %s of %s were in use", unit.Significant(*h.Cores), plural(h.Of, "core"), h.Host)})
			return set("cpu-per-request", "processor of "+h.Host, "likely", fmt.Sprintf("%s is held back by the processor of %s: all of its cores were in use, at %s IOPS.", what, h.Host, unit.Count(e.IOPS.Median)))
		}
	}
	deeper := deeperThan(e, all)
	if deeper != nil && deeper.Bytes.Median >= moreByDepth*e.Bytes.Median {
		v.Evidence = append(v.Evidence, result.Evidence{Source: "this run", Counter: "bytes a second", After: &deeper.Bytes.Median, Unit: "B/s", Text: fmt.Sprintf("with more requests at once (%s) it gave %s", loadOf(deeper), unit.BytesPerSecond(deeper.Bytes.Median))})
		v.Fix, v.NextCeiling = "more requests at once, where the program can: a deeper queue, more threads", unit.BytesPerSecond(deeper.Bytes.Median)+" as measured with more of them"
		return set("one-connection", "requests at once", "proved", fmt.Sprintf("%s is held back by too few requests at once: each waits %s, and nothing else does meanwhile; with more of them (%s) it gives %s in place of %s.",
			what, requestTook(e), loadOf(deeper), unit.BytesPerSecond(deeper.Bytes.Median), rate))
	}
	for _, h := range b.Hosts {
		for _, d := range h.Drives {
			if d.Busy < busyDrive {
				continue
			}
			busy := d.Busy
			v.Evidence = append(v.Evidence, result.Evidence{Host: h.Host, Source: "/proc/diskstats", Counter: "io_ticks of " + d.Name, After: &busy, Unit: "share of the time", Text: fmt.Sprintf("%s had a request under way %s of the time", d.Name, unit.Percent(busy))})
			confidence := "likely"
			if deeper != nil && deeper.Bytes.Median <= noMore*e.Bytes.Median {
				confidence = "proved"
				v.Evidence = append(v.Evidence, result.Evidence{Source: "this run", Counter: "bytes a second", After: &deeper.Bytes.Median, Unit: "B/s", Text: fmt.Sprintf("with more requests at once (%s) it gave no more: %s", loadOf(deeper), unit.BytesPerSecond(deeper.Bytes.Median))})
			} else if requestsOf(e).all() == 1 {
				break // one request is always under way: that says nothing of the drive
			}
			v.Fix = "a faster drive, or several side by side"
			return set("media-limit", d.Name+" of "+h.Host, confidence, fmt.Sprintf("%s is held back by the drive %s of %s: it had something to do %s of the time, and gave %s.", what, d.Name, h.Host, unit.Percent(busy), rate))
		}
	}
	if requestsOf(e).all() == 1 {
		v.NextExperiment = "the same with --depth 32"
		return set("one-connection", "requests at once", "likely", fmt.Sprintf("%s has one request under way at a time, and each takes %s: the rate is one over that time, whatever the parts could carry.", what, requestTook(e)))
	}
	v.NextExperiment = "the same with twice the depth and twice the threads: what gives no more is full"
	return set(Unexplained, "", "", fmt.Sprintf("%s gave %s, and why it is not more is not explained: no processor, drive or link of it was full.", what, rate))
}

// requestTook is how long half of the requests took.
func requestTook(e *result.Experiment) string {
	if e.Latency == nil || e.Latency.P50 <= 0 {
		return "a while"
	}
	return unit.Seconds(e.Latency.P50)
}

// requests is how many requests a cell has under way.
type requests struct{ depth, threads, workers int }

func (a requests) all() int { return a.depth * a.threads * a.workers }

func requestsOf(e *result.Experiment) requests {
	a := requests{1, 1, max(1, len(e.Block.Workers))}
	if l, ok := fabric.ParseBlockLoad(e.Settings["load"]); ok {
		a.depth, a.threads = l.Depth, l.Threads
		return a
	}
	if n, err := strconv.Atoi(e.Settings["depth"]); err == nil {
		a.depth = n
	}
	if n, err := strconv.Atoi(e.Settings["threads"]); err == nil {
		a.threads = n
	}
	return a
}

// deeperThan is the cell that differs from this one in its number of requests alone and has the most; nil: none has more.
func deeperThan(e *result.Experiment, all []*result.Experiment) (most *result.Experiment) {
	key := func(x *result.Experiment) string {
		s := map[string]string{}
		for k, v := range x.Settings {
			switch k {
			case "depth", "threads":
			case "load":
				if l, ok := fabric.ParseBlockLoad(v); ok {
					s[k] = l.Order + l.Block
				}
			default:
				s[k] = v
			}
		}
		return fmt.Sprint(x.Name, x.Path(), x.Variant, s) // maps are printed in order
	}
	own := key(e)
	for _, x := range all {
		if x != e && x.Block != nil && x.Bytes != nil && x.Failed == "" && key(x) == own && requestsOf(x).all() > requestsOf(e).all() && (most == nil || x.Bytes.Median > most.Bytes.Median) {
			most = x
		}
	}
	return most
}

// servedFromMemory is the verdict of a figure that is no drive's: what was asked for, and what the drives moved meanwhile. Nil: they moved it, or that is not known.
func servedFromMemory(e *result.Experiment, what string) *result.Verdict {
	b := e.Block
	var read, written float64
	var at string
	known := false
	for _, h := range b.Hosts {
		for _, d := range h.Drives {
			if !known || float64(d.ReadBytes) > read || float64(d.WrittenBytes) > written {
				at = d.Name + " of " + h.Host
			}
			read, written, known = math.Max(read, float64(d.ReadBytes)), math.Max(written, float64(d.WrittenBytes)), true // one may be made of another
		}
	}
	if !known {
		return nil
	}
	for _, way := range []struct {
		limiter, verb string
		count         *result.BlockCount
		moved         float64
	}{{"page-cache-read", "read", b.Read, read}, {"page-cache-write", "written", b.Write, written}} {
		if way.count == nil || way.count.Bytes == 0 {
			continue
		}
		asked := float64(way.count.Bytes)
		if way.moved >= fromMemory*asked {
			continue
		}
		v := &result.Verdict{Limiter: way.limiter, Component: "memory before " + at, Confidence: "proved", Candidates: []result.Candidate{},
			Identity: &result.Identity{Left: unit.Bytes(asked).String() + " were asked for", Right: unit.Bytes(way.moved).String() + " were " + way.verb + " by " + at, Difference: 1 - way.moved/asked},
			Evidence: []result.Evidence{{Source: "/proc/diskstats", Counter: "sectors " + way.verb + " of " + at, After: &way.moved, Unit: "bytes", Text: fmt.Sprintf("%s moved %s of the %s that were asked for", at, unit.Bytes(way.moved), unit.Bytes(asked))}}}
		v.Sentence = fmt.Sprintf("%s is no figure of the drive: of %s that were %s in the window, %s moved %s; the rest was a cache's, in memory.", what, unit.Bytes(asked), way.verb, at, unit.Bytes(way.moved))
		v.Fix = "go around the cache where the storage can (--cache around, the default), or use more than the memory of the host that has it holds (--span)"
		return v
	}
	return nil
}
