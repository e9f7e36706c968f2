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

// tookPart reports whether one of a host's drives moved so many of the requested bytes that it belongs to the storage.
func (c *Case) tookPart(d record.DriveCount, drives int) bool {
	asked := 0.0
	for _, k := range []*record.BlockCount{c.b.Read, c.b.Write} {
		if k != nil {
			asked += float64(k.Bytes)
		}
	}
	return float64(d.ReadBytes+d.WrittenBytes) >= leastPartOfDrive*asked/float64(drives)
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
