package parse

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// memInfo has values of /proc/meminfo.
type memInfo struct {
	Total unit.Opt[unit.Bytes]
}

// parseMemInfo reads /proc/meminfo, whose kB are 1024 bytes.
// Format: https://docs.kernel.org/filesystems/proc.html#meminfo
func parseMemInfo(text []byte) (memInfo, error) {
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "MemTotal" {
			continue
		}
		fields := strings.Fields(value)
		if len(fields) != 2 || fields[1] != "kB" {
			return memInfo{}, fmt.Errorf("MemTotal is %.40q; a number and kB are expected", strings.TrimSpace(value))
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/1024 {
			return memInfo{}, fmt.Errorf("MemTotal %.40q is not a size", fields[0])
		}
		return memInfo{Total: unit.Known(unit.Bytes(n * 1024))}, nil
	}
	return memInfo{}, errors.New("it has no MemTotal")
}
