//go:build unix

package harness

import (
	"os"
	"runtime"
	"syscall"
)

// PeakMemory is the most memory that a process had, in bytes; 0 if the system does not report it.
func PeakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
