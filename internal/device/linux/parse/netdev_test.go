package parse

import (
	"strings"
	"testing"

	"linerate/internal/facts"
)

func TestTaskStat(t *testing.T) {
	for text, want := range map[string]facts.Task{
		"14 (ksoftirqd/0) S 2 0 0 0 -1 69238848 0 0 0 0 3 8301 0 0 20 0 1 0 18 0 0 18446744073709551615 0 0 0 0 0 0 0 " +
			"2147483647 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n": {
			ID: 14, Name: "ksoftirqd/0", Kernel: true, User: 0.03, System: 83.01, Start: 18},
		"9000 (a) b) (c) R 1 9000 9000 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 9 0 77777 1000 5 18446744073709551615 1 1 0 " +
			"0 0 0 0 0 0 0 0 0 17 1023 0 0 0 0 0\n": {
			ID: 9000, Name: "a) b) (c", User: 2.5, System: 0.5, Start: 77777, Core: 1023},
	} {
		got, err := ParseTaskStat([]byte(text))
		if err != nil || got != want {
			t.Errorf("%+v %v, want %+v", got, err, want)
		}
	}
	for _, text := range []string{"", "1 no name", "x (a) S 1", "1 (a) S 1 2 3", ") 1 (",
		"1 (a)" + strings.Repeat(" x", 40)} {
		if got, err := ParseTaskStat([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
