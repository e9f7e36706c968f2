//go:build linux

package main

import (
	"fmt"
	"strings"

	"linerate/tools/bench/harness"
)

const intro = `# What many hosts cost

%s. Each host is a namespace of this one machine with an agent in it; pairs, one stream of 100 kb/s each, 2 s, one
repeat, default snapshots. The agents share
the machine with the controller and with each other: on a cluster each has its own, so their times are an upper bound
there, and the controller's
processor time and memory are what counts. Skew is the time between the first bytes of the first and of the last flow
(` + "`repeats[].skew`" + `).
Of all is by how much the machine's available memory fell. Other work: cores that neither the controller nor its agents
used; it comes and goes, and both columns with it.

`

// thousand is what follows from how the program works and has no figure.
const thousand = `
What else they need, by how the program works and not measured here:

- Memory, processor time and the folder grow with the hosts, not with their square. Most of the folder are snapshots:
five looks at every host.
- 32 hosts are connected to at once. Where a connection with its first facts takes a second, as a login over ssh or two
job steps may, that is half a minute, and
  a shared file system or a program that is there already keeps 1,000 copies of it from going over the controller's
line.
- The controller has a process for each agent (ssh, kubectl), and two of two processes each over srun: the step that
holds the node and the agent's. It needs as
  many processes (ulimit -u) and several open files for each (ulimit -n, the hard limit) allowed.
- All starts are sent before the first byte, as long before as the comparison of all clocks took, at most 5 s. What is
later is told as a failed flow and not hidden in a figure.
- The skew above is that of agents which wake on two shared cores. On machines of their own it is bound by how well
clocks are compared (the round trip) and by each machine's own wake-up.
- One host takes part in at most 60 flows at once: incast from 1,000 hosts to one is refused, pairs are not.
`

func page(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, harness.Machine())
	b.WriteString(
		"| hosts | skew | controller's memory | of all | controller's processor time | agents' | run folder | in all | " +
			"other work |\n|--|--|--|--|--|--|--|--|--|\n")
	for _, r := range rows {
		skew := fmt.Sprintf("%.0f ms", r.Skew*1e3)
		if r.Failed != "" {
			skew = "failed"
		}
		fmt.Fprintf(&b, "| %d | %s | %.0f MB | %.0f MB | %.1f s | %.1f s | %.1f MB | %.1f s | %.1f cores |\n", r.Hosts,
			skew, r.Memory/1e6, r.All/1e6, r.Own, r.Agents, r.Folder/1e6, r.Total, r.Load)
	}
	b.WriteString("\n## Where the time goes\n\n| hosts |")
	for _, p := range phases {
		b.WriteString(" " + p.name + " |")
	}
	b.WriteString("\n|--|" + strings.Repeat("--|", len(phases)) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %d |", r.Hosts)
		for _, p := range r.Phases {
			fmt.Fprintf(&b, " %.1f s |", p)
		}
		b.WriteString("\n")
	}
	for _, r := range rows {
		if r.Failed != "" {
			fmt.Fprintf(&b, "\n%d hosts: %s\n", r.Hosts, r.Failed)
		}
	}
	if n := len(rows); n > 1 && rows[n-1].Hosts > rows[n-2].Hosts {
		p, q := rows[n-2], rows[n-1]
		at := func(a, b float64) float64 { return b + (b-a)/float64(q.Hosts-p.Hosts)*float64(1000-q.Hosts) }
		fmt.Fprintf(&b,
			"\n## 1,000 hosts\n\nOn the line through the last two rows: %.0f MB of memory and %.0f s of processor time for "+
				"the controller, %.0f MB of run folder.\n%s", at(p.Memory, q.Memory)/1e6, at(p.Own, q.Own),
			at(p.Folder, q.Folder)/1e6, thousand)
	}
	return b.String()
}
