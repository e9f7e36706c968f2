package render

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/device/configtest"
)

// read evaluates the output of Quote by PowerShell's rules: a single-quoted text, or such texts and characters by
// number joined by +.
func read(text string) (string, bool) {
	inner, ok := strings.CutPrefix(text, "(")
	if ok {
		inner, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return "", false
		}
	}
	var b strings.Builder
	for {
		switch {
		case strings.HasPrefix(inner, "'"):
			i := 1
			for ; i < len(inner); i++ {
				if inner[i] != '\'' {
					if inner[i] < ' ' || inner[i] > '~' {
						return "", false
					}
					b.WriteByte(inner[i])
				} else if strings.HasPrefix(inner[i:], "''") {
					b.WriteByte('\'')
					i++
				} else {
					break
				}
			}
			if i >= len(inner) {
				return "", false
			}
			inner = inner[i+1:]
		case strings.HasPrefix(inner, "[char]"):
			word, rest, _ := strings.Cut(inner, " ")
			hex := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(word, "[char]::ConvertFromUtf32("), "[char]"), ")")
			n, err := strconv.ParseUint(strings.TrimPrefix(hex, "0x"), 16, 32)
			if err != nil || utf16.IsSurrogate(rune(n)) {
				return "", false
			}
			b.WriteRune(rune(n))
			if inner = ""; rest != "" {
				inner = " " + rest
			}
		default:
			return "", false
		}
		if inner == "" {
			return b.String(), true
		}
		if inner, ok = strings.CutPrefix(inner, " + "); !ok {
			return "", false
		}
	}
}

// quoting accepts quoted texts only if they are ASCII and begin with a text where + joins: otherwise it would add
// numbers.
var quoting = configtest.Quoting{Quote: Quote,
	Read: func(q string) (string, bool) {
		if strings.HasPrefix(q, "(") && !strings.HasPrefix(q, "('") {
			return "", false
		}
		return read(q)
	},
	Wrong: []string{"'a'b'", "'a", "a", "'\u2019'", "('a' 'b')", "([char]0x41)"}}

func TestQuote(t *testing.T) {
	quoting.Hostile(t)
	for s, want := range map[string]string{"": "''", "o'clock": "'o''clock'", "a\u2019b": "('a' + [char]0x2019 + 'b')",
		"\u201b": "('' + [char]0x201B)", "🙂": "('' + [char]::ConvertFromUtf32(0x1F642))"} {
		if got, err := Quote(s); err != nil || got != want {
			t.Errorf("Quote(%q) = %s, %v; want %s", s, got, err, want)
		}
	}
}

func FuzzQuote(f *testing.F) { quoting.Fuzz(f) }
