package dcb

import (
	"fmt"
	"slices"

	"linerate/internal/design/plan"
)

// Share is what a class gets of a port among those that are not strict.
type Share struct {
	Class      plan.QoSClass
	Priorities []int // the switch priorities in it; one traffic class carries them all
}

// Shares are a fabric's classes with all eight priorities dealt out among them: those of no class belong to the rest, and the
// traffic class of the rest has the lowest of their numbers. Strict classes are among them.
func Shares(q *plan.QoS) []Share {
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

// Empty are the traffic classes that carry nothing because their priority belongs to the rest.
func Empty(q *plan.QoS) []int {
	used := map[int]bool{}
	for _, s := range Shares(q) {
		used[s.Class.Priority] = true
	}
	var out []int
	for tc := range 8 {
		if !used[tc] {
			out = append(out, tc)
		}
	}
	return out
}

// What NVIDIA's RoCE mode makes of a switch: one lossless class with marking, congestion notifications strict, half of the link for each of the rest.
const (
	roceDSCP, rocePriority, roceShare = 26, 3, 50
	cnpDSCP, cnpPriority              = 48, 6
)

// RoCEMode says in what a fabric's classes differ from NVIDIA's RoCE mode in its lossless form: in shares of the link, and in all else. trust are
// the values of trust: that the mode has. Both are empty if the mode does what the classes ask for.
func RoCEMode(q *plan.QoS, trust ...string) (shares, other []string) {
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
				differs("class %s is to have priority %d, where the mode has %d with DSCP %d, strict", c.Name, c.Priority, cnpPriority, cnpDSCP)
			}
			continue
		case c.Lossless:
			lossless++
			if c.Priority != rocePriority || !slices.Equal(c.DSCP, []int{roceDSCP}) {
				differs("class %s has priority %d and DSCP %v, where the mode has %d and %d", c.Name, c.Priority, c.DSCP, rocePriority, roceDSCP)
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
			shares = append(shares, fmt.Sprintf("class %s is to have %d %% of the link, the mode gives %d", c.Name, c.Percent, roceShare))
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
