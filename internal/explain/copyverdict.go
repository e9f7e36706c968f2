package explain

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// copyFull is the share of a ceiling from which on a copy has reached it: connecting, closing and the sync are in its time.
	copyFull = 0.9
	// syncShare is the share of a copy's time from which on its sync is what it waits for.
	syncShare = 0.25
)

// copyCase is one cell of copy. Its verdict is filled by the cause that holds.
type copyCase struct {
	e          *record.Experiment
	all        []*record.Experiment // of the run
	c          *record.Copy
	v          *record.Verdict
	what, rate string
}

// set makes a cause the verdict.
func (c *copyCase) set(limiter, component, confidence, sentence string) bool {
	c.v.Limiter, c.v.Component, c.v.Confidence, c.v.Sentence = limiter, component, confidence, sentence
	return true
}

// copyCause is one thing that can hold a copy back. Test reports whether it does, and fills the verdict then.
type copyCause struct {
	Title string
	Test  func(*copyCase) bool
}

// copyCauses in the order in which they are asked. The first that holds is the verdict.
var copyCauses = []copyCause{
	{"the lowest ceiling", copyReachesCeiling},
	{"memory in place of a drive", copyFromMemory},
	{"a thread of the tool", copyThread},
	{"the processor of a host", copyProcessor},
	{"too few copies at once", copyFewStreams},
	{"a drive", copyDrive},
	{"the sync", copySync},
}

// copyVerdict says what holds a copy back: the network, a thread of its tool, one copy at a time, a drive, and of a copy that met no drive that it is a figure of memory.
func copyVerdict(e *record.Experiment, all []*record.Experiment) *record.Verdict {
	return copyVerdictOf(copyCauses, e, all)
}

// copyVerdictOf is copyVerdict by the causes of a table.
func copyVerdictOf(table []copyCause, e *record.Experiment, all []*record.Experiment) *record.Verdict {
	if e.Copy == nil || e.Bytes == nil || e.Bytes.Median <= 0 || len(e.Copy.Legs) == 0 {
		return nil
	}
	c := &copyCase{e: e, all: all, c: e.Copy, v: &record.Verdict{Evidence: []record.Evidence{}, Candidates: []record.Candidate{}}, what: copySubject(e), rate: unit.BytesPerSecond(e.Bytes.Median)}
	if e.Ceiling != nil && e.Ceiling.Limit > 0 {
		c.v.ShareOfCeiling = ptr(e.Bytes.Median * 8 / float64(e.Ceiling.Limit))
	}
	for _, cause := range table {
		if cause.Test(c) {
			return c.v
		}
	}
	c.v.NextExperiment = "the same with --streams 4: what gives no more is full"
	c.set(Unexplained, "", "", fmt.Sprintf("%s gave %s, and why it is not more is not explained: no thread, processor, drive or link of it was full.", c.what, c.rate))
	return c.v
}

func copyReachesCeiling(c *copyCase) bool {
	if c.v.ShareOfCeiling == nil || *c.v.ShareOfCeiling < copyFull {
		return false
	}
	limiter := "link"
	if h := c.e.Ceiling.Lowest(); h != nil && h.Kind == "drive" {
		limiter = "media-limit"
	} else if h != nil && h.Kind == "pcie" {
		limiter = "pcie"
	}
	return c.set(limiter, c.e.Ceiling.Component, "proved", fmt.Sprintf("%s reaches what %s allows: %s of %s.", c.what, c.e.Ceiling.Component, c.rate, unit.BytesPerSecond(float64(c.e.Ceiling.Limit)/8)))
}

func copyFromMemory(c *copyCase) bool {
	m := copiedFromMemory(c.e, c.what)
	if m == nil || waitsForMedium(c.c) {
		return false
	}
	m.ShareOfCeiling = c.v.ShareOfCeiling
	c.v = m
	return true
}

