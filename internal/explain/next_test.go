package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// A run without a file has no command with one.
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
