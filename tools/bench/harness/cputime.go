package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// ticks is USER_HZ, in which /proc counts CPU time: 100 a second on every architecture of Linux that linerate is built
// for.
const ticks = 100

// CPUTime is the user and system time of all threads of a process in seconds, also of those that have ended
// (proc_pid_stat(5), utime and stime).
func CPUTime(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name in brackets may have blanks and brackets of its own.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	user, err := strconv.ParseFloat(fields[11], 64)
	system, other := strconv.ParseFloat(fields[12], 64)
	return (user + system) / ticks, errors.Join(err, other)
}

// SystemTime is how long all cores together have worked, and how long the hypervisor gave them to others (steal), in
// seconds since the machine started (proc_stat(5)).
func SystemTime() (busy, steal float64) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		seconds, _ := strconv.ParseFloat(field, 64)
		seconds /= ticks
		switch i {
		case 1, 2, 3, 6, 7: // user, nice, system, irq, softirq; the time of guests is within user and nice
			busy += seconds
		case 8:
			steal = seconds
		}
	}
	return busy, steal
}

// PacketThreads finds the kernel's threads that handle packets when the programs that send and receive them cannot
// (ksoftirqd).
func PacketThreads() []int {
	var pids []int
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		if text, _ := os.ReadFile(name); strings.HasPrefix(string(text), "ksoftirqd/") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// Machine is one line about the machine, for the top of a page.
func Machine() string {
	cpu := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%s, %d cores, Linux %s, %s", cpu, runtime.NumCPU(), strings.TrimSpace(string(kernel)),
		runtime.Version())
}
