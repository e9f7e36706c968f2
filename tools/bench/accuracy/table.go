//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/tools/bench/harness"
)

// The promise: goodput within 0.2 % of the computed value and never above it, CPU time within 5 %, every lost datagram.
const (
	within    = 0.002
	withinCPU = 0.05
)

// over is how far the reported goodput is above the computed one, as a share.
func (r row) over() float64 { return r.Reported/r.Computed - 1 }

// allowed is how far above the computed value the link itself was, by its counter and the uncertainty of this.
func (r row) allowed() float64 { return max(0, r.Link+r.Doubt) }

func (r row) met() string {
	switch {
	case r.Failed != "":
		return "not measured"
	case r.Kind == cpuTime && math.Abs(r.ReportedCPU/r.KernelCPU-1) <= withinCPU,
		r.Kind == loss && r.Lost == r.Dropped:
		return "yes"
	case r.Kind != goodput:
		return "**no**"
	case r.over() < -within:
		return "**no**, below"
	case r.over() > r.allowed():
		return "**no**, above"
	case r.over() > 0:
		return "yes, as the link"
	}
	return "yes"
}

func (r row) brief() string {
	switch {
	case r.Failed != "":
		return r.Failed
	case r.Kind == cpuTime:
		return fmt.Sprintf("%.3f cores, the kernel says %.3f; %s; foreign %.2f %v", r.ReportedCPU, r.KernelCPU, r.met(),
			r.OtherProcesses, r.Warnings)
	case r.Kind == loss:
		return fmt.Sprintf("%d lost, %d thrown away of %d; %s %v", r.Lost, r.Dropped, r.Sent, r.met(), r.Warnings)
	}
	return fmt.Sprintf("%s, link %s +- %.0f ppm; %s; foreign %.2f, drops %d, resent %d %v", ppm(r.over()), ppm(r.Link),
		r.Doubt*1e6, r.met(), r.OtherProcesses, r.Drops, r.Retransmits, r.Warnings)
}

func ppm(share float64) string {
	if math.Abs(share) >= 1e-3 {
		return fmt.Sprintf("%+.2f %%", share*100)
	}
	return fmt.Sprintf("%+.0f ppm", share*1e6)
}

// latest is the last row of each case of a kind, in the order of the cases.
func (all rows) latest(kind string) rows {
	var out rows
	for _, c := range cases() {
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].Name == c.Name && c.Kind == kind && all[i].Kind == kind {
				out = append(out, all[i])
				break
			}
		}
	}
	return out
}

func (all rows) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What is reported beside what is known otherwise\n\n%s. veth, reno, MTU %d. Warm-up as in a run. %s",
		harness.Machine(), mtu, pageText)
	if list := all.latest(goodput); len(list) > 0 {
		b.WriteString(goodputText)
		b.WriteString("| link, streams | computed | reported - computed | link by its own counter | met | resent | foreign " +
			"|\n|--|--|--|--|--|--|--|\n")
		missed, furthest := 0, 0.0
		for _, r := range list {
			if r.Failed != "" {
				missed++
				fmt.Fprintf(&b, "| %s | | | | %s | | |\n", r.Name, r.Failed)
				continue
			}
			formula := "rate x " + r.Formula
			if r.Acks > 0 {
				formula = fmt.Sprintf("(rate - %.3f %% of ACKs) x %s", r.Acks*100, r.Formula)
			}
			fmt.Fprintf(&b, "| %s | %s = %s | %s | %s +- %.0f ppm | %s | %d | %.2f |\n", r.Name, formula, rate(r.Computed),
				ppm(r.over()), ppm(r.Link), r.Doubt*1e6, r.met(), r.Retransmits, r.OtherProcesses)
			furthest = max(furthest, math.Abs(r.over()))
			if strings.HasPrefix(r.met(), "**") {
				missed++
			}
		}
		fmt.Fprintf(&b, "\n%d of %d rows are within 0.2 %% and not above; the furthest is %s off.\n", len(list)-missed,
			len(list), ppm(furthest)[1:])
	}
	if list := all.latest(cpuTime); len(list) > 0 {
		b.WriteString(cpuText)
		b.WriteString(
			"| case | reported, cores of both ends | the kernel's: from + to | difference | met | goodput | foreign " +
				"|\n|--|--|--|--|--|--|--|\n")
		for _, r := range list {
			got := ""
			if r.Reported > 0 {
				got = rate(r.Reported)
			}
			if r.Failed != "" {
				fmt.Fprintf(&b, "| %s | %s | | | | | |\n", r.Name, r.Failed)
				continue
			}
			fmt.Fprintf(&b, "| %s | %.3f | %.3f + %.3f | %+.1f %% | %s | %s | %.2f |\n", r.Name, r.ReportedCPU, r.EndsCPU[0],
				r.EndsCPU[1], (r.ReportedCPU/r.KernelCPU-1)*100, r.met(), got, r.OtherProcesses)
		}
	}
	if list := all.latest(loss); len(list) > 0 {
		b.WriteString(lossText)
		b.WriteString("| thrown away | datagrams sent | counted by the firewall | reported lost | met |\n|--|--|--|--|--|\n")
		for _, r := range list {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %s |\n", r.Name, r.Sent, r.Dropped, r.Lost, r.met())
		}
	}
	notes := map[string]bool{}
	var warnings []string
	for _, r := range slices.Concat(all.latest(goodput), all.latest(cpuTime), all.latest(loss)) {
		for _, w := range r.Warnings {
			if line := r.Name + ": " + w; !strings.Contains(w, "other work") && !notes[line] {
				notes[line] = true
				warnings = append(warnings, line)
			}
		}
	}
	if len(warnings) > 0 {
		fmt.Fprintf(&b, "\nWarnings of these runs:\n\n- %s\n", strings.Join(warnings, "\n- "))
	}
	if len(all) > 0 {
		last := slices.MaxFunc(all, func(a, b row) int { return a.At.Compare(b.At) })
		fmt.Fprintf(&b, "\nMeasured until %s, windows of %.3g s.\n", last.At.Format("2006-01-02 15:04 UTC"), last.Seconds)
	}
	return b.String()
}

func rate(bits float64) string { return unit.BitRate(bits).String() }

const pageText = `Foreign is other work on the machine, in
cores, without the engine's own two processes.
`

const goodputText = `
## Goodput

Every link is limited in both directions by a token bucket. It is 20 ms deep, so that a machine that stands still for so long
does not take from the link; the queue before it has the lab's room, or 24 kB a stream up to 40 ms (1024 streams at 100 Mb/s:
without that bound, and send buffers of 8 KiB, because such a stream cannot live with losses). The bucket counts a packet and 14 bytes of Ethernet header, so a full packet of 1500 bytes takes 1514:

    computed = (rate - ACKs of the other direction) x payload / 1514

with 1448 bytes of payload over TCP with time stamps (IPv6: 1428), 1472 over UDP (1452). ACKs are what the kernel's counters say
that was sent without data, 66 bytes each (86); only where data flows both ways do they share a full link. Of several full
links the values add up. The link's own counter is that of its token bucket, read every 10 ms and cut in the same way;
where the reported figure is above the computed one, the row is met if that counter is, too (tbf takes a packet's
time in whole nanoseconds, rounded down: at 5 Gb/s some parts in a million).

`

const cpuText = `
## Processor time

Each end's process runs in a control group of its own, whose time the kernel adds up (cpu.stat, usage_usec).

`

const lossText = `
## Lost datagrams

A firewall (nft) at the receiving host throws away one in so many of the packets with datagrams of the window, and counts
them; one that the kernel merged is several datagrams. 200 Mb/s a stream.

`
