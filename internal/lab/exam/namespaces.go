package exam

import "strings"

// InNamespaces splits a command line at its spaces and puts the names of two network namespaces in place of the words A
// and B.
func InNamespaces(line, a, b string) []string {
	words := strings.Split(line, " ")
	for i, w := range words {
		switch w {
		case "A":
			words[i] = a
		case "B":
			words[i] = b
		}
	}
	return words
}
