package storage

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// requests is the concurrency of a worker: depth requests in flight in each of its threads.
type requests struct{ depth, threads int }

func (a requests) all() int { return a.depth * a.threads }

// requestsOf returns the concurrency of worker i of a combination. Each of several loads of a host is a worker of its
// own.
func requestsOf(e *record.Experiment, i int) requests {
	load := e.Settings["load"]
	if i < len(e.Block.Workers) && e.Block.Workers[i].Load != "" {
		load = e.Block.Workers[i].Load
	}
	if parts, ok := fabric.ParseBlockLoads(load); ok {
		p := parts[i%len(parts)] // a host's workers are consecutive, in the order of their loads
		return requests{p.Depth, p.Threads}
	}
	a := requests{1, 1}
	if n, err := strconv.Atoi(e.Settings["depth"]); err == nil {
		a.depth = n
	}
	if n, err := strconv.Atoi(e.Settings["threads"]); err == nil {
		a.threads = n
	}
	return a
}

// allRequests returns the number of requests that all workers of a combination have in flight.
func allRequests(e *record.Experiment) (n int) {
	for i := range max(1, len(e.Block.Workers)) {
		n += requestsOf(e, i).all()
	}
	return n
}

// wayThreads is the engine of a worker whose calls block: each of its requests has an OS thread.
const wayThreads = "threads"

// askingOn returns the number of OS threads that send requests on a host, over all of its workers.
func (c *Case) askingOn(host string) (n int) {
	for i, w := range c.b.Workers {
		if w.Host != host {
			continue
		}
		if a := requestsOf(c.e, i); w.Way == wayThreads {
			n += a.all()
		} else {
			n += a.threads
		}
	}
	return n
}

// threadsOf returns the number of threads that the first worker of a host was configured to have.
func (c *Case) threadsOf(host string) int {
	for i, w := range c.b.Workers {
		if w.Host == host {
			return requestsOf(c.e, i).threads
		}
	}
	return 1
}

// noTimeLeft reports whether the requesting threads of a host used all the CPU time that they can have.
func (c *Case) noTimeLeft(h *record.BlockHost) bool {
	n := c.askingOn(h.Host)
	return h.Asks && h.Own != nil && n > 0 && *h.Own >= wholeThread*float64(min(n, max(h.Of, 1)))
}

// loadKey returns a load without its depth and threads, so that loads that differ only in these are equal.
func loadKey(text string) string {
	parts, ok := fabric.ParseBlockLoads(text)
	if !ok {
		return text
	}
	var words []string
	for _, p := range parts {
		words = append(words, fmt.Sprint(p.Order, p.Random, " ", p.Block, ":", p.Read))
	}
	return strings.Join(words, "+")
}

// deeperThan returns the combination that differs only in its number of requests, and has the most; nil: none has more.
func deeperThan(e *record.Experiment, all []*record.Experiment) (most *record.Experiment) {
	key := func(x *record.Experiment) string {
		s := map[string]string{}
		for k, v := range x.Settings {
			switch k {
			case "depth", "threads":
			case "load":
				s[k] = loadKey(v)
			default:
				s[k] = v
			}
		}
		return fmt.Sprint(x.Name, x.Path(), x.Variant, s) // fmt sorts maps
	}
	own, requests := key(e), allRequests(e)
	for _, x := range all {
		if x != e && x.Block != nil && x.Bytes != nil && x.Failed == "" && key(x) == own && allRequests(x) > requests &&
			(most == nil || x.Bytes.Median > most.Bytes.Median) {
			most = x
		}
	}
	return most
}
