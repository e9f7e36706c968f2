package explain

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/result"
	"linerate/unit"
)

const (
	// copyFull is the share of a ceiling from which on a copy has reached it: connecting, closing and the sync are in its time.
	copyFull = 0.9
	// syncShare is the share of a copy's time from which on its sync is what it waits for.
	syncShare = 0.25
)

// copyVerdict says what holds a copy back: the network, a thread of its tool, one copy at a time, a drive, and of a copy that met no drive that it is a figure of memory.
func copyVerdict(e *result.Experiment, all []*result.Experiment) *result.Verdict {
	c := e.Copy
	if c == nil || e.Bytes == nil || e.Bytes.Median <= 0 || len(c.Legs) == 0 {
		return nil
	}
	v := &result.Verdict{Evidence: []result.Evidence{}, Candidates: []result.Candidate{}}
	what, rate := copySubject(e), unit.BytesPerSecond(e.Bytes.Median)
	full := false
	if e.Ceiling != nil && e.Ceiling.Limit > 0 {
		share := e.Bytes.Median * 8 / float64(e.Ceiling.Limit)
		v.ShareOfCeiling, full = &share, share >= copyFull
	}
	set := func(limiter, component, confidence, sentence string) *result.Verdict {
		v.Limiter, v.Component, v.Confidence, v.Sentence = limiter, component, confidence, sentence
		return v
	}
	if full {
		limiter := "link"
		if h := e.Ceiling.Lowest(); h != nil && h.Kind == "drive" {
			limiter = "media-limit"
		} else if h != nil && h.Kind == "pcie" {
			limiter = "pcie"
		}
		return set(limiter, e.Ceiling.Component, "proved", fmt.Sprintf("%s reaches what %s allows: %s of %s.", what, e.Ceiling.Component, rate, unit.BytesPerSecond(float64(e.Ceiling.Limit)/8)))
	}
	if m := copiedFromMemory(e, what); m != nil && !waitsForMedium(c) {
		m.ShareOfCeiling = v.ShareOfCeiling
		return m
	}
	for _, t := range c.Threads {
		if t.Seconds <= 0 || t.CPU < wholeThread*t.Seconds || t.Seconds < 0.5*e.Seconds.Median {
			continue
		}
		share := t.CPU / t.Seconds
		v.Evidence = append(v.Evidence, result.Evidence{Host: c.On, Source: "/proc/PID/task/TID/schedstat", Counter: "processor time of " + t.Name, After: &share, Unit: "cores",
			Text: fmt.Sprintf("a thread of %s had %s of a core", t.Name, unit.Percent(share))})
		v.Fix, v.NextExperiment = "several copies at once, each has a core of its own (streams); of scp and rsync over ssh another cipher (ssh -Q cipher), or a protocol without one", "--streams 2"
		return set("cpu-per-request", t.Name+" of "+c.On, "likely", fmt.Sprintf("%s is held back by one thread of %s on %s, which had no processor time left (%s of a core), at %s.", what, t.Name, c.On, unit.Percent(share), rate))
	}
	for _, h := range c.Hosts {
		if h.Cores != nil && h.Of > 0 && *h.Cores >= fullShare*float64(h.Of) {
			v.Evidence = append(v.Evidence, result.Evidence{Host: h.Host, Source: "/proc/stat", Counter: "cores in use", After: h.Cores, Unit: "cores", Text: fmt.Sprintf("%s of the %s of %s were in use", unit.Significant(*h.Cores), plural(h.Of, "core"), h.Host)})
			most := ""
			if other := otherCores(e); other >= 0.5**h.Cores {
				most = ", most of it by other work"
				v.Evidence = append(v.Evidence, result.Evidence{Host: h.Host, Source: "/proc/stat", Counter: "cores of other work", After: &other, Unit: "cores", Text: fmt.Sprintf("other work had %s cores", unit.Significant(other))})
			}
			return set("cpu-per-request", "processor of "+h.Host, "likely", fmt.Sprintf("%s is held back by the processor of %s: all of its cores were in use%s, at %s.", what, h.Host, most, rate))
		}
	}
	if more := moreStreams(e, all); more != nil && more.Bytes.Median >= moreByDepth*e.Bytes.Median {
		v.Evidence = append(v.Evidence, result.Evidence{Source: "this run", Counter: "bytes a second", After: &more.Bytes.Median, Unit: "B/s", Text: fmt.Sprintf("%s copies at once gave %s", more.Settings["streams"], unit.BytesPerSecond(more.Bytes.Median))})
		v.Fix, v.NextCeiling = "several copies at once, or a tool that has several threads (robocopy /MT, curl --parallel)", unit.BytesPerSecond(more.Bytes.Median)+" as measured with "+more.Settings["streams"]
		return set("one-connection", "copies at once", "proved", fmt.Sprintf("%s is held back by too few copies at once: nothing else goes on while one of them waits; %s give %s in place of %s.", what, more.Settings["streams"], unit.BytesPerSecond(more.Bytes.Median), rate))
	}
	for _, h := range c.Hosts {
		for _, d := range h.Drives {
			if d.Busy < busyDrive {
				continue
			}
			busy := d.Busy
			v.Evidence = append(v.Evidence, result.Evidence{Host: h.Host, Source: "/proc/diskstats", Counter: "io_ticks of " + d.Name, After: &busy, Unit: "share of the time", Text: fmt.Sprintf("%s had a request under way %s of the time", d.Name, unit.Percent(busy))})
			v.Fix = "a faster drive, or several side by side"
			return set("media-limit", d.Name+" of "+h.Host, "likely", fmt.Sprintf("%s is held back by the drive %s of %s: it had something to do %s of the time, at %s.", what, d.Name, h.Host, unit.Percent(busy), rate))
		}
	}
	for _, l := range c.Legs {
		if l.Sync == nil || l.Seconds <= 0 || *l.Sync < syncShare*l.Seconds {
			continue
		}
		v.Evidence = append(v.Evidence, result.Evidence{Host: l.To.Host, Source: "fsync", Counter: "seconds", After: l.Sync, Unit: "s", Text: fmt.Sprintf("the sync took %s of %s", unit.Seconds(*l.Sync), unit.Seconds(l.Seconds))})
		return set("media-limit", "storage of "+l.To.Host, "likely", fmt.Sprintf("%s waits for the medium of %s: bringing onto it what was still in memory took %s of %s.", what, l.To.Host, unit.Seconds(*l.Sync), unit.Seconds(l.Seconds)))
	}
	v.NextExperiment = "the same with --streams 4: what gives no more is full"
	return set(Unexplained, "", "", fmt.Sprintf("%s gave %s, and why it is not more is not explained: no thread, processor, drive or link of it was full.", what, rate))
}

