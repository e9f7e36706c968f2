package explain

import (
	"fmt"
	"math"

	"linerate/result"
	"linerate/unit"
)

// fromMemory is the share of what was asked for below which a drive moved so little of it that the figure is of a cache.
const fromMemory = 0.5

var (
	// pageCacheRead: memory had most of what was read.
	pageCacheRead = storageCause{ID: "page-cache-read", Title: "memory had what was read", Test: func(c *storageCase) *Match { return c.memory(false) }}
	// pageCacheWrite: memory took most of what was written, and the drive did not get it in the window.
	pageCacheWrite = storageCause{ID: "page-cache-write", Title: "memory took what was written", Test: func(c *storageCase) *Match { return c.memory(true) }}
)

// memory holds what was asked for against what the drives moved meanwhile. Nil: they moved it, or that is not known.
func (c *storageCase) memory(writes bool) *Match {
	var moved float64
	var at string
	known := false
	for _, h := range c.b.Hosts {
		sum := 0.0
		for _, d := range h.Drives {
			n := float64(d.ReadBytes)
			if writes {
				n = float64(d.WrittenBytes)
			}
			sum += n
			if !known || n > moved {
				at = d.Name + " of " + h.Host
			}
			moved, known = math.Max(moved, n), true // one may be made of another
		}
		if h.AllDrives && len(h.Drives) > 1 && sum >= moved {
			moved, at = sum, fmt.Sprintf("all %d drives of %s", len(h.Drives), h.Host)
		}
	}
	count, verb := c.b.Read, "read"
	if writes {
		count, verb = c.b.Write, "written"
	}
	if !known || count == nil || count.Bytes == 0 || moved >= fromMemory*float64(count.Bytes) {
		return nil
	}
	asked := float64(count.Bytes)
	return &Match{Strength: Proved, Component: "memory before " + at,
		Sentence: fmt.Sprintf("%s is no figure of the drive: of %s that were %s in the window, %s moved %s; the rest was a cache's, in memory.", c.what, unit.Bytes(asked), verb, at, unit.Bytes(moved)),
		Identity: &result.Identity{Left: unit.Bytes(asked).String() + " were asked for", Right: unit.Bytes(moved).String() + " were " + verb + " by " + at, Difference: 1 - moved/asked},
		Evidence: []result.Evidence{{Source: "/proc/diskstats", Counter: "sectors " + verb + " of " + at, After: &moved, Unit: "bytes", Text: fmt.Sprintf("%s moved %s of the %s that were asked for", at, unit.Bytes(moved), unit.Bytes(asked))}},
		Fix:      "go around the cache where the storage can (--cache around, the default), or use more than the memory of the host that has it holds (--span)"}
}
