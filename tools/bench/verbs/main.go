//go:build linux

// Command verbs measures linerate-verbs and perftest in the same two guests. They alternate (A B A B ..), so that the
// machine's other work disturbs both equally. It prints a Markdown table of medians.
//
//	go build -C tools/bench -o /tmp/bench-verbs ./verbs
//	/tmp/bench-verbs -o tools/bench/verbs/latest.md
//
// It needs QEMU, a C compiler and the headers of libibverbs and librdmacm, and for soft iWARP what `linerate lab
// build --modules siw` builds. Guests are emulated: their figures show which program is faster, not how fast RDMA is.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"linerate/rdma/rdmatest"
	"linerate/tools/bench/harness"
)

func main() { harness.Main("verbs", bench) }

// benchCase is one figure, measured by both programs.
type benchCase struct {
	name   string
	device string
	tool   string // of perftest
	op     string
	pairs  int       // of queues; 0: the figure is a latency
	most   float64   // of the ratio of linerate's figure to perftest's, for a latency
	least  float64   // the same for goodput
	own    []float64 // linerate's figures, in microseconds or Gb/s
	other  []float64 // perftest's
	failed []string
}

const (
	size       = 8     // bytes of a message for latency
	block      = 65536 // bytes of a message for goodput
	depth      = 128   // requests under way of each pair, the default of perftest
	iterations = 1000
	seconds    = 3
)

func cases() []*benchCase {
	var all []*benchCase
	for _, d := range []string{"rxe0", "siw0"} {
		for _, op := range []string{"write", "send", "read"} {
			all = append(all,
				&benchCase{name: fmt.Sprintf("%s latency, %d B, p50", op, size), device: d, tool: "ib_" + op + "_lat", op: op,
					most: 1.10})
		}
		for _, q := range []int{1, 4, 8} {
			all = append(all,
				&benchCase{name: fmt.Sprintf("write goodput, 64 KiB, %d pairs", q), device: d, tool: "ib_write_bw", op: "write",
					pairs: q, least: 0.95})
		}
	}
	return all
}

func bench(ctx context.Context) error {
	runs := flag.Int("runs", 5, "runs of each program in each case")
	only := flag.String("only", "", "a regular expression: cases to run, by device and name")
	out := flag.String("o", "", "file for the table, beside standard output")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	folder, err := os.MkdirTemp("", "bv")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	g, err := rdmatest.Up(ctx, ".", folder)
	if err != nil {
		return err
	}
	defer g.Down()
	kernel, err := g.On(ctx, rdmatest.Hosts[0], "uname -r")
	if err != nil {
		return err
	}
	var measured []*benchCase
	for _, d := range cases() {
		if !which.MatchString(d.device+" "+d.name) || ctx.Err() != nil {
			continue
		}
		measured = append(measured, d)
		for n := 0; n < *runs && ctx.Err() == nil; n++ {
			for _, program := range []struct {
				to  *[]float64
				run func(context.Context, *rdmatest.Guests) (float64, error)
			}{{&d.other, d.perftest}, {&d.own, d.linerate}} {
				v, err := program.run(ctx, g)
				if ctx.Err() != nil {
					break // interrupted: the table has the figures so far
				}
				if err != nil {
					d.failed = append(d.failed, err.Error())
					fmt.Fprintln(os.Stderr, d.device, d.name, err)
					continue
				}
				*program.to = append(*program.to, v)
			}
			fmt.Fprintf(os.Stderr, "%s %s: linerate-verbs %.3g, perftest %.3g\n", d.device, d.name, d.own, d.other)
		}
	}
	return harness.Publish(table(strings.TrimSpace(kernel), measured, *runs), *out)
}

func (d *benchCase) linerate(ctx context.Context, g *rdmatest.Guests) (float64, error) {
	c := rdmatest.Case{Device: d.device, Transport: "rc", Op: d.op, Metric: "latency", Direction: "out",
		Pairs: 1, Size: size, Options: "gid=1 inline=64 cores=0 timeout=18 yield=1",
		Warm: 200 * time.Millisecond, Interval: time.Second, Listener: 1}
	if d.device == "siw0" {
		c.Transport = "cm"
	}
	if d.pairs > 0 {
		c.Metric, c.Pairs, c.Size, c.Interval = "goodput", d.pairs, block, seconds*time.Second
		c.Options += fmt.Sprintf(" depth=%d", depth)
	}
	o, err := g.Run(ctx, c)
	if err != nil {
		return 0, err
	}
	if d.pairs > 0 {
		return float64(rdmatest.Sum(o.Ran[0], "pair", "bytes")) * 8 / c.Interval.Seconds() / 1e9, nil
	}
	half := 2.0
	if d.op == "read" {
		half = 1
	}
	return float64(rdmatest.Quantile(o.Ran[0], 0.5)) / half / 1000, nil
}

