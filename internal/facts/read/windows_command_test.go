package read

import (
	"encoding/binary"
	"os"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// TestWindowsSnapshots reads real outputs of Windows: those with a parser are recognized by name or content, and the
// others have a reason.
func TestWindowsSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	all, read := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^\| (windows/\S+) \|`).FindAllStringSubmatch(string(index), -1) {
		text := testenv.Must(os.ReadFile(root + m[1]))(t)
		all++
		kept, notRead := FromKept("h", map[string][]byte{m[1]: text}, []string{m[1]})
		if strings.Count(string(kept), "-- ") == 0 {
			t.Logf("%s: %v", m[1], notRead)
			continue
		}
		f := testenv.Must(Parse(kept))(t)
		read++
		for _, u := range f.Unknown {
			if !strings.Contains(u.Reason, "no parser for objects with") {
				t.Errorf("%s: %s: %s", m[1], u.Subject, u.Reason)
			}
		}
		// As PowerShell writes it into a file.
		again, _ := FromKept("h", map[string][]byte{m[1]: inUTF16(string(text), binary.LittleEndian, true)}, []string{m[1]})
		if string(again) != string(kept) {
			t.Errorf("%s: in UTF-16 it is another snapshot", m[1])
		}
	}
	t.Logf("%d of %d outputs are read", read, all)
	if all > 0 && read < 50 {
		t.Errorf("%d of %d outputs are read", read, all)
	}
}
