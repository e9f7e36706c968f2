package config

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// hostile are texts that try to escape from their place.
var hostile = []string{"", " ", "plain", "a b", `it's`, `"`, `''`, "$(touch /tmp/x)", "`id`", "; reboot", "a\\", "\\n",
	"-rf", "*", "~", "#", "ünïcode 線", strings.Repeat("x", 5000)}

func FuzzShell(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("a\nb")
	f.Add("\x1b[31m")
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Shell(s)
		var refused *Refused
		if errors.As(err, &refused) {
			if Unfit(s) == "" {
				t.Errorf("%q is refused, and nothing is wrong with it", s)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(q, "\n\r\x00") {
			t.Fatalf("%q is not one line", q)
		}
		if got := unquoteShell(t, q); got != s {
			t.Errorf("%q became %q, which a shell reads as %q", s, q, got)
		}
	})
}

// unquoteShell reads one word as a POSIX shell does: bare characters, and single quotes without special characters.
func unquoteShell(t *testing.T, q string) string {
	t.Helper()
	var out strings.Builder
	in := false
	for i := 0; i < len(q); i++ {
		switch c := q[i]; {
		case c == '\'':
			in = !in
		case in:
			out.WriteByte(c)
		case c == '\\' && i+1 < len(q):
			i++
			out.WriteByte(q[i])
		case strings.ContainsRune(" \t;&|<>()$`\"*?[]~#=%!{}", rune(c)) && c != '%' && c != '=':
			t.Fatalf("%q has %q outside of quotes", q, c)
		default:
			out.WriteByte(c)
		}
	}
	if in {
		t.Fatalf("%q has a quote that is not closed", q)
	}
	return out.String()
}

// TestShellOfThisMachine: the real shell reads the original text.
func TestShellOfThisMachine(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		testenv.Missing(t, "sh")
	}
	for _, s := range hostile {
		q, err := Shell(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		out, err := exec.Command(sh, "-c", "printf %s "+q).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q as %q: the shell reads %q (%v)", s, q, out, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, s := range []string{"a\nb", "a\rb", "\x00", "\x1b[2J", "a\u202eb", "a\u200bb", "\xff", "a\u2028b"} {
		if q, err := Shell(s); err == nil {
			t.Errorf("%q became %q", s, q)
		}
		if p := Plain(s); Unfit(p) != "" {
			t.Errorf("Plain(%q) is %q: %s", s, p, Unfit(p))
		}
	}
}
