package facts

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// Memlock is how much memory a process may lock, which RDMA does with what it transfers.
type Memlock struct {
	Soft, Hard unit.Opt[unit.Bytes] // -1: unlimited
	// Bound is whether the limit binds the process: one with the capability CAP_IPC_LOCK, as root's have, may lock all.
	Bound unit.Opt[bool]
	Proof
}

var lockedLine = lazyregexp.New(`^Max locked memory\s+(unlimited|\d+)\s+(unlimited|\d+)\s+bytes`)

// readLimits reads /proc/self/limits, of which "Max locked memory 8388608 8388608 bytes" counts.
// Format: https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html. The capture behind it is of this program's own machine.
func readLimits(f *Facts, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		m := lockedLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		soft, hard := locked(m[1], 1), locked(m[2], 1)
		f.memlock(soft, hard, line)
		return nil
	}
	return toolError(text)
}

// readUlimit reads "ulimit -l": KiB, or "unlimited".
func readUlimit(f *Facts, _ []string, text []byte) error {
	v, err := parseValue(text)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(v, 10, 40); err != nil && v != "unlimited" {
		return errors.New("it is neither a number of KiB nor unlimited")
	}
	f.memlock(locked(v, 1024), locked(v, 1024), v)
	return nil
}

func (f *Facts) memlock(soft, hard unit.Bytes, line string) {
	f.Memlock.Soft, f.Memlock.Hard, f.Memlock.Proof = known(soft), known(hard), f.proof(line)
}

// locked reads a limit; -1 is none. A number that is too large for 64 bits is none either.
func locked(s string, times int64) unit.Bytes {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > 1<<52 {
		return -1
	}
	return unit.Bytes(n * times)
}

// readCapabilities reads the lines "CapEff:	000001ffffffffff" of /proc/self/status.
// Format: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html; bit 14 is CAP_IPC_LOCK.
func readCapabilities(f *Facts, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "CapEff:")
		if !ok {
			continue
		}
		mask, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return errors.New("CapEff is no hexadecimal number")
		}
		f.Memlock.Bound = known(mask&(1<<14) == 0)
		return nil
	}
	return toolError(text)
}
