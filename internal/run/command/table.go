package command

import (
	"fmt"
	"strconv"
	"strings"
)

// tableRow is a row of a table by size.
type tableRow struct {
	size, value float64
	line        string
}

// row chooses, by better, among the rows of numbers after a line that begins with head, and reads column.
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
