package routeros

import (
	"fmt"
	"strings"

	"linerate/internal/config/device"
)

// Quote writes a text as a string of the RouterOS console: in double quotes, in which a backslash, a double quote and a dollar
// sign have a meaning, and \XX stands for a byte (MikroTik's manual, Scripting, Constant Escape Sequences). Everything but
// letters, digits and a few signs is written as such a byte: a question mark is help before 7.1, and what a terminal makes of
// other characters depends on the terminal.
func Quote(s string) (string, error) {
	if why := device.Unfit(s); why != "" {
		return "", &device.Refused{Text: s, Language: "a RouterOS script", Why: why}
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\' || c == '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" -_.,:;+/()=<>~^[]|'!#%&*@{}`", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "\\%02X", c)
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}
