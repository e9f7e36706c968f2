package watch

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/record"
)

// processUse is what a process had used at one moment.
type processUse struct {
	name          string
	start         uint64
	cpu           float64 // seconds
	read, written int64   // bytes that it requested in system calls
}

// processesHere returns the processes of this network namespace but this one, by their numbers: a host that is a
// namespace has no CPUs of its own, and its processes show what it does. Source: /proc/PID/stat, and /proc/PID/io
// (https://docs.kernel.org/filesystems/proc.html).
func processesHere(proc string) (map[int]processUse, error) {
	own, err := os.Readlink(filepath.Join(proc, "self/ns/net"))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil, err
	}
	out := map[int]processUse{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join(proc, e.Name())
		if net, err := os.Readlink(filepath.Join(dir, "ns/net")); err != nil || net != own {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		t, err := linux.ParseTaskStat(text)
		if err != nil || t.Kernel {
			continue
		}
		u := processUse{name: t.Name, start: t.Start, cpu: t.User + t.System, read: -1, written: -1}
		if text, err := os.ReadFile(filepath.Join(dir, "io")); err == nil {
			u.read, u.written = ioCounters(text)
		}
		out[pid] = u
	}
	return out, nil
}

// ioCounters returns rchar and wchar of /proc/PID/io; -1: it does not have them.
func ioCounters(text []byte) (read, written int64) {
	read, written = -1, -1
	for line := range bytes.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "rchar":
			read = n
		case "wchar":
			written = n
		}
	}
	return read, written
}

// processesBetween returns the growth of the use of processes, those of one name together, the most first. Those that
// did not run at both edges are left out.
func processesBetween(before, after map[int]processUse, seconds float64) []record.ProcessCount {
	by := map[string]*record.ProcessCount{}
	for pid, b := range after {
		a, ok := before[pid]
		if !ok || a.start != b.start || seconds <= 0 {
			continue
		}
		c := by[b.name]
		if c == nil {
			zero, none := int64(0), int64(0)
			c = &record.ProcessCount{Name: b.name, ReadBytes: &zero, WrittenBytes: &none}
			by[b.name] = c
		}
		c.Count++
		c.Cores += (b.cpu - a.cpu) / seconds
		add := func(to **int64, from, now int64) {
			if *to == nil || from < 0 || now < from {
				*to = nil
				return
			}
			**to += now - from
		}
		add(&c.ReadBytes, a.read, b.read)
		add(&c.WrittenBytes, a.written, b.written)
	}
	var out []record.ProcessCount
	for _, c := range by {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b record.ProcessCount) int {
		if a.Cores != b.Cores {
			return map[bool]int{true: -1, false: 1}[a.Cores > b.Cores]
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}
