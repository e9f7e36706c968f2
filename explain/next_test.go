package explain

import (
	"strings"
	"testing"

	"linerate/result"
)

// A run without a file has no command with one.
func TestNextWithoutFile(t *testing.T) {
	e := &result.Experiment{Name: "tcp"}
	for _, c := range []struct {
		r    *result.Run
		want string
	}{
		{&result.Run{Lab: &result.Lab{}, Arguments: []string{"linerate", "quick", "--lab"}}, "linerate quick --lab"},
		{&result.Run{Lab: &result.Lab{}}, "the same command again"},
		{&result.Run{}, "the same command again"},
		{&result.Run{FabricPath: "f.yaml", Lab: &result.Lab{}}, "linerate run f.yaml --lab"},
	} {
		if got := next(c.r, e, nil); !strings.HasPrefix(got, c.want) || strings.Contains(got, "''") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
