package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"linerate/internal/record"
)

func printed(t *testing.T, r *record.Run, term Terminal) string {
	t.Helper()
	var b bytes.Buffer
	term.Out = &b
	if err := term.Run(r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRun(t *testing.T) {
	for name := range fixtures {
		for _, w := range []int{80, 120} {
			t.Run(fmt.Sprintf("%s-%d", name, w), func(t *testing.T) {
				got := printed(t, fixture(t, name), Terminal{Width: w, Page: "runs/2026-11-21-mesh-10g-7f3c/report.html"})
				safe(t, got)
				golden(t, fmt.Sprintf("%s-%d.txt", name, w), got)
			})
		}
	}
	t.Run("colour", func(t *testing.T) {
		r := fixture(t, "mesh")
		got := printed(t, r, Terminal{Width: 80, Color: true})
		golden(t, "mesh-80-colour.txt", got)
		plain := regexp.MustCompile("\x1b\\[[0-9;]+m").ReplaceAllString(got, "")
		if want := printed(t, r, Terminal{Width: 80}); plain != want {
			t.Errorf("colour changes more than the colour:\n%s\nwithout:\n%s", plain, want)
		}
	})
	t.Run("ascii", func(t *testing.T) {
		got := printed(t, fixture(t, "mesh"), Terminal{Width: 80, ASCII: true})
		for _, r := range got {
			if r > 126 {
				t.Fatalf("%q in\n%s", r, got)
			}
		}
		golden(t, "mesh-80-ascii.txt", got)
	})
}

// safe fails on anything that a terminal could take for a command.
func safe(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && (unicode.IsControl(r) || turns(r)) {
			t.Errorf("control character %q in the output", r)
			return
		}
	}
}

// Lines may be longer than the terminal only where they are to be copied, or
// where a single word is longer than the room.
func TestWidth(t *testing.T) {
	for _, name := range []string{"mesh", "pair", "switched", "incomplete", "unknown", "sweep"} {
		for _, w := range []int{80, 100, 120, 200} {
			for _, line := range strings.Split(printed(t, fixture(t, name), Terminal{Width: w}), "\n") {
				if width(line) > w && !strings.Contains(line, "linerate measure") && !strings.Contains(line, "sysctl") {
					t.Errorf("%s at %d columns: %d: %q", name, w, width(line), line)
				}
			}
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"nas":                       "nas",
		" nas  1 ":                  "nas  1",
		" ":                         "",
		"a\x1b[31mred\x1b[0m b":     "ared b",
		"\x1b]0;title\x07x":         "]0;titlex",
		"a\nb\tc\r\nd":              "a b c d",
		"\u009b31mx\u202ey\u2066z":  "xyz",
		"caf\u00e9 \xff":            "café \uFFFD",
		"\x00\x7f\x85":              "\uFFFD",
		"\x1b[":                     "",
		"\x1b[31":                   "31",
		"\x1b[3\x1b[1mx":            "3x",
		"unfinished \u001b[999999;": "unfinished 999999;",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add(bad)
	f.Add("\x1b[31m")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		safe(t, got)
		if got != strings.TrimSpace(got) {
			t.Errorf("%q has spaces at its ends", got)
		}
		if strings.Contains(got, "\n") {
			t.Errorf("clean(%q) has lines", s)
		}
		if clean(got) != got {
			t.Errorf("clean(%q) = %q is not clean", s, got)
		}
		for _, line := range cleanLines(s) {
			safe(t, line)
		}
	})
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{0, "        │"}, {1, "████████│"}, {0.5, "████    │"}, {0.515, "████▏   │"}, {1.2, "████████│"}, {-1, "        │"}} {
		if got := bar(c.share, 8, false); got != c.want {
			t.Errorf("bar(%v) = %q, want %q", c.share, got, c.want)
		}
	}
	if got := bar(0.5, 8, true); got != "####....|" {
		t.Errorf("plain: %q", got)
	}
}

// A report must not fail on a run that has nothing in it.
func TestEmpty(t *testing.T) {
	got := printed(t, &record.Run{}, Terminal{})
	if !strings.Contains(got, "Nothing was measured.") || !strings.Contains(got, "incomplete") {
		t.Errorf("%s", got)
	}
	if err := (Terminal{}).Run(&record.Run{}); err == nil {
		t.Error("no writer: no error")
	}
}
