package explain

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// requests is what a worker has under way: so many at once in each of its threads.
type requests struct{ depth, threads int }

func (a requests) all() int { return a.depth * a.threads }

// requestsOf is what worker i of a cell has under way. Of several loads that a host has at once each is a worker of its own.
func requestsOf(e *record.Experiment, i int) requests {
	load := e.Settings["load"]
	if i < len(e.Block.Workers) && e.Block.Workers[i].Load != "" {
		load = e.Block.Workers[i].Load
	}
	if parts, ok := fabric.ParseBlockLoads(load); ok {
		p := parts[i%len(parts)] // a host's workers stand together, in the order of their loads
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

// allRequests is how many requests all workers of a cell have under way.
func allRequests(e *record.Experiment) (n int) {
	for i := range max(1, len(e.Block.Workers)) {
		n += requestsOf(e, i).all()
	}
	return n
}

// wayThreads is the way of a worker whose calls wait: each of its requests has a thread of the system.
const wayThreads = "threads"

// askingOn is how many threads of the system ask on a host, of all of its workers.
func (c *storageCase) askingOn(host string) (n int) {
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

// threadsOf is how many threads the first worker of a host was asked to have.
func (c *storageCase) threadsOf(host string) int {
	for i, w := range c.b.Workers {
		if w.Host == host {
			return requestsOf(c.e, i).threads
		}
	}
	return 1
}

// noTimeLeft says whether the threads that ask on a host had all the processor time that they can have.
func (c *storageCase) noTimeLeft(h *record.BlockHost) bool {
	n := c.askingOn(h.Host)
	return h.Asks && h.Own != nil && n > 0 && *h.Own >= wholeThread*float64(min(n, max(h.Of, 1)))
}

// loadKey is a load without its depth and its threads, by which loads that differ in these alone are equal.
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

// deeperThan is the cell that differs from this one in its number of requests alone and has the most; nil: none has more.
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
		return fmt.Sprint(x.Name, x.Path(), x.Variant, s) // maps are printed in order
	}
	own, requests := key(e), allRequests(e)
	for _, x := range all {
		if x != e && x.Block != nil && x.Bytes != nil && x.Failed == "" && key(x) == own && allRequests(x) > requests && (most == nil || x.Bytes.Median > most.Bytes.Median) {
			most = x
		}
	}
	return most
}
