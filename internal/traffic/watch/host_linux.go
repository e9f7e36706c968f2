package watch

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// coreTimes reads the time of each core since boot from /proc/stat.
func coreTimes() ([]facts.CoreTime, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, err
	}
	return linux.ParseStat(text)
}

// threadClock returns the CPU time of the calling thread, which must be locked, in nanoseconds.
func threadClock() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return traffic.Now()
	}
	return ts.Nano()
}

// newMachine opens the kernel's files. Those below /proc/net are of the network namespace of the calling thread.
func newMachine(device string, hz int) *machine {
	return machineAt("/proc/stat", "/proc/thread-self/net/softnet_stat", "/proc/thread-self/net/dev", device, hz)
}

func diskstats() ([]byte, error) { return os.ReadFile("/proc/diskstats") }

// madeOf returns the devices right below a block device, by the kernel's names: what it is mapped onto, the members of
// an array, the disk of a partition. class is /sys/class/block. Empty: there are none; nil: unknown.
func madeOf(class, name string) []string {
	at, err := filepath.EvalSymlinks(filepath.Join(class, filepath.Base(name)))
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(at, "partition")); err == nil {
		return []string{filepath.Base(filepath.Dir(at))}
	}
	slaves, err := os.ReadDir(filepath.Join(at, "slaves"))
	if err != nil && !os.IsNotExist(err) {
		return nil
	}
	names := []string{}
	for _, s := range slaves {
		names = append(names, s.Name())
	}
	return names
}

// driveReads returns the bytes that this process had read from drives (proc(5), /proc/PID/io: read_bytes); nil:
// unknown.
func driveReads() *int64 {
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(b) {
		if v, ok := bytes.CutPrefix(line, []byte("read_bytes: ")); ok {
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(v)), 10, 64); err == nil {
				return &n
			}
		}
	}
	return nil
}
