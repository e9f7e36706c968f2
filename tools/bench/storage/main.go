//go:build linux

// Command storage measures the storage engine and two programs that are known to be fast: a C loop over io_uring's
// no-op, and fio. The programs alternate (A B A B ..), so that the machine's other work disturbs all of them equally.
// It prints a Markdown table of medians.
//
//	apt-get install fio liburing-dev
//	go build -C tools/bench -o /tmp/bench-storage ./storage
//	sudo /tmp/bench-storage -o tools/bench/storage/latest.md
//
// The device is a loop device over a file in memory (-folder), so that the figures are about software. CPU time is that
// of the program's process and its children (wait4), minus that of the same program with one single request: fio needs
// 0.15 s to start.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
	"linerate/tools/bench/harness"
)

//go:embed c/nop.c
var cLoopSource []byte

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-job" {
		if err := runJob(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "storage:", err)
			os.Exit(1)
		}
		return
	}
	harness.Main("storage", bench)
}

// runJob runs a job and prints its outcome. Each job has a process of its own, whose CPU time can be read.
func runJob(text string) error {
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
	kernel  float64 // the part of cpu in the kernel, which has little of a program's start
	host    float64 // cores of the host that were in use
}

// program is one of those that alternate. It runs for the whole time, or makes a single request.
type program struct {
	name string
	run  func(ctx context.Context, single bool) (run, error)
}

// benchCase is one table. The first program is the engine.
type benchCase struct {
	name     string
	programs []program
	needRate float64 // required ratio of the engine's rate to that of a judged program; 0: none
	needCPU  float64 // the same of operations a CPU second
	judged   []string
	runs     map[string][]run
	start    map[string]run // a run with a single request
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
	cLoopProgram, err := harness.Compile(ctx, work, "nop", cLoopSource, "-luring")
	if err != nil {
		return err
	}
	device, detach, err := makeDevice(ctx, work)
	if err != nil {
		return err
	}
	defer detach()
	interval := time.Duration(*seconds * 1e9)
	base := block.Job{Target: device, Read: 1, Depth: 32, Threads: 1, Interval: interval, Seed: 1}
	engine := func(change func(*block.Job)) program {
		j := base
		change(&j)
		return program{"linerate", func(ctx context.Context, single bool) (run, error) { return engineRun(ctx, j, single) }}
	}
	fio := func(name string, args ...string) program {
		return program{name,
			func(ctx context.Context, single bool) (run, error) {
				return fioRun(ctx, device, *seconds, single, args)
			}}
	}
	cLoop := func(kind, batch string) program {
		return program{"C loop, " + kind + ", batches of " + batch, func(ctx context.Context, single bool) (run, error) {
			return cLoopRun(ctx, cLoopProgram, *seconds, single, kind, batch)
		}}
	}
	tuned := []string{"--fixedbufs=1", "--registerfiles=1", "--iodepth_batch_submit=8", "--iodepth_batch_complete_min=8"}
	cases := []*benchCase{
		{
			name: "no-op, 32 under way",
			programs: []program{engine(func(j *block.Job) { j.Way, j.Size, j.Target = block.WayNop, 4096, "" }),
				cLoop("plain", "32"), cLoop("tuned", "32"), cLoop("plain", "8")},
			needCPU: 1.0,
			judged:  []string{"C loop, plain, batches of 32"},
		},
		{
			name: "4 KiB random reads, 32 under way",
			programs: []program{engine(func(j *block.Job) { j.Size = 4096 }),
				fio("fio", append([]string{"--rw=randread", "--bs=4k"}, tuned...)...),
				fio("fio, its defaults", "--rw=randread", "--bs=4k")},
			needRate: 0.95,
			needCPU:  1.5,
			judged:   []string{"fio"},
		},
		{
			name: "128 KiB sequential reads, 32 under way",
			programs: []program{engine(func(j *block.Job) { j.Size, j.Pattern = 128*unit.KiB, block.PatternSequential }),
				fio("fio", append([]string{"--rw=read", "--bs=128k"}, tuned...)...),
				fio("fio, its defaults", "--rw=read", "--bs=128k")},
			needRate: 0.95,
			needCPU:  0.95,
			judged:   []string{"fio"},
		},
	}
	var done []*benchCase
	for _, d := range cases {
		if !which.MatchString(d.name) || ctx.Err() != nil {
			continue
		}
		done = append(done, d)
		d.measure(ctx, *runs)
	}
	return harness.Publish(table(ctx, done, *runs, *seconds), *out)
}

