package device

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Columns writes rows below each other, two spaces between, without spaces at the ends.
func Columns(rows [][]string) []string {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var out []string
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += fmt.Sprintf("%-*s  ", width[i], c)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// Numbers writes numbers with a separator: "0,1,2".
func Numbers(list []int, sep string) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, sep)
}
