package facts

import (
	"strconv"
	"strings"
)

// parseEthtoolStats reads "ethtool -S X": "     NAME: VALUE" lines, the names being
// the driver's. A name may hold colons and spaces; the value stands behind the
// last colon. Format: https://man7.org/linux/man-pages/man8/ethtool.8.html
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
		return nil, toolError(text)
	}
	return counters, nil
}
