package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

// Quote writes a text as a string of the RouterOS console: in double quotes, in which a backslash, a double quote and a
// dollar sign are special, and \XX is a byte (MikroTik's manual, Scripting, Constant Escape Sequences). It escapes
// everything except letters, digits and a few signs: a question mark is help before 7.1, and other characters depend on
// the terminal.
func Quote(s string) (string, error) {
	if why := config.Unfit(s); why != "" {
		return "", &config.Refused{Text: s, Language: "a RouterOS script", Why: why}
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\' || c == '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte(" -_.,:;+/()=<>~^[]|'!#%&*@{}`", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "\\%02X", c)
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}
