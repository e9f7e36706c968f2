//go:build linux

// Command network measures linerate's network engine and its peers side by side, on one machine: two network
// namespaces, a veth pair between them, and every tool in turn (A B C A B C ..), so that what else the machine does
// meets all of them alike. It prints Markdown tables of medians.
//
//	go build -o /tmp/bench-network ./bench/network
//	sudo /tmp/bench-network -runs 5 -mtu 1500,9000 -o bench/network/latest.md
//
// It needs root, iproute2, taskset, iperf3, sockperf and, for the engine's own overhead, a C compiler. All tools are
// judged by the same instruments: the byte counter of the receiving interface and the processor time of both processes
// between two readings, 0.6 s after the first 5 MB. Round trips are each tool's own figures.
//
// Labels: A copies at both ends as an application does, B hands over pages at the sender, C discards at the receiver, G
// gathers messages into one call. Figures are compared within a label alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/agent"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "agent" {
		if err := agent.Serve(context.Background(), os.Stdin, os.Stdout, agent.Options{Log: os.Stderr}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "network:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context) error {
	runs := flag.Int("runs", 5, "runs of each tool in each case")
	mtus := flag.String("mtu", "1500,9000", "MTUs of the link")
	only := flag.String("only", "", "a regular expression: cases to run")
	out := flag.String("o", "", "file for the tables, beside standard output")
	flag.DurationVar(&measured, "window", measured, "time between the two readings")
	nice := flag.Int("nice", -10, "niceness of all tools")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if err := prefer(os.Getpid(), *nice); err != nil {
		return err
	}
	l, err := newLink(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	for _, a := range l.agents {
		if err := prefer(a.Hello().PID, *nice); err != nil {
			return err
		}
	}
	text := new(strings.Builder)
	fmt.Fprintf(text, "# The network engine beside its peers\n\n%s\n%s\n", machine(), reading)
	began := time.Now()
	for _, m := range strings.Split(*mtus, ",") {
		mtu, err := strconv.Atoi(m)
		if err != nil {
			return fmt.Errorf("-mtu: %w", err)
		}
		if err := l.setMTU(ctx, mtu); err != nil {
			return err
		}
		for _, c := range cases(l) {
			if !which.MatchString(c.name) || c.onlyMTU != 0 && c.onlyMTU != mtu {
				continue
			}
			if err := c.run(ctx, l, *runs); err != nil {
				return fmt.Errorf("%s, MTU %d: %w", c.name, mtu, err)
			}
			table := c.table(mtu)
			_, _ = os.Stdout.WriteString(table)
			text.WriteString(table)
		}
	}
	fmt.Fprintf(text, "\nMeasured on %s, %d runs a tool, in %v.\n", began.UTC().Format("2006-01-02 15:04 UTC"), *runs, time.Since(began).Round(time.Second))
	if *out != "" {
		return os.WriteFile(*out, []byte(text.String()), 0o644)
	}
	return nil
}

// prefer gives every thread of a process, and what they start, its niceness. Where the kernel shares the processor among sessions first
// (autogroup), the session needs it too: else a tool that has a session of its own would be treated otherwise.
func prefer(pid, nice int) error {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return err
	}
	for _, t := range threads {
		tid, _ := strconv.Atoi(t.Name())
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, tid, nice); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("niceness of process %d: %w", pid, err)
		}
	}
	err = os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), []byte(strconv.Itoa(nice)), 0)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("niceness of the session of process %d: %w", pid, err)
	}
	return nil
}

const reading = `
Medians of alternating runs, lowest and highest beside them. Gb/s is the receiving interface's byte counter, headers
included; cores are processor time of client and server; Gb per processor second divides by their sum. Foreign is other
work on the machine in cores: where it is above 0.1 the row is disturbed, and below 10 % two values are a tie here. The
ratio is the first row's to that row: above 1 the first is ahead. In the rows of round trips a ratio below 1 is ahead.
A veth hands over packets of up to 64 KiB unsegmented: these are figures about software, not about a network card.
`
