package parse

import (
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// routerosHeader is the line of a table's column names: "# NAME  MTU MAC-ADDRESS".
var routerosHeader = lazyregexp.New(`^\s*(?:#\s+)?[A-Z][A-Z0-9/%._-]*(?:\s+[A-Z0-9][A-Z0-9/%._-]*)*\s*$`)

// routerosTable reads a table of print. Values are below their column's name, or single words where blanks were lost
// (on a web page): then words that fit several columns are ignored.
func routerosTable(flags string, lines []string) []routerosRow {
	at := slices.IndexFunc(lines, routerosHeader.MatchString)
	if at < 0 {
		return nil
	}
	t := routerosColumns{flags: flags, indexed: strings.HasPrefix(strings.TrimSpace(lines[at]), "#")}
	for _, w := range nonBlank.FindAllStringIndex(lines[at], -1) {
		if name := lines[at][w[0]:w[1]]; name != "#" {
			t.names, t.spans = append(t.names, strings.ToLower(name)), append(t.spans, w)
		}
	}
	var rows []routerosRow
	pending := "" // "1   ;;; a comment": the values are on the next line
	for _, line := range lines[at+1:] {
		if before, _, comment := strings.Cut(line, ";;;"); comment {
			pending = before
			continue
		}
		if row, ok := t.row(line, pending); ok {
			rows = append(rows, row)
		}
		pending = ""
	}
	return rows
}

type routerosColumns struct {
	flags   string
	indexed bool
	names   []string
	spans   [][]int
}

// row reads a line; before is its index and flags if a comment follows them.
func (t *routerosColumns) row(line, before string) (routerosRow, bool) {
	row := routerosRow{line: line}
	words := nonBlank.FindAllStringIndex(line, -1)
	if t.indexed {
		rest := strings.Fields(before)
		if len(rest) == 0 && len(words) > 1 && routerosIndex.MatchString(line) {
			words = words[1:]
		} else if len(rest) > 0 {
			row.flags = strings.Join(rest[1:], "")
		} else if len(words) == 0 || !isFlags(line[words[0][0]:words[0][1]], t.flags) {
			return row, false
		}
	}
	for len(words) > 1 && isFlags(line[words[0][0]:words[0][1]], t.flags) {
		row.flags += line[words[0][0]:words[0][1]]
		words = words[1:]
	}
	if len(words) == 0 {
		return row, false
	}
	values := t.below(line, words)
	if values == nil {
		values = t.inOrder(line, words)
	}
	for i, v := range values {
		if v != "" {
			row.set(t.names[i], v, line)
		}
	}
	return row, len(row.values) > 0
}

// isFlags reports whether a word consists of the header's letters; without a header no word does.
func isFlags(s, flags string) bool {
	return s != "" && len(s) <= 6 && strings.Trim(s, flags) == ""
}

// below assigns to each column the text below its name, or returns nil if a word is below two of them.
func (t *routerosColumns) below(line string, words [][]int) []string {
	values := make([]string, len(t.names))
	previous := -1
	for _, w := range words {
		in := -1
		for i, s := range t.spans {
			if w[0] < s[1] && w[1] > s[0] {
				if in >= 0 {
					return nil
				}
				in = i
			}
		}
		switch {
		case in < 0 && previous >= 0: // a value with blanks that is longer than its column's name
			in = previous
			if next := in + 1; next < len(t.spans) && w[0] > t.spans[next][1] {
				return nil
			}
		case in < 0, in == 0 && previous < 0 && w[0] > t.spans[0][0]+4 && w[0] > t.spans[0][1]:
			return nil
		}
		if in < previous {
			return nil
		}
		values[in] = strings.TrimSpace(values[in] + " " + line[w[0]:w[1]])
		previous = in
	}
	if values[0] == "" {
		return nil
	}
	for i, v := range values { // for example two words in one column that cannot be one value
		if v != "" && !fits(t.names[i], v) {
			return nil
		}
	}
	return values
}

// columnValues are the possible values of a column; a missing column can have any word.
var columnValues = map[string]*lazyregexp.Regexp{"traffic-class": lazyregexp.New(`^\d(?:,\d)*$`),
	"weight": lazyregexp.New(`^\d+$`), "pcp": lazyregexp.New(`^\d$`), "dscp": lazyregexp.New(`^\d+$`),
	"trust-l2": trustValue, "trust-l3": trustValue, "rx": yesNo, "tx": yesNo, "ecn": yesNo, "wred": yesNo,
	"use-shared-buffers": yesNo, "wred-actual": yesNo, "ecn-actual": yesNo,
	"schedule":      lazyregexp.New(`^(?:low-priority-group|high-priority-group|strict-priority)$`),
	"queue-buffers": lazyregexp.New(`^(?:auto|\d[\d ]*)$`), "pause-threshold": threshold, "resume-threshold": threshold,
	"switch": lazyregexp.New(`^switch\S*$`), "mtu": lazyregexp.New(`^(?:auto|\d+)$`), "l2mtu": lazyregexp.New(`^\d+$`),
	"max-l2mtu": lazyregexp.New(`^\d+$`), "actual-mtu": lazyregexp.New(`^\d+$`),
	"address": lazyregexp.New(`^[0-9A-Fa-f.:]+(?:/\d+)?$`), "network": lazyregexp.New(`^[0-9A-Fa-f.:]+(?:/\d+)?$`),
	"interface": lazyregexp.New(`^\S+$`), "mac-address": lazyregexp.New(`^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$`),
	"vlan-id": lazyregexp.New(`^\d+$`)}

var (
	trustValue = lazyregexp.New(`^(?:ignore|trust|keep)$`)
	yesNo      = lazyregexp.New(`^(?:yes|no)$`)
	threshold  = lazyregexp.New(`^(?:auto|\d[\d ]*(?:%|[KMG]iB|[kMG])?|\d+(?:\.\d+)?(?:%|[KMG]iB))$`)
)

func fits(column, value string) bool {
	if re := columnValues[column]; re != nil {
		return re.MatchString(value)
	}
	switch column {
	case "profile", "map", "tx-manager", "pfc": // names of the user's, unlikely to match
		return !trustValue.MatchString(value)
	}
	return true
}

// inOrder assigns words to columns in their order; some columns may be empty, but not the first. A column with several
// possible values, or none, stays empty.
func (t *routerosColumns) inOrder(line string, words [][]int) []string {
	if len(words) > len(t.names) || len(t.names) > 40 {
		return nil
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = line[w[0]:w[1]]
	}
	if !fits(t.names[0], texts[0]) {
		return nil
	}
	// A column can have a word if the words before it fit the columns before it, and those after it the columns after it.
	n, m := len(texts), len(t.names)
	ahead, behind := grid(n, m), grid(n, m)
	for j := range m + 1 {
		ahead[0][j] = j == 0
	}
	for i := 1; i <= n; i++ {
		for j := 1; j <= m; j++ {
			ahead[i][j] = j > 1 && ahead[i][j-1] || ahead[i-1][j-1] && fits(t.names[j-1], texts[i-1])
		}
	}
	for j := m; j >= 0; j-- {
		behind[n][j] = true
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			behind[i][j] = behind[i][j+1] || behind[i+1][j+1] && fits(t.names[j], texts[i])
		}
	}
	values := make([]string, m)
	for j := range m {
		empty := j > 0
		if empty {
			empty = false
			for i := 1; i <= n; i++ { // i words before, the column empty, the others after
				empty = empty || ahead[i][j] && behind[i][j+1]
			}
		}
		candidates := map[string]bool{}
		for i := range n {
			if ahead[i][j] && behind[i+1][j+1] && fits(t.names[j], texts[i]) {
				candidates[texts[i]] = true
			}
		}
		if len(candidates) == 1 && !empty {
			for v := range candidates {
				values[j] = v
			}
		}
	}
	if values[0] == "" {
		return nil
	}
	return values
}

func grid(n, m int) [][]bool {
	out := make([][]bool, n+1)
	for i := range out {
		out[i] = make([]bool, m+1)
	}
	return out
}
