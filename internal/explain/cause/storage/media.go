package storage

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// BusyDrive is the share of time with a request in flight from which on a drive is the bottleneck. A program that waits
// for something else leaves its drive idle meanwhile.
const BusyDrive = 0.9

// storageMedia is the cause where a drive was busy all the time. It is proved where more concurrent requests were not
// faster.
var storageMedia = Cause{
	ID: "media-limit", Title: "the drive",
	Test: func(c *Case) *judge.Match {
		more := c.noMoreByDepth()
		if more == nil && allRequests(c.e) == 1 {
			return nil // one request is always in flight, which does not mean that the drive is full
		}
		for _, h := range c.b.Hosts {
			for _, d := range h.Drives {
				if d.Busy < BusyDrive || h.AllDrives && !c.tookPart(d, len(h.Drives)) {
					continue
				}
				m := &judge.Match{Strength: judge.Likely, Component: d.Name + " of " + h.Host,
					Fix: "a faster drive, or several side by side",
					Sentence: fmt.Sprintf("%s is held back by the drive %s of %s: it had something to do %s of the time, and gave %s.",
						c.what, d.Name, h.Host, unit.Percent(d.Busy), c.rate),
					Evidence: []record.Evidence{judge.Reading(h.Host, "/proc/diskstats", "io_ticks of "+d.Name, d.Busy,
						"share of the time", "%s had a request under way %s of the time", d.Name, unit.Percent(d.Busy))}}
				m.Add(movedBy(h.Host, d, c.asked(), len(h.Drives))...)
				if more != nil {
					m.Strength, m.Evidence = judge.Proved, append(m.Evidence, *more)
				}
				return m
			}
		}
		return nil
	},
}

// leastPartOfDrive is the share of an equal part of the bytes from which on a drive belongs to the storage.
const leastPartOfDrive = 0.25

// movedBy is the evidence that a drive moved what was asked for: a busy drive that did not is busy with something else.
// One of several drives moves a part.
func movedBy(host string, d record.DriveCount, asked float64, drives int) []record.Evidence {
	moved := float64(d.ReadBytes + d.WrittenBytes)
	if asked <= 0 || moved < leastPartOfDrive*asked/float64(max(1, drives)) {
		return nil
	}
	return []record.Evidence{judge.Reading(host, "/proc/diskstats", "sectors of "+d.Name, moved, "bytes",
		"%s moved %s of the %s that were asked for", d.Name, unit.Bytes(moved).Like(unit.Bytes(asked)),
		unit.Bytes(asked))}
}

// spare is the evidence that the drives had time left or, where nobody saw them, the lowest ceiling: what is full
// elsewhere is then the bottleneck. Empty: they had none, or it is not known.
func spare(hosts []record.BlockHost, e *record.Experiment, share *float64) []record.Evidence {
	var most *record.DriveCount
	at := ""
	for i := range hosts {
		for j := range hosts[i].Drives {
			if d := &hosts[i].Drives[j]; d.ReadBytes+d.WrittenBytes > 0 && (most == nil || d.Busy > most.Busy) {
				most, at = d, hosts[i].Host
			}
		}
	}
	switch {
	case most != nil && most.Busy < BusyDrive:
		return []record.Evidence{judge.Reading(at, "/proc/diskstats", "io_ticks of "+most.Name, most.Busy,
			"share of the time", "%s, the busiest drive, had a request under way %s of the time", most.Name,
			unit.Percent(most.Busy))}
	case most == nil && share != nil && *share < fullShare:
		return []record.Evidence{judge.Reading("", "this run", "share of the ceiling", *share, "share",
			"%s had %s of what it allows", e.Ceiling.Component, unit.Percent(*share))}
	}
	return nil
}

// tookPart reports whether one of a host's drives moved so many of the requested bytes that it belongs to the storage.
func (c *Case) tookPart(d record.DriveCount, drives int) bool {
	return float64(d.ReadBytes+d.WrittenBytes) >= leastPartOfDrive*c.asked()/float64(drives)
}

// asked is the number of bytes that were read and written.
func (c *Case) asked() (bytes float64) {
	for _, k := range []*record.BlockCount{c.b.Read, c.b.Write} {
		if k != nil {
			bytes += float64(k.Bytes)
		}
	}
	return bytes
}

// noMoreByDepth is the evidence that a combination with more concurrent requests was not faster; nil: it was, or there
// is none.
func (c *Case) noMoreByDepth() *record.Evidence {
	d := c.deeper
	if d == nil || d.Bytes.Median > noMore*c.e.Bytes.Median {
		return nil
	}
	return &record.Evidence{Source: "this run", Counter: "bytes a second", After: &d.Bytes.Median, Unit: "B/s",
		Text: fmt.Sprintf("with more requests at once (%s) it gave no more: %s", loadOf(d),
			unit.BytesPerSecond(d.Bytes.Median))}
}

// storageBehind is the cause where more requests are not faster, nothing that was observed is full, and the drives were
// not observed. A link that is slower than planned looks the same, so it stays a candidate.
var storageBehind = Cause{
	ID: "media-limit", Title: "what is behind the storage, unseen",
	Test: func(c *Case) *judge.Match {
		more := c.noMoreByDepth()
		for _, h := range c.b.Hosts {
			if len(h.Drives) > 0 {
				return nil
			}
		}
		if more == nil {
			return nil
		}
		return &judge.Match{Strength: judge.Candidate, Evidence: []record.Evidence{*more},
			Next: "the same with --storage REACH, so that the drives of the host that has the storage are counted",
			Sentence: fmt.Sprintf("%s; the drives behind it were not seen, and neither was a link that is slower than planned",
				more.Text)}
	},
}
