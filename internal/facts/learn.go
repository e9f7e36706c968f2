package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// learn takes what an answer says over what was said before; what it does not say changes nothing.
func learn[T any](o *unit.Opt[T], v unit.Opt[T]) {
	if v.IsKnown() || !o.IsKnown() {
		*o = v
	}
}

// asked and effect are the classes that a configuration asks for, and those that are so; they are made where there are none.
func (n *Interface) asked() *Classes {
	if n.Asked == nil {
		n.Asked = &Classes{}
	}
	return n.Asked
}

func (n *Interface) effect() *Classes {
	if n.Effect == nil {
		n.Effect = &Classes{}
	}
	return n.Effect
}

// separators of thousands: also the blanks that no line breaks at, plain and narrow.
var separators = strings.NewReplacer(",", "", " ", "", "'", "", "\u00a0", "", "\u202f", "")

// number reads a counter with or without separators of thousands: "9,268,210", "9 268 210". ok is false for N/A and the like.
func number(s string) (v uint64, ok bool) {
	s = separators.Replace(strings.TrimSpace(s))
	v, err := strconv.ParseUint(s, 10, 64)
	return v, err == nil
}

var portRate = lazyregexp.New(`^(?:a-)?(\d+(?:\.\d+)?) ?([MGT])?(?:b/s|bps|bit/s)?$`)

// portSpeed reads a port's rate as switches write it: 100G, 100 Gbps, 10Gb/s, a-100M, 1000Mb/s, 25000 (of Mb/s). Anything else is
// unknown, in the switch's words.
func portSpeed(s string) unit.Opt[unit.BitRate] {
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
	return known(unit.BitRate(v * scale))
}

// intList reads "3,4", "0 1 2-4"; ok is false if something else stands there.
func intList(s string) (out []int, ok bool) {
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

// counterOf is a counter of an interface, if it is known.
func counterOf(n *Interface, name string) unit.Opt[uint64] {
	if v, ok := n.Counters[name]; ok {
		return known(v)
	}
	return unit.Unknown[uint64]("the capture does not have it")
}

// learnText takes a text that is there.
func learnText(o *unit.Opt[string], s string) {
	if s != "" {
		*o = known(s)
	}
}
