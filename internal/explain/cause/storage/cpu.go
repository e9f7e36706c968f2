package storage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// wholeThread is the CPU use of a requesting thread, in cores, from which on it has no time left.
const wholeThread = 0.9

// askingThreads is the cause where the threads that send requests have no time left.
var askingThreads = Cause{
	ID: "cpu-per-request", Title: "the threads that ask",
	Test: func(c *Case) *judge.Match {
		for i := range c.b.Hosts {
			h := &c.b.Hosts[i]
			if !c.noTimeLeft(h) {
				continue
			}
			threads := c.askingOn(h.Host)
			m := &judge.Match{Strength: judge.Likely, Component: "CPU of " + h.Host,
				Sentence: fmt.Sprintf("%s is held back by the CPU that asks: %s on %s had no time left, at %s IOPS.", c.what,
					unit.Counted(threads, "thread"), h.Host, unit.Count(c.e.IOPS.Median)),
				Evidence: []record.Evidence{{Host: h.Host, Source: "/proc/self/task", Counter: "CPU time", After: h.Own,
					Unit: "cores", Text: fmt.Sprintf("the %s that ask had %s cores", unit.Counted(threads, "thread"),
						unit.Significant(*h.Own))}},
				Fix: "more threads, each has a core of its own, where " + h.Host + " has cores left; larger blocks where bytes " +
					"count", Next: "--threads " + strconv.Itoa(2*c.threadsOf(h.Host))}
			m.Add(spare(c.b.Hosts, c.e, c.share)...)
			return m
		}
		return nil
	},
}

// hostCPUs is the cause where all cores of a host are in use.
var hostCPUs = Cause{
	ID: "cpu-per-request", Title: "the CPUs of a host",
	Test: func(c *Case) *judge.Match {
		for _, h := range c.b.Hosts {
			if h.Cores == nil || h.Of <= 0 || *h.Cores < fullShare*float64(h.Of) {
				continue
			}
			if used, name := c.others(h.Host); used >= mostOfOthers*float64(h.Of) {
				return &judge.Match{Strength: judge.Candidate, Next: "the same again, when nothing else runs on " + h.Host,
					Sentence: fmt.Sprintf("all cores of %s were in use, but %s of them by programs that have nothing to do with it "+
						"(%s most)", h.Host, unit.Significant(used), name)}
			}
			if ours, known := c.ours(h.Host); known && ours < judge.MostlyOwn**h.Cores {
				return &judge.Match{Strength: judge.Candidate, Next: "the same again, when nothing else runs on " + h.Host,
					Sentence: fmt.Sprintf("all cores of %s were in use, and what was measured and the kernel's threads had only %s "+
						"of them", h.Host, unit.Significant(ours))}
			}
			m := &judge.Match{Strength: judge.Likely, Component: "CPU of " + h.Host,
				Sentence: fmt.Sprintf("%s is held back by the CPU of %s: all of its cores were in use, at %s IOPS.", c.what,
					h.Host, unit.Count(c.e.IOPS.Median)),
				Evidence: []record.Evidence{{Host: h.Host, Source: "/proc/stat", Counter: "cores in use", After: h.Cores,
					Unit: "cores", Text: fmt.Sprintf("%s of the %s of %s were in use", unit.Significant(*h.Cores),
						unit.Counted(h.Of, "core"), h.Host)}}}
			m.Add(spare(c.b.Hosts, c.e, c.share)...)
			return m
		}
		return nil
	},
}

// mostOfOthers is the share of a host's cores from which on other programs are the reason why it is full.
const mostOfOthers = 0.15

// serving matches programs that export storage, or transport it for the system: their CPU time is part of the
// measurement.
var serving = regexp.MustCompile(
	`^(smbd|ganesha|tgtd|nbdkit|nbdfuse|nbd-server|qemu|gluster|linerate|ceph|minio|vsftpd|nginx|apache|httpd|sshd|rsync|virtiofsd|mount\.|fuse|istgt|ctld|memfd:)`,
)

// others returns the cores of a host that other programs used in the last repeat, and the program that used most.
func (c *Case) others(host string) (used float64, name string) {
	if len(c.e.Repeats) == 0 {
		return
	}
	most := 0.0
	for _, row := range c.e.Repeats[len(c.e.Repeats)-1].CPU {
		if row.Core >= 0 || !slices.Contains(strings.Split(row.Host, "+"), host) {
			continue
		}
		for _, t := range row.Threads {
			if v := t.User + t.System; t.Kind == record.OtherProcess && !serving.MatchString(t.Name) {
				if used += v; v > most {
					most, name = v, t.Name
				}
			}
		}
	}
	return
}

// ours returns the cores that the measuring processes and the kernel's threads used on a client in the last repeat. It
// is not known for a host that only has the storage, because any of its programs may serve it.
func (c *Case) ours(host string) (cores float64, known bool) {
	if len(c.e.Repeats) == 0 {
		return 0, false
	}
	for _, row := range c.e.Repeats[len(c.e.Repeats)-1].CPU {
		names := strings.Split(row.Host, "+")
		if row.Core >= 0 || !slices.Contains(names, host) || !slices.ContainsFunc(names,
			func(name string) bool { h := c.host(name); return h != nil && h.Asks }) {
			continue
		}
		cores, known = row.User+row.System, true
		for _, t := range row.Threads {
			if t.Kind == record.KernelThread || t.Kind == record.OtherProcess && serving.MatchString(t.Name) {
				cores += t.User + t.System
			}
		}
	}
	return
}
