package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"linerate/internal/record/runfolder"
	"linerate/tools/bench/harness"
)

type options struct {
	from, program, chromium, out, dir string
	experiments, rounds               int
	prepareOnly                       bool
}

// row is one line of the table.
type row struct {
	what    string
	want    string
	seconds []float64
	memory  int64 // the peak of all rounds, in bytes
}

func (c *options) run() error {
	if c.from == "" || c.program == "" {
		return errors.New("give -from RUN and -program LINERATE")
	}
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "bench-report")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.dir = dir
	}
	if err := c.prepare(); err != nil || c.prepareOnly {
		return err
	}
	a, b := filepath.Join(c.dir, "a"), filepath.Join(c.dir, "b")
	page := func(dir string) string { return filepath.Join(dir, runfolder.ReportName) }
	rows := []*row{
		{what: "`report RUN`, which writes the page", want: "under 3 s, 300 MB"},
		{what: "`compare` of two run folders", want: "under 3 s, 300 MB"},
		{what: "`compare` of their two pages", want: "under 3 s, 300 MB"},
		{what: "Chromium: first paint of the page, from the start of the navigation", want: "under 1 s"},
		{what: "Chromium: the whole page is read and laid out", want: ""},
	}
	for range c.rounds {
		for _, dir := range []string{a, b} {
			if err := os.Remove(page(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			if err := rows[0].time(c.program, "report", dir); err != nil {
				return err
			}
		}
		if err := errors.Join(rows[1].time(c.program, "compare", a, b),
			rows[2].time(c.program, "compare", page(a), page(b))); err != nil {
			return err
		}
		if c.chromium == "" {
			continue
		}
		paint, load, err := timeToPaint(c.chromium, page(a))
		if err != nil {
			return err
		}
		rows[3].seconds, rows[4].seconds = append(rows[3].seconds, paint), append(rows[4].seconds, load)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text,
		"# Reports of very large runs\n\n%s, %d cores; runs of %d experiments; `manifest.json` %s, `report.html` %s. "+
			"Medians of %d, in brackets the least and the most.\n\n", time.Now().
			UTC().Format(time.DateOnly), runtime.NumCPU(), c.experiments, size(filepath.Join(a, runfolder.ManifestName)),
		size(page(a)), c.rounds)
	text.WriteString("| what | promise | seconds | memory at most |\n|---|---|---|---|\n")
	for _, r := range rows {
		text.WriteString(r.line())
	}
	if _, err := os.Stdout.Write(text.Bytes()); err != nil || c.out == "" {
		return err
	}
	return runfolder.WriteFile(c.out, func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}

// time runs a program and adds how long it took and its peak memory.
func (r *row) time(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %q: %w: %s", program, args, err, errs.String())
	}
	r.seconds = append(r.seconds, time.Since(start).Seconds())
	r.memory = max(r.memory, harness.PeakMemory(cmd.ProcessState))
	return nil
}

func (r *row) line() string {
	if len(r.seconds) == 0 {
		return fmt.Sprintf("| %s | %s | not measured | |\n", r.what, r.want)
	}
	median, low, high := harness.Spread(r.seconds, func(s float64) float64 { return s })
	memory := ""
	if r.memory > 0 {
		memory = fmt.Sprintf("%d MB", r.memory/1e6)
	}
	return fmt.Sprintf("| %s | %s | %.2f (%.2f .. %.2f) | %s |\n", r.what, r.want, median, low, high, memory)
}

func size(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return "not known"
	}
	return fmt.Sprintf("%.1f MB", float64(info.Size())/1e6)
}
