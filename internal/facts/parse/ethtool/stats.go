package ethtool

import (
	"strconv"
	"strings"

	"linerate/internal/facts/parse"
)

// parseEthtoolStats reads "ethtool -S X": "     NAME: VALUE" lines with the driver's names. A name may contain colons
// and spaces; the value follows the last colon. Format: https://man7.org/linux/man-pages/man8/ethtool.8.html
func parseEthtoolStats(text []byte) (map[string]uint64, error) {
	counters := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		i := strings.LastIndexByte(line, ':')
		if i < 0 {
			continue
		}
		name := strings.TrimSpace(line[:i])
		v, err := strconv.ParseUint(strings.TrimSpace(line[i+1:]), 10, 64)
		if err == nil && name != "" {
			counters[name] = v
		}
	}
	if len(counters) == 0 {
		return nil, parse.ToolError(text)
	}
	return counters, nil
}
