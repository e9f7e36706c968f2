package device

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Refused is a text of the user's that a language cannot carry.
type Refused struct {
	Text, Language, Why string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%q cannot be written into %s: %s; use letters, digits, -, _ and spaces", r.Text, r.Language, r.Why)
}

// Unfit says why a text is refused everywhere: what is not text, and what would end a line or hide what follows.
func Unfit(s string) string {
	if printable(s) {
		return ""
	}
	if !utf8.ValidString(s) {
		return "it is not UTF-8"
	}
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return "it has a line break"
		case unicode.IsControl(r):
			return fmt.Sprintf("it has the control character %U", r)
		case unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r):
			return fmt.Sprintf("it has the invisible character %U", r)
		}
	}
	return ""
}

// printable says whether a text is ASCII that prints, as nearly all are: the rest of Unfit is for the others.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Shell quotes for a POSIX shell: single quotes, in which nothing has a meaning but the quote itself
// (POSIX.1-2017, Shell Command Language, 2.2.2). Words that need none stay bare.
func Shell(s string) (string, error) {
	if why := Unfit(s); why != "" {
		return "", &Refused{s, "a shell script", why}
	}
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,") == "" {
		return s, nil
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", nil
}

// Plain makes a text fit for a comment or a table: what would break the line or hide text becomes a question mark.
func Plain(s string) string {
	if Unfit(s) == "" {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || Unfit(string(r)) != "" {
			return '?'
		}
		return r
	}, s)
}

// Word says whether a text may stand bare in every language rendered here: letters, digits, and - _ . : / within.
func Word(s string) bool {
	for i, r := range s {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') || i > 0 && strings.ContainsRune("-_.:/", r) {
			continue
		}
		return false
	}
	return s != ""
}
