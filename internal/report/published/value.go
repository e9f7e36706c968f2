package published

import (
	"fmt"
	"strconv"
	"strings"
)

// units are the units of documents' figures, with their factor to the base unit.
var units = map[string]struct {
	base string
	k    float64
}{
	"Gb/s":       {"bit/s", 1e9},
	"Gbps":       {"bit/s", 1e9},
	"Gbits/sec":  {"bit/s", 1e9},
	"Gb/sec":     {"bit/s", 1e9},
	"Mbps":       {"bit/s", 1e6},
	"Mb/s":       {"bit/s", 1e6},
	"MB/s":       {"B/s", 1e6},
	"MB/sec":     {"B/s", 1e6},
	"MBytes/s":   {"B/s", 1e6},
	"MBPS":       {"B/s", 1e6},
	"MBps":       {"B/s", 1e6},
	"MiB/s":      {"B/s", 1 << 20},
	"GB/s":       {"B/s", 1e9},
	"GByte/s":    {"B/s", 1e9},
	"KB":         {"B", 1024},
	"minutes":    {"s", 60},
	"s":          {"s", 1},
	"ms":         {"s", 1e-3},
	"us":         {"s", 1e-6},
	"IOPS":       {"1/s", 1},
	"K IOPS":     {"1/s", 1e3},
	"%":          {"share", 0.01},
	"x":          {"x", 1},
	"USD":        {"USD", 1},
	"CNY":        {"CNY", 1},
	"% more":     {"x", 0.01},
	"% less":     {"x", -0.01},
	"times":      {"x", 1},
	"times less": {"x", 1},
}

const valueForms = "24.5 Gb/s, 260..294 MB/s, 0.110..0.150 ms, 660 K IOPS, 41 %, 113 % more, 10 times, 6 times " +
	"less, 94.53 USD; with about, over, under or up to before it"

// parseValue reads a figure. "N % more" and "N % less" than something are the ratio to it, and so are "N times" and
// "N times less".
func parseValue(text string) (Value, error) {
	v := Value{Written: text}
	rest := strings.TrimSpace(text)
	for _, b := range []string{"about", "over", "under", "up to"} {
		if cut, ok := strings.CutPrefix(rest, b+" "); ok {
			v.Bound, rest = b, cut
		}
	}
	number, name, _ := strings.Cut(rest, " ")
	u, ok := units[strings.TrimSpace(name)]
	if !ok {
		return v, fmt.Errorf("%q is not a figure; write it as %s", text, valueForms)
	}
	low, high, several := strings.Cut(number, "..")
	if !several {
		high = low
	}
	var err error
	if v.Low, err = plain(low); err == nil {
		v.High, err = plain(high)
	}
	if err != nil || v.Low > v.High || v.Low <= 0 {
		return v, fmt.Errorf("%q is not a figure above 0; write it as %s", text, valueForms)
	}
	v.Unit = u.base
	switch name {
	case "% more", "% less":
		v.Low, v.High = 1+v.Low*u.k, 1+v.High*u.k
	case "times less":
		v.Low, v.High = 1/v.High, 1/v.Low
	default:
		v.Low, v.High = v.Low*u.k, v.High*u.k
	}
	if v.Low > v.High {
		v.Low, v.High = v.High, v.Low
	}
	if v.Low <= 0 {
		return v, fmt.Errorf("%q leaves nothing; write it as %s", text, valueForms)
	}
	return v, nil
}

// plain parses a number with grouped digits: 23,714.
func plain(s string) (float64, error) { return strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64) }

// Numbers returns the figures of a value as written, for finding them in the document.
func (v Value) Numbers() []string {
	return strings.FieldsFunc(strings.ReplaceAll(v.Written, "..", " "),
		func(r rune) bool { return !(r >= '0' && r <= '9' || r == ',' || r == '.') })
}

// nearest returns the part of the value to compare with a figure: the figure itself inside a range, or else the nearer
// end.
func (v Value) nearest(figure float64) float64 { return min(max(figure, v.Low), v.High) }
