//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v) == 0 {
		return 0
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// values are one figure of all runs.
func values(t *tool, f func(figure) float64) []float64 {
	var all []float64
	for _, one := range t.figures {
		all = append(all, f(one))
	}
	return all
}

func spread(v []float64, form string) string {
	if len(v) == 0 {
		return "none"
	}
	return fmt.Sprintf(form+" ["+form+"-"+form+"]", median(v), slices.Min(v), slices.Max(v))
}

func version(argv ...string) string {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil && line == "" {
		return argv[0] + " of an unknown version"
	}
	return line
}

func machine() string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				model = strings.TrimSpace(v)
				break
			}
		}
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%s, %d cores, Linux %s, %s", model, runtime.NumCPU(), bytes.TrimSpace(release), runtime.Version())
}

func table(all []*benchCase, runs, mtu int, window time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# The own NVMe/TCP pair beside other block protocols

%s, %s. tgt %s, libiscsi %s, %s, %s, %s. veth, MTU %d, %d MiB in a file on tmpfs, %d requests under way on one connection, %v a run.

Medians of %d alternating runs, lowest and highest beside them. Processor time is that of the client from its start to its end, of the server
meanwhile and of the kernel's packet threads, so that both ends are in it. Foreign is other work on the machine in cores: what is above 0.1 disturbs a row. The
ratio is the first row's work a processor second to that row's: above 1 the first is ahead. Required is held against the best of the rows that it names.

`, time.Now().Format("2006-01-02"), machine(), version("tgtd", "--version"), version("dpkg-query", "-W", "-f", "${Version}", "libiscsi-bin"), version("nbdkit", "--version"), version("nbdcopy", "--version"), version("fio", "--version"),
		mtu, size>>20, depth, window, runs)
	for _, c := range all {
		if len(c.tools) == 0 {
			continue
		}
		work := func(f figure) float64 {
			if c.unit == "MB" {
				return f.ops * float64(c.block) / 1e6
			}
			return f.ops
		}
		each := func(f figure) float64 { return work(f) / f.cpu() }
		fmt.Fprintf(&b, "## %s\n\n| programs | %s a second | %s a processor second | ratio | client + server + kernel, cores | foreign, at most |\n|--|--|--|--|--|--|\n", c.name, c.unit, c.unit)
		first := median(values(c.tools[0], each))
		best := 0.0
		for i, t := range c.tools {
			ratio := ""
			if own := median(values(t, each)); i > 0 && own > 0 {
				ratio = fmt.Sprintf("**%.2f**", first/own)
				if t.judged {
					best = max(best, own)
				}
			}
			cores := func(f func(figure) float64) float64 {
				return median(values(t, func(x figure) float64 { return f(x) / x.seconds }))
			}
			foreign := values(t, func(f figure) float64 { return f.foreign })
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %.2f + %.2f + %.2f | %.2f |\n", t.name, spread(values(t, func(f figure) float64 { return work(f) / f.seconds }), "%.0f"), spread(values(t, each), "%.0f"), ratio,
				cores(func(f figure) float64 { return f.client }), cores(func(f figure) float64 { return f.server }), cores(func(f figure) float64 { return f.kernel }), slices.Max(append(foreign, 0)))
		}
		if best > 0 && first > 0 {
			word := "met"
			if first/best < c.least {
				word = "missed"
			}
			fmt.Fprintf(&b, "\nRequired: at least %.1f times the %s a processor second of the best of the others that are judged: %.2f, %s.\n", c.least, c.unit, first/best, word)
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
