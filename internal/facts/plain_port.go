package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

// PlainPort normalizes names of a switch's port: Eth1/19, Ethernet 1/19 and 1/19.
func PlainPort(name string) string {
	s := strings.ToLower(strings.ReplaceAll(name, " ", ""))
	for _, word := range []string{"ethernet", "eth"} {
		if rest, ok := strings.CutPrefix(s, word); ok && strings.Contains(rest, "/") {
			return rest
		}
	}
	return s
}

var macForm = lazyregexp.New(`^(?i:[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})$`)

// IsMAC reports whether a text is a MAC address.
func IsMAC(s string) bool { return macForm.MatchString(s) }

// ColonMAC writes a MAC address with colons: 2cc2.6081.eaf9 and 2C-C2-60-81-EA-F9. Other texts are unchanged.
func ColonMAC(s string) string {
	if !IsMAC(s) {
		return s
	}
	digits := strings.ToLower(strings.NewReplacer(":", "", "-", "", ".", "").Replace(s))
	var b strings.Builder
	for i := 0; i < len(digits); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(digits[i : i+2])
	}
	return b.String()
}
