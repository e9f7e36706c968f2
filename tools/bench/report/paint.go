package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// timeToPaint opens a page in Chromium. From the trace it takes the seconds from the start of the navigation to the
// first paint, and to the end of the load event.
func timeToPaint(chromium, page string) (paint, load float64, err error) {
	dir, err := os.MkdirTemp("", "bench-report-chromium")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	trace := filepath.Join(dir, "trace.json")
	page, err = filepath.Abs(page)
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1280,1000",
		"--trace-startup=loading,blink.user_timing,devtools.timeline", "--trace-startup-file="+trace,
		"--trace-startup-duration=0", "--trace-startup-format=json", "--screenshot="+filepath.Join(dir, "shot.png"),
		"file://"+page)
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w: %.500s", chromium, err, text)
	}
	b, err := os.ReadFile(trace)
	if err != nil {
		return 0, 0, err
	}
	var events struct {
		TraceEvents []struct {
			Name string  `json:"name"`
			TS   float64 `json:"ts"` // microseconds
			Args struct {
				Data struct {
					URL string `json:"documentLoaderURL"`
				} `json:"data"`
			} `json:"args"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(b, &events); err != nil {
		return 0, 0, err
	}
	var start, first, end float64
	for _, e := range events.TraceEvents {
		switch {
		case e.Name == "navigationStart" && e.Args.Data.URL == "file://"+page:
			start, first, end = e.TS, 0, 0
		case start > 0 && e.TS > start && e.Name == "firstContentfulPaint" && first == 0:
			first = e.TS
		case start > 0 && e.TS > start && e.Name == "loadEventEnd" && end == 0:
			end = e.TS
		}
	}
	if first == 0 || end == 0 {
		return 0, 0, errors.New("the trace of Chromium has no first paint of the page")
	}
	return (first - start) / 1e6, (end - start) / 1e6, nil
}
