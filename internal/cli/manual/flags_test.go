package manual

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Each flag is in one group: it has one meaning, and one place in the help.
func TestFlagGroups(t *testing.T) {
	seen := map[string]string{}
	for _, g := range flagGroups {
		for _, entry := range strings.Fields(g.common + " " + g.more) {
			name, _, _ := strings.Cut(entry, "=")
			if other, twice := seen[name]; twice {
				t.Errorf("--%s is in the groups %s and %s", name, other, g.title)
			}
			seen[name] = g.title
		}
	}
}

// A path ends before the arguments and the flags that a command needs.
func TestPath(t *testing.T) {
	for use, want := range map[string]string{
		"linerate quick HOST": "quick", "linerate measure storage --to PATH [flags]": "measure storage",
		"linerate report [RUN]": "report", "linerate lab exam FABRIC.yaml": "lab exam", "linerate": "",
	} {
		if got := strings.Join(Path(&cobra.Command{Use: use, DisableFlagsInUseLine: true}), " "); got != want {
			t.Errorf("%q: %q, want %q", use, got, want)
		}
	}
}
