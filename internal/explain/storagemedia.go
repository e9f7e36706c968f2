package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// storageMedia: a drive had something to do all the time; proved where more requests at once gave no more.
var storageMedia = storageCause{
	ID: "media-limit", Title: "the drive",
	Test: func(c *storageCase) *Match {
		more := c.noMoreByDepth()
		if more == nil && allRequests(c.e) == 1 {
			return nil // one request is always under way: that says nothing of the drive
		}
		for _, h := range c.b.Hosts {
			for _, d := range h.Drives {
				if d.Busy < busyDrive || h.AllDrives && !c.tookPart(d, len(h.Drives)) {
					continue
				}
				m := &Match{Strength: Likely, Component: d.Name + " of " + h.Host, Fix: "a faster drive, or several side by side",
					Sentence: fmt.Sprintf("%s is held back by the drive %s of %s: it had something to do %s of the time, and gave %s.", c.what, d.Name, h.Host, unit.Percent(d.Busy), c.rate),
					Evidence: []record.Evidence{{Host: h.Host, Source: "/proc/diskstats", Counter: "io_ticks of " + d.Name, After: ptr(d.Busy), Unit: "share of the time", Text: fmt.Sprintf("%s had a request under way %s of the time", d.Name, unit.Percent(d.Busy))}}}
				if more != nil {
					m.Strength, m.Evidence = Proved, append(m.Evidence, *more)
				}
				return m
			}
		}
		return nil
	},
}

// leastPartOfDrive is the share of what would be a drive's part, were all of a host's alike, from which on it takes part in the storage.
const leastPartOfDrive = 0.25

// tookPart says whether a drive, of all that a host has, moved enough of what was asked for to be one of those that have the storage.
func (c *storageCase) tookPart(d record.DriveCount, drives int) bool {
	asked := 0.0
	for _, k := range []*record.BlockCount{c.b.Read, c.b.Write} {
		if k != nil {
			asked += float64(k.Bytes)
		}
	}
	return float64(d.ReadBytes+d.WrittenBytes) >= leastPartOfDrive*asked/float64(drives)
}

// noMoreByDepth is that a cell with more requests at once gave no more; nil: it gave more, or there is none.
func (c *storageCase) noMoreByDepth() *record.Evidence {
	d := c.deeper
	if d == nil || d.Bytes.Median > noMore*c.e.Bytes.Median {
		return nil
	}
	return &record.Evidence{Source: "this run", Counter: "bytes a second", After: &d.Bytes.Median, Unit: "B/s", Text: fmt.Sprintf("with more requests at once (%s) it gave no more: %s", loadOf(d), unit.BytesPerSecond(d.Bytes.Median))}
}

// storageBehind: more requests give no more, nothing that was looked at is full, and the drives are where nobody looked. A link in between that is slower than planned looks the same, so it stays a candidate.
var storageBehind = storageCause{
	ID: "media-limit", Title: "what is behind the storage, unseen",
	Test: func(c *storageCase) *Match {
		more := c.noMoreByDepth()
		for _, h := range c.b.Hosts {
			if len(h.Drives) > 0 {
				return nil
			}
		}
		if more == nil {
			return nil
		}
		return &Match{Strength: Candidate, Evidence: []record.Evidence{*more}, Next: "the same with --storage REACH, so that the drives of the host that has the storage are counted",
			Sentence: fmt.Sprintf("%s; the drives behind it were not seen, and neither was a link that is slower than planned", more.Text)}
	},
}