// waitsForMedium says whether a drive was busy, or the sync took a good part of the time: then a copy is held back by a drive, wherever the rest came from.
func waitsForMedium(c *result.Copy) bool {
	for _, h := range c.Hosts {
		if slices.ContainsFunc(h.Drives, func(d result.DriveCount) bool { return d.Busy >= busyDrive }) {
			return true
		}
	}
	return slices.ContainsFunc(c.Legs, func(l result.CopyLeg) bool { return l.Sync != nil && l.Seconds > 0 && *l.Sync >= syncShare*l.Seconds })
}

// otherCores is how many cores other work had, in the repeat that had least of it.
func otherCores(e *result.Experiment) float64 {
	least := 0.0
	for i, r := range e.Repeats {
		if i == 0 || r.Foreign < least {
			least = r.Foreign
		}
	}
	return least
}

// moreStreams is the cell that differs from this one in its copies at once alone, and has most of them; nil: none has more.
func moreStreams(e *result.Experiment, all []*result.Experiment) (most *result.Experiment) {
	streams := func(x *result.Experiment) int {
		n, err := strconv.Atoi(x.Settings["streams"])
		if err != nil {
			return 1
		}
		return n
	}
	key := func(x *result.Experiment) string {
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
func copiedFromMemory(e *result.Experiment, what string) *result.Verdict {
	moved := func(host string, devices []string, written bool) (bytes float64, at string, known bool) {
		i := slices.IndexFunc(e.Copy.Hosts, func(h result.BlockHost) bool { return h.Host == host })
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
			place         result.CopyPlace
			written       bool
			fix           string
		}{
			{"page-cache-read", "read", l.From, false, "copy from a cold cache (cache: cold, the default), or more than the memory of the host holds"},
			{"page-cache-write", "written", l.To, true, "copy to a drive; the time includes its sync"},
		} {
			if memory := way.place.FileSystem; memory == "tmpfs" || memory == "ramfs" {
				return &result.Verdict{Limiter: way.limiter, Component: "memory of " + way.place.Host, Confidence: "proved", Candidates: []result.Candidate{},
					Evidence: []result.Evidence{{Host: way.place.Host, Source: "/proc/self/mountinfo", Counter: "file system", Text: fmt.Sprintf("%s lies in %s", way.place.Path, memory)}},
					Sentence: fmt.Sprintf("%s is no figure of a drive: %s of %s is %s, which is memory.", what, way.place.Path, way.place.Host, memory), Fix: way.fix}
			}
			n, at, known := moved(way.place.Host, way.place.Devices, way.written)
			if !known || n >= fromMemory*asked {
				continue
			}
			return &result.Verdict{Limiter: way.limiter, Component: "memory before " + at, Confidence: "proved", Candidates: []result.Candidate{}, Fix: way.fix,
				Identity: &result.Identity{Left: unit.Bytes(asked).String() + " were copied", Right: unit.Bytes(n).String() + " were " + way.verb + " by " + at, Difference: 1 - n/asked},
				Evidence: []result.Evidence{{Host: way.place.Host, Source: "/proc/diskstats", Counter: "sectors " + way.verb + " of " + at, After: &n, Unit: "bytes", Text: fmt.Sprintf("%s moved %s of the %s that were copied", at, unit.Bytes(n), unit.Bytes(asked))}},
				Sentence: fmt.Sprintf("%s is no figure of the drive: of %s that were copied, %s moved %s; the rest was in memory.", what, unit.Bytes(asked), at, unit.Bytes(n))}
		}
	}
	return nil
}
