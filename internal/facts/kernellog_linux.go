package facts

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// What is taken of the kernel's ring buffer, in bytes: the buffer itself is some hundred KiB, and a machine with much memory may have
// more. Of what is of interest the beginning is kept, where cards are found, and the end.
const (
	kernelLogMax = 8 << 20
	keptLogStart = 64 << 10
	keptLogEnd   = 192 << 10
)

// firstNetOnly is a setting that the first network namespace alone has; a thread sees that of its own.
const firstNetOnly = "/proc/sys/net/core/netdev_budget"

// Of syslog(2).
const (
	syslogReadAll    = 3
	syslogSizeBuffer = 10
)

// kernelLog adds the lines of the kernel's ring buffer that may be about cards and links. There is one buffer for all network
// namespaces: in another than the first one its lines would be about interfaces of others.
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

// keepLog leaves the lines of a kernel's log that a reader of it may use (readLinuxLog), without the kernel's command line, which may have
// secrets. A log of which nothing is left has been read: it is a comment.
func keepLog(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		s := string(line)
		if strings.Contains(s, "ommand line:") || strings.Contains(s, " entered ") || // ports of bridges, of which a machine with containers says most
			!slices.ContainsFunc(logWords, func(w string) bool { return strings.Contains(s, w) }) {
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
		return []byte("# nothing about cards and links\n")
	}
	return out
}
