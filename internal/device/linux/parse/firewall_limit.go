package parse

import (
	"math"
	"strconv"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
)

var (
	// "limit rate over 36 mbytes/second burst 256 kbytes counter packets 12 bytes 17000 drop"
	nftLimit   = lazyregexp.New(`\blimit rate over (\d+)(?: (bytes|kbytes|mbytes))?/(second|minute|hour|day|week)\b`)
	nftDrops   = lazyregexp.New(`(?:^| )drop(?: comment ".*")?$`)
	nftCounter = lazyregexp.New(`\bcounter packets (\d+) bytes (\d+)`)
	nftSpan    = map[string]float64{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
	nftUnit    = map[string]float64{"bytes": 1, "kbytes": 1 << 10, "mbytes": 1 << 20}
)

// parseNftLimit reads a rule with the statement limit; nil: it is not a policer.
func parseNftLimit(rule string) *facts.FirewallLimit {
	m := nftLimit.FindStringSubmatch(rule)
	if m == nil || !nftDrops.MatchString(rule) {
		return nil
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(v, 0) {
		return nil
	}
	l := &facts.FirewallLimit{Rule: rule}
	if v /= nftSpan[m[3]]; m[2] == "" {
		l.Packets = v
	} else {
		l.Bytes = v * nftUnit[m[2]]
	}
	if c := nftCounter.FindStringSubmatch(rule); c != nil {
		packets, err0 := strconv.ParseUint(c[1], 10, 64)
		bytes, err1 := strconv.ParseUint(c[2], 10, 64)
		if err0 == nil && err1 == nil {
			l.Dropped, l.DroppedBytes = &packets, &bytes
		}
	}
	return l
}

// WithoutCounters returns a rule as in a command, without the values of its counters.
func WithoutCounters(rule string) string { return nftCounter.ReplaceAllString(rule, "counter") }
