//go:build linux

// Command cpu compares the CPU time in the record of a storage experiment with what the operating system counts for the
// same interval: for all threads of the processes that measured, at both ends, and for all threads of the kernel. The
// cases alternate (A B C A B C ..). It prints a Markdown table of medians.
//
//	go build -o /tmp/linerate ./cmd/linerate && go build -C tools/bench -o /tmp/bench-cpu ./storage/cpu
//	sudo /tmp/bench-cpu -linerate /tmp/linerate -o tools/bench/storage/cpu/latest.md
//
// Ten times a second it reads /proc/PID/task/TID/schedstat of these processes, /proc/PID/stat for their threads that
// have ended, and /proc/PID/schedstat of the kernel's threads. The record has both edges of the interval; the CPU time
// at an edge is interpolated between the readings around it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"linerate/internal/record"
	"linerate/tools/bench/harness"
)

func main() { harness.Main("cpu", bench) }

// fabricFile is a lab of two hosts with a link that is faster than the hosts.
const fabricFile = `fabric: pair
hosts:
  pc: {os: linux, nics: {fast: {part: &fast {kind: nic, speed: 100G, ports: 1, cage: qsfp28}}}}
  nas: {os: linux, nics: {fast: {part: *fast}}, drives: {tank: {path: /tank}}}
links:
  - {ends: [pc.fast, nas.fast], cable: {part: {kind: cable, media: dac, ends: [qsfp28, qsfp28], length: 1m}}}
experiments:
  pair: {method: storage, from: pc, to: nas.tank, transport: nvme-tcp, size: 4KiB, access: random, depth: 32, time: SECONDS, warmup: 300ms, span: 32MiB, repeats: 1}
`

// benchCase is a command that prints the record of a run.
type benchCase struct {
	name string
	args []string
	rows []row
}

// row is one run in cores: the CPU time of the processes and of the kernel, in the record and by the operating system.
type row struct{ own, ownOS, kernel, kernelOS float64 }

func bench(ctx context.Context) error {
	program := flag.String("linerate", "linerate", "the program")
	folder := flag.String("folder", "/dev/shm", "a folder in memory")
	runs := flag.Int("runs", 5, "runs of each case")
	seconds := flag.Float64("seconds", 2.5, "window of a run")
	output := flag.String("o", "", "file for the table; empty: standard output")
	flag.Parse()
	exe, err := filepath.EvalSymlinks(*program)
	if err == nil {
		exe, err = filepath.Abs(exe)
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(*folder, "bench-cpu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_RUNTIME_DIR", dir)
	interval := time.Duration(*seconds * float64(time.Second)).String()
	image := filepath.Join(dir, "image")
	if err := os.WriteFile(image, bytes.Repeat([]byte{1}, 256<<20), 0o600); err != nil {
		return err
	}
	device, detach, err := harness.LoopDevice(ctx, image)
	if err != nil {
		return err
	}
	defer detach()
	file := filepath.Join(dir, "pair.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(fabricFile, "SECONDS", interval, 1)), 0o600); err != nil {
		return err
	}
	up := exec.CommandContext(ctx, exe, "lab", "up", file, "--scale", "1", "--json")
	up.Dir = dir
	text, err := up.Output()
	if err != nil {
		return fmt.Errorf("lab up: %w", err)
	}
	var lab struct{ ID string }
	if err := json.Unmarshal(text, &lab); err != nil {
		return err
	}
	defer func() { _ = exec.Command(exe, "lab", "down", lab.ID).Run() }()
	measure := func(to string, more ...string) []string {
		return append([]string{"measure", "storage", "--to", to, "--time", interval, "--warmup", "300ms", "--repeats", "1",
			"--json"}, more...)
	}
	if err := os.Mkdir(filepath.Join(dir, "files"), 0o700); err != nil {
		return err
	}
	cases := []*benchCase{
		{name: "file in memory (tmpfs), 4 KiB, 70 % read, depth 32",
			args: measure(filepath.Join(dir, "files"), "--size", "4KiB", "--depth", "32", "--read", "70%", "--span", "64MiB")},
		{name: "loop device, O_DIRECT, 4 KiB reads, depth 32", args: measure(device, "--size", "4KiB", "--depth", "32")},
		{name: "NVMe/TCP of both ends over a veth, 4 KiB reads, depth 32",
			args: []string{"run", file, "--in-lab=" + lab.ID, "--json"}},
	}
	for i := range *runs {
		for _, t := range cases {
			r, err := runOnce(ctx, exe, dir, t.args)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			t.rows = append(t.rows, r)
			fmt.Fprintf(os.Stderr, "%d %s: %+v\n", i+1, t.name, r)
		}
	}
	page := table(ctx, cases, *runs, interval)
	if *output == "" {
		_, err = fmt.Fprint(os.Stdout, page)
		return err
	}
	return os.WriteFile(*output, []byte(page), 0o644)
}

// runOnce runs a command and watches its processes.
func runOnce(ctx context.Context, exe, dir string, args []string) (row, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Start(); err != nil {
		return row{}, err
	}
	done := make(chan struct{})
	seen := make(chan []reading)
	go func() { seen <- watch(exe, done) }()
	err := cmd.Wait()
	close(done)
	readings := <-seen
	if err != nil {
		return row{}, fmt.Errorf("%w: %s", err, errs.String())
	}
	var r record.Run
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return row{}, err
	}
	if len(r.Experiments) != 1 || len(r.Experiments[0].Repeats) != 1 {
		return row{}, fmt.Errorf("no repeat: %s", errs.String())
	}
	rep := r.Experiments[0].Repeats[0]
	var x row
	for _, h := range rep.Block.Hosts {
		if h.Own == nil {
			return x, fmt.Errorf("the record does not know the time of %s's process", h.Host)
		}
		x.own += *h.Own
	}
	for _, c := range rep.CPU {
		for _, t := range c.Threads {
			if c.Core < 0 && t.Kind == record.KernelThread {
				x.kernel += t.User + t.System
			}
		}
	}
	start := rep.Start
	end := start.Add(time.Duration(rep.Seconds * 1e9))
	a, okA := at(readings, start)
	b, okB := at(readings, end)
	if !okA || !okB {
		return x, fmt.Errorf("the window %v to %v was not looked at", start, end)
	}
	x.ownOS, x.kernelOS = (b.own-a.own)/rep.Seconds, (b.kernel-a.kernel)/rep.Seconds
	return x, nil
}

