package facts

import "strings"

// PlainPort brings the ways to write a port of one switch together: Eth1/19, Ethernet 1/19 and 1/19.
func PlainPort(name string) string {
	s := strings.ToLower(strings.ReplaceAll(name, " ", ""))
	for _, word := range []string{"ethernet", "eth"} {
		if rest, ok := strings.CutPrefix(s, word); ok && strings.Contains(rest, "/") {
			return rest
		}
	}
	return s
}
