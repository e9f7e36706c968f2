package report

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/record"
)

// What was lost stands beside goodput on the terminal and on the page, and nowhere where nothing was sent as datagrams.
func TestLoss(t *testing.T) {
	r := meshRun()
	print := func() (terminal, page string) {
		var a, b bytes.Buffer
		if err := (Terminal{Width: 100, Out: &a}).Run(r); err != nil {
			t.Fatal(err)
		}
		if err := HTML(&b, r); err != nil {
			t.Fatal(err)
		}
		return a.String(), b.String()
	}
	if terminal, page := print(); strings.Contains(terminal, " lost ") || strings.Contains(page, ">lost<") {
		t.Error("loss is shown of a run without datagrams")
	}
	for _, e := range r.Experiments {
		if e.Method == "stream" && e.Goodput != nil {
			e.Settings["transport"] = "udp"
			e.UDP = &record.UDP{Datagrams: to(int64(8_000_000)), Lost: to(int64(184_000)), Reordered: to(int64(7)), Duplicated: to(int64(0)), Jitter: to(3.2e-6)}
		}
	}
	terminal, page := print()
	for _, want := range []string{" lost ", "2.30 %"} {
		if !strings.Contains(terminal, want) {
			t.Errorf("no %q on the terminal:\n%s", want, terminal)
		}
	}
	for _, want := range []string{">lost<", "184000 of 8000000 lost, 7 reordered, 0 duplicated, jitter 3.2"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
}
