package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

const (
	// clearlySlower is how far the best path of a slow node is below the worst of all others.
	clearlySlower = 0.8
	// fewestPaths is the number of paths of a node, and of other paths, that agree; fewestFlows of a group, in which
	// chance makes flows unequal.
	fewestPaths, fewestFlows = 2, 3
)

// oneWay is the data from one host to another.
type oneWay struct {
	from, to record.End
	value    float64 // a share of the ceiling, or bits per second
}

// slowNode returns the host that all slow paths of a run have in common; nil: there is none.
func slowNode(r *record.Run) *record.SlowNode {
	best := map[[2]string]oneWay{} // of a pair the fastest, whatever varies
	for _, e := range r.Experiments {
		if !method.Named(e.Method).Bulk || e.Pattern != "" || len(e.Ends) < 2 || e.Failed != "" || e.FollowedUp != nil {
			continue
		}
		for _, w := range waysOf(e) {
			key := [2]string{w.from.Host, w.to.Host}
			if had, ok := best[key]; !ok || w.value > had.value {
				best[key] = w
			}
		}
	}
	ways := slices.SortedFunc(maps.Values(best), func(a, b oneWay) int {
		return cmp.Or(cmp.Compare(a.from.Host, b.from.Host), cmp.Compare(a.to.Host, b.to.Host))
	})
	if n := inCommon(ways, fewestPaths); n != nil {
		n.Unit = "1"
		n.Sentence = fmt.Sprintf("All %d paths %s carry %s of their ceilings, all others %s or more. %s", n.Paths, n.at(),
			between(unit.Percent(n.Low), unit.Percent(n.High)), unit.Percent(n.Others), n.part())
		return &n.SlowNode
	}
	for _, e := range r.Experiments {
		if n := slowOfGroup(e); n != nil && e.Failed == "" {
			return &n.SlowNode
		}
	}
	return nil
}

// slowOfGroup is slowNode among the flows of one group, which run at the same time.
func slowOfGroup(e *record.Experiment) *common {
	if e.Pattern == "" {
		return nil
	}
	var ways []oneWay
	for _, f := range e.Flows {
		if f.Goodput == nil || len(f.Ends) < 2 {
			continue
		}
		out, back := f.Goodput, (*record.Estimate)(nil)
		if f.Forward != nil && f.Backward != nil {
			out, back = f.Forward, f.Backward
		}
		if e.Direction == "in" {
			out, back = nil, f.Goodput
		}
		a, z := f.Ends[0], f.Ends[1]
		if out != nil {
			ways = append(ways, oneWay{a, z, out.Median})
		}
		if back != nil {
			ways = append(ways, oneWay{z, a, back.Median})
		}
	}
	n := inCommon(ways, fewestFlows)
	if n != nil {
		n.Unit = "bit/s"
		n.Sentence = fmt.Sprintf("All %d flows %s carry %s, all others %s or more. %s", n.Paths, n.at(),
			between(judge.Rate(n.Low), judge.Rate(n.High)), judge.Rate(n.Others), n.part())
	}
	return n
}

// waysOf returns the ways of an experiment between two hosts, with their shares of the planned ceiling.
func waysOf(e *record.Experiment) []oneWay {
	if e.Goodput == nil || e.Ceiling == nil || e.Ceiling.Planned() <= 0 {
		return nil
	}
	a, z, of := e.Ends[0], e.Ends[1], float64(e.Ceiling.Planned())
	switch {
	case e.Direction == "both" && e.Forward != nil && e.Backward != nil:
		return []oneWay{{a, z, 2 * e.Forward.Median / of}, {z, a, 2 * e.Backward.Median / of}}
	case e.Direction == "both":
		return nil
	case e.Direction == "in":
		a, z = z, a
	}
	return []oneWay{{a, z, e.Goodput.Median / of}}
}

// common is a slow node while its sentence is made.
type common struct{ record.SlowNode }

// inCommon returns the host that all slow ways have in common; nil: there is none.
func inCommon(ways []oneWay, fewest int) *common {
	hosts := map[string]bool{}
	for _, w := range ways {
		hosts[w.from.Host], hosts[w.to.Host] = true, true
	}
	if len(hosts) < 3 {
		return nil
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		for _, role := range []struct {
			way string
			end func(oneWay) *record.End
		}{
			{"receiving", func(w oneWay) *record.End { return &w.to }},
			{"sending", func(w oneWay) *record.End { return &w.from }},
			{"both", func(w oneWay) *record.End {
				if w.to.Host == host {
					return &w.to
				}
				return &w.from
			}},
		} {
			n := &common{record.SlowNode{Host: host, Way: role.way}}
			others, peers := 0, map[string]bool{}
			for _, w := range ways {
				end := role.end(w)
				if end.Host != host {
					if others++; others == 1 || w.value < n.Others {
						n.Others = w.value
					}
					continue
				}
				if n.Paths++; n.Paths == 1 {
					n.Low, n.Port = w.value, end.Interface
				} else if n.Port != end.Interface {
					n.Port = ""
				}
				n.Low, n.High = min(n.Low, w.value), max(n.High, w.value)
				peers[w.from.Host], peers[w.to.Host] = true, true
			}
			if len(peers)-1 >= fewest && others >= fewest && n.Others > 0 && n.High <= clearlySlower*n.Others {
				return n
			}
		}
	}
	return nil
}

// at names the ways.
func (n common) at() string {
	return map[string]string{"receiving": "to ", "sending": "from ", "both": "to and from "}[n.Way] + n.Host
}

// part names what the slow ways share.
func (n common) part() string {
	way := map[string]string{"receiving": " (receiving)", "sending": " (sending)"}[n.Way]
	if n.Port == "" {
		return fmt.Sprintf("They share %s%s.", n.Host, way)
	}
	return fmt.Sprintf("They share port %s of %s%s, its cable and what it is plugged into.", n.Port, n.Host, way)
}

// between writes a range, or one value where both look the same.
func between(low, high string) string {
	if low == high {
		return low
	}
	return strings.TrimSuffix(low, " %") + " to " + high
}
