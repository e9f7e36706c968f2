package configtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// goldenFile is a golden file below testdata. Its lines include line ends.
type goldenFile struct {
	name  string
	lines []string
}

// fewestFolded is the least number of lines that a reference to another file replaces.
const fewestFolded = 6

// reference stands for lines of another golden file: how many, which file, and the first of them. A number after the
// file distinguishes equal lines, from 1.
const reference = "@@ %d lines of %s, from line %d of: %s"

// fold writes a file with references to lines of earlier files, because scripts for several hosts share hundreds of
// lines.
func fold(lines []string, earlier []goldenFile) string {
	var b strings.Builder
	for at := 0; at < len(lines); {
		most, of, from := 0, 0, 0
		for i, file := range earlier {
			for start := range file.lines {
				if n := common(lines[at:], file.lines[start:]); n > most {
					most, of, from = n, i, start
				}
			}
		}
		if most < fewestFolded || !strings.HasSuffix(lines[at], "\n") {
			b.WriteString(lines[at])
			at++
			continue
		}
		equal := 0
		for _, line := range earlier[of].lines[:from+1] {
			if line == lines[at] {
				equal++
			}
		}
		fmt.Fprintf(&b, reference, most, earlier[of].name, equal, lines[at])
		at += most
	}
	return b.String()
}

// common returns how many lines two texts have in common at the start. The empty end of a text is not a line.
func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] && a[n] != "" {
		n++
	}
	return n
}

// unfold resolves the references of a golden file; read returns the lines of another file.
func unfold(text string, read func(name string) []string) ([]string, error) {
	var out []string
	for _, line := range strings.SplitAfter(text, "\n") {
		rest, ok := strings.CutPrefix(line, "@@ ")
		if !ok {
			out = append(out, line)
			continue
		}
		count, rest, _ := strings.Cut(rest, " lines of ")
		name, rest, _ := strings.Cut(rest, ", from line ")
		equal, first, ok := strings.Cut(rest, " of: ")
		n, err := strconv.Atoi(count)
		nth, err2 := strconv.Atoi(equal)
		if !ok || err != nil || err2 != nil {
			return nil, fmt.Errorf("%q is not a reference", line)
		}
		lines := read(name)
		from := -1
		for range nth {
			next := slices.Index(lines[from+1:], first)
			if next < 0 {
				return nil, fmt.Errorf("%s does not have %d times %q", name, nth, first)
			}
			from += 1 + next
		}
		if from < 0 || from+n > len(lines) {
			return nil, fmt.Errorf("%s does not have %d lines from %q on", name, n, first)
		}
		out = append(out, lines[from:from+n]...)
	}
	return out, nil
}
