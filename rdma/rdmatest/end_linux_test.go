package rdmatest

import (
	"strings"
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	lines := []string{"pair n=0 core=3 ops=7 bytes=56 in=0", "pair n=1 core=3 ops=5 bytes=40 in=0",
		"hist n=0 part=0 100:3,200:1", "hist n=1 part=9 100:1,400:5",
		"error step=wait pair=0 errno=110 status=0 at=5 text=it has ops=3 left"}
	if got := Sum(lines, "pair", "ops"); got != 12 {
		t.Errorf("%d operations, want 12", got)
	}
	if got := Value(lines[4], "at") + Value(lines[4], "ops"); got != "5" {
		t.Errorf("of the line of error: %q, want 5 and nothing of its text", got)
	}
	for q, want := range map[float64]uint64{0.4: 100, 0.5: 200, 0.51: 400, 1: 400} {
		if got := Quantile(lines, q); got != want {
			t.Errorf("quantile %g is %d, want %d", q, got, want)
		}
	}
	if got := Quantile(nil, 0.5); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}

func TestUntil(t *testing.T) {
	e, err := Start(t.Context(), "x", "sh", "-c", `while read l; do echo "$l"; done`)
	if err != nil {
		t.Fatal(err)
	}
	e.Say("pair n=%d", 0)
	e.Say("opened")
	e.Say("error step=open text=no")
	if lines, err := e.Until(time.Minute, "opened"); err != nil || len(lines) != 2 {
		t.Errorf("%v, %v", lines, err)
	}
	if lines, err := e.Until(time.Minute, "done"); err == nil || !strings.Contains(err.Error(), "x: error step=open") ||
		len(lines) != 1 {
		t.Errorf("an error: %v, %v", lines, err)
	}
	if _, err := e.Until(10*time.Millisecond, "done"); err == nil ||
		!strings.Contains(err.Error(), "no [done] within") {
		t.Errorf("a wait that is over: %v", err)
	}
	e.End()
	if _, err := e.Until(time.Minute, "done"); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("a program that has ended: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
