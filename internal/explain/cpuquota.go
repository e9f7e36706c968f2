package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// waitsForQuota is the share of the periods in which a group must have waited. Elsewhere it waits now and then without a loss.
const waitsForQuota = 0.3

// cpuQuota: the control group of an end's measuring process has used its quota, and waits for the next period. The identity is the
// processor time of the process against the quota.
var cpuQuota = Cause{
	ID: "cpu-quota", Title: "a quota of processor time",
	Test: func(c *Case) *Match {
		var best *Match
		most := 0.0
		for _, side := range []Side{c.Sender, c.Receiver} {
			group, cores, share, throttled, line := side.throttled()
			if share < waitsForQuota || share <= most {
				continue
			}
			most = share
			m := &Match{
				Strength: Candidate, Component: side.Host + ": processor quota of " + group,
				Sentence: fmt.Sprintf("%s is held back by %s: its control group may use %s of a processor core, and waits in %s of the periods.", c.subject(), side.Host, unit.Percent(cores), unit.Percent(share)),
				Evidence: []record.Evidence{{Host: side.Host, Source: group + "/cpu.stat", Counter: "nr_throttled", After: ptr(throttled), Unit: "periods", Text: fmt.Sprintf("nr_throttled grew by %.0f, %s of the periods (%s)", throttled, unit.Percent(share), line)}},
				Fix:      "echo max > " + group + "/cpu.max\n" + quotaOwner,
				Undo:     line, NextCeiling: c.nextCeiling(""),
			}
			if _, value, ok := strings.Cut(line, "cpu.max:"); ok {
				m.Undo = fmt.Sprintf("echo %q > %s/cpu.max", strings.TrimSpace(value), group)
			}
			if strings.Contains(line, "cfs_quota_us") {
				m.Fix = fmt.Sprintf("echo -1 > %s/cpu.cfs_quota_us\n%s", group, quotaOwner)
				if _, value, ok := strings.Cut(line, "cfs_quota_us:"); ok {
					m.Undo = fmt.Sprintf("echo %s > %s/cpu.cfs_quota_us", strings.TrimSpace(value), group)
				}
			}
			if used, ok := c.ownTime(side.Host); ok {
				m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "/proc/self/task", Counter: "own", After: ptr(used), Unit: "cores",
					Text: fmt.Sprintf("the measuring process used %s of a core, and its quota is %s", unit.Percent(used), unit.Percent(cores))})
				if used >= cores/2 {
					m.Strength = Likely
				}
				if d, near := closes(used, cores); near {
					m.Strength = Proved
					m.Identity = &record.Identity{Left: "used " + unit.Percent(used) + " of a core", Right: "quota " + unit.Percent(cores), Difference: d}
				}
			}
			best = m
		}
		if best == nil || best.Strength < Likely {
			if m := c.stolen(); m != nil {
				return m
			}
		}
		return best
	},
}

// quotaOwner says where a quota comes from that is back after a restart.
const quotaOwner = "whoever started the program there set that limit, and sets it again: take it away in its service (systemctl set-property UNIT CPUQuota=), its container (docker update --cpus 0 NAME) or its virtual machine"

// mostStolen is the share of an end's processor time that others must have had.
const mostStolen = 0.25

// stolen: the machine below gave a part of the processors' time to other guests, and nothing was left of the rest. nil: it did not.
func (c *Case) stolen() *Match {
	if c.Share() >= atCeiling {
		return nil
	}
	for _, side := range []Side{c.Receiver, c.Sender} {
		p, ok := c.processors(side)
		taken := float64(p.cores) - p.there
		if !ok || taken < mostStolen*float64(p.cores) || p.used < spent*p.there || p.own < mostlyOurs*p.used {
			continue
		}
		return &Match{
			Strength: Likely, Component: side.Host + ": the machine that it is a guest of",
			Sentence: fmt.Sprintf("%s is held back by the machine below %s: it gave %s of %d processor cores to others, and nothing was left of the rest.", c.subject(), p.hosts, unit.Significant(taken), p.cores),
			Evidence: []record.Evidence{
				{Host: side.Host, Source: "/proc/stat", Counter: "steal", After: ptr(taken), Unit: "cores", Text: fmt.Sprintf("steal: %s of the time of %d cores went to other guests in the steady window", unit.Percent(taken/float64(p.cores)), p.cores)},
				{Host: side.Host, Source: "/proc/stat", Counter: "cpu", After: ptr(p.used), Unit: "cores", Text: fmt.Sprintf("%s used %s of the %s cores that were left, %s of them for this experiment", p.hosts, unit.Significant(p.used), unit.Significant(p.there), unit.Significant(p.own))},
			},
			Fix: "fewer guests on that machine, or processors of its own for this one (pinning, a dedicated instance)", Undo: nothingSet, NextCeiling: c.nextCeiling(""),
		}
	}
	return nil
}

// throttled is the group above an end's process that waited for its quota in most of its periods.
func (s Side) throttled() (group string, cores, share, throttled float64, line string) {
	if s.Shots.Before == nil || s.Shots.After == nil {
		return
	}
	for _, after := range s.Shots.After.Quotas {
		for _, before := range s.Shots.Before.Quotas {
			if before.Group != after.Group || after.CPUs <= 0 || after.Periods <= before.Periods || after.Throttled < before.Throttled {
				continue
			}
			waited := float64(after.Throttled - before.Throttled)
			if v := waited / float64(after.Periods-before.Periods); v > share {
				group, cores, share, throttled, line = after.Group, after.CPUs, v, waited, after.Proof.Line
			}
		}
	}
	return
}

// quotaUnread says that a group with a quota is in one capture alone, or without its quota there: whether it waited is not known.
func (s Side) quotaUnread() bool {
	if s.Shots.Before == nil || s.Shots.After == nil {
		return false
	}
	limited := map[string]int{}
	for _, f := range []*facts.Facts{s.Shots.Before, s.Shots.After} {
		for _, q := range f.Quotas {
			if q.CPUs > 0 {
				limited[q.Group]++
			}
		}
	}
	for _, n := range limited {
		if n != 2 {
			return true
		}
	}
	return false
}

// ownTime is how much of a core an end's measuring process had in the steady window, over all cores.
func (c *Case) ownTime(host string) (cores float64, ok bool) {
	if c.Repeat == nil {
		return 0, false
	}
	for _, u := range c.Repeat.CPU {
		if u.Host == host && u.Core >= 0 && u.Own != nil {
			cores, ok = cores+*u.Own, true
		}
	}
	return cores, ok
}
