package report

import (
	"strings"
	"testing"
	"time"

	"linerate/result"
)

// The text has the strongest findings without what charts and tables have, and none where the data carry none.
func TestKeyText(t *testing.T) {
	got := printed(t, keyRun(8), Terminal{Width: 80})
	for _, want := range []string{"key findings\n", "  - The fabric as written achieved 1.6"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	_, after, _ := strings.Cut(got, "key findings\n")
	block, _, _ := strings.Cut(after, "\n\n")
	if n := strings.Count("\n"+block, "\n  - "); n == 0 || n > keysInText {
		t.Errorf("%d findings:\n%s", n, block)
	}
	if flat := strings.Join(strings.Fields(block), " "); strings.Contains(flat, ", measured in turns") || strings.Contains(flat, "IOPS against") || !strings.Contains(flat, "(95 % interval") {
		t.Errorf("%s", flat)
	}
	if got := printed(t, keyRun(2), Terminal{Width: 80}); strings.Contains(got, "key findings") {
		t.Errorf("two repeats carry none:\n%s", got)
	}
}

func TestTookText(t *testing.T) {
	for d, want := range map[time.Duration]string{300 * time.Millisecond: "1 s", 42 * time.Second: "42 s", 85 * time.Second: "1 min 25 s", 120 * time.Second: "2 min", 3*time.Hour + 119*time.Second: "3 h 1 min"} {
		if got := tookText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// Nobody copies a remark with a command.
func TestNextRemark(t *testing.T) {
	c := cause{Verdict: &result.Verdict{NextExperiment: "linerate run x.yaml --only y   (again, on a quiet machine)"}}
	if got := c.Next(); len(got) != 1 || got[0] != (step{"To find out more, again, on a quiet machine", "linerate run x.yaml --only y", true}) {
		t.Errorf("%+v", got)
	}
}

// A long name of a line has the room that it needs.
func TestAbreast(t *testing.T) {
	p := sweepPanel{systems: []system{{name: "the fabric as written"}, {name: "variant ten"}}}
	if p.abreast() != 2 || (sweepPanel{systems: []system{{name: "1 stream"}}}).abreast() != 3 {
		t.Error("names of lines")
	}
}