// perftest starts one end in the second guest, waits until it listens, and starts the other end in the first guest.
func (d *benchCase) perftest(ctx context.Context, g *rdmatest.Guests) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	options, address := "-x 1", rdmatest.RoCE[1]
	if d.device == "siw0" {
		options, address = "-R", rdmatest.IWARP[1] // iWARP connects through rdma_cm
	}
	options += " -F -u 18 -d " + d.device
	if d.pairs > 0 {
		options += fmt.Sprintf(" -q %d -D %d -s %d -t %d --report_gbits", d.pairs, seconds, block, depth)
	} else {
		options += fmt.Sprintf(" -n %d -s %d", iterations, size)
	}
	served := make(chan error, 1)
	go func() {
		_, err := g.On(ctx, rdmatest.Hosts[1], fmt.Sprintf("timeout 100 %s %s > /run/served 2>&1", d.tool, options))
		served <- err
	}()
	// 4853 is perftest's port 18515, 0A is LISTEN. Over rdma_cm there is no such socket.
	wait := "for i in 1 2 3 4 5 6 7 8 9 10; do grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6 && break; sleep " +
		"0.3; done"
	if d.device == "siw0" {
		wait = "sleep 1.5"
	}
	if _, err := g.On(ctx, rdmatest.Hosts[1], wait); err != nil {
		return 0, err
	}
	output, err := g.On(ctx, rdmatest.Hosts[0], fmt.Sprintf("timeout 100 %s %s %s", d.tool, options, address))
	if err != nil {
		g.On(ctx, rdmatest.Hosts[1], "kill $(pidof "+d.tool+")")
	}
	if err = errors.Join(err, <-served); err != nil {
		return 0, err
	}
	return d.parse(output)
}

// parse returns the median latency or the average rate from the row of the message's size.
func (d *benchCase) parse(output string) (float64, error) {
	column, row := 4, strconv.Itoa(size)
	if d.pairs > 0 {
		column, row = 3, strconv.Itoa(block)
	}
	for line := range strings.Lines(output) {
		if f := strings.Fields(line); len(f) > column && f[0] == row {
			return strconv.ParseFloat(f[column], 64)
		}
	}
	return 0, fmt.Errorf("%s prints no row of %s bytes: %.400q", d.tool, row, output)
}

func value(v float64) float64 { return v }

func spread(v []float64, unit string) string {
	if len(v) == 0 {
		return "none"
	}
	median, low, high := harness.Spread(v, value)
	return fmt.Sprintf("%.3g [%.3g-%.3g] %s", median, low, high, unit)
}

func (d *benchCase) met(ratio float64) string {
	switch {
	case len(d.own) == 0 || len(d.other) == 0:
		return "not measured"
	case d.most > 0 && ratio <= d.most:
		return fmt.Sprintf("at most %.2f: met", d.most)
	case d.most > 0:
		return fmt.Sprintf("at most %.2f: **missed**", d.most)
	case ratio >= d.least:
		return fmt.Sprintf("at least %.2f: met", d.least)
	}
	return fmt.Sprintf("at least %.2f: **missed**", d.least)
}

func table(kernel string, measured []*benchCase, runs int) string {
	var s strings.Builder
	version, _ := exec.Command("qemu-system-x86_64", "--version").Output()
	first, _, _ := strings.Cut(string(version), "\n")
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Fprintf(&s,
		"# linerate-verbs beside perftest\n\nTwo guests of one processor each, Linux %s, %s, on a machine with %d cores; "+
			"load at the end %s.\n\n", kernel, first, runtime.NumCPU(), strings.Join(strings.Fields(string(load))[:1], ""))
	fmt.Fprintf(&s,
		"Medians of %d alternating runs, lowest and highest beside them. Latency of write and send is half a round trip, "+
			"of read the whole.\n"+
			"perftest: %d iterations or %d s, one thread for all queue pairs; linerate-verbs: 1 s or %d s, a thread a pair, "+
			"which gives its turn up\n"+
			"after each look in vain. Both: depth %d, timeout 18. Differences below 10 %% cannot be told apart in such "+
			"guests, and no figure says how fast\n"+
			"RDMA is. The ratio is linerate-verbs's to perftest's.\n\n", runs, iterations, seconds, seconds, depth)
	s.WriteString(
		"| device | figure | linerate-verbs | perftest | ratio | required | runs, failed |\n|--|--|--|--|--|--|--|\n")
	for _, d := range measured {
		unit, ratio := "us", "-"
		if d.pairs > 0 {
			unit = "Gb/s"
		}
		r := 0.0
		if m := harness.Median(d.other, value); m > 0 && len(d.own) > 0 {
			r = harness.Median(d.own, value) / m
			ratio = fmt.Sprintf("**%.2f**", r)
		}
		fmt.Fprintf(&s, "| %s | %s | %s | %s | %s | %s | %d + %d, %d |\n", d.device, d.name, spread(d.own, unit),
			spread(d.other, unit), ratio, d.met(r), len(d.own), len(d.other), len(d.failed))
	}
	return s.String()
}
