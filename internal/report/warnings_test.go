package report

import (
	"reflect"
	"testing"

	"linerate/internal/record"
)

func TestWarnings(t *testing.T) {
	e := &record.Experiment{Name: "raw", From: "a", To: "b", Warnings: []string{"other work kept 1.37 cores busy", "b: nothing was received"}}
	f := &record.Experiment{Name: "raw", From: "a", To: "c", Repeats: []record.Repeat{{Warnings: []string{"other work kept 10.2 cores busy"}}, {Warnings: []string{"other work kept 0.9 cores busy"}}}}
	got := warnings(&record.Run{Warnings: []string{"the clock of nas is 3 s late"}, Experiments: []*record.Experiment{e, f}})
	want := []string{
		"the clock of nas is 3 s late",
		"other work kept 0.9 .. 10.2 cores busy (3 times: raw a -> b and raw a -> c)",
		"b: nothing was received (raw a -> b)",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string][2]string{
		"One. Two.": {"One.", "Two."},
		"its window stops at 64 KiB (net.ipv4.tcp_rmem). 3 experiments were not run.": {"its window stops at 64 KiB (net.ipv4.tcp_rmem).", "3 experiments were not run."},
		"One at 1.5 Gb/s": {"One at 1.5 Gb/s", ""},
		"":                {"", ""},
	} {
		if a, b := firstSentence(in); a != want[0] || b != want[1] {
			t.Errorf("%q: %q, %q", in, a, b)
		}
	}
}
