//go:build linux

// Command nodes measures what a run with many hosts costs the controller: each host is a network namespace of this machine
// on one bridge with an agent of its own, and each pair carries one paced stream of next to nothing.
//
//	go build -trimpath -o /tmp/linerate ./cmd/linerate
//	go build -C tools/bench -o /tmp/bench-nodes ./nodes
//	sudo /tmp/bench-nodes -program /tmp/linerate -o tools/bench/nodes/latest.md
//
// It needs root and iproute2. The figures are read off the run folder that the real program writes, and off its process.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/internal/record/runfolder"
	"linerate/tools/bench/wire"
)

const prefix = "lrn" // of the namespaces' names

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "nodes: %v\n", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context) error {
	program := flag.String("program", "linerate", "the program to measure")
	sizes := flag.String("hosts", "20,50,100,200", "numbers of hosts, even")
	out := flag.String("o", "", "file for the table, beside standard output")
	flag.Parse()
	var rows []row
	for _, word := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 2 || n > 800 || n%2 != 0 {
			return fmt.Errorf("-hosts %s: %q is not an even number from 2 to 800", *sizes, word)
		}
		r, err := measure(ctx, *program, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%+v\n", r)
		rows = append(rows, r)
	}
	text := page(rows)
	_, _ = os.Stdout.WriteString(text)
	if *out != "" {
		return os.WriteFile(*out, []byte(text), 0o644)
	}
	return nil
}

// row is one run. Times are in seconds, memory in bytes.
type row struct {
	Hosts  int
	Failed string
	Skew   float64 // between the first bytes of the first and the last flow
	Phases [len(phases)]float64
	Total  float64
	Memory float64 // of the controller, its peak
	All    float64 // by which the machine's available memory fell at most
	Own    float64 // processor time of the controller
	Agents float64 // processor time of the agents
	Load   float64 // cores that other work took meanwhile
	Folder float64 // bytes of the run folder
}

// phases of a run by the journal's events: each ends with the last event of its kind.
var phases = [...]struct{ name, until string }{
	{"agents, clocks, first facts", "run-started"},
	{"full facts", "host"},
	{"2 s of rest, two captures", "capture idle-end"},
	{"captures before", "capture before"},
	{"connections, clocks, warm-up, 2 s, results", "samples"},
	{"captures after", "capture after"},
	{"verdict, report", ""},
}

func measure(ctx context.Context, program string, n int) (row, error) {
	r := row{Hosts: n}
	defer down(n)
	if err := up(ctx, n); err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "bench-nodes")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "run")
	cmd := exec.CommandContext(ctx, program, "measure", "stream", "--pattern", "pairs",
		"--from", fmt.Sprintf("netns %s[1-%d]", prefix, n/2), "--to", fmt.Sprintf("netns %s[%d-%d]", prefix, n/2+1, n),
		"--rate", "1G", "--pace", "100K", "--size", "1KiB", "--direction", "out", "--time", "2s", "--repeats", "1", "--samples", "1", "-o", folder)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	free, busy := available(), busySeconds()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for waiting := true; waiting; {
		select {
		case err = <-done:
			waiting = false
		case <-t.C:
			r.All = max(r.All, free-available())
			if own := processorTime(cmd.Process.Pid); own > 0 {
				r.Own = own
			}
		}
	}
	ended := time.Now()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return r, err
	}
	if err != nil {
		text := strings.TrimSpace(said.String())
		r.Failed = fmt.Sprintf("%v: %s", err, text[max(0, len(text)-300):])
	}
	r.Total = ended.Sub(began).Seconds()
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	r.Memory = float64(use.Maxrss) * 1024
	all := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() // its children's, too
	r.Agents = all - r.Own
	r.Load = max(0, (busySeconds()-busy-all)/r.Total)
	return r, r.read(folder, began, ended)
}

// read takes the skew and the phases out of a run folder.
func (r *row) read(folder string, began, ended time.Time) error {
	err := filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				r.Folder += float64(info.Size())
			}
		}
		return err
	})
	if err != nil {
		if r.Failed != "" {
			return nil // it failed before there was one
		}
		return err
	}
	text, err := os.ReadFile(filepath.Join(folder, "journal.jsonl"))
	if err != nil {
		return err
	}
	last := map[string]time.Time{}
	for _, line := range bytes.Split(text, []byte("\n")) {
		var e struct {
			Event string
			Time  time.Time
			Body  json.RawMessage
		}
		if len(line) == 0 || json.Unmarshal(line, &e) != nil {
			continue
		}
		if e.Event == "capture" {
			var c struct{ Name string }
			_ = json.Unmarshal(e.Body, &c)
			_, when, _ := strings.Cut(filepath.Base(c.Name), ".")
			when, _, _ = strings.Cut(when, ".")
			if !strings.HasPrefix(when, "idle") {
				when, _, _ = strings.Cut(when, "-")
			}
			e.Event += " " + when
		}
		last[e.Event] = e.Time
	}
	from := began
	for i, p := range phases {
		until, there := last[p.until]
		if p.until == "" {
			until, there = ended, true
		}
		if there && until.After(from) {
			r.Phases[i] = until.Sub(from).Seconds()
			from = until
		}
	}
	run, err := runfolder.Open(folder, "")
	if err != nil {
		return err
	}
	for _, x := range run.Run.Experiments {
		for _, rep := range x.Repeats {
			r.Skew = rep.Skew
		}
	}
	return nil
}

func up(ctx context.Context, n int) error {
	space := prefix + "sw"
	steps := [][]string{{"netns", "add", space}, {"-n", space, "link", "add", "sw0", "type", "bridge"}, {"-n", space, "link", "set", "sw0", "up"}}
	for i := 1; i <= n; i++ {
		name, port := fmt.Sprintf("%s%d", prefix, i), fmt.Sprintf("s%d", i)
		steps = append(steps, []string{"netns", "add", name},
			[]string{"link", "add", "w0", "netns", name, "type", "veth", "peer", "name", port, "netns", space},
			[]string{"-n", space, "link", "set", port, "master", "sw0", "up"},
			[]string{"-n", name, "addr", "add", fmt.Sprintf("10.80.%d.%d/16", i/200, i%200+1), "dev", "w0"},
			[]string{"-n", name, "link", "set", "lo", "up"}, []string{"-n", name, "link", "set", "w0", "up"})
	}
	for _, s := range steps {
		if err := wire.Command(ctx, "ip", s...); err != nil {
			return err
		}
	}
	return nil
}

func down(n int) {
	for i := 1; i <= n; i++ {
		_ = exec.Command("ip", "netns", "del", fmt.Sprintf("%s%d", prefix, i)).Run()
	}
	_ = exec.Command("ip", "netns", "del", prefix+"sw").Run()
}
