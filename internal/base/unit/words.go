package unit

import (
	"fmt"
	"strings"
)

// If returns a where the condition holds, else b. Both are evaluated.
func If[T any](condition bool, a, b T) T {
	if condition {
		return a
	}
	return b
}

// Counted prints a number with its noun: "1 host", "3 hosts", "2 switches", "2 entries".
func Counted(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "x"):
		noun += "es"
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// List joins words with commas and "and": "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
