package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Refused is a user's text that a language cannot express.
type Refused struct {
	Text, Language, Why string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%q cannot be written into %s: %s; use letters, digits, -, _ and spaces", r.Text, r.Language, r.Why)
}

// Unfit returns why every language refuses a text; empty: none does. Refused are texts that are not valid, would end a
// line, or hide what follows.
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

// printable reports whether a text is printable ASCII, as almost all are.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Shell quotes for a POSIX shell with single quotes, in which only the quote itself is special (POSIX.1-2017, Shell
// Command Language, 2.2.2). Words that need no quotes stay bare.
func Shell(s string) (string, error) {
	if why := Unfit(s); why != "" {
		return "", &Refused{s, "a shell script", why}
	}
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,") == "" {
		return s, nil
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", nil
}

// Plain makes a text fit for a comment or table: characters that would break the line or hide text become question
// marks.
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

// Refuse returns the error of a device that cannot be rendered, with all reasons from the plan; nil without a reason.
func Refuse(subject string, reasons []string) error {
	if len(reasons) == 0 {
		return nil
	}
	return errors.New(Plain(subject + ": " + strings.Join(reasons, ". ")))
}
