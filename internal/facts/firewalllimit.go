package facts

import (
	"math"
	"strconv"

	"linerate/internal/base/lazyregexp"
)

// FirewallLimit is a rule that drops what comes above a rate: a policer.
type FirewallLimit struct {
	Table, Chain, Hook string
	Rule               string  // as it is written
	Index              int     // of the rule in its chain, from 0, as nft counts
	Last               bool    // of its chain
	Bytes              float64 // a second; 0: it counts packets
	Packets            float64 // a second; 0: it counts bytes
	// Dropped and DroppedBytes are what its counter says; nil: it has none.
	Dropped, DroppedBytes *uint64
}

var (
	// "limit rate over 36 mbytes/second burst 256 kbytes counter packets 12 bytes 17000 drop"
	nftLimit   = lazyregexp.New(`\blimit rate over (\d+)(?: (bytes|kbytes|mbytes))?/(second|minute|hour|day|week)\b`)
	nftDrops   = lazyregexp.New(`(?:^| )drop(?: comment ".*")?$`)
	nftCounter = lazyregexp.New(`\bcounter packets (\d+) bytes (\d+)`)
	nftSpan    = map[string]float64{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
	nftUnit    = map[string]float64{"bytes": 1, "kbytes": 1 << 10, "mbytes": 1 << 20}
)

// parseNftLimit reads a rule with the statement limit; nil: it is no policer.
func parseNftLimit(rule string) *FirewallLimit {
	m := nftLimit.FindStringSubmatch(rule)
	if m == nil || !nftDrops.MatchString(rule) {
		return nil
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(v, 0) {
		return nil
	}
	l := &FirewallLimit{Rule: rule}
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

// WithoutCounters is a rule as it would be typed: its counters start anew.
func WithoutCounters(rule string) string { return nftCounter.ReplaceAllString(rule, "counter") }