func copyThread(c *copyCase) bool {
	for _, t := range c.c.Threads {
		if t.Seconds <= 0 || t.CPU < wholeThread*t.Seconds || t.Seconds < 0.5*c.e.Seconds.Median {
			continue
		}
		share := t.CPU / t.Seconds
		c.v.Evidence = append(c.v.Evidence, record.Evidence{Host: c.c.On, Source: "/proc/PID/task/TID/schedstat", Counter: "processor time of " + t.Name, After: &share, Unit: "cores",
			Text: fmt.Sprintf("a thread of %s had %s of a core", t.Name, unit.Percent(share))})
		c.v.Fix, c.v.NextExperiment = "several copies at once, each has a core of its own (streams); of scp and rsync over ssh another cipher (ssh -Q cipher), or a protocol without one", "--streams 2"
		return c.set("cpu-per-request", t.Name+" of "+c.c.On, "likely", fmt.Sprintf("%s is held back by one thread of %s on %s, which had no processor time left (%s of a core), at %s.", c.what, t.Name, c.c.On, unit.Percent(share), c.rate))
	}
	return false
}

func copyProcessor(c *copyCase) bool {
	for _, h := range c.c.Hosts {
		if h.Cores == nil || h.Of <= 0 || *h.Cores < fullShare*float64(h.Of) {
			continue
		}
		c.v.Evidence = append(c.v.Evidence, record.Evidence{Host: h.Host, Source: "/proc/stat", Counter: "cores in use", After: h.Cores, Unit: "cores", Text: fmt.Sprintf("%s of the %s of %s were in use", unit.Significant(*h.Cores), plural(h.Of, "core"), h.Host)})
		most := ""
		if other := otherCores(c.e); other >= 0.5**h.Cores {
			most = ", most of it by other work"
			c.v.Evidence = append(c.v.Evidence, record.Evidence{Host: h.Host, Source: "/proc/stat", Counter: "cores of other work", After: &other, Unit: "cores", Text: fmt.Sprintf("other work had %s cores", unit.Significant(other))})
		}
		return c.set("cpu-per-request", "processor of "+h.Host, "likely", fmt.Sprintf("%s is held back by the processor of %s: all of its cores were in use%s, at %s.", c.what, h.Host, most, c.rate))
	}
	return false
}

func copyFewStreams(c *copyCase) bool {
	more := moreStreams(c.e, c.all)
	if more == nil || more.Bytes.Median < moreByDepth*c.e.Bytes.Median {
		return false
	}
	c.v.Evidence = append(c.v.Evidence, record.Evidence{Source: "this run", Counter: "bytes a second", After: &more.Bytes.Median, Unit: "B/s", Text: fmt.Sprintf("%s copies at once gave %s", more.Settings["streams"], unit.BytesPerSecond(more.Bytes.Median))})
	c.v.Fix, c.v.NextCeiling = "several copies at once, or a tool that has several threads (robocopy /MT, curl --parallel)", unit.BytesPerSecond(more.Bytes.Median)+" as measured with "+more.Settings["streams"]
	return c.set("one-connection", "copies at once", "proved", fmt.Sprintf("%s is held back by too few copies at once: nothing else goes on while one of them waits; %s give %s in place of %s.", c.what, more.Settings["streams"], unit.BytesPerSecond(more.Bytes.Median), c.rate))
}

func copyDrive(c *copyCase) bool {
	for _, h := range c.c.Hosts {
		for _, d := range h.Drives {
			if d.Busy < busyDrive {
				continue
			}
			busy := d.Busy
			c.v.Evidence = append(c.v.Evidence, record.Evidence{Host: h.Host, Source: "/proc/diskstats", Counter: "io_ticks of " + d.Name, After: &busy, Unit: "share of the time", Text: fmt.Sprintf("%s had a request under way %s of the time", d.Name, unit.Percent(busy))})
			c.v.Fix = "a faster drive, or several side by side"
			return c.set("media-limit", d.Name+" of "+h.Host, "likely", fmt.Sprintf("%s is held back by the drive %s of %s: it had something to do %s of the time, at %s.", c.what, d.Name, h.Host, unit.Percent(busy), c.rate))
		}
	}
	return false
}

