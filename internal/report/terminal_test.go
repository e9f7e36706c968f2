package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
)

func printed(t *testing.T, r *record.Run, term terminal.Terminal) string {
	t.Helper()
	var b bytes.Buffer
	term.Out = &b
	if err := PrintRun(term, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRun(t *testing.T) {
	for name := range reporttest.Fixtures() {
		for _, w := range []int{80, 120} {
			t.Run(fmt.Sprintf("%s-%d", name, w), func(t *testing.T) {
				got := printed(t, reporttest.Fixture(t, name),
					terminal.Terminal{Width: w, Page: "runs/2026-11-21-mesh-10g-7f3c/report.html"})
				reporttest.Safe(t, got)
				golden.Compare(t, fmt.Sprintf("testdata/%s-%d.txt", name, w), got)
			})
		}
	}
	t.Run("colour", func(t *testing.T) {
		r := reporttest.Fixture(t, "mesh")
		got := printed(t, r, terminal.Terminal{Width: 80, Color: true})
		golden.Compare(t, "testdata/mesh-80-colour.txt", got)
		plain := regexp.MustCompile("\x1b\\[[0-9;]+m").ReplaceAllString(got, "")
		if want := printed(t, r, terminal.Terminal{Width: 80}); plain != want {
			t.Errorf("colour changes more than the colour:\n%s\nwithout:\n%s", plain, want)
		}
	})
	t.Run("ascii", func(t *testing.T) {
		got := printed(t, reporttest.Fixture(t, "mesh"), terminal.Terminal{Width: 80, ASCII: true})
		for _, r := range got {
			if r > 126 {
				t.Fatalf("%q in\n%s", r, got)
			}
		}
		golden.Compare(t, "testdata/mesh-80-ascii.txt", got)
	})
}

// Lines may be longer than the terminal only where they are to be copied, or
// where a single word is longer than the room.
func TestWidth(t *testing.T) {
	for _, name := range []string{"mesh", "pair", "switched", "incomplete", "unknown", "sweep"} {
		for _, w := range []int{80, 100, 120, 200} {
			for _, line := range strings.Split(printed(t, reporttest.Fixture(t, name), terminal.Terminal{Width: w}), "\n") {
				if format.Width(line) > w && !strings.Contains(line, "linerate measure") && !strings.Contains(line, "sysctl") {
					t.Errorf("%s at %d columns: %d: %q", name, w, format.Width(line), line)
				}
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add(reporttest.Hostile)
	f.Add("\x1b[31m")
	f.Fuzz(func(t *testing.T, s string) {
		got := format.Clean(s)
		reporttest.Safe(t, got)
		if got != strings.TrimSpace(got) {
			t.Errorf("%q has spaces at its ends", got)
		}
		if strings.Contains(got, "\n") {
			t.Errorf("clean(%q) has lines", s)
		}
		if format.Clean(got) != got {
			t.Errorf("clean(%q) = %q is not clean", s, got)
		}
		for _, line := range format.CleanLines(s) {
			reporttest.Safe(t, line)
		}
	})
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{0, "        │"}, {1, "████████│"}, {0.5, "████    │"}, {0.515, "████▏   │"}, {1.2, "████████│"},
		{-1, "        │"}} {
		if got := chart.Bar(c.share, 8, false); got != c.want {
			t.Errorf("bar(%v) = %q, want %q", c.share, got, c.want)
		}
	}
	if got := chart.Bar(0.5, 8, true); got != "####....|" {
		t.Errorf("plain: %q", got)
	}
}

// A report must not fail on an empty run.
func TestEmpty(t *testing.T) {
	got := printed(t, &record.Run{}, terminal.Terminal{})
	if !strings.Contains(got, "Nothing was measured.") || !strings.Contains(got, "incomplete") {
		t.Errorf("%s", got)
	}
	if err := PrintRun((terminal.Terminal{}), &record.Run{}); err == nil {
		t.Error("no writer: no error")
	}
}
