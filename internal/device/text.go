package device

import (
	"fmt"
	"strings"
)

// Commas joins numbers with commas.
func Commas(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// BareWord reports whether a text needs no quotes in any rendered language: letters, digits, and - _ . : / after the
// first character.
func BareWord(s string) bool {
	for i, r := range s {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') ||
			i > 0 && strings.ContainsRune("-_.:/", r) {
			continue
		}
		return false
	}
	return s != ""
}
