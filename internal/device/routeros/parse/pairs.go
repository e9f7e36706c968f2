package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

// routerosPairs reads lines "name: value" of monitor, print stats and print of a menu with one entry. Several entries
// are side by side, aligned left or right with their names.
func routerosPairs(lines []string) []routerosRow {
	var rows []routerosRow
	var block []string
	first := ""
	flush := func() {
		rows = append(rows, routerosBlock(block)...)
		block, first = nil, ""
	}
	for _, line := range lines {
		m := routerosPair.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(strings.TrimSpace(line), ";;;"):
			continue
		case m != nil && first == "":
			first = m[1]
		case m != nil && m[1] == first: // monitor prints it again each second
			flush()
			first = m[1]
		}
		block = append(block, line)
	}
	flush()
	return rows
}

var nonBlank = lazyregexp.New(`\S+`)

// routerosBlock reads one block. Lines without a name continue the value before.
func routerosBlock(lines []string) []routerosRow {
	var columns [][]int // where each name begins and ends
	if len(lines) > 0 {
		if m := routerosPair.FindStringSubmatchIndex(lines[0]); m != nil && m[4] >= 0 && lines[0][m[2]:m[3]] == "name" {
			for _, at := range nonBlank.FindAllStringIndex(lines[0][m[4]:], -1) {
				columns = append(columns, []int{m[4] + at[0], m[4] + at[1]})
			}
		}
	}
	if len(columns) < 2 {
		var row routerosRow
		key := ""
		for _, line := range lines {
			if m := routerosPair.FindStringSubmatch(line); m != nil {
				key = m[1]
				row.set(key, m[2], line)
			} else if key != "" && len(row.values[key]) < 8<<10 {
				row.values[key] = strings.TrimSpace(row.values[key] + " " + strings.TrimSpace(line))
			}
		}
		if len(row.values) == 0 {
			return nil
		}
		return []routerosRow{row}
	}
	rows := make([]routerosRow, len(columns))
	left := leftAligned(lines, columns)
	for _, line := range lines {
		m := routerosPair.FindStringSubmatchIndex(line)
		if m == nil || m[4] < 0 {
			continue
		}
		key := line[m[2]:m[3]]
		values := make([]string, len(columns))
		for _, at := range nonBlank.FindAllStringIndex(line[m[4]:], -1) {
			i := columnOf(columns, m[4]+at[0], m[4]+at[1], left)
			values[i] = strings.TrimSpace(values[i] + " " + line[m[4]+at[0]:m[4]+at[1]])
		}
		for i, v := range values {
			if v != "" {
				rows[i].set(key, v, line)
			}
		}
	}
	return rows
}

// leftAligned reports whether values and names align left, else they align right.
func leftAligned(lines []string, columns [][]int) bool {
	begin, end := 0, 0
	for _, line := range lines[1:] {
		m := routerosPair.FindStringSubmatchIndex(line)
		if m == nil || m[4] < 0 {
			continue
		}
		at := nonBlank.FindAllStringIndex(line[m[4]:], -1)
		for i := range at {
			for _, c := range columns {
				if m[4]+at[i][0] == c[0] {
					begin++
				}
				if m[4]+at[i][1] == c[1] {
					end++
				}
			}
		}
	}
	return begin > end
}

// columnOf returns the column of a word in a line.
func columnOf(columns [][]int, begin, end int, left bool) int {
	for i := range columns {
		if left && (i == len(columns)-1 || begin < columns[i+1][0]) || !left && end <= columns[i][1] {
			return i
		}
	}
	return len(columns) - 1
}