func copySync(c *copyCase) bool {
	for _, l := range c.c.Legs {
		if l.Sync == nil || l.Seconds <= 0 || *l.Sync < syncShare*l.Seconds {
			continue
		}
		c.v.Evidence = append(c.v.Evidence, record.Evidence{Host: l.To.Host, Source: "fsync", Counter: "seconds", After: l.Sync, Unit: "s", Text: fmt.Sprintf("the sync took %s of %s", unit.Seconds(*l.Sync), unit.Seconds(l.Seconds))})
		return c.set("media-limit", "storage of "+l.To.Host, "likely", fmt.Sprintf("%s waits for the medium of %s: bringing onto it what was still in memory took %s of %s.", c.what, l.To.Host, unit.Seconds(*l.Sync), unit.Seconds(l.Seconds)))
	}
	return false
}

// waitsForMedium says whether a drive was busy, or the sync took a good part of the time: then a copy is held back by a drive, wherever the rest came from.
func waitsForMedium(c *record.Copy) bool {
	for _, h := range c.Hosts {
		if slices.ContainsFunc(h.Drives, func(d record.DriveCount) bool { return d.Busy >= busyDrive }) {
			return true
		}
	}
	return slices.ContainsFunc(c.Legs, func(l record.CopyLeg) bool { return l.Sync != nil && l.Seconds > 0 && *l.Sync >= syncShare*l.Seconds })
}

// otherCores is how many cores other work had, in the repeat that had least of it.
func otherCores(e *record.Experiment) float64 {
	least := 0.0
	for i, r := range e.Repeats {
		if i == 0 || r.Foreign < least {
			least = r.Foreign
		}
	}
	return least
}

// moreStreams is the cell that differs from this one in its copies at once alone, and has most of them; nil: none has more.
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
		return fmt.Sprint(x.Name, x.Path(), x.Direction, x.Variant, s) // maps are printed in order
	}
	own := key(e)
	for _, x := range all {
		if x != e && x.Copy != nil && x.Bytes != nil && x.Failed == "" && key(x) == own && streams(x) > streams(e) && (most == nil || x.Bytes.Median > most.Bytes.Median) {
			most = x
		}
	}
	return most
}

// copiedFromMemory is the verdict of a copy whose source or target was in memory, by what the drives under them moved. Nil: they moved it, or that is not known.
func copiedFromMemory(e *record.Experiment, what string) *record.Verdict {
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
			{"page-cache-read", "read", l.From, false, "copy from a cold cache (cache: cold, the default), or more than the memory of the host holds"},
			{"page-cache-write", "written", l.To, true, "copy to a drive; the time includes its sync"},
		} {
			if memory := way.place.FileSystem; memory == "tmpfs" || memory == "ramfs" {
				return &record.Verdict{Limiter: way.limiter, Component: "memory of " + way.place.Host, Confidence: "proved", Candidates: []record.Candidate{},
					Evidence: []record.Evidence{{Host: way.place.Host, Source: "/proc/self/mountinfo", Counter: "file system", Text: fmt.Sprintf("%s lies in %s", way.place.Path, memory)}},
					Sentence: fmt.Sprintf("%s is no figure of a drive: %s of %s is %s, which is memory.", what, way.place.Path, way.place.Host, memory), Fix: way.fix}
			}
			n, at, known := moved(way.place.Host, way.place.Devices, way.written)
			if !known || n >= fromMemory*asked {
				continue
			}
			return &record.Verdict{Limiter: way.limiter, Component: "memory before " + at, Confidence: "proved", Candidates: []record.Candidate{}, Fix: way.fix,
				Identity: &record.Identity{Left: unit.Bytes(asked).String() + " were copied", Right: unit.Bytes(n).String() + " were " + way.verb + " by " + at, Difference: 1 - n/asked},
				Evidence: []record.Evidence{{Host: way.place.Host, Source: "/proc/diskstats", Counter: "sectors " + way.verb + " of " + at, After: &n, Unit: "bytes", Text: fmt.Sprintf("%s moved %s of the %s that were copied", at, unit.Bytes(n), unit.Bytes(asked))}},
				Sentence: fmt.Sprintf("%s is no figure of the drive: of %s that were copied, %s moved %s; the rest was in memory.", what, unit.Bytes(asked), at, unit.Bytes(n))}
		}
	}
	return nil
}
