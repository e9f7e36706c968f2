//go:build linux

// Command nodes measures what a run with many hosts costs the controller. Each host is a network namespace of this
// machine with an agent of its own; one bridge links all of them. Each pair of hosts carries one slow paced stream.
//
//	go build -trimpath -o /tmp/linerate ./cmd/linerate
//	go build -C tools/bench -o /tmp/bench-nodes ./nodes
//	sudo /tmp/bench-nodes -program /tmp/linerate -o tools/bench/nodes/latest.md
//
// It needs root and iproute2. The figures are those of the run folder that the program writes, and of its process.
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
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"linerate/internal/record/runfolder"
	"linerate/tools/bench/harness"
)

const prefix = "lrn" // of the namespaces' names

func main() { harness.Main("nodes", bench) }

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
	return harness.Publish(page(rows), *out)
}

// row is one run. Times are in seconds, memory in bytes.
type row struct {
	Hosts  int
	Failed string
	Skew   float64 // between the first bytes of the first and the last flow
	Phases [len(phases)]float64
	Total  float64
	Memory float64 // peak of the controller
	All    float64 // by how much the machine's available memory fell at most
	Own    float64 // CPU time of the controller
	Agents float64 // CPU time of the agents
	Load   float64 // cores that other processes used meanwhile
	Folder float64 // size of the run folder
}

// phases are the parts of a run. Each ends with the last event of its kind in the journal.
var phases = [...]struct{ name, until string }{
	{"agents, clocks, first facts", "run-started"},
	{"full facts", "host"},
	{"2 s of rest, two snapshots", "snapshot idle-end"},
	{"snapshots before", "snapshot before"},
	{"connections, clocks, warm-up, 2 s, results", "samples"},
	{"snapshots after", "snapshot after"},
	{"verdict, report", ""},
}

func measure(ctx context.Context, program string, n int) (row, error) {
	r := row{Hosts: n}
	defer removeHosts(n)
	if err := makeHosts(ctx, n); err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "bench-nodes")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "run")
	cmd := exec.CommandContext(ctx, program, "measure", "throughput", "--traffic", "pairs", "--from",
		fmt.Sprintf("netns %s[1-%d]", prefix, n/2), "--to", fmt.Sprintf("netns %s[%d-%d]", prefix, n/2+1, n), "--link",
		"1G", "--pace", "100K", "--size", "1KiB", "--direction", "out", "--time", "2s", "--repeats", "1", "--samples", "1",
		"-o", folder)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	free, busy := available(), busyTime()
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
			if own, _ := harness.CPUTime(cmd.Process.Pid); own > 0 {
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
		text := strings.TrimSpace(printed.String())
		r.Failed = fmt.Sprintf("%v: %s", err, text[max(0, len(text)-300):])
	}
	r.Total = ended.Sub(began).Seconds()
	r.Memory = float64(harness.PeakMemory(cmd.ProcessState))
	all := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() // with its children
	r.Agents = all - r.Own
	r.Load = max(0, (busyTime()-busy-all)/r.Total)
	return r, r.read(folder, began, ended)
}

// read sets the skew, the phases and the size from a run folder.
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
			return nil // the run failed before it made the folder
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
		if e.Event == "snapshot" {
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
		until, found := last[p.until]
		if p.until == "" {
			until, found = ended, true
		}
		if found && until.After(from) {
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

// available is the available memory of the machine in bytes (MemAvailable of proc_meminfo(5)).
func available() float64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kB float64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %f kB", &kB); n == 1 {
			return kB * 1024
		}
	}
	return 0
}

// busyTime is how long all cores together were busy or taken by the hypervisor so far, in seconds.
func busyTime() float64 {
	busy, steal := harness.SystemTime()
	return busy + steal
}

func hostName(i int) string { return prefix + strconv.Itoa(i) }

func makeHosts(ctx context.Context, n int) error {
	sw := prefix + "sw"
	lines := []string{"netns add " + sw, "-n " + sw + " link add sw0 type bridge", "-n " + sw + " link set sw0 up"}
	for i := 1; i <= n; i++ {
		name, port := hostName(i), fmt.Sprintf("s%d", i)
		lines = append(lines, "netns add "+name,
			fmt.Sprintf("link add w0 netns %s type veth peer name %s netns %s", name, port, sw),
			fmt.Sprintf("-n %s link set %s master sw0 up", sw, port),
			fmt.Sprintf("-n %s addr add 10.80.%d.%d/16 dev w0", name, i/200, i%200+1),
			"-n "+name+" link set lo up", "-n "+name+" link set w0 up")
	}
	return harness.IP(ctx, lines...)
}

func removeHosts(n int) {
	for i := 1; i <= n; i++ {
		harness.RemoveNamespaces(hostName(i))
	}
	harness.RemoveNamespaces(prefix + "sw")
}
