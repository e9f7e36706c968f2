package cause

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
)

// cpuQuota is the cause where the control group of an end's measuring process has used its quota, and waits for the
// next period. The identity compares the CPU time of the process with the quota.
var cpuQuota = judge.Cause{
	ID: "cpu-quota", Title: "a quota of CPU time",
	Plain: "The program may use only a part of a CPU (a container's or a virtual machine's limit), and it has " +
		"used it up.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		var best *judge.Match
		most := 0.0
		for _, side := range []judge.Side{c.Sender, c.Receiver} {
			group, cores, share, throttled, line := side.Throttled()
			if share < judge.WaitsForQuota || share <= most {
				continue
			}
			most = share
			m := c.Candidate(side.Host+": CPU quota of "+group, "is held back by %s: its control group may use %s "+
				"of a CPU core, and waits in %s of the periods.", side.Host, unit.Percent(cores), unit.Percent(share))
			m.Add(judge.Reading(side.Host, group+"/cpu.stat", "nr_throttled", throttled, "periods", "nr_throttled grew by "+
				"%.0f, %s of the periods (%s)", throttled, unit.Percent(share), line))
			m.Fix, m.Undo = "echo max > "+group+"/cpu.max\n"+judge.QuotaOwner, line
			if _, value, ok := strings.Cut(line, "cpu.max:"); ok {
				m.Undo = fmt.Sprintf("echo %q > %s/cpu.max", strings.TrimSpace(value), group)
			}
			if strings.Contains(line, "cfs_quota_us") {
				m.Fix = fmt.Sprintf("echo -1 > %s/cpu.cfs_quota_us\n%s", group, judge.QuotaOwner)
				if _, value, ok := strings.Cut(line, "cfs_quota_us:"); ok {
					m.Undo = fmt.Sprintf("echo %s > %s/cpu.cfs_quota_us", strings.TrimSpace(value), group)
				}
			}
			if used, ok := ownTime(c, side.Host); ok {
				m.Add(judge.Reading(side.Host, "/proc/self/task", "own", used, "cores", "the measuring process used %s of a "+
					"core, and its quota is %s", unit.Percent(used), unit.Percent(cores)))
				if used >= cores/2 {
					m.Strength = judge.Likely
				}
				m.Proves(used, cores, "used "+unit.Percent(used)+" of a core", "quota "+unit.Percent(cores))
			}
			best = m
		}
		if best == nil || best.Strength < judge.Likely {
			if m := steal(c); m != nil {
				return m
			}
		}
		return best
	},
}

// mostSteal is the share of an end's CPU time that other guests must have had.
const mostSteal = 0.25

// steal is the match where the hypervisor gave a part of the CPU time to other guests, and the rest was used up; nil
// otherwise.
func steal(c *judge.Case) *judge.Match {
	if c.Share() >= judge.AtCeiling {
		return nil
	}
	for _, side := range []judge.Side{c.Receiver, c.Sender} {
		p, ok := CPUs(c, side)
		taken := float64(p.cores) - p.There
		if !ok || taken < mostSteal*float64(p.cores) || p.Used < judge.CPUFull*p.There || p.Own < judge.MostlyOwn*p.Used {
			continue
		}
		m := c.Candidate(side.Host+": the machine that it is a guest of", "is held back by the machine below %s: it gave "+
			"%s of %d CPU cores to others, and nothing was left of the rest.", p.hosts, unit.Significant(taken), p.cores)
		m.Likely(judge.Reading(side.Host, "/proc/stat", "steal", taken, "cores", "steal: %s of the time of %d cores went "+
			"to other guests in the steady interval", unit.Percent(taken/float64(p.cores)), p.cores), judge.Reading(side.Host,
			"/proc/stat", "cpu", p.Used, "cores", "%s used %s of the %s cores that were left, %s of them for this experiment",
			p.hosts, unit.Significant(p.Used), unit.Significant(p.There), unit.Significant(p.Own)))
		m.Fix = "fewer guests on that machine, or CPUs of its own for this one (pinning, a dedicated instance)"
		m.Undo = judge.NoSettingChanged
		return m
	}
	return nil
}

// quotaUnread reports whether a group with a quota is in one snapshot only, or has no quota there, so that its waiting
// is not known.
func quotaUnread(s judge.Side) bool {
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

// ownTime returns the CPU use of an end's measuring process in the steady interval, in cores.
func ownTime(c *judge.Case, host string) (cores float64, ok bool) {
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
