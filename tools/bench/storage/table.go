//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

func spread(rows []run, of func(run) float64) (median, low, high float64) {
	var v []float64
	for _, r := range rows {
		v = append(v, of(r))
	}
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]
}

func rate(r run) float64      { return r.ops / r.seconds }
func perSecond(r run) float64 { return r.ops / r.cpu }

// inKernel is nanoseconds of an operation that the kernel works for it, as its ticks divide a processor's time between program and kernel.
func inKernel(r run) float64 { return r.kernel / r.ops * 1e9 }

func table(ctx context.Context, done []*duel, runs int, seconds float64) string {
	var b strings.Builder
	said := func(argv ...string) string {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
		if err != nil {
			return argv[0] + ": not known"
		}
		return strings.TrimSpace(string(out))
	}
	fmt.Fprintf(&b, `# The block engine beside fio and a bare loop

%s; %s, %d cores, Linux %s, %s; %s, liburing %s.

Medians of %d alternating runs of %g s each, lowest and highest beside them. Operations a processor second are those of a whole run over the processor time that the kernel
charges the program (and its children), less what one single request takes it. Cores in use are the whole host's, with the loop device's kernel threads, which nobody is
charged for. The engine draws every offset and records every latency in a histogram; the C loop does nothing. Its batch is how many requests
one call hands over; of requests that do nothing the engine always has all 32 at once. Plain is liburing as a program takes it that asks for nothing; tuned has the flags
and the registered ring that the engine has too. fio has fixed buffers, registered files and batches of 8 (iodepth_batch_submit, iodepth_batch_complete_min), its defaults none of
them. The device is a loop device over memory, O_DIRECT. A ratio is the engine's figure over that row's: above 1 the engine is ahead.

`, time.Now().UTC().Format("2006-01-02"), processor(), runtime.NumCPU(), said("uname", "-r"), runtime.Version(), said("fio", "--version"), said("pkg-config", "--modversion", "liburing"), runs, seconds)
	for _, d := range done {
		fmt.Fprintf(&b, "## %s\n\n| program | operations a second | ratio | operations a processor second | ratio | ns each | of them in the kernel | cores in use | required |\n|--|--|--|--|--|--|--|--|--|\n", d.name)
		first := d.runs[d.programs[0].name]
		cell := func(rows []run, of func(run) float64) string {
			m, low, high := spread(rows, of)
			return fmt.Sprintf("%s [%s-%s]", thousands(m), thousands(low), thousands(high))
		}
		for i, p := range d.programs {
			rows := d.runs[p.name]
			if len(rows) == 0 {
				fmt.Fprintf(&b, "| %s | not measured | | | | | | | |\n", p.name)
				continue
			}
			each, _, _ := spread(rows, func(r run) float64 { return r.cpu / r.ops * 1e9 })
			kernel, _, _ := spread(rows, inKernel)
			host, _, _ := spread(rows, func(r run) float64 { return r.host })
			var ratios [2]string
			var required []string
			if i > 0 && len(first) > 0 {
				for k, of := range []func(run) float64{rate, perSecond} {
					mine, _, _ := spread(first, of)
					other, _, _ := spread(rows, of)
					ratio := mine / other
					ratios[k] = fmt.Sprintf("**%.2f**", ratio)
					need := []float64{d.needRate, d.needCPU}[k]
					if need > 0 && slices.Contains(d.judged, p.name) {
						verdict := "met"
						if ratio < need {
							verdict = "missed"
						}
						required = append(required, fmt.Sprintf("%s at least %.2f: %.3f %s", []string{"operations a second", "a processor second"}[k], need, ratio, verdict))
					}
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.0f | %.0f | %.2f | %s |\n", p.name, cell(rows, rate), ratios[0], cell(rows, perSecond), ratios[1], each, kernel, host, strings.Join(required, "; "))
		}
		b.WriteString(bound(d))
		b.WriteString("\n")
		for _, f := range d.failed {
			fmt.Fprintf(&b, "Failed: %s\n\n", f)
		}
	}
	return b.String()
}

// bound says how far ahead the engine could be at most: its requests' work in the kernel stays, whatever its own part is.
func bound(d *duel) string {
	mine := d.runs[d.programs[0].name]
	for _, p := range d.judged {
		other := d.runs[p]
		if len(mine) == 0 || len(other) == 0 {
			continue
		}
		kernel, _, _ := spread(mine, inKernel)
		each, _, _ := spread(other, func(r run) float64 { return r.cpu / r.ops * 1e9 })
		return fmt.Sprintf("\nThe kernel's part of the engine's requests is %.0f ns, and %s takes %.0f ns in all: with nothing of its own the engine would do %.2f of its operations a processor second.\n", kernel, p, each, each/kernel)
	}
	return ""
}

func thousands(v float64) string {
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

func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
