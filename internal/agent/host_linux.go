package agent

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// BootID is random for each boot of a machine and the same in all its namespaces and containers.
func BootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// memoryLimit is a quarter of this host's memory in bytes; 0: unknown.
func memoryLimit() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit) / 4)
}
