//go:build linux

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// tick is USER_HZ, in which /proc counts processor time: 100 a second on every architecture of Linux that linerate is built for.
const tick = 100.0

// available is MemAvailable of /proc/meminfo, in bytes.
func available() float64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for _, line := range strings.Split(string(text), "\n") {
		var kB float64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %f kB", &kB); n == 1 {
			return kB * 1024
		}
	}
	return 0
}

// processorTime of a process alone, in seconds (proc(5), stat: utime and stime); 0 once it is gone.
func processorTime(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	words := strings.Fields(rest)
	if len(words) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(words[11], 64)
	system, _ := strconv.ParseFloat(words[12], 64)
	return (user + system) / tick
}

// busySeconds is what all cores together have worked, in seconds (proc(5), stat: all but idle and iowait).
func busySeconds() float64 {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	sum := 0.0
	for i, word := range strings.Fields(line) {
		if i == 0 || i == 4 || i == 5 || i > 8 { // cpu, idle, iowait; guest is within user
			continue
		}
		n, _ := strconv.ParseFloat(word, 64)
		sum += n
	}
	return sum / tick
}
