package routeros

import (
	"strconv"
	"strings"
	"testing"

	"linerate/internal/config/configtest"
	"linerate/internal/config/device"
)

// read reads a string of the RouterOS console by the rules of its manual, and says whether the text is one string and nothing else.
func read(text string) (string, bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), i == len(text)-1
		case '$', '?':
			return "", false // a variable; help before 7.1
		case '\\':
			if i++; i == len(text) {
				return "", false
			}
			if strings.IndexByte(`"\$`, text[i]) >= 0 {
				b.WriteByte(text[i])
				continue
			}
			if i+2 > len(text)-1 || strings.ToUpper(text[i:i+2]) != text[i:i+2] {
				return "", false
			}
			n, err := strconv.ParseUint(text[i:i+2], 16, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(n))
			i++
		default:
			if c < ' ' || c > '~' {
				return "", false
			}
			b.WriteByte(c)
		}
	}
	return "", false
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
		t.Errorf("Quote(%q) = %s, which reads %q (one string: %v)", s, q, got, ok)
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
	for _, q := range []string{`"a"b"`, `"$x"`, `"\"`, `"a`, `a"`, "\"\n\"", `"\zz"`} {
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
