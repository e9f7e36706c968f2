package read

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// TestRouterOSSnapshots: every real output of RouterOS is recognized by its name and content, and read, except those
// without facts.
func TestRouterOSSnapshots(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/captures/routeros/*.txt")
	if len(files) == 0 {
		t.Skip("no collection of snapshots next to the project")
	}
	read := 0
	for _, path := range files {
		name := filepath.Base(path)
		text := testenv.Must(os.ReadFile(path))(t)
		unread := strings.HasPrefix(name, "ping") || strings.HasPrefix(name, "tool") || strings.Contains(name, "clock") ||
			strings.Contains(name, "-poe-")
		for _, as := range []string{name, "qos.txt"} {
			if strings.Contains(name, "identity") && as != name {
				continue // "name: x" may be anything
			}
			kept, notRead := FromKept("host", map[string][]byte{as: text}, []string{as})
			f, err := Parse(kept)
			if unread {
				if len(notRead) == 0 && len(f.Unknown) == 0 {
					t.Errorf("%s as %s: taken for something: %.80q", name, as, kept)
				}
				continue
			}
			if err != nil || len(notRead) > 0 || len(f.Unknown) > 0 || f.OS != "routeros" {
				t.Errorf("%s as %s: %v %v %v", name, as, err, notRead, f)
				continue
			}
			read++
		}
	}
	t.Logf("%d of %d", read, 2*len(files))
}
