package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"linerate/internal/facts"
)

// toolThreads are the threads of all processes that descend from this one (proc_tid_children(5)), without its own.
func toolThreads() (out []CopyThread) {
	todo, done := startedBy(os.Getpid()), map[int]bool{}
	for len(todo) > 0 && len(done) < 4096 {
		pid := todo[0]
		todo = todo[1:]
		if done[pid] {
			continue
		}
		done[pid] = true
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.HasPrefix(string(line), KeeperName+"\x00") {
			continue
		}
		todo = append(todo, startedBy(pid)...)
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", pid))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			t, err := facts.ParseTaskStat(text)
			if err != nil {
				continue
			}
			x := CopyThread{Name: t.Name, Process: pid, Thread: t.ID, CPU: t.User + t.System}
			if text, err = os.ReadFile(filepath.Join(filepath.Dir(file), "schedstat")); err == nil { // finer than the kernel's ticks
				if words := strings.Fields(string(text)); len(words) > 0 {
					if ns, err := strconv.ParseUint(words[0], 10, 64); err == nil {
						x.CPU = float64(ns) / 1e9
					}
				}
			}
			out = append(out, x)
		}
	}
	return out
}

func startedBy(pid int) (out []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/children", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}
