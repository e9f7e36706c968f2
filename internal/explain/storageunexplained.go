package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// unexplained is the honest answer where no cause has enough evidence. What was full all the same stands in it: the figures beside it show that.
func (c *storageCase) unexplained() string {
	if all := c.fullHosts(); all != "" {
		return fmt.Sprintf("%s gave %s while the processors were full, and not of it alone: %s. What it gives when nothing else runs there is not known.", c.what, c.rate, all)
	}
	s := fmt.Sprintf("%s gave %s, and why it is not more is not explained", c.what, c.rate)
	if full := c.fullParts(); len(full) > 0 {
		return s + ": " + strings.Join(full, ", ") + ", and nothing says that this is what held it back."
	}
	return s + ": no processor, drive or link of it was full."
}

// fullHosts tells of the hosts whose cores were all in use, and who else had them; those of which the same is to be said together. Empty: there are none.
func (c *storageCase) fullHosts() string {
	var told []string
	hosts := map[string][]string{} // by what is told of them
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
		s = fmt.Sprintf("%s of the %s of %%s were in use", unit.Significant(*h.Cores), plural(h.Of, "core")) + strings.ReplaceAll(s, "%", "%%")
		if hosts[s] == nil {
			told = append(told, s)
		}
		hosts[s] = append(hosts[s], h.Host)
	}
	const most = 3
	var out []string
	rest := 0
	for i, s := range told {
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
		out = append(out, "and "+plural(rest, "more host")+" likewise")
	}
	return strings.Join(out, "; ")
}

// fullParts are single cores and drives that had something to do all the time though no cause holds.
func (c *storageCase) fullParts() (out []string) {
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
			if d.Busy >= busyDrive {
				out = append(out, fmt.Sprintf("%s of %s was busy %s of the time", d.Name, h.Host, unit.Percent(d.Busy)))
			}
		}
	}
	if c.share != nil && *c.share >= fullShare {
		out = append(out, fmt.Sprintf("it had %s of what %s allows", unit.Percent(*c.share), c.e.Ceiling.Component))
	}
	return out
}

// overLink says whether what an experiment could carry is the rate of a link, so that it can be below that.
func overLink(e *record.Experiment) bool {
	return e.Block == nil && e.Copy == nil || e.Ceiling != nil && e.Ceiling.Limit > 0
}
