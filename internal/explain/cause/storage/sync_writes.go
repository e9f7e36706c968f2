package storage

import (
	"fmt"
	"maps"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// moreWithoutSync is the speedup of the same writes without waiting for the drive, from which on that waiting is the
// bottleneck.
const moreWithoutSync = 1.5

// syncWrites is the cause where every write waits until it is on the drive. The same writes without waiting prove it.
var syncWrites = Cause{
	ID: "sync-writes", Title: "every write waits for the medium",
	Plain: "Each write waits until it is safe on the drive before the next one begins, and that takes longer than the " +
		"writing.",
	Test: func(c *Case) *judge.Match {
		if c.b.Write == nil || c.b.Write.Bytes == 0 || c.e.Settings["sync"] != "true" {
			return nil
		}
		m := &judge.Match{Component: "flush of the medium", Fix: "let the program sync less often (several writes to one " +
			"sync), more requests at once, or a drive whose cache is safe without power; sync off only where losing the last " +
			"seconds is allowed"}
		took := requestTook(c.e)
		for _, x := range c.all {
			if x == c.e || x.Block == nil || x.Bytes == nil || x.Failed != "" || !sameButSync(x, c.e) {
				continue
			}
			if x.Bytes.Median < moreWithoutSync*c.e.Bytes.Median {
				return nil
			}
			without := unit.BytesPerSecond(x.Bytes.Median)
			m.Strength, m.NextCeiling = judge.Proved, without+" as measured without"
			m.Sentence = fmt.Sprintf("%s is held back by waiting for the medium. Each write takes %s until it is there for "+
				"good, and the same writes without that (%s) give %s in place of %s.", c.what, took, requestTook(x), without,
				c.rate)
			m.Evidence = []record.Evidence{{Source: "this run", Counter: "bytes a second", Before: &c.e.Bytes.Median,
				After: &x.Bytes.Median, Unit: "B/s", Text: "without sync it gave " + without}}
			if c.deeper != nil && c.deeper.Bytes.Median >= moreByDepth*c.e.Bytes.Median {
				m.Add(record.Evidence{Source: "this run", Counter: "bytes a second", After: &c.deeper.Bytes.Median, Unit: "B/s",
					Text: fmt.Sprintf("with more requests at once (%s), which share a flush, it gave %s", loadOf(c.deeper),
						unit.BytesPerSecond(c.deeper.Bytes.Median))})
			}
			return m
		}
		m.Strength, m.Next = judge.Candidate, "the same without --sync: what that gives more is what waiting for the "+
			"medium costs"
		m.Sentence = fmt.Sprintf("each write waits until it is on the medium, %s, and nothing without that was measured "+
			"next to it", took)
		return m
	},
}

// sameButSync reports whether two combinations differ only in whether writes wait for the drive.
func sameButSync(a, b *record.Experiment) bool {
	without := func(e *record.Experiment) map[string]string {
		s := maps.Clone(e.Settings)
		delete(s, "sync")
		return s
	}
	return a.Settings["sync"] != b.Settings["sync"] && a.Name == b.Name && a.Path() == b.Path() &&
		a.Variant == b.Variant && maps.Equal(without(a), without(b))
}