func (d *benchCase) measure(ctx context.Context, runs int) {
	d.runs, d.start = map[string][]run{}, map[string]run{}
	for _, p := range d.programs {
		var singles []run
		for range 3 {
			if r, err := p.run(ctx, true); err == nil {
				singles = append(singles, r)
			} else {
				d.failed = append(d.failed, p.name+": "+err.Error())
			}
		}
		if len(singles) > 0 {
			slices.SortFunc(singles, func(a, b run) int { return cmp.Compare(a.cpu, b.cpu) })
			d.start[p.name] = singles[len(singles)/2]
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
			fmt.Fprintf(os.Stderr, "%s, %s: %.0f a second, %.0f a processor second\n", d.name, p.name, r.ops/r.seconds,
				r.ops/r.cpu)
		}
	}
}

// runTimed runs a command and measures its CPU time and that of the host.
func runTimed(ctx context.Context, argv ...string) (out []byte, r run, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var errs strings.Builder
	c.Stderr = &errs
	before, _ := harness.SystemTime()
	began := time.Now()
	out, err = c.Output()
	took := time.Since(began).Seconds()
	if err != nil {
		return nil, r, fmt.Errorf("%s: %w: %.300s", argv[0], err, errs.String())
	}
	if s := c.ProcessState; s != nil {
		r.kernel = s.SystemTime().Seconds()
		r.cpu = s.UserTime().Seconds() + r.kernel
	}
	after, _ := harness.SystemTime()
	r.host = (after - before) / took
	return out, r, nil
}

func engineRun(ctx context.Context, j block.Job, single bool) (run, error) {
	self, err := os.Executable()
	if err != nil {
		return run{}, err
	}
	if single {
		j.Amount = j.Size
	}
	text, err := json.Marshal(j)
	if err != nil {
		return run{}, err
	}
	out, r, err := runTimed(ctx, self, "-job", string(text))
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

func fioRun(ctx context.Context, device string, seconds float64, single bool, args []string) (run, error) {
	argv := append([]string{"fio", "--name=a", "--filename=" + device, "--direct=1", "--ioengine=io_uring", "--iodepth=32",
		"--output-format=json"}, args...)
	if single {
		argv = append(argv, "--number_ios=1")
	} else {
		argv = append(argv, "--time_based", fmt.Sprintf("--runtime=%gs", seconds))
	}
	out, r, err := runTimed(ctx, argv...)
	if err != nil {
		return r, err
	}
	var version struct {
		Jobs []struct {
			Error int `json:"error"`
			Read  struct {
				Total   float64 `json:"total_ios"`
				Runtime float64 `json:"runtime"` // ms
			} `json:"read"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &version); err != nil {
		return r, err
	}
	if len(version.Jobs) != 1 || version.Jobs[0].Error != 0 || version.Jobs[0].Read.Total == 0 {
		return r, errors.New("fio says no figure")
	}
	r.ops, r.seconds = version.Jobs[0].Read.Total, version.Jobs[0].Read.Runtime/1000
	return r, nil
}

func cLoopRun(ctx context.Context, cLoopProgram string, seconds float64, single bool, kind, batch string) (run, error) {
	if single {
		seconds = 0
	}
	out, r, err := runTimed(ctx, cLoopProgram, strconv.FormatFloat(seconds, 'g', -1, 64), "32", batch, kind)
	if err != nil {
		return r, err
	}
	if r.ops, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
		return r, err
	}
	r.seconds = max(seconds, 1e-9)
	return r, nil
}

// size is that of the loop device.
const size = unit.GiB

// makeDevice makes a loop device of a file in memory. The whole file is written, so that every read finds pages.
func makeDevice(ctx context.Context, work string) (device string, detach func(), err error) {
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
	return harness.LoopDevice(ctx, at)
}