// reading is the CPU time until a moment, in seconds.
type reading struct {
	at          time.Time
	own, kernel float64
}

// at interpolates between the readings around a moment.
func at(all []reading, t time.Time) (reading, bool) {
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if t.Before(a.at) || t.After(b.at) {
			continue
		}
		k := float64(t.Sub(a.at)) / float64(b.at.Sub(a.at))
		return reading{t, a.own + k*(b.own-a.own), a.kernel + k*(b.kernel-a.kernel)}, true
	}
	return reading{}, false
}

// The kinds of a process.
const (
	unknown = iota
	agentProcess
	kernelThread
	otherProcess
)

// watch reads the CPU time of all agents of exe and of the kernel until done.
func watch(exe string, done <-chan struct{}) (all []reading) {
	every := time.NewTicker(100 * time.Millisecond)
	defer every.Stop()
	kinds := map[int]int{}
	own := map[int]float64{}
	var ended float64 // CPU time of the agents that have ended
	for {
		select {
		case <-done:
			return all
		case <-every.C:
		}
		began := time.Now()
		r := reading{}
		entries, _ := os.ReadDir("/proc")
		running := map[int]bool{}
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			if kinds[pid] == unknown || kinds[pid] == otherProcess { // a process may still become an agent by exec
				kinds[pid] = kindOf(exe, pid)
			}
			switch kinds[pid] {
			case agentProcess:
				running[pid] = true
				own[pid] = max(own[pid], processTime(pid))
			case kernelThread:
				r.kernel += schedstat(fmt.Sprintf("/proc/%d/schedstat", pid))
			}
		}
		for pid, v := range own {
			if !running[pid] {
				ended += v
				delete(own, pid)
				delete(kinds, pid)
			}
		}
		for _, v := range own {
			r.own += v
		}
		r.own += ended
		now := time.Now()
		r.at = began.Add(now.Sub(began) / 2)
		all = append(all, r)
	}
}

func kindOf(exe string, pid int) int {
	folder := fmt.Sprintf("/proc/%d/", pid)
	line, err := os.ReadFile(folder + "cmdline")
	if err != nil {
		return unknown
	}
	args := strings.Split(string(line), "\x00")
	if len(line) == 0 {
		if text, err := os.ReadFile(folder + "stat"); err == nil {
			_, rest, _ := strings.Cut(string(text), ") ")
			if f := strings.Fields(rest); len(f) > 6 {
				if flags, _ := strconv.ParseUint(f[6], 10, 64); flags&0x200000 != 0 { // PF_KTHREAD
					return kernelThread
				}
			}
		}
		return otherProcess
	}
	if path, _ := os.Readlink(folder + "exe"); path == exe && len(args) > 1 && args[1] == "agent" {
		return agentProcess
	}
	return otherProcess
}

// processTime is the CPU time of all threads of a process so far in seconds: by the scheduler's clock, which only has
// the running threads, or by the counters of the whole process in steps of 10 ms, whichever is more.
func processTime(pid int) float64 {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	sum := 0.0
	for _, name := range names {
		sum += schedstat(name)
	}
	whole, _ := harness.CPUTime(pid)
	return max(sum, whole)
}

// schedstat is the CPU time of a thread by the scheduler's clock, in seconds.
func schedstat(path string) float64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	ns, _ := strconv.ParseFloat(first, 64)
	return ns / 1e9
}

func table(ctx context.Context, cases []*benchCase, runs int, interval string) string {
	var b strings.Builder
	output := func(argv ...string) string {
		out, _ := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
		return strings.TrimSpace(string(out))
	}
	fmt.Fprintf(&b, `# The record's processor time beside the operating system's

%s; %s cores, Linux %s. Medians of %d alternating runs of %s, in cores. Processes are all that measured, at both ends; the system's account of them is that of all their threads
(/proc/PID/task/TID/schedstat; /proc/PID/stat for those that ended), of the kernel that of its threads (/proc/PID/schedstat), over the same window. The difference is the median of the runs' differences, of both together.

| what was measured | processes: record | system | kernel: record | system | difference | required |
|--|--|--|--|--|--|--|
`, time.Now().Format("2006-01-02"), output("nproc"), output("uname", "-r"), runs, interval)
	for _, t := range cases {
		d := harness.Median(t.rows,
			func(r row) float64 { return math.Abs(r.own+r.kernel-r.ownOS-r.kernelOS) / (r.ownOS + r.kernelOS) })
		met := "met"
		if d > 0.05 {
			met = "missed"
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.3f | %.3f | **%.1f %%** | at most 5 %%: %s |\n", t.name,
			harness.Median(t.rows, func(r row) float64 { return r.own }),
			harness.Median(t.rows, func(r row) float64 { return r.ownOS }),
			harness.Median(t.rows, func(r row) float64 { return r.kernel }),
			harness.Median(t.rows, func(r row) float64 { return r.kernelOS }),
			d*100, met)
	}
	return b.String()
}
