package facts

import (
	"strconv"
	"strings"
)

// OneLine makes a text safe for one line of the header.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Stacked reports whether an interface of that kind is on top of the one that it names as its link; a veth names its
// peer instead.
func Stacked(kind string) bool { return kind == "vlan" || kind == "macvlan" || kind == "ipvlan" }

// Atoi returns a number that is not negative, or -1.
func Atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// SizeOf reads a whole number, also with the suffixes k, m, g or t of FreeBSD's loader.
func SizeOf(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	shift, base := 0, 10
	if i := strings.IndexByte("kmgt", s[len(s)-1]|0x20); i >= 0 {
		shift, s = 10*(i+1), s[:len(s)-1]
	}
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		s, base = hex, 16
	}
	n, err := strconv.ParseInt(s, base, 64)
	if err != nil || n > 1<<62>>shift || n < -(1<<62>>shift) {
		return 0, false
	}
	return n << shift, true
}
