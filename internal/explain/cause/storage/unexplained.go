package storage

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// unexplained returns the sentence for the case that no cause has enough evidence. It names what was full nevertheless,
// because the figures next to it show it.
func (c *Case) unexplained() string {
	if all := c.fullHosts(); all != "" {
		return fmt.Sprintf("%s gave %s while the CPUs were full, and not of it alone: %s. What it gives when "+
			"nothing else runs there is not known.", c.what, c.rate, all)
	}
	s := fmt.Sprintf("%s gave %s, and why it is not more is not explained", c.what, c.rate)
	if full := c.fullParts(); len(full) > 0 {
		return s + ": " + strings.Join(full, ", ") + ", and nothing says that this is what held it back."
	}
	return s + ": no CPU, drive or link of it was full."
}

// fullHosts names the hosts whose cores were all in use, and the users of the cores. Hosts with the same text share it.
// Empty: there are none.
func (c *Case) fullHosts() string {
	var reported []string
	hosts := map[string][]string{} // by their text
	for _, h := range c.b.Hosts {
		if h.Cores == nil || h.Of <= 0 || *h.Cores < fullShare*float64(h.Of) {
			continue
		}
		s := ""
		if used, name := c.others(h.Host); used >= mostOfOthers*float64(h.Of) {
			s = fmt.Sprintf(", %s of them by programs that have nothing to do with it (%s most)", unit.Significant(used), name)
		} else if ours, known := c.ours(h.Host); known {
			s = fmt.Sprintf(", and what was measured and the kernel's threads had %s of them", unit.Significant(ours))
		}
		s = fmt.Sprintf("%s of the %s of %%s were in use", unit.Significant(*h.Cores), unit.Counted(h.Of, "core")) +
			strings.ReplaceAll(s, "%", "%%")
		if hosts[s] == nil {
			reported = append(reported, s)
		}
		hosts[s] = append(hosts[s], h.Host)
	}
	const most = 3
	var out []string
	rest := 0
	for i, s := range reported {
		if i >= most {
			rest += len(hosts[s])
			continue
		}
		each := ""
		if len(hosts[s]) > 1 {
			each = "each of "
		}
		out = append(out, fmt.Sprintf(s, each+fabric.Compact(hosts[s])))
	}
	if rest > 0 {
		out = append(out, "and "+unit.Counted(rest, "more host")+" likewise")
	}
	return strings.Join(out, "; ")
}

// fullParts returns single cores and drives that were always busy although no cause applies.
func (c *Case) fullParts() (out []string) {
	for _, row := range c.e.CPU {
		if row.Core < 0 || row.Busy() < fullShare {
			continue
		}
		if s := "a core of " + fabric.Compact(strings.Split(row.Host, "+")) + " was full"; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, h := range c.b.Hosts {
		for _, d := range h.Drives {
			if d.Busy >= BusyDrive {
				out = append(out, fmt.Sprintf("%s of %s was busy %s of the time", d.Name, h.Host, unit.Percent(d.Busy)))
			}
		}
	}
	if c.share != nil && *c.share >= fullShare {
		out = append(out, fmt.Sprintf("it had %s of what %s allows", unit.Percent(*c.share), c.e.Ceiling.Component))
	}
	return out
}

// OverLink reports whether the ceiling of an experiment is that of a link, so that its rate can be compared with it.
func OverLink(e *record.Experiment) bool {
	return e.Block == nil && e.Copy == nil || e.Ceiling != nil && e.Ceiling.Limit > 0
}
