package lab

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/lab/labtest"
)

// private gives the test a folder of its own for labs, whose path marks every process that the test starts.
func private(t *testing.T) (marker string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "lr") // t.TempDir's paths are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	// with -race, each process of the test would sleep a second at its end
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return dir
}

// ours returns the processes with the marker in their environment, except this one.
func ours(marker string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		pid := filepath.Base(filepath.Dir(f))
		if err == nil && bytes.Contains(b, []byte("XDG_RUNTIME_DIR="+marker)) && pid != filepath.Base(selfPID()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func selfPID() string {
	s, _ := os.Readlink("/proc/self")
	return s
}

// namespaces returns the namespaces of the marked processes that are not this process's: "net:[4026532]".
func namespaces(marker string) map[string]bool {
	out, own := map[string]bool{}, map[string]bool{}
	add := func(to map[string]bool, pattern string) {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if name, err := os.Readlink(f); err == nil {
				to[name] = true
			}
		}
	}
	add(own, "/proc/self/ns/*")
	for _, pid := range ours(marker) {
		add(out, "/proc/"+pid+"/task/*/ns/*")
	}
	for name := range own {
		delete(out, name)
	}
	return out
}

// holders returns what still holds one of the namespaces: a thread, an open file or a mount.
func holders(spaces map[string]bool) (out []string) {
	for _, pattern := range []string{"/proc/[0-9]*/task/*/ns/*", "/proc/[0-9]*/fd/*"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if name, err := os.Readlink(f); err == nil && spaces[name] && !isZombie(f) {
				out = append(out, f+" -> "+name)
			}
		}
	}
	b, _ := os.ReadFile("/proc/self/mountinfo")
	for name := range spaces {
		if bytes.Contains(b, []byte(name)) {
			out = append(out, "mount of "+name)
		}
	}
	return out
}

// isZombie reports whether a file below /proc/PID is of a process that has ended and waits for its parent.
func isZombie(file string) bool {
	var pid int
	fmt.Sscanf(file, "/proc/%d/", &pid)
	return processStart(pid) == 0
}

// residue lists what is left of the test's labs on this machine.
func residue(marker string, spaces map[string]bool) (out []string) {
	for _, pid := range ours(marker) {
		b, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		out = append(out, "process "+pid+" "+strings.ReplaceAll(string(b), "\x00", " "))
	}
	out = append(out, holders(spaces)...)
	filepath.WalkDir(marker, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(marker, path); rel != "." && rel != "linerate" && rel != "linerate/lab" {
			out = append(out, "file "+path)
		}
		return nil
	})
	if b, _ := os.ReadFile("/proc/self/mountinfo"); bytes.Contains(b, []byte(marker)) {
		out = append(out, "a mount under "+marker)
	}
	if links, err := netlink.LinkList(); err == nil {
		for _, l := range links {
			if a := l.Attrs(); strings.HasPrefix(a.Alias, "a.nic.") || a.Name == "cal0" || a.Name == "cal1" {
				out = append(out, "interface "+a.Name)
			}
		}
	}
	return out
}

// wantNothing fails if anything is left; the kernel gets time to end everything after the lab's init.
func wantNothing(t *testing.T, marker string, spaces map[string]bool) {
	t.Helper()
	var left []string
	for end := time.Now().Add(patience); ; {
		if left = residue(marker, spaces); len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind:\n%s", strings.Join(left, "\n"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A lab holds no file that its caller had open: a shell's lock would otherwise be held as long as the lab runs.
func TestHoldsNothingOfItsCaller(t *testing.T) {
	marker := private(t)
	lock := filepath.Join(t.TempDir(), "lock")
	fd, err := unix.Open(lock, unix.O_RDWR|unix.O_CREAT, 0o600) // inherited, like a shell's files
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	for _, pid := range ours(marker) {
		files, _ := filepath.Glob("/proc/" + pid + "/fd/*")
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && to == lock {
				t.Errorf("process %s of the lab has %s open", pid, lock)
			}
		}
	}
}
