package collect

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	linux "linerate/internal/device/linux/parse"
)

// The kept part of the kernel's ring buffer, in bytes. The buffer has some hundred KiB, or more on a machine with much
// memory. Of the relevant lines, the first, where adapters are found, and the last are kept.
const (
	kernelLogMax = 8 << 20
	keptLogStart = 64 << 10
	keptLogEnd   = 192 << 10
)

// firstNetOnly is a setting that only the first network namespace has. A thread sees those of its own.
const firstNetOnly = "/proc/sys/net/core/netdev_budget"

// Arguments of syslog(2).
const (
	syslogReadAll    = 3
	syslogSizeBuffer = 10
)

// kernelLog adds the lines of the kernel's ring buffer that may be about adapters and links. All network namespaces
// share one buffer: read from any but the first, its lines would be about foreign interfaces.
func (c *collector) kernelLog() {
	c.read("dmesg", func() ([]byte, error) {
		if _, err := os.Stat(firstNetOnly); errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("it is that of the whole machine, and this is a network namespace of it")
		}
		size, err := unix.Klogctl(syslogSizeBuffer, nil)
		if err != nil {
			return nil, err
		}
		buf := make([]byte, min(max(size, 4096), kernelLogMax))
		n, err := unix.Klogctl(syslogReadAll, buf)
		if err != nil {
			return nil, err
		}
		return keepLog(buf[:min(n, len(buf))]), nil
	})
}

// keepLog keeps the lines of a kernel's log that its reader (ReadLog) may use, without the kernel's command line, which
// may have secrets. If nothing is left, a comment shows that the log was read.
func keepLog(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		s := string(line)
		// ports of bridges: most lines on a machine with containers
		if strings.Contains(s, "ommand line:") || strings.Contains(s, " entered ") ||
			!slices.ContainsFunc(linux.LogWords, func(w string) bool { return strings.Contains(s, w) }) {
			continue
		}
		out = append(append(out, bytes.TrimRight(line, "\n")...), '\n')
	}
	if len(out) > keptLogStart+keptLogEnd {
		start := bytes.LastIndexByte(out[:keptLogStart], '\n') + 1
		end := len(out) - keptLogEnd
		end += bytes.IndexByte(out[end:], '\n') + 1
		out = slices.Concat(out[:start], []byte("# lines between are left out\n"), out[end:])
	}
	if out == nil {
		return []byte("# nothing about NICs and links\n")
	}
	return out
}
