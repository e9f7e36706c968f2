package run

import (
	"fmt"
	"strconv"
	"strings"
)

const osuSource = "it is built from mvapich.cse.ohio-state.edu/benchmarks; Debian has no package of it"

// osu are the OSU micro-benchmarks of two processes: rows of size and figure under heads that begin with "# Size". Of the latency the row of 8 bytes
// is the figure, or the smallest one of at least that size; of the bandwidth the highest row.
func osu() []program {
	return []program{
		{name: "osu_latency", binary: "osu_latency", source: osuSource, command: "mpirun -n 2 osu_latency", read: func(text string) (reading, error) {
			return row(text, "# Size", 1, "us", first8)
		}},
		{name: "osu_bw", binary: "osu_bw", source: osuSource, command: "mpirun -n 2 osu_bw", read: func(text string) (reading, error) {
			return row(text, "# Size", 1, "MB/s", highest)
		}},
	}
}

// first8 takes the first row of at least 8 bytes, highest the one with the highest figure.
func first8(best, next tableRow) bool  { return best.size < 8 && next.size >= 8 }
func highest(best, next tableRow) bool { return next.value > best.value }

// tableRow is a row of a table by size.
type tableRow struct {
	size, value float64
	line        string
}

// row chooses among the rows of numbers behind a line that begins with head: the column of that number, by better.
func row(text, head string, column int, unit string, better func(best, next tableRow) bool) (reading, error) {
	var best *tableRow
	within := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, head) {
			within = true
			continue
		}
		words := strings.Fields(line)
		if !within || len(words) <= column {
			continue
		}
		size, err1 := strconv.ParseFloat(words[0], 64)
		value, err2 := strconv.ParseFloat(words[column], 64)
		if err1 != nil || err2 != nil {
			continue
		}
		if next := (tableRow{size, value, line}); best == nil || better(*best, next) {
			best = &next
		}
	}
	switch {
	case !within:
		return reading{}, fmt.Errorf("there is no line that begins with %q", head)
	case best == nil:
		return reading{}, fmt.Errorf("there is no row of figures behind %q", head)
	}
	return reading{best.value, unit, best.line}, nil
}
