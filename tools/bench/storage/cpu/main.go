//go:build linux

// Command cpu holds the processor time that a record of block has against what the operating system says of the same window: of all threads of the processes that measured, at both ends, and of all of the
// kernel's own. The cases take turns (A B C A B C ..). It prints a Markdown table of medians.
//
//	go build -o /tmp/linerate ./cmd/linerate && go build -C tools/bench -o /tmp/bench-cpu ./storage/cpu
//	sudo /tmp/bench-cpu -linerate /tmp/linerate -o tools/bench/storage/cpu/latest.md
//
// It reads /proc/PID/task/TID/schedstat of these processes, with what threads that ended had used from /proc/PID/stat, and /proc/PID/schedstat of the kernel's threads ten times a second, and takes both edges
// of the window, which the record has, from the readings around them.
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
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/internal/record"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cpu:", err)
		os.Exit(1)
	}
}

// pair is a lab of two hosts with a link that is faster than they are.
const pair = `fabric: pair
hosts:
  pc: {os: linux, nics: {fast: {part: &fast {kind: nic, speed: 100G, ports: 1, cage: qsfp28}}}}
  nas: {os: linux, nics: {fast: {part: *fast}}, drives: {tank: {path: /tank}}}
links:
  - {ends: [pc.fast, nas.fast], cable: {part: {kind: cable, media: dac, ends: [qsfp28, qsfp28], length: 1m}}}
experiments:
  pair: {method: block, from: pc, to: nas.tank, transport: nvme-tcp, size: 4KiB, pattern: random, depth: 32, time: SECONDS, warmup: 300ms, span: 32MiB, repeats: 1}
`

// test is one case: a command that prints a run.
type test struct {
	name string
	args []string
	rows []row
}

// row is one run, in cores.
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
	window := time.Duration(*seconds * float64(time.Second)).String()
	image := filepath.Join(dir, "image")
	if err := os.WriteFile(image, bytes.Repeat([]byte{1}, 256<<20), 0o600); err != nil {
		return err
	}
	loop, err := exec.CommandContext(ctx, "losetup", "-f", "--show", image).Output()
	if err != nil {
		return fmt.Errorf("losetup: %w", err)
	}
	device := strings.TrimSpace(string(loop))
	defer func() { _ = exec.Command("losetup", "-d", device).Run() }()
	file := filepath.Join(dir, "pair.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(pair, "SECONDS", window, 1)), 0o600); err != nil {
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
		return append([]string{"measure", "block", "--to", to, "--time", window, "--warmup", "300ms", "--repeats", "1", "--json"}, more...)
	}
	if err := os.Mkdir(filepath.Join(dir, "files"), 0o700); err != nil {
		return err
	}
	tests := []*test{
		{name: "file in memory (tmpfs), 4 KiB, 70 % read, depth 32", args: measure(filepath.Join(dir, "files"), "--size", "4KiB", "--depth", "32", "--read", "70%", "--span", "64MiB")},
		{name: "loop device, O_DIRECT, 4 KiB reads, depth 32", args: measure(device, "--size", "4KiB", "--depth", "32")},
		{name: "NVMe/TCP of both ends over a veth, 4 KiB reads, depth 32", args: []string{"run", file, "--lab=" + lab.ID, "--json"}},
	}
	for i := range *runs {
		for _, t := range tests {
			r, err := one(ctx, exe, dir, t.args)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			t.rows = append(t.rows, r)
			fmt.Fprintf(os.Stderr, "%d %s: %+v\n", i+1, t.name, r)
		}
	}
	page := table(ctx, tests, *runs, window)
	if *output == "" {
		_, err = fmt.Fprint(os.Stdout, page)
		return err
	}
	return os.WriteFile(*output, []byte(page), 0o644)
}

// one runs a command, and looks at its processes meanwhile.
func one(ctx context.Context, exe, dir string, args []string) (row, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Start(); err != nil {
		return row{}, err
	}
	done := make(chan struct{})
	seen := make(chan []reading)
	go func() { seen <- look(exe, done) }()
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
	open := rep.Start
	end := open.Add(time.Duration(rep.Seconds * 1e9))
	a, okA := at(readings, open)
	b, okB := at(readings, end)
	if !okA || !okB {
		return x, fmt.Errorf("the window %v to %v was not looked at", open, end)
	}
	x.ownOS, x.kernelOS = (b.own-a.own)/rep.Seconds, (b.kernel-a.kernel)/rep.Seconds
	return x, nil
}

