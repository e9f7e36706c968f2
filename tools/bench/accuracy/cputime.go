//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"linerate/tools/bench/wire"
)

// controlGroup is a control group (cgroup v2) of one process. The kernel adds up the CPU time of all threads that ran
// in it, to the nanosecond, also of those that have ended.
type controlGroup struct {
	folder, previous string // of the group, and of the group in which the process was before
	pid              int
}

func newControlGroup(pid int) (*controlGroup, error) {
	root := ""
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(mounts), "\n") {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "cgroup2" {
			root = f[1]
		}
	}
	if root == "" {
		return nil, errors.New("no cgroup v2 is mounted here")
	}
	own, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return nil, err
	}
	g := &controlGroup{pid: pid, folder: filepath.Join(root, fmt.Sprintf("linerate-accuracy-%d", pid)), previous: root}
	for _, line := range strings.Split(string(own), "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			g.previous = filepath.Join(root, path)
		}
	}
	if err := os.Mkdir(g.folder, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(g.folder, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
		return nil, errors.Join(err, os.Remove(g.folder))
	}
	return g, nil
}

// used is the CPU time in seconds.
func (g *controlGroup) used() (float64, error) {
	text, err := os.ReadFile(filepath.Join(g.folder, "cpu.stat"))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if v, ok := strings.CutPrefix(line, "usage_usec "); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			return float64(n) / 1e6, err
		}
	}
	return 0, fmt.Errorf("%s/cpu.stat has no usage_usec", g.folder)
}

func (g *controlGroup) close() {
	_ = os.WriteFile(filepath.Join(g.previous, "cgroup.procs"), []byte(strconv.Itoa(g.pid)), 0)
	_ = os.Remove(g.folder)
}

// usage is the CPU time of both ends until a moment, in seconds.
type usage struct {
	at   time.Time
	used [2]float64
}

func (c benchCase) measureCPU(ctx context.Context, w *wire.Net, interval time.Duration) (row, error) {
	var groups [2]*controlGroup
	for i := range groups {
		g, err := newControlGroup(w.Hosts[i].Agent.Hello().PID)
		if err != nil {
			return row{}, err
		}
		defer g.close()
		groups[i] = g
	}
	var seen []usage
	var failed error
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			s := usage{at: time.Now()}
			for i, g := range groups {
				if s.used[i], failed = g.used(); failed != nil {
					return
				}
			}
			seen = append(seen, s)
			select {
			case <-stop:
				return
			case <-time.After(every / 2):
			}
		}
	}()
	r, err := c.repeat(ctx, w, interval)
	close(stop)
	<-done
	if err := errors.Join(err, failed); err != nil {
		return row{}, err
	}
	out := row{Rate: float64(c.Rate), Reported: r.Goodput, OtherProcesses: r.OtherProcesses, Warnings: r.Warnings}
	for _, p := range r.CPU {
		if p.Core < 0 {
			out.ReportedCPU += p.User + p.System
		}
	}
	// The engine reads its CPU time at the edges of the interval: the readings nearest to them cover the same work.
	nearest := func(at time.Time) (best usage) {
		for i, s := range seen {
			if i == 0 || s.at.Sub(at).Abs() < best.at.Sub(at).Abs() {
				best = s
			}
		}
		return best
	}
	a, b := nearest(r.Start), nearest(r.Start.Add(interval))
	for i := range out.EndsCPU {
		out.EndsCPU[i] = (b.used[i] - a.used[i]) / b.at.Sub(a.at).Seconds()
		out.KernelCPU += out.EndsCPU[i]
	}
	return out, nil
}
