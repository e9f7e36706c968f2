package summary

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// mostRate is the bound of rates, in bits a second, and of figures of an unknown kind.
const mostRate = 1e15

// quantity is the quantity of a figure, with its units.
type quantity struct {
	most    float64 // limit from which on figures are implausible, and too wide for a column
	text    func(float64) string
	units   map[string]float64 // nil: it is written without one, in units of scale
	scale   float64
	example string
}

var (
	rates = quantity{most: mostRate, example: "9.41 Gb/s",
		units: map[string]float64{"b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12},
		text: func(v float64) string {
			if v < 0.01 {
				return small(v) + " b/s"
			}
			return unit.BitRate(v).String()
		}}
	times = quantity{most: 99, example: "54.5 us", units: map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1},
		text: func(v float64) string {
			if v < 0.01e-9 {
				return small(v*1e9) + " ns"
			}
			return unit.Seconds(v)
		}}
	shares = quantity{most: 1e4, example: "94.0 %", units: map[string]float64{"%": 0.01},
		text: func(v float64) string { return small(v*100) + " %" }}
	coreCounts = quantity{most: 1e5, example: "0.97", scale: 1, text: small}
	loadRates  = quantity{most: rates.most, example: rates.example, units: rates.units, text: func(v float64) string {
		return unit.If(v == 0, noLoad, rates.text(v))
	}}
)

// fixed returns a quantity with a fixed number of decimals, as in CrystalDiskMark's rows.
func fixed(most, scale float64, decimals int, example string) quantity {
	return quantity{most: most, scale: scale, example: example,
		text: func(v float64) string { return strconv.FormatFloat(v/scale, 'f', decimals, 64) }}
}

// figure is a figure of a row, with the header of its column and its name in CSV.
type figure struct {
	header, csv string
	of          func(*Row) **float64
	quantity
}

// figures are all figures of rows, in the order of CSV.
var figures = []figure{
	{"goodput", "goodput_bps", func(r *Row) **float64 { return &r.Goodput }, rates},
	{"MB/s", "bytes_per_second", func(r *Row) **float64 { return &r.BytesPerSecond }, fixed(9e12, 1e6, 2, "3520.12")},
	{"IOPS", "iops", func(r *Row) **float64 { return &r.IOPS }, fixed(1e9, 1, 1, "3357.0")},
	{"mean us", "mean_seconds", func(r *Row) **float64 { return &r.Mean }, fixed(99, 1e-6, 2, "2381.00")},
	{"ceiling", "ceiling_bps", func(r *Row) **float64 { return &r.Ceiling }, rates},
	{"share", "share_of_ceiling", func(r *Row) **float64 { return &r.Share }, shares},
	{"p50", "p50_seconds", func(r *Row) **float64 { return &r.P50 }, times},
	{"p99", "p99_seconds", func(r *Row) **float64 { return &r.P99 }, times},
	{"p99.9", "p999_seconds", func(r *Row) **float64 { return &r.P999 }, times},
	{"load", "load_bps", func(r *Row) **float64 { return &r.Load }, loadRates},
	{"cores A", "cores_a", func(r *Row) **float64 { return &r.CoresA }, coreCounts},
	{"cores B", "cores_b", func(r *Row) **float64 { return &r.CoresB }, coreCounts},
}

// headers are the figures of each kind of row, in the order of their columns.
var headers = map[kind][]string{rateRow: {"goodput", "share", "ceiling", "cores A", "cores B"}, partRow: {"goodput"},
	pingRow:  {"p50", "p99", "p99.9", "load", "cores A", "cores B"},
	delayRow: {"p50", "p99", "p99.9", "cores A", "cores B"},
	blockRow: {"MB/s", "IOPS", "mean us", "share", "cores A", "cores B"}}

func (k kind) figures() []figure {
	return xslices.Map(headers[k], figureNamed)
}

func figureNamed(header string) figure {
	for _, f := range figures {
		if f.header == header {
			return f
		}
	}
	panic("no figure has the header " + header)
}

// known reports whether a figure is plausible and can be printed: not nil, not negative, and below the limit.
func known(v *float64, most float64) bool { return v != nil && *v >= 0 && *v < most }

func (q quantity) print(v *float64) string {
	if !known(v, q.most) {
		return NotKnown
	}
	return q.text(*v)
}

// small has three significant digits, as everywhere, but not more than three decimals of what is next to nothing,
// for which no column has room.
func small(v float64) string {
	if v >= 0.00995 {
		return unit.Significant(v)
	}
	if s := strconv.FormatFloat(v, 'f', 3, 64); s != "0.010" {
		return s
	}
	return "0.0100"
}

var digits = regexp.MustCompile(`^\d{1,16}(?:\.\d{1,6}\d*)?$`)

// read parses the figure at the front of words; why is its error.
func (f figure) read(r *Row, words []string) (rest []string, why string) {
	if len(words) >= 2 && words[0] == "not" && words[1] == "known" {
		return words[2:], ""
	}
	first := words[0]
	rest = words[1:]
	if f.header == "load" && first == noLoad {
		r.Load = new(0.0)
		return rest, ""
	}
	wrong := func(word, is string) string {
		return fmt.Sprintf("%s: %q %s; write it as %s", f.header, shorten(word, 40), is, f.example)
	}
	number, scale := first, f.scale
	if f.units != nil {
		i := strings.IndexFunc(first, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
		name := ""
		switch {
		case i > 0: // 21.4Gb/s
			number, name = first[:i], first[i:]
		case len(rest) > 0 && !digits.MatchString(rest[0]) && rest[0] != "not":
			name, rest = rest[0], rest[1:]
		}
		k, ok := f.units[name]
		switch {
		case !ok && name == "":
			return rest, wrong(first, "has no unit")
		case !ok:
			return rest, wrong(name, "is no unit of it")
		}
		scale = k
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !digits.MatchString(number) {
		return rest, wrong(number, "is no number")
	}
	if v *= scale; !known(&v, f.most) {
		return rest, fmt.Sprintf("%s: %q is more than any machine has", f.header, shorten(number, 40))
	}
	*f.of(r) = &v
	return rest, ""
}
