package storage

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

const (
	// copyFull is the share of a ceiling from which on a copy has reached it: its time includes connecting, closing and
	// the sync.
	copyFull = 0.9
	// syncShare is the share of a copy's time from which on the sync may be the bottleneck, and mostSync that from which
	// on it is: nothing else takes longer.
	syncShare, mostSync = 0.25, 0.5
)

// CopyCase is one experiment of copy.
type CopyCase struct {
	e          *record.Experiment
	all        []*record.Experiment // of the run
	c          *record.Copy
	share      *float64 // of the lowest ceiling; nil: not known
	what, rate string
}

// CopyCause is a possible bottleneck of a copy.
type CopyCause = judge.CauseOf[*CopyCase]

// CopyCauses returns the causes in the order in which they are tried. The first that applies is the verdict.
func CopyCauses() []CopyCause {
	return []CopyCause{
		{ID: "link", Title: "the lowest ceiling", Test: copyReachesCeiling},
		{ID: "page-cache-read", Title: "memory in place of a drive", Test: copyFromMemory},
		{ID: "cpu-per-request", Title: "a thread of the tool", Test: copyThread},
		{ID: "cpu-per-request", Title: "the CPU of a host", Test: copyCPU},
		{ID: "one-connection", Title: "too few copies at once", Test: copyFewStreams},
		{ID: "media-limit", Title: "a drive", Test: copyDrive},
		{ID: "media-limit", Title: "the sync", Test: copySync},
	}
}

// CopyVerdict returns the bottleneck of a copy: the network, a thread of its tool, the copying one at a time, or a
// drive. For a copy without a drive it says that the figure is one of memory. Nil: nothing was copied.
func CopyVerdict(causes []CopyCause, e *record.Experiment, all []*record.Experiment) *record.Verdict {
	if e.Copy == nil || e.Bytes == nil || e.Bytes.Median <= 0 || len(e.Copy.Legs) == 0 {
		return nil
	}
	c := &CopyCase{e: e, all: all, c: e.Copy, share: shareOfCeiling(e), what: copySubject(e),
		rate: unit.BytesPerSecond(e.Bytes.Median)}
	return verdict(c, causes, c.share, func(d judge.Decision) *judge.Match {
		full := ": no thread, CPU, drive or link of it was full"
		if len(d.Candidates) > 0 {
			full = ""
		}
		return &judge.Match{
			Limiter: record.LimiterUnexplained, Next: "the same with --streams 4: what gives no more is full",
			Sentence: fmt.Sprintf("%s gave %s, and why it is not more is not explained%s.", c.what, c.rate, full),
		}
	})
}

func copyReachesCeiling(c *CopyCase) *judge.Match {
	if c.share == nil || *c.share < copyFull {
		return nil
	}
	m := &judge.Match{
		Strength: judge.Proved, Component: c.e.Ceiling.Component,
		Sentence: fmt.Sprintf("%s reaches what %s allows: %s of %s.", c.what, c.e.Ceiling.Component, c.rate,
			unit.BytesPerSecond(float64(c.e.Ceiling.Limit)/8)),
	}
	if h := c.e.Ceiling.Lowest(); h != nil {
		m.Limiter = map[string]string{"drive": "media-limit", "pcie": "pcie"}[h.Kind]
	}
	return m
}

func copyFromMemory(c *CopyCase) *judge.Match {
	if waitsForMedium(c.c) {
		return nil
	}
	return copiedFromMemory(c.e, c.what)
}

func copyThread(c *CopyCase) *judge.Match {
	for _, t := range c.c.Threads {
		if t.Seconds <= 0 || t.CPU < wholeThread*t.Seconds || t.Seconds < 0.5*c.e.Seconds.Median {
			continue
		}
		share := t.CPU / t.Seconds
		m := &judge.Match{
			Strength: judge.Likely, Component: t.Name + " of " + c.c.On,
			Sentence: fmt.Sprintf("%s is held back by one thread of %s on %s, which had no CPU time left (%s of a "+
				"core), at %s.", c.what, t.Name, c.c.On, unit.Percent(share), c.rate),
			Evidence: []record.Evidence{{Host: c.c.On, Source: "/proc/PID/task/TID/schedstat",
				Counter: "CPU time of " + t.Name, After: &share, Unit: "cores",
				Text: fmt.Sprintf("a thread of %s had %s of a core", t.Name, unit.Percent(share))}},
			Fix: "several copies at once, each has a core of its own (streams); of scp and rsync over ssh another cipher " +
				"(ssh -Q cipher), or a protocol without one",
			Next: "--streams 2",
		}
		m.Add(spare(c.c.Hosts, c.e, c.share)...)
		return m
	}
	return nil
}

