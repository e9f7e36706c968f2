//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"linerate/tools/bench/harness"
)

func rate(r run) float64      { return r.ops / r.seconds }
func perSecond(r run) float64 { return r.ops / r.cpu } // a CPU second

// cpuEach is the CPU time of an operation in nanoseconds.
func cpuEach(r run) float64 { return r.cpu / r.ops * 1e9 }

// inKernel is the kernel's CPU time for an operation in nanoseconds. The kernel divides a CPU's time between program
// and kernel by its ticks.
func inKernel(r run) float64 { return r.kernel / r.ops * 1e9 }

func table(ctx context.Context, done []*benchCase, runs int, seconds float64) string {
	var b strings.Builder
	version := func(argv ...string) string {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
		if err != nil {
			return argv[0] + ": not known"
		}
		return strings.TrimSpace(string(out))
	}
	fmt.Fprintf(&b, `# The block engine beside fio and a bare loop

%s; %s; %s, liburing %s.

Medians of %d alternating runs of %g s each, lowest and highest beside them. Operations a processor second are those of a whole run over the processor time that the kernel
charges the program (and its children), less what one single request takes it. Cores in use are the whole host's, with the loop device's kernel threads, which nobody is
charged for. The engine draws every offset and records every latency in a histogram; the C loop does nothing. Its batch is how many requests
one call hands over; of requests that do nothing the engine always has all 32 at once. Plain is liburing as a program takes it that asks for nothing; tuned has the flags
and the registered ring that the engine has too. fio has fixed buffers, registered files and batches of 8 (iodepth_batch_submit, iodepth_batch_complete_min), its defaults none of
them. The device is a loop device over memory, O_DIRECT. A ratio is the engine's figure over that row's: above 1 the engine is ahead.

`, time.Now().UTC().Format("2006-01-02"), harness.Machine(), version("fio", "--version"),
		version("pkg-config", "--modversion", "liburing"), runs, seconds)
	for _, d := range done {
		fmt.Fprintf(&b,
			"## %s\n\n| program | operations a second | ratio | operations a processor second | ratio | ns each | of them "+
				"in the kernel | cores in use | required |\n|--|--|--|--|--|--|--|--|--|\n", d.name)
		first := d.runs[d.programs[0].name]
		format := func(rows []run, of func(run) float64) string {
			m, low, high := harness.Spread(rows, of)
			return fmt.Sprintf("%s [%s-%s]", formatRate(m), formatRate(low), formatRate(high))
		}
		for i, p := range d.programs {
			rows := d.runs[p.name]
			if len(rows) == 0 {
				fmt.Fprintf(&b, "| %s | not measured | | | | | | | |\n", p.name)
				continue
			}
			host := harness.Median(rows, func(r run) float64 { return r.host })
			var ratios [2]string
			var required []string
			if i > 0 && len(first) > 0 {
				for k, of := range []func(run) float64{rate, perSecond} {
					ratio := harness.Median(first, of) / harness.Median(rows, of)
					ratios[k] = fmt.Sprintf("**%.2f**", ratio)
					limit := []float64{d.needRate, d.needCPU}[k]
					if limit > 0 && slices.Contains(d.judged, p.name) {
						verdict := "met"
						if ratio < limit {
							verdict = "missed"
						}
						required = append(required,
							fmt.Sprintf("%s at least %.2f: %.3f %s", []string{"operations a second", "a processor second"}[k], limit, ratio,
								verdict))
					}
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.0f | %.0f | %.2f | %s |\n", p.name, format(rows, rate), ratios[0],
				format(rows, perSecond), ratios[1], harness.Median(rows, cpuEach), harness.Median(rows, inKernel), host,
				strings.Join(required, "; "))
		}
		b.WriteString(engineLimit(d))
		b.WriteString("\n")
		for _, f := range d.failed {
			fmt.Fprintf(&b, "Failed: %s\n\n", f)
		}
	}
	return b.String()
}

// engineLimit is a sentence on how far ahead the engine could be at most: it can reduce its own CPU time, and not that
// of the kernel for its requests.
func engineLimit(d *benchCase) string {
	own := d.runs[d.programs[0].name]
	for _, p := range d.judged {
		other := d.runs[p]
		if len(own) == 0 || len(other) == 0 {
			continue
		}
		kernel, each := harness.Median(own, inKernel), harness.Median(other, cpuEach)
		return fmt.Sprintf(
			"\nThe kernel's part of the engine's requests is %.0f ns, and %s takes %.0f ns in all: with nothing of its own "+
				"the engine would do %.2f of its operations a processor second.\n", kernel, p, each, each/kernel)
	}
	return ""
}

func formatRate(v float64) string {
	switch {
	case v >= 1e7:
		return fmt.Sprintf("%.1fM", v/1e6)
	case v >= 1e6:
		return fmt.Sprintf("%.2fM", v/1e6)
	case v >= 1e5:
		return fmt.Sprintf("%.0fk", v/1e3)
	}
	return fmt.Sprintf("%.1fk", v/1e3)
}
