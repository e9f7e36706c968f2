package copies

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"linerate/internal/agent/process"
	linux "linerate/internal/device/linux/parse"
)

// toolThreads are the threads of all processes that descend from this one (proc_tid_children(5)), without its own.
func toolThreads() (out []Thread) {
	todo, done := startedBy(os.Getpid()), map[int]bool{}
	for len(todo) > 0 && len(done) < 4096 {
		pid := todo[0]
		todo = todo[1:]
		if done[pid] {
			continue
		}
		done[pid] = true
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil &&
			strings.HasPrefix(string(line), process.KeeperName+"\x00") {
			continue
		}
		todo = append(todo, startedBy(pid)...)
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", pid))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			t, err := linux.ParseTaskStat(text)
			if err != nil {
				continue
			}
			x := Thread{Name: t.Name, Process: pid, Thread: t.ID, CPU: t.User + t.System}
			// A finer clock than the kernel's ticks.
			if text, err = os.ReadFile(filepath.Join(filepath.Dir(file), "schedstat")); err == nil {
				ns, _, _ := strings.Cut(string(text), " ")
				if ns, err := strconv.ParseUint(ns, 10, 64); err == nil {
					x.CPU = float64(ns) / 1e9
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

// handlesRefused is why a file in a folder cannot be opened by its handle; empty: it can. The kernel allows it to root
// of the machine and not to root of a user's namespace, and some file systems have no handles.
func handlesRefused(dir string) string {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, dir, 0)
	if err != nil {
		return "the file system of " + dir + " has none of (" + err.Error() + ")"
	}
	mount, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err.Error()
	}
	defer unix.Close(mount)
	fd, err := unix.OpenByHandleAt(mount, h, unix.O_RDONLY)
	if err != nil {
		return "this process may not (" + err.Error() + ")"
	}
	_ = unix.Close(fd)
	return ""
}
