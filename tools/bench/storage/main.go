//go:build linux

// Command storage measures the block engine beside what is known to be fast: a bare C loop over io_uring's no-op, and fio. The programs take turns
// (A B A B ..), so that what else the machine does meets all alike. It prints a Markdown table of medians.
//
//	apt-get install fio liburing-dev
//	go build -C tools/bench -o /tmp/bench-storage ./storage
//	sudo /tmp/bench-storage -o tools/bench/storage/latest.md
//
// The device is a loop device over a file in memory (-folder), so that the figures are about software. Processor time is what the kernel charges
// the program's process and its children (wait4), less what the same program takes for one single request: fio's start is 0.15 s of it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-job" {
		if err := job(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "storage:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "storage:", err)
		os.Exit(1)
	}
}

// job runs one job in a process of its own and prints its outcome.
func job(text string) error {
	var j block.Job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	e, err := block.Prepare(context.Background(), j)
	if err != nil {
		return err
	}
	defer e.Close()
	o, err := e.Run(context.Background(), traffic.Now(), nil)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// run is one run of one program.
type run struct {
	ops     float64
	seconds float64
	cpu     float64 // seconds of the process and its children
	kernel  float64 // of them in the kernel, where most of a start is not
	host    float64 // cores of the host that were in use
}

// program is one of those that take turns. times is how long it runs; one: a single request.
type program struct {
	name string
	run  func(ctx context.Context, one bool) (run, error)
}

// duel is one case; the first program is the engine.
type duel struct {
	name     string
	programs []program
	needRate float64 // of the engine's to the judged one's; 0: none
	needCPU  float64
	judged   []string
	runs     map[string][]run
	start    map[string]run // what one single request takes
	failed   []string
}

func bench(ctx context.Context) error {
	runs := flag.Int("runs", 7, "runs of each program in each case")
	seconds := flag.Float64("seconds", 4, "of each run")
	only := flag.String("only", "", "a regular expression: cases to run, by name")
	folder := flag.String("folder", "/dev/shm", "where the loop device's file lies")
	out := flag.String("o", "", "file for the table, beside standard output")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	work, err := os.MkdirTemp(*folder, "bench-storage")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	nop, err := compile(ctx, work)
	if err != nil {
		return err
	}
	device, detach, err := loop(work)
	if err != nil {
		return err
	}
	defer detach()
	window := time.Duration(*seconds * 1e9)
	base := block.Job{Target: device, Read: 1, Depth: 32, Threads: 1, Window: window, Seed: 1}
	engine := func(change func(*block.Job)) program {
		j := base
		change(&j)
		return program{"linerate", func(ctx context.Context, one bool) (run, error) { return ours(ctx, j, one) }}
	}
	fio := func(name string, args ...string) program {
		return program{name, func(ctx context.Context, one bool) (run, error) { return theirs(ctx, device, *seconds, one, args) }}
	}
	bare := func(kind, batch string) program {
		return program{"C loop, " + kind + ", batches of " + batch, func(ctx context.Context, one bool) (run, error) {
			return bareLoop(ctx, nop, *seconds, one, kind, batch)
		}}
	}
	tuned := []string{"--fixedbufs=1", "--registerfiles=1", "--iodepth_batch_submit=8", "--iodepth_batch_complete_min=8"}
	duels := []*duel{
		{name: "no-op, 32 under way", programs: []program{engine(func(j *block.Job) { j.Way, j.Size, j.Target = block.WayNop, 4096, "" }), bare("plain", "32"), bare("tuned", "32"), bare("plain", "8")},
			needCPU: 1.0, judged: []string{"C loop, plain, batches of 32"}},
		{name: "4 KiB random reads, 32 under way", programs: []program{engine(func(j *block.Job) { j.Size = 4096 }), fio("fio", append([]string{"--rw=randread", "--bs=4k"}, tuned...)...), fio("fio, its defaults", "--rw=randread", "--bs=4k")},
			needRate: 0.95, needCPU: 1.5, judged: []string{"fio"}},
		{name: "128 KiB sequential reads, 32 under way", programs: []program{engine(func(j *block.Job) { j.Size, j.Pattern = 128*unit.KiB, block.PatternSequential }), fio("fio", append([]string{"--rw=read", "--bs=128k"}, tuned...)...), fio("fio, its defaults", "--rw=read", "--bs=128k")},
			needRate: 0.95, needCPU: 0.95, judged: []string{"fio"}},
	}
	var done []*duel
	for _, d := range duels {
		if !which.MatchString(d.name) || ctx.Err() != nil {
			continue
		}
		done = append(done, d)
		d.fight(ctx, *runs)
	}
	text := table(ctx, done, *runs, *seconds)
	fmt.Fprint(os.Stdout, text)
	if *out != "" {
		return os.WriteFile(*out, []byte(text), 0o644)
	}
	return nil
}

func (d *duel) fight(ctx context.Context, runs int) {
	d.runs, d.start = map[string][]run{}, map[string]run{}
	for _, p := range d.programs {
		var single []run
		for range 3 {
			if r, err := p.run(ctx, true); err == nil {
				single = append(single, r)
			} else {
				d.failed = append(d.failed, p.name+": "+err.Error())
			}
		}
		if len(single) > 0 {
			slices.SortFunc(single, func(a, b run) int { return cmp.Compare(a.cpu, b.cpu) })
			d.start[p.name] = single[len(single)/2]
		}
	}
	for range runs {
		for _, p := range d.programs {
			if ctx.Err() != nil {
				return
			}
			r, err := p.run(ctx, false)
			if err != nil {
				d.failed = append(d.failed, p.name+": "+err.Error())
				fmt.Fprintln(os.Stderr, d.name, p.name, err)
				continue
			}
			r.cpu -= d.start[p.name].cpu
			r.kernel -= d.start[p.name].kernel
			d.runs[p.name] = append(d.runs[p.name], r)
			fmt.Fprintf(os.Stderr, "%s, %s: %.0f a second, %.0f a processor second\n", d.name, p.name, r.ops/r.seconds, r.ops/r.cpu)
		}
	}
}

// timed runs a command and takes its processor time, and the host's.
func timed(ctx context.Context, argv ...string) (out []byte, r run, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var errs strings.Builder
	c.Stderr = &errs
	before, began := busy(), time.Now()
	out, err = c.Output()
	took := time.Since(began).Seconds()
	if err != nil {
		return nil, r, fmt.Errorf("%s: %w: %.300s", argv[0], err, errs.String())
	}
	if s := c.ProcessState; s != nil {
		r.kernel = s.SystemTime().Seconds()
		r.cpu = s.UserTime().Seconds() + r.kernel
	}
	r.host = (busy() - before) / took
	return out, r, nil
}

// busy is the processor seconds that the host was at work so far, in hundredths.
func busy() float64 {
	b, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(b), "\n")
	sum := 0.0
	for i, f := range strings.Fields(line) {
		if v, err := strconv.ParseFloat(f, 64); err == nil && i != 4 && i != 5 && i <= 7 { // not idle, not iowait, and guests are in user
			sum += v
		}
	}
	return sum / 100
}

