//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	"linerate/tools/bench/harness"
)

func spread(runs []run, of func(run) float64) string {
	if len(runs) == 0 {
		return "none"
	}
	median, low, high := harness.Spread(runs, of)
	return fmt.Sprintf("%.0f [%.0f-%.0f]", median, low, high)
}

func version(argv ...string) string {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil && line == "" {
		return argv[0] + " of an unknown version"
	}
	return line
}

func table(all []*benchCase, runs, mtu int, interval time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# The own NVMe/TCP pair beside other block protocols

%s, %s. tgt %s, libiscsi %s, %s, %s, %s. veth, MTU %d, %d MiB in a file on tmpfs, %d requests under way on one connection, %v a run.

Medians of %d alternating runs, lowest and highest beside them. Processor time is that of the client from its start to its end, of the server
meanwhile and of the kernel's packet threads, so that both ends are in it. Foreign is other work on the machine in cores: what is above 0.1 disturbs a row. The
ratio is the first row's work a processor second to that row's: above 1 the first is ahead. Required is held against the best of the rows that it names.

`, time.Now().Format("2006-01-02"), harness.Machine(), version("tgtd", "--version"),
		version("dpkg-query", "-W", "-f", "${Version}", "libiscsi-bin"), version("nbdkit", "--version"),
		version("nbdcopy", "--version"), version("fio", "--version"), mtu, size>>20, depth, interval, runs)
	for _, c := range all {
		if len(c.tools) == 0 {
			continue
		}
		work := func(r run) float64 {
			if c.unit == "MB" {
				return r.ops * float64(c.block) / 1e6
			}
			return r.ops
		}
		each := func(r run) float64 { return work(r) / r.cpu() }
		fmt.Fprintf(&b,
			"## %s\n\n| programs | %s a second | %s a processor second | ratio | client + server + kernel, cores | foreign, "+
				"at most |\n|--|--|--|--|--|--|\n", c.name, c.unit, c.unit)
		first := harness.Median(c.tools[0].runs, each)
		bestOther := 0.0
		for i, t := range c.tools {
			ratio := ""
			if other := harness.Median(t.runs, each); i > 0 && other > 0 {
				ratio = fmt.Sprintf("**%.2f**", first/other)
				if t.judged {
					bestOther = max(bestOther, other)
				}
			}
			cores := func(f func(run) float64) float64 {
				return harness.Median(t.runs, func(r run) float64 { return f(r) / r.seconds })
			}
			_, _, most := harness.Spread(t.runs, func(r run) float64 { return r.otherProcesses })
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %.2f + %.2f + %.2f | %.2f |\n", t.name,
				spread(t.runs, func(r run) float64 { return work(r) / r.seconds }), spread(t.runs, each), ratio,
				cores(func(r run) float64 { return r.client }), cores(func(r run) float64 { return r.server }),
				cores(func(r run) float64 { return r.kernel }), most)
		}
		if bestOther > 0 && first > 0 {
			outcome := "met"
			if first/bestOther < c.least {
				outcome = "missed"
			}
			fmt.Fprintf(&b,
				"\nRequired: at least %.1f times the %s a processor second of the best of the others that are judged: %.2f, %s.\n",
				c.least, c.unit, first/bestOther, outcome)
		}
		for _, t := range c.tools {
			if len(t.failed) > 0 {
				fmt.Fprintf(&b, "\n%d runs of %s failed, the first with: %s\n", len(t.failed), t.name, t.failed[0])
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}
