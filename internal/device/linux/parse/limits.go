package parse

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
)

var lockedLine = lazyregexp.New(`^Max locked memory\s+(unlimited|\d+)\s+(unlimited|\d+)\s+bytes`)

// readLimits reads "Max locked memory 8388608 8388608 bytes" in /proc/self/limits. Format:
// https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html. Snapshot: a development machine.
func readLimits(f *parse.Builder, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		m := lockedLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		soft, hard := locked(m[1], 1), locked(m[2], 1)
		memlock(f, soft, hard, line)
		return nil
	}
	return parse.ToolError(text)
}

// readUlimit reads "ulimit -l": KiB, or "unlimited".
func readUlimit(f *parse.Builder, _ []string, text []byte) error {
	v, err := parse.ParseValue(text)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(v, 10, 40); err != nil && v != "unlimited" {
		return errors.New("it is neither a number of KiB nor unlimited")
	}
	memlock(f, locked(v, 1024), locked(v, 1024), v)
	return nil
}

func memlock(f *parse.Builder, soft, hard unit.Bytes, line string) {
	f.Memlock.Soft, f.Memlock.Hard, f.Memlock.Proof = unit.Known(soft), unit.Known(hard), f.Proof(line)
}

// locked reads a limit; -1 means none, as does a number that is too large for 64 bits.
func locked(s string, times int64) unit.Bytes {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > 1<<52 {
		return -1
	}
	return unit.Bytes(n * times)
}

// readCapabilities reads the lines "CapEff:	000001ffffffffff" of /proc/self/status.
// Format: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html; bit 14 is CAP_IPC_LOCK.
func readCapabilities(f *parse.Builder, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "CapEff:")
		if !ok {
			continue
		}
		mask, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return errors.New("CapEff is not a hexadecimal number")
		}
		f.Memlock.Bound = unit.Known(mask&(1<<14) == 0)
		return nil
	}
	return parse.ToolError(text)
}
