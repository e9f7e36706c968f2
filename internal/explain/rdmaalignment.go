package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// nearSize is how far two sizes of a request may be apart, as a share, for their goodput to be the same.
	nearSize = 0.02
	// alignedTo is what a card fetches from memory at once, in bytes: a line of the processors' cache.
	alignedTo = 64
)

// rdmaAlignment: a request whose size is no multiple of what the card fetches at once carries a fraction of what one of a few bytes
// more or less does. What proves it is the same experiment with such a size.
var rdmaAlignment = Cause{
	ID: "rdma-alignment", Title: "the size of requests, which are not aligned", Transport: "rdma",
	Test: func(c *Case) *Match {
		size := c.requestSize()
		if size <= 0 || size%alignedTo == 0 || c.Share() >= atCeiling {
			return nil
		}
		var best *step
		for _, s := range c.allBy("size") {
			other := s.c.requestSize()
			if other%alignedTo != 0 || math.Abs(float64(other-size)) > nearSize*float64(size) {
				continue
			}
			if best == nil || s.ratio(c) > best.ratio(c) {
				best = s
			}
		}
		if best == nil || best.ratio(c) < muchMore {
			return nil
		}
		other := best.c.requestSize()
		return &Match{
			Strength: Proved, Component: "the size of the requests",
			Sentence: fmt.Sprintf("%s is held back by the size of its requests: with %d bytes in place of %d it carries %s in place of %s.", c.subject(), other, size, rate(best.c.Goodput), rate(c.Goodput)),
			Evidence: []record.Evidence{
				{Host: c.Sender.Host, Source: "the experiment", Counter: "size", After: ptr(float64(size)), Unit: "bytes", Text: fmt.Sprintf("%d bytes are no multiple of %d", size, alignedTo)},
				best.evidence(c)},
			Fix: c.with("size", fmt.Sprintf("%dB", other)) + "\nthe program that is measured for: requests of a multiple of 64 bytes, at addresses that are one, too", Undo: c.with("size", fmt.Sprintf("%dB", size)),
			NextCeiling: best.c.nextCeiling(""),
		}
	},
}

// requestSize is that of the experiment's requests, in bytes; 0: not known.
func (c *Case) requestSize() unit.Bytes {
	size, err := unit.ParseBytes(c.Exp.Settings["size"])
	if err != nil {
		return 0
	}
	return size
}

// otherSize says whether two experiments of verbs differ in the size of their requests alone: they are held against each other in every run.
func otherSize(a, b *record.Experiment, change map[string]string) bool {
	_, ok := change["size"]
	return ok && len(change) == 1 && a.Method == record.MethodVerbs && b.Method == record.MethodVerbs
}
