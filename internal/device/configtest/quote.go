package configtest

import (
	"testing"

	"linerate/internal/device/config"
)

// Quoting is how a family writes a text as one word of its language.
type Quoting struct {
	Quote func(string) (string, error)
	Read  func(quoted string) (text string, ok bool) // by the language's rules; ok: it is exactly one text
	Wrong []string                                   // texts that are not exactly one
}

// Text expects that a text is refused because of a character that cannot be quoted, or is read back unchanged.
func (q Quoting) Text(t *testing.T, s string) (quoted string, ok bool) {
	t.Helper()
	quoted, err := q.Quote(s)
	if err != nil {
		if config.Unfit(s) == "" {
			t.Errorf("%q is refused: %v", s, err)
		}
		return "", false
	}
	if got, ok := q.Read(quoted); !ok || got != s {
		t.Errorf("%q is quoted as %s, which reads %q (one text: %v)", s, quoted, got, ok)
	}
	return quoted, true
}

// Hostile checks all hostile texts, and that the reader refuses the wrong ones.
func (q Quoting) Hostile(t *testing.T) {
	t.Helper()
	refused := 0
	for _, s := range Hostile {
		if _, ok := q.Text(t, s); !ok {
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("only %d of the hostile texts are refused", refused)
	}
	for _, x := range q.Wrong {
		if _, ok := q.Read(x); ok {
			t.Errorf("the reader of this test takes %s", x)
		}
	}
}

// Fuzz checks any text.
func (q Quoting) Fuzz(f *testing.F) {
	for _, s := range Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { q.Text(t, s) })
}
