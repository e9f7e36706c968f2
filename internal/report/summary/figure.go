package summary

import (
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// mostRate is the bound of rates, in bits a second, and of figures of an unknown kind.
const mostRate = 1e15

// quantity is the quantity of a figure.
type quantity struct {
	most float64 // limit from which on figures are implausible, and too wide for a column
	text func(float64) string
}

var (
	rates = quantity{most: mostRate, text: func(v float64) string {
		if v < 0.01 {
			return small(v) + " b/s"
		}
		return unit.BitRate(v).String()
	}}
	times = quantity{most: 99, text: func(v float64) string {
		if v < 0.01e-9 {
			return small(v*1e9) + " ns"
		}
		return unit.Seconds(v)
	}}
	shares     = quantity{most: 1e4, text: unit.Percent}
	coreCounts = quantity{most: 1e5, text: small}
	loadRates  = quantity{most: rates.most, text: func(v float64) string {
		return unit.If(v == 0, noLoad, rates.text(v))
	}}
)

// fixed returns a quantity with a fixed number of decimals, as in CrystalDiskMark's rows.
func fixed(most, scale float64, decimals int) quantity {
	return quantity{most: most, text: func(v float64) string { return strconv.FormatFloat(v/scale, 'f', decimals, 64) }}
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
	{"MB/s", "bytes_per_second", func(r *Row) **float64 { return &r.BytesPerSecond }, fixed(9e12, 1e6, 2)},
	{"IOPS", "iops", func(r *Row) **float64 { return &r.IOPS }, fixed(1e9, 1, 1)},
	{"mean us", "mean_seconds", func(r *Row) **float64 { return &r.Mean }, fixed(99, 1e-6, 2)},
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

// print returns a figure in words.
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