func copyCPU(c *CopyCase) *judge.Match {
	for _, h := range c.c.Hosts {
		if h.Cores == nil || h.Of <= 0 || *h.Cores < fullShare*float64(h.Of) {
			continue
		}
		evidence := []record.Evidence{{Host: h.Host, Source: "/proc/stat", Counter: "cores in use", After: h.Cores,
			Unit: "cores",
			Text: fmt.Sprintf("%s of the %s of %s were in use", unit.Significant(*h.Cores), unit.Counted(h.Of, "core"), h.Host)}}
		evidence = append(evidence, spare(c.c.Hosts, c.e, c.share)...)
		most := ""
		if other := otherCores(c.e); other >= 0.5**h.Cores {
			most = ", most of it by other work"
			evidence = append(evidence, record.Evidence{Host: h.Host, Source: "/proc/stat", Counter: "cores of other work",
				After: &other, Unit: "cores", Text: fmt.Sprintf("other work had %s cores", unit.Significant(other))})
		}
		return &judge.Match{
			Strength: judge.Likely, Component: "CPU of " + h.Host, Evidence: evidence,
			Sentence: fmt.Sprintf("%s is held back by the CPU of %s: all of its cores were in use%s, at %s.", c.what,
				h.Host, most, c.rate),
		}
	}
	return nil
}

func copyFewStreams(c *CopyCase) *judge.Match {
	more := moreStreams(c.e, c.all)
	if more == nil || more.Bytes.Median < moreByDepth*c.e.Bytes.Median {
		return nil
	}
	streams, rate := more.Settings["streams"], unit.BytesPerSecond(more.Bytes.Median)
	return &judge.Match{
		Strength: judge.Proved, Component: "copies at once",
		Sentence: fmt.Sprintf("%s is held back by too few copies at once: nothing else goes on while one of them waits; "+
			"%s give %s in place of %s.", c.what, streams, rate, c.rate),
		Evidence: []record.Evidence{{Source: "this run", Counter: "bytes a second", After: &more.Bytes.Median, Unit: "B/s",
			Text: fmt.Sprintf("%s copies at once gave %s", streams, rate)}},
		Fix:         "several copies at once, or a tool that has several threads (robocopy /MT, curl --parallel)",
		NextCeiling: rate + " as measured with " + streams,
	}
}

func copyDrive(c *CopyCase) *judge.Match {
	for _, h := range c.c.Hosts {
		for _, d := range h.Drives {
			if d.Busy < BusyDrive {
				continue
			}
			m := &judge.Match{
				Strength: judge.Likely, Component: d.Name + " of " + h.Host, Fix: "a faster drive, or several side by side",
				Sentence: fmt.Sprintf("%s is held back by the drive %s of %s: it had something to do %s of the time, at %s.",
					c.what, d.Name, h.Host, unit.Percent(d.Busy), c.rate),
				Evidence: []record.Evidence{judge.Reading(h.Host, "/proc/diskstats", "io_ticks of "+d.Name, d.Busy,
					"share of the time", "%s had a request under way %s of the time", d.Name, unit.Percent(d.Busy))},
			}
			m.Add(movedBy(h.Host, d, float64(c.c.Bytes), len(h.Drives))...)
			return m
		}
	}
	return nil
}

func copySync(c *CopyCase) *judge.Match {
	for _, l := range c.c.Legs {
		if l.Sync == nil || l.Seconds <= 0 || *l.Sync < syncShare*l.Seconds {
			continue
		}
		share := *l.Sync / l.Seconds
		m := &judge.Match{
			Component: "storage of " + l.To.Host,
			Sentence: fmt.Sprintf("%s waits for the medium of %s: bringing onto it what was still in memory took %s of the "+
				"time.", c.what, l.To.Host, unit.Percent(share)),
			Evidence: []record.Evidence{{Host: l.To.Host, Source: "fsync", Counter: "seconds", After: l.Sync, Unit: "s",
				Text: fmt.Sprintf("the sync took %s, %s of the time", unit.Seconds(*l.Sync), unit.Percent(share))}},
		}
		if share >= mostSync {
			m.Likely(c.wrote(l, share)...)
		}
		return m
	}
	return nil
}

// wrote is the evidence that a drive of the target got what was copied, and was busy at least as long as the sync took.
func (c *CopyCase) wrote(l record.CopyLeg, busy float64) []record.Evidence {
	for _, h := range c.c.Hosts {
		if h.Host != l.To.Host {
			continue
		}
		for _, d := range h.Drives {
			if d.Busy >= busy*0.9 && float64(d.WrittenBytes) >= copyFull*float64(l.Bytes) {
				return []record.Evidence{judge.Reading(h.Host, "/proc/diskstats", "sectors written of "+d.Name,
					float64(d.WrittenBytes), "bytes", "%s of the %s that were copied came to %s meanwhile, which had a request "+
						"under way %s of the time", unit.Bytes(d.WrittenBytes).Like(unit.Bytes(l.Bytes)), unit.Bytes(l.Bytes), d.Name,
					unit.Percent(d.Busy))}
			}
		}
	}
	return nil
}

