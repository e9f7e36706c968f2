package judge

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// accountCPU compares the CPU time that each host used in the steady interval with what was available: its CPUs less
// steal, or the quota of its control group. It matches where a host had no time left.
func accountCPU(c *Case) []record.Account {
	var all []record.Account
	for _, side := range []Side{c.Sender, c.Receiver} {
		a := record.Account{Name: "processor", Unit: "cores", Seconds: new(c.Interval),
			Left:  record.Entry{What: "CPU time used", Host: side.Host, Source: "/proc/stat"},
			Right: record.Entry{What: "CPU time that there was", Host: side.Host, Source: "/proc/stat"}}
		used, there, steal, cores := 0.0, 0.0, 0.0, 0
		for _, u := range c.Repeat.CPU {
			if u.Host != side.Host || u.Core < 0 {
				continue
			}
			cores++
			used += u.Busy()
			steal += u.Steal
			there += 1 - u.Steal
		}
		if cores == 0 {
			why := side.Host + ": the time of its CPUs was not read"
			for _, u := range c.Repeat.Unknown {
				if u.Of(side.Host) {
					why = u.Subject + ": " + u.Reason
				}
			}
			open(&a, why)
			all = append(all, a)
			continue
		}
		a.Left.Value, a.Right.Value = &used, &there
		a.Right.Parts = []record.Entry{{What: "CPUs", Host: side.Host, Source: "/proc/stat",
			Value: new(float64(cores))}}
		if steal > 0 {
			a.Right.Parts = append(a.Right.Parts, record.Entry{What: "less what a hypervisor gave to others", Host: side.Host,
				Source: "/proc/stat: steal", Value: new(steal)})
		}
		limit, group := c.quota(side)
		if group != "" {
			a.Right.Parts = append(a.Right.Parts, record.Entry{What: "quota of " + group, Host: side.Host, Source: "cpu.max",
				Value: new(limit), Note: "of this group's processes alone"})
		}
		settle(&a, false)
		core, share, _ := c.BusiestCore(side.Host)
		a.Sentence = fmt.Sprintf("%s used %s of its %s CPU cores; the busiest, core %d, was busy %s of the time.",
			side.Host, unit.Significant(used), unit.Significant(there), core, unit.Percent(share))
		if *a.Closes {
			a.Sentence = fmt.Sprintf("%s used %s of its %s CPU cores: nothing was left.", side.Host,
				unit.Significant(used), unit.Significant(there))
		}
		if group != "" {
			a.Sentence += fmt.Sprintf(" Its control group may use %s.", unit.Significant(limit))
		}
		all = append(all, a)
	}
	return all
}

// quota returns the smallest limit of CPU time among the control groups of a host's measuring process, in cores, and
// that group; an empty group: none is known.
func (c *Case) quota(side Side) (cores float64, group string) {
	if side.Shots.After == nil {
		return 0, ""
	}
	for _, q := range side.Shots.After.Quotas {
		if q.CPUs > 0 && (group == "" || q.CPUs < cores) {
			cores, group = q.CPUs, q.Group
		}
	}
	return cores, group
}
