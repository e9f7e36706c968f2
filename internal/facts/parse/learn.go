package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Learn replaces an earlier value by a known one; an unknown one changes nothing.
func Learn[T any](o *unit.Opt[T], v unit.Opt[T]) {
	if v.IsKnown() || !o.IsKnown() {
		*o = v
	}
}

// Asked and Effect return the configured classes and those in effect, and create them if needed.
func Asked(n *facts.Interface) *facts.Classes {
	if n.Asked == nil {
		n.Asked = &facts.Classes{}
	}
	return n.Asked
}

func Effect(n *facts.Interface) *facts.Classes {
	if n.Effect == nil {
		n.Effect = &facts.Classes{}
	}
	return n.Effect
}

// separators of thousands, including normal and narrow no-break spaces.
var separators = strings.NewReplacer(",", "", " ", "", "'", "", "\u00a0", "", "\u202f", "")

// Number reads a counter with or without separators of thousands: "9,268,210", "9 268 210". ok is false for N/A and
// similar words.
func Number(s string) (v uint64, ok bool) {
	s = separators.Replace(strings.TrimSpace(s))
	v, err := strconv.ParseUint(s, 10, 64)
	return v, err == nil
}

var portRate = lazyregexp.New(`^(?:a-)?(\d+(?:\.\d+)?) ?([MGT])?(?:b/s|bps|bit/s)?$`)

// PortSpeed reads a port's rate in switches' forms: 100G, 100 Gbps, 10Gb/s, a-100M, 1000Mb/s, 25000 (of Mb/s). Anything
// else is unknown, with the switch's words as the reason.
func PortSpeed(s string) unit.Opt[unit.BitRate] {
	s = strings.TrimSpace(s)
	s, _, _ = strings.Cut(s, " (")
	m := portRate.FindStringSubmatch(s)
	if m == nil {
		return unit.Unknown[unit.BitRate]("the switch says " + strconv.Quote(s))
	}
	v, err := strconv.ParseFloat(m[1], 64)
	scale := map[string]float64{"": 1e6, "M": 1e6, "G": 1e9, "T": 1e12}[m[2]]
	if err != nil || !(v > 0) || v*scale > 1e14 {
		return unit.Unknown[unit.BitRate]("the switch says " + strconv.Quote(s))
	}
	return unit.Known(unit.BitRate(v * scale))
}

// IntList reads "3,4", "0 1 2-4"; ok is false for anything else.
func IntList(s string) (out []int, ok bool) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' }) {
		from, to, several := strings.Cut(w, "-")
		a, err := strconv.Atoi(from)
		b := a
		if several && err == nil {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < 0 || b < a || b > 4096 {
			return nil, false
		}
		for v := a; v <= b; v++ {
			out = append(out, v)
		}
	}
	return out, true
}

// CounterOf returns a counter of an interface, if known.
func CounterOf(n *facts.Interface, name string) unit.Opt[uint64] {
	if v, ok := n.Counters[name]; ok {
		return unit.Known(v)
	}
	return unit.Unknown[uint64]("the snapshot does not have it")
}

// LearnText stores a text that is not empty.
func LearnText(o *unit.Opt[string], s string) {
	if s != "" {
		*o = unit.Known(s)
	}
}
