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

// account is a control group (cgroup v2) of one process: the kernel adds up what ran in it, to the nanosecond, whatever
// became of its threads.
type account struct {
	folder, home string
	pid          int
}

func newAccount(pid int) (*account, error) {
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
	a := &account{pid: pid, folder: filepath.Join(root, fmt.Sprintf("linerate-accuracy-%d", pid)), home: root}
	for _, line := range strings.Split(string(own), "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			a.home = filepath.Join(root, path)
		}
	}
	if err := os.Mkdir(a.folder, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(a.folder, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
		return nil, errors.Join(err, os.Remove(a.folder))
	}
	return a, nil
}

// used is the processor time in seconds.
func (a *account) used() (float64, error) {
	text, err := os.ReadFile(filepath.Join(a.folder, "cpu.stat"))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if v, ok := strings.CutPrefix(line, "usage_usec "); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			return float64(n) / 1e6, err
		}
	}
	return 0, fmt.Errorf("%s/cpu.stat has no usage_usec", a.folder)
}

func (a *account) close() {
	_ = os.WriteFile(filepath.Join(a.home, "cgroup.procs"), []byte(strconv.Itoa(a.pid)), 0)
	_ = os.Remove(a.folder)
}

// spent is what both ends had used at a moment.
type spent struct {
	at   time.Time
	used [2]float64
}

func (c benchCase) processor(ctx context.Context, w *wire.Net, window time.Duration) (row, error) {
	var accounts [2]*account
	for i := range accounts {
		a, err := newAccount(w.Hosts[i].Agent.Hello().PID)
		if err != nil {
			return row{}, err
		}
		defer a.close()
		accounts[i] = a
	}
	var seen []spent
	var failed error
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			s := spent{at: time.Now()}
			for i, a := range accounts {
				if s.used[i], failed = a.used(); failed != nil {
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
	r, err := c.repeat(ctx, w, window)
	close(stop)
	<-done
	if err := errors.Join(err, failed); err != nil {
		return row{}, err
	}
	out := row{Rate: float64(c.Rate), Got: r.Goodput, Foreign: r.Foreign, Warnings: r.Warnings}
	for _, p := range r.CPU {
		if p.Core < 0 {
			out.Reported += p.User + p.System
		}
	}
	// The readings nearest to the window's edges: the engine reads its own clock there, too.
	nearest := func(at time.Time) (best spent) {
		for i, s := range seen {
			if i == 0 || s.at.Sub(at).Abs() < best.at.Sub(at).Abs() {
				best = s
			}
		}
		return best
	}
	a, b := nearest(r.Start), nearest(r.Start.Add(window))
	for i := range out.Ends {
		out.Ends[i] = (b.used[i] - a.used[i]) / b.at.Sub(a.at).Seconds()
		out.Kernel += out.Ends[i]
	}
	return out, nil
}
