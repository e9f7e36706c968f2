package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// The command for a run without a file names no file.
func TestNextWithoutFile(t *testing.T) {
	e := &record.Experiment{Name: "tcp"}
	for _, c := range []struct {
		r    *record.Run
		want string
	}{
		{&record.Run{Lab: &record.Lab{}, Arguments: []string{"linerate", "quick", "--lab"}}, "linerate quick --lab"},
		{&record.Run{Lab: &record.Lab{}}, "the same command again"},
		{&record.Run{}, "the same command again"},
		{&record.Run{FabricPath: "f.yaml", Lab: &record.Lab{}}, "linerate run f.yaml --lab"},
	} {
		if got := next(c.r, e, nil); !strings.HasPrefix(got, c.want) || strings.Contains(got, "''") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where a hypervisor or other processes took CPU time, the next step is to measure again.
func TestNextOnAQuietMachine(t *testing.T) {
	for _, c := range []struct {
		repeat record.Repeat
		again  bool
	}{
		{record.Repeat{OtherProcesses: 0.05, Steal: 0.05}, false},
		{record.Repeat{OtherProcesses: 0.5}, true},
		{record.Repeat{Steal: 1.2}, true},
	} {
		e := &record.Experiment{Name: "raw", Settings: map[string]string{}, Repeats: []record.Repeat{c.repeat}}
		got := next(&record.Run{FabricPath: "f.yaml", Lab: &record.Lab{}}, e, nil)
		if strings.Contains(got, "again, on a quiet machine") != c.again {
			t.Errorf("%+v: %s", c.repeat, got)
		}
	}
}
