package manual

import (
	"strings"
	"testing"
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