// waitsForMedium reports whether a drive was busy, or the sync took a good part of the time. A drive then limits the
// copy, whatever memory did.
func waitsForMedium(c *record.Copy) bool {
	for _, h := range c.Hosts {
		if slices.ContainsFunc(h.Drives, func(d record.DriveCount) bool { return d.Busy >= BusyDrive }) {
			return true
		}
	}
	return slices.ContainsFunc(c.Legs, func(l record.CopyLeg) bool {
		return l.Sync != nil && l.Seconds > 0 &&
			*l.Sync >= syncShare*l.Seconds
	})
}

// otherCores returns the cores used by other processes, in the repeat where this was least.
func otherCores(e *record.Experiment) float64 {
	least := 0.0
	for i, r := range e.Repeats {
		if i == 0 || r.OtherProcesses < least {
			least = r.OtherProcesses
		}
	}
	return least
}

// moreStreams returns the combination that differs only in its number of concurrent copies, and has the most; nil: none
// has more.
func moreStreams(e *record.Experiment, all []*record.Experiment) (most *record.Experiment) {
	streams := func(x *record.Experiment) int {
		n, err := strconv.Atoi(x.Settings["streams"])
		if err != nil {
			return 1
		}
		return n
	}
	key := func(x *record.Experiment) string {
		s := map[string]string{}
		for k, v := range x.Settings {
			if k != "streams" {
				s[k] = v
			}
		}
		return fmt.Sprint(x.Name, x.Path(), x.Direction, x.Variant, s) // fmt sorts maps
	}
	own := key(e)
	for _, x := range all {
		if x != e && x.Copy != nil && x.Bytes != nil && x.Failed == "" && key(x) == own && streams(x) > streams(e) &&
			(most == nil || x.Bytes.Median > most.Bytes.Median) {
			most = x
		}
	}
	return most
}

// copiedFromMemory returns the match for a copy whose source or target was in memory, by the bytes that the drives
// below moved. Nil: the drives moved them, or that is not known.
func copiedFromMemory(e *record.Experiment, what string) *judge.Match {
	moved := func(host string, devices []string, written bool) (bytes float64, at string, known bool) {
		i := slices.IndexFunc(e.Copy.Hosts, func(h record.BlockHost) bool { return h.Host == host })
		if i < 0 {
			return 0, "", false
		}
		drives := these(e.Copy.Hosts[i].Drives, devices)
		if len(drives) == 0 {
			return 0, "", false
		}
		bytes, at = driven(host, drives, written)
		return bytes, at, true
	}
	for _, l := range e.Copy.Legs {
		asked := float64(l.Bytes)
		for _, way := range []struct {
			limiter, verb string
			place         record.CopyPlace
			written       bool
			fix           string
		}{
			{"page-cache-read", "read", l.From, false, "copy from a cold cache (cache: cold, the default), or more than the " +
				"memory of the host holds"},
			{"page-cache-write", "written", l.To, true, "copy to a drive; the time includes its sync"},
		} {
			if memory := way.place.FileSystem; memory == "tmpfs" || memory == "ramfs" {
				return &judge.Match{Strength: judge.Proved, Limiter: way.limiter, Component: "memory of " + way.place.Host,
					Evidence: []record.Evidence{{Host: way.place.Host, Source: "/proc/self/mountinfo", Counter: "file system",
						Text: fmt.Sprintf("%s lies in %s", way.place.Path, memory)}},
					Sentence: fmt.Sprintf("%s is not a figure of a drive: %s of %s is %s, which is memory.", what, way.place.Path,
						way.place.Host, memory), Fix: way.fix}
			}
			n, at, known := moved(way.place.Host, way.place.Devices, way.written)
			if !known || n >= fromMemory*asked {
				continue
			}
			return &judge.Match{Strength: judge.Proved, Limiter: way.limiter, Component: "memory before " + at, Fix: way.fix,
				Identity: &record.Identity{Left: unit.Bytes(asked).String() + " were copied",
					Right: unit.Bytes(n).Like(unit.Bytes(asked)) + " were " + way.verb + " by " + at, Difference: 1 - n/asked},
				Evidence: []record.Evidence{{Host: way.place.Host, Source: "/proc/diskstats",
					Counter: "sectors " + way.verb + " of " + at, After: &n, Unit: "bytes",
					Text: fmt.Sprintf("%s moved %s of the %s that were copied", at,
						unit.Bytes(n).Like(unit.Bytes(asked)), unit.Bytes(asked))}},
				Sentence: fmt.Sprintf("%s is not a figure of the drive: of %s that were copied, %s moved %s; the rest was "+
					"in memory.",
					what, unit.Bytes(asked), at, unit.Bytes(n).Like(unit.Bytes(asked)))}
		}
	}
	return nil
}
