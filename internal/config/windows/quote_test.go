package windows

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/config/configtest"
	"linerate/internal/config/device"
)

// read evaluates what Quote writes by PowerShell's rules: a single-quoted text, or such texts and characters by number joined by +.
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

func checkQuote(t *testing.T, s string) {
	q, err := Quote(s)
	if err != nil {
		if device.Unfit(s) == "" {
			t.Errorf("%q is refused: %v", s, err)
		}
		return
	}
	if got, ok := read(q); !ok || got != s {
		t.Errorf("Quote(%q) = %s, which reads %q (one text: %v)", s, q, got, ok)
	}
	if strings.HasPrefix(q, "(") && !strings.HasPrefix(q, "('") {
		t.Errorf("Quote(%q) = %s does not begin with a text: + would add numbers", s, q)
	}
	if strings.IndexFunc(q, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		t.Errorf("Quote(%q) = %s is not ASCII", s, q)
	}
}

func TestQuote(t *testing.T) {
	refused := 0
	for _, s := range configtest.Hostile {
		checkQuote(t, s)
		if _, err := Quote(s); err != nil {
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("only %d of the hostile texts are refused", refused)
	}
	for s, want := range map[string]string{"": "''", "o'clock": "'o''clock'", "a\u2019b": "('a' + [char]0x2019 + 'b')", "\u201b": "('' + [char]0x201B)", "🙂": "('' + [char]::ConvertFromUtf32(0x1F642))"} {
		if got, err := Quote(s); err != nil || got != want {
			t.Errorf("Quote(%q) = %s, %v; want %s", s, got, err, want)
		}
	}
	for _, q := range []string{"'a'b'", "'a", "a", "'\u2019'", "('a' 'b')"} {
		if _, ok := read(q); ok {
			t.Errorf("the reader of this test takes %s", q)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range configtest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkQuote(t, s) })
}
