package doctor

import (
	"fmt"
	"slices"

	"linerate/internal/inspect/check/checks"

	"linerate/internal/inspect/check"
)

// Topic is something that doctor examines.
type Topic struct {
	ID   string
	Why  string                            // what depends on it in a run
	host func(g *Gathered, h *Host) []Line // for each host that was reached; nil: it is about several
	all  func(g *Gathered) []Line          // for all together, or of this machine
}

// topics are examined in this order. A new one is a file, a line here, and a case in testdata.
var topics = []Topic{
	topicConnection,
	topicVersions,
	topicPrivileges,
	topicRing,
	topicSocket,
	topicNamespaces,
	topicTools,
	topicClock,
	topicAlign,
	topicDate,
	topicLoad,
	topicPower,
	topicIdle,
	topicMemlock,
	topicSlots,
	topicFirewall,
	topicMTU,
	topicRoom,
	topicFolder,
	topicGuests,
}

// Look returns the lines: those of each host, in the order of the topics, then those about several hosts. It never
// panics: a topic that does becomes a line.
func Look(g *Gathered) []Line {
	w := &check.World{Plan: g.Plan}
	for _, h := range g.Hosts {
		if h.Facts != nil && !w.Add(h.Name, h.Facts) { // this machine need not be in the plan
			w.Hosts = append(w.Hosts, &check.Host{Name: h.Name, Facts: h.Facts})
		}
	}
	g.found = check.Run(checks.All(), w, check.Choice{})
	out := []Line{}
	add := func(t Topic, host *Host, look func() []Line) {
		for _, l := range safely(look) {
			l.Topic = t.ID
			if host != nil {
				l.Host = host.Name
			}
			if l.On == itself {
				l.On = l.Host
				if host == nil || host.Here {
					l.On = ""
				}
			}
			if l.Do == nil {
				l.Do = []string{}
			}
			out = append(out, l)
		}
	}
	for _, h := range g.Hosts {
		for _, t := range topics {
			if t.host != nil && (h.reached() || t.ID == topicConnection.ID) {
				add(t, h, func() []Line { return t.host(g, h) })
			}
		}
	}
	for _, t := range topics {
		if t.all != nil {
			add(t, nil, func() []Line { return t.all(g) })
		}
	}
	return out
}

func safely(look func() []Line) (lines []Line) {
	defer func() {
		if p := recover(); p != nil {
			lines = []Line{notKnown("of a error of this program: %v", p)}
		}
	}()
	return look()
}

// Worst reports whether the lines have a problem, and a host that could not be examined.
func Worst(lines []Line) (problem, silent bool) {
	for _, l := range lines {
		problem = problem || l.State == Problem
		silent = silent || l.Topic == topicConnection.ID && l.State == Problem
	}
	return problem, silent
}

// findings returns the findings of these checks on a host as lines, or the line fine if there are none.
func (g *Gathered) findings(h *Host, fine Line, ids ...string) []Line {
	var out []Line
	for _, f := range g.found.Findings {
		if !slices.Contains(ids, f.ID) || !f.Of(h.Name) || stateOf(f.Severity) == OK {
			continue
		}
		l := Line{State: stateOf(f.Severity), Text: fmt.Sprintf("%s: %s, wanted %s: %s",
			f.Subject.Within(h.Name), f.Have, f.Want, f.Consequence)}
		out = append(out, l.do(h.root(f.Fix)))
	}
	if out == nil {
		return []Line{fine}
	}
	return out
}