// reading is processor seconds until a moment.
type reading struct {
	at          time.Time
	own, kernel float64
}

// at is what the readings around a moment say of it.
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

// look reads all that belongs to agents of exe, and to the kernel, until done.
func look(exe string, done <-chan struct{}) (all []reading) {
	every := time.NewTicker(100 * time.Millisecond)
	defer every.Stop()
	kind := map[string]int{} // 1: an agent, 2: a thread of the kernel, 3: another
	own := map[string]float64{}
	var ended float64
	for {
		select {
		case <-done:
			return all
		case <-every.C:
		}
		began := time.Now()
		r := reading{}
		entries, _ := os.ReadDir("/proc")
		there := map[string]bool{}
		for _, e := range entries {
			pid := e.Name()
			if pid[0] < '0' || pid[0] > '9' {
				continue
			}
			if kind[pid] == 0 || kind[pid] == 3 {
				kind[pid] = kindOf(exe, pid)
			}
			switch kind[pid] {
			case 1:
				there[pid] = true
				own[pid] = max(own[pid], process(pid))
			case 2:
				r.kernel += schedstat("/proc/" + pid + "/schedstat")
			}
		}
		for pid, v := range own {
			if !there[pid] {
				ended += v
				delete(own, pid)
				delete(kind, pid)
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

func kindOf(exe, pid string) int {
	line, err := os.ReadFile("/proc/" + pid + "/cmdline")
	if err != nil {
		return 0
	}
	words := strings.Split(string(line), "\x00")
	if len(line) == 0 {
		if text, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
			_, rest, _ := strings.Cut(string(text), ") ")
			if f := strings.Fields(rest); len(f) > 6 {
				if flags, _ := strconv.ParseUint(f[6], 10, 64); flags&0x200000 != 0 { // PF_KTHREAD
					return 2
				}
			}
		}
		return 3
	}
	if path, _ := os.Readlink("/proc/" + pid + "/exe"); path == exe && len(words) > 1 && words[1] == "agent" {
		return 1
	}
	return 3
}

// process is what all threads of a process have used until now, also those that are no more: the scheduler's clock of the living ones, or the account of the whole in steps of 10 ms, whichever has more.
func process(pid string) float64 {
	threads, _ := os.ReadDir("/proc/" + pid + "/task")
	sum := 0.0
	for _, t := range threads {
		sum += schedstat("/proc/" + pid + "/task/" + t.Name() + "/schedstat")
	}
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return sum
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return sum
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return max(sum, (user+system)/100)
}

func schedstat(path string) float64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	ns, _ := strconv.ParseFloat(first, 64)
	return ns / 1e9
}

func median(rows []row, of func(row) float64) float64 {
	var v []float64
	for _, r := range rows {
		v = append(v, of(r))
	}
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

func table(ctx context.Context, tests []*test, runs int, window string) string {
	var b strings.Builder
	said := func(argv ...string) string {
		out, _ := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
		return strings.TrimSpace(string(out))
	}
	fmt.Fprintf(&b, `# The record's processor time beside the operating system's

%s; %s cores, Linux %s. Medians of %d alternating runs of %s, in cores. Processes are all that measured, at both ends; the system's account of them is that of all their threads
(/proc/PID/task/TID/schedstat; /proc/PID/stat for those that ended), of the kernel that of its threads (/proc/PID/schedstat), over the same window. The difference is the median of the runs' differences, of both together.

| what was measured | processes: record | system | kernel: record | system | difference | required |
|--|--|--|--|--|--|--|
`, time.Now().Format("2006-01-02"), said("nproc"), said("uname", "-r"), runs, window)
	for _, t := range tests {
		d := median(t.rows, func(r row) float64 { return math.Abs(r.own+r.kernel-r.ownOS-r.kernelOS) / (r.ownOS + r.kernelOS) })
		met := "met"
		if d > 0.05 {
			met = "missed"
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.3f | %.3f | **%.1f %%** | at most 5 %%: %s |\n", t.name, median(t.rows, func(r row) float64 { return r.own }), median(t.rows, func(r row) float64 { return r.ownOS }),
			median(t.rows, func(r row) float64 { return r.kernel }), median(t.rows, func(r row) float64 { return r.kernelOS }), d*100, met)
	}
	return b.String()
}