func ours(ctx context.Context, j block.Job, one bool) (run, error) {
	self, err := os.Executable()
	if err != nil {
		return run{}, err
	}
	if one {
		j.Amount = j.Size
	}
	text, err := json.Marshal(j)
	if err != nil {
		return run{}, err
	}
	out, r, err := timed(ctx, self, "-job", string(text))
	if err != nil {
		return r, err
	}
	var o block.Outcome
	if err := json.Unmarshal(out, &o); err != nil {
		return r, err
	}
	if o.ErrorCount > 0 || o.Read.Operations == 0 {
		return r, fmt.Errorf("%d operations, %d errors", o.Read.Operations, o.ErrorCount)
	}
	h, err := o.Read.Latency()
	if err != nil || h.Count() != o.Read.Operations {
		return r, fmt.Errorf("%d operations, and not all of their latencies (%v)", o.Read.Operations, err)
	}
	r.ops, r.seconds = float64(o.Read.Operations), float64(o.CloseNS-o.OpenNS)/1e9
	return r, nil
}

func theirs(ctx context.Context, device string, seconds float64, one bool, args []string) (run, error) {
	argv := append([]string{"fio", "--name=a", "--filename=" + device, "--direct=1", "--ioengine=io_uring", "--iodepth=32", "--output-format=json"}, args...)
	if one {
		argv = append(argv, "--number_ios=1")
	} else {
		argv = append(argv, "--time_based", fmt.Sprintf("--runtime=%gs", seconds))
	}
	out, r, err := timed(ctx, argv...)
	if err != nil {
		return r, err
	}
	var said struct {
		Jobs []struct {
			Error int `json:"error"`
			Read  struct {
				Total   float64 `json:"total_ios"`
				Runtime float64 `json:"runtime"` // ms
			} `json:"read"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return r, err
	}
	if len(said.Jobs) != 1 || said.Jobs[0].Error != 0 || said.Jobs[0].Read.Total == 0 {
		return r, errors.New("fio says no figure")
	}
	r.ops, r.seconds = said.Jobs[0].Read.Total, said.Jobs[0].Read.Runtime/1000
	return r, nil
}

func bareLoop(ctx context.Context, nop string, seconds float64, one bool, kind, batch string) (run, error) {
	if one {
		seconds = 0
	}
	out, r, err := timed(ctx, nop, strconv.FormatFloat(seconds, 'g', -1, 64), "32", batch, kind)
	if err != nil {
		return r, err
	}
	if r.ops, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
		return r, err
	}
	r.seconds = max(seconds, 1e-9)
	return r, nil
}

func compile(ctx context.Context, work string) (string, error) {
	source, err := os.ReadFile("tools/bench/storage/nop.c")
	if err != nil {
		return "", fmt.Errorf("it is run at the root of the project: %w", err)
	}
	at := filepath.Join(work, "nop")
	if err := os.WriteFile(at+".c", source, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "cc", "-O2", "-o", at, at+".c", "-luring").CombinedOutput(); err != nil {
		return "", fmt.Errorf("cc: %w: %s", err, out)
	}
	return at, nil
}

// size of the loop device.
const size = unit.GiB

// loop attaches a file of memory that is written all over, so that every read finds pages.
func loop(work string) (device string, detach func(), err error) {
	at := filepath.Join(work, "image")
	f, err := os.Create(at)
	if err != nil {
		return "", nil, err
	}
	b := make([]byte, unit.MiB)
	for i := range b {
		b[i] = byte(i * i >> 7)
	}
	for range size / unit.MiB {
		if _, err := f.Write(b); err != nil {
			f.Close()
			return "", nil, err
		}
	}
	if err := f.Close(); err != nil {
		return "", nil, err
	}
	out, err := exec.Command("losetup", "-f", "--show", at).CombinedOutput()
	if err != nil {
		return "", nil, fmt.Errorf("losetup: %w: %s", err, out)
	}
	device = strings.TrimSpace(string(out))
	return device, func() { _ = exec.Command("losetup", "-d", device).Run() }, nil
}
