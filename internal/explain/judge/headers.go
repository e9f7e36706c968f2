package judge

import (
	"strings"
)

// FrameHeaders returns the bytes that an interface counts per segment in addition to its payload: Ethernet, IP, TCP
// with timestamps.
func FrameHeaders(address string) float64 {
	if strings.Contains(address, ":") {
		return 14 + 40 + 32
	}
	return 14 + 20 + 32
}

// AtCeiling is the share of the lowest ceiling from which on the ceiling is the bottleneck.
const AtCeiling = 0.97
