//go:build linux

// Command network measures linerate's network engine and other tools on one machine, in two network namespaces with a
// veth pair between them. The tools alternate (A B C A B C ..), so that the machine's other work disturbs all of them
// equally. It prints Markdown tables of medians.
//
//	go build -C tools/bench -o /tmp/bench-network ./network
//	sudo /tmp/bench-network -o tools/bench/network/latest.md
//
// Tables can be made in parts: -data FILE keeps all runs, -only chooses the cases to run again, -check compares the
// runs with the requirements.
//
// It needs root, iproute2, taskset, iperf3, sockperf and, for the engine's own overhead, a C compiler. All tools are
// measured in the same way: by the byte counter of the receiving interface, and by the CPU time of both processes and
// of the kernel's packet threads. Both are read twice, first 0.45 s after the first 5 MB. Round trips and delivered
// datagrams are each tool's own figures.
//
// The labels are copy modes: A copies at both ends as an application does, B does not copy at the sender, C discards at
// the receiver, G sends many messages with one call. Only figures of the same label can be compared.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/tools/bench/wire"
)

func main() { wire.Main("network", bench) }

func bench(ctx context.Context) error {
	runs := flag.Int("runs", 5, "runs of each tool in each case")
	mtus := flag.String("mtu", "1500,9000", "MTUs of the link")
	only := flag.String("only", "", "a regular expression: cases to run, by name and MTU as in their titles")
	out := flag.String("o", "", "file for the tables, beside standard output")
	data := flag.String("data", "",
		"file of all runs: what it holds of the other cases is kept in the tables, so that they can be made in pieces")
	checking := flag.Bool("check", false,
		"measure nothing: say what the runs in -data meet, and end with 1 if a requirement is missed")
	flag.DurationVar(&interval, "window", interval, "time between the two readings")
	nice := flag.Int("nice", -10, "niceness of all tools")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	var all []*benchCase
	for _, m := range strings.Split(*mtus, ",") {
		mtu, err := strconv.Atoi(m)
		if err != nil {
			return fmt.Errorf("-mtu: %w", err)
		}
		all = append(all, cases(mtu)...)
	}
	if *data != "" {
		if err := load(*data, all); err != nil {
			return fmt.Errorf("-data: %w", err)
		}
	} else if *checking {
		return errors.New("-check: it needs the file of -data, or leave it out and read the end of a run")
	}
	if !*checking {
		chosen := slices.DeleteFunc(slices.Clone(all), func(c *benchCase) bool { return !which.MatchString(c.title()) })
		if len(chosen) == 0 {
			return fmt.Errorf("-only: no case is like %q", *only)
		}
		began := time.Now()
		if err := measureAll(ctx, chosen, *runs, *nice, func() error {
			if *data == "" {
				return nil
			}
			return save(*data, all)
		}); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "measured in %v\n", time.Since(began).Round(time.Second))
	}
	verdicts, missed := check(all)
	_, _ = os.Stdout.WriteString("\n" + verdicts)
	if *out != "" {
		if err := os.WriteFile(*out, []byte(tables(all)), 0o644); err != nil {
			return err
		}
	}
	if *checking && missed {
		return errors.New("a requirement is missed")
	}
	return nil
}

// measureAll runs the cases one after the other and calls done after each.
func measureAll(ctx context.Context, chosen []*benchCase, runs, nice int, done func() error) error {
	if err := setNiceness(os.Getpid(), nice); err != nil {
		return err
	}
	l, err := newTestbed(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	for _, h := range l.Hosts {
		if err := setNiceness(h.Agent.Hello().PID, nice); err != nil {
			return err
		}
	}
	mtu := 0
	for _, c := range chosen {
		if c.needsCompiler && l.cLoop == "" {
			continue
		}
		if c.mtu != mtu {
			if mtu = c.mtu; l.Unshape(mtu) != nil {
				return fmt.Errorf("the link takes no MTU of %d", mtu)
			}
		}
		c.rows, c.notes = map[string][]row{}, map[string][]string{}
		if err := c.run(ctx, l, runs); err != nil {
			return fmt.Errorf("%s: %w", c.title(), err)
		}
		_, _ = os.Stdout.WriteString(c.table())
		if err := done(); err != nil {
			return err
		}
	}
	return nil
}

// setNiceness sets the niceness of all threads of a process, which the programs that they start inherit. A kernel that
// shares the CPU among sessions first (autogroup) needs it for the session, too: otherwise a tool with a session of its
// own would get another share.
func setNiceness(pid, nice int) error {
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
