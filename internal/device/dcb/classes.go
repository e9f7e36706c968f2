package dcb

import (
	"fmt"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/device"
)

// Share is the share of a class among those that are not strict.
type Share struct {
	Class      device.Class
	Priorities []int // the switch priorities in it; one traffic class carries them all
}

// Shares returns a fabric's classes with all eight priorities assigned: those of no class belong to the rest, whose
// traffic class is the lowest of them. Strict classes are included.
func Shares(q *device.QoS) []Share {
	of := map[int]int{}
	var out []Share
	rest := -1
	for _, c := range q.Classes {
		if c.Default {
			rest = len(out)
		} else {
			of[c.Priority] = len(out)
		}
		out = append(out, Share{Class: c})
	}
	for p := range 8 {
		i, ok := of[p]
		if !ok {
			i = rest
		}
		if i >= 0 {
			out[i].Priorities = append(out[i].Priorities, p)
		}
	}
	return out
}

// Empty returns the traffic classes that carry nothing because their priority belongs to the rest.
func Empty(q *device.QoS) []int {
	used := xslices.SetOf(Shares(q), func(s Share) int { return s.Class.Priority })
	var out []int
	for tc := range 8 {
		if !used[tc] {
			out = append(out, tc)
		}
	}
	return out
}

// NVIDIA's RoCE mode configures one lossless class with marking, strict congestion notifications, and half of the link
// for each of the rest.
const (
	roceDSCP, rocePriority, roceShare = 26, 3, 50
	cnpDSCP, cnpPriority              = 48, 6
)

// RoCEMode returns how a fabric's classes differ from NVIDIA's RoCE mode in its lossless form: in shares of the link,
// and in everything else. trust are the values of trust: that match the mode. Both are empty if the mode fulfils the
// classes.
func RoCEMode(q *device.QoS, trust ...string) (shares, other []string) {
	differs := func(format string, args ...any) { other = append(other, fmt.Sprintf(format, args...)) }
	if !slices.Contains(trust, q.Trust) {
		differs("packets are to be sorted by %s", q.Trust)
	}
	lossless, cnp := 0, false
	for _, c := range q.Classes {
		switch {
		case c.Default:
		case c.CNP:
			cnp = true
			if c.Priority != cnpPriority || !slices.Equal(c.DSCP, []int{cnpDSCP}) || !c.Strict {
				differs("class %s is to have priority %d, where the mode has %d with DSCP %d, strict", c.Name, c.Priority,
					cnpPriority, cnpDSCP)
			}
			continue
		case c.Lossless:
			lossless++
			if c.Priority != rocePriority || !slices.Equal(c.DSCP, []int{roceDSCP}) {
				differs("class %s has priority %d and DSCP %v, where the mode has %d and %d", c.Name, c.Priority, c.DSCP,
					rocePriority, roceDSCP)
			}
			if !c.ECN {
				differs("class %s is not to be marked, which the mode does", c.Name)
			}
		default:
			differs("class %s is one more than the mode has", c.Name)
		}
		if c.Strict {
			differs("class %s is to be strict", c.Name)
		} else if c.Percent != roceShare {
			shares = append(shares,
				fmt.Sprintf("class %s is to have %d %% of the link, the mode gives %d", c.Name, c.Percent, roceShare))
		}
	}
	if lossless != 1 {
		differs("the mode has one lossless class, the fabric %d", lossless)
	}
	if !cnp {
		differs("the fabric has no class for congestion notifications, which the mode sets up")
	}
	return shares, other
}
