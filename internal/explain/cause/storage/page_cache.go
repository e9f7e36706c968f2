package storage

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// fromMemory is the share of the requested bytes below which the drives moved so little that the figure is that of a
// cache.
const fromMemory = 0.5

var (
	// pageCacheRead is the cause where memory had most of the data that was read.
	pageCacheRead = Cause{ID: "page-cache-read", Title: "memory had what was read",
		Plain: "The data were in a machine's memory already, and the drive was hardly asked. The figure says nothing of " +
			"the drive.",
		Test: func(c *Case) *judge.Match { return c.memory(false) }}
	// pageCacheWrite is the cause where memory took most of the written data, and the drive did not get it in the
	// interval.
	pageCacheWrite = Cause{ID: "page-cache-write", Title: "memory took what was written",
		Plain: "A machine's memory took the data, and the drive gets them later. The figure says nothing of the drive.",
		Test:  func(c *Case) *judge.Match { return c.memory(true) }}
)

// driven returns the bytes that drives of a host moved, and their names. Several drives are added up where it is known
// which of them are made of others. Otherwise the one that moved most counts.
func driven(host string, drives []record.DriveCount, written bool) (bytes float64, at string) {
	of := func(d record.DriveCount) float64 {
		if written {
			return float64(d.WrittenBytes)
		}
		return float64(d.ReadBytes)
	}
	tops := record.Tops(drives)
	if tops == nil {
		tops = []record.DriveCount{slices.MaxFunc(drives, func(a, b record.DriveCount) int {
			return cmp.Compare(of(a), of(b))
		})}
	}
	var names []string
	for _, d := range tops {
		bytes += of(d)
		names = append(names, d.Name)
	}
	return bytes, listed(names, "drive") + " of " + host
}

// these returns the drives with the names; nil: some are missing.
func these(drives []record.DriveCount, names []string) (out []record.DriveCount) {
	for _, name := range names {
		i := slices.IndexFunc(drives, func(d record.DriveCount) bool { return d.Name == name })
		if i < 0 {
			return nil
		}
		if !slices.ContainsFunc(out, func(d record.DriveCount) bool { return d.Name == name }) {
			out = append(out, drives[i])
		}
	}
	return out
}

// listed lists names, or gives their number where they are too many to read.
func listed(names []string, noun string) string {
	const most = 3
	if n := len(names); n > most {
		return fmt.Sprintf("%d %ss", n, noun)
	}
	return unit.List(names)
}

// moved returns the bytes that the drives of all hosts moved in the interval. The drives of clients and of storage
// hosts may count the same bytes on their way to one drive.
func (c *Case) moved(writes bool) (bytes float64, at string, known bool) {
	far := false // a worker has its storage on another host, and no local device for it
	for _, w := range c.b.Workers {
		h := c.host(w.Host)
		if len(w.Devices) == 0 {
			far = true
		} else if h == nil || len(these(h.Drives, w.Devices)) == 0 {
			return 0, "", false // the count of one of several drives is missing
		}
	}
	hosts := func(names []string) string {
		if len(names) > 1 {
			return "the drives of " + unit.Counted(len(names), "host")
		}
		return names[0]
	}
	var sums [2]float64 // on the clients, and on the storage hosts
	var names [2][]string
	for _, h := range c.b.Hosts {
		if len(h.Drives) == 0 {
			continue
		}
		n, name := driven(h.Host, h.Drives, writes)
		if h.AllDrives && len(h.Drives) > 1 {
			n, name = 0, fmt.Sprintf("all %d drives of %s", len(h.Drives), h.Host)
			for _, d := range h.Drives {
				one, _ := driven(h.Host, []record.DriveCount{d}, writes)
				n += one
			}
		}
		side := 0
		if !h.Asks {
			side = 1
		}
		sums[side], names[side] = sums[side]+n, append(names[side], name)
	}
	switch {
	case len(names[0]) > 0 && len(names[1]) > 0 && far:
		return sums[0] + sums[1], hosts(slices.Concat(names[0], names[1])), true
	case len(names[0]) > 0 && sums[0] >= sums[1]:
		return sums[0], hosts(names[0]), true
	case len(names[1]) > 0:
		return sums[1], hosts(names[1]), true
	}
	return 0, "", false
}

// memory compares the requested bytes with those that the drives moved meanwhile. Nil: they moved them, or it is not
// known.
func (c *Case) memory(writes bool) *judge.Match {
	moved, at, known := c.moved(writes)
	count, verb := c.b.Read, "read"
	if writes {
		count, verb = c.b.Write, "written"
	}
	if !known || count == nil || count.Bytes == 0 || moved >= fromMemory*float64(count.Bytes) {
		return nil
	}
	asked := float64(count.Bytes)
	return &judge.Match{Strength: judge.Proved, Component: "memory before " + at,
		Sentence: fmt.Sprintf("%s is not a figure of the drive: of %s that were %s in the interval, %s moved %s; the "+
			"rest was "+
			"a cache's, in memory.", c.what, unit.Bytes(asked), verb, at, unit.Bytes(moved).Like(unit.Bytes(asked))),
		Identity: &record.Identity{Left: unit.Bytes(asked).String() + " were asked for",
			Right: unit.Bytes(moved).Like(unit.Bytes(asked)) + " were " + verb + " by " + at, Difference: 1 - moved/asked},
		Evidence: []record.Evidence{{Source: "/proc/diskstats", Counter: "sectors " + verb + " of " + at, After: &moved,
			Unit: "bytes", Text: fmt.Sprintf("%s moved %s of the %s that were asked for", at,
				unit.Bytes(moved).Like(unit.Bytes(asked)), unit.Bytes(asked))}},
		Fix: "go around the cache where the storage can (--cache around, the default), or use more than the memory of the " +
			"host that has it holds (--span)"}
}
