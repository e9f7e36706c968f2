package read

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/testenv"
)

// TestLinkSnapshots: each of the collection's outputs about links and interfaces is recognized as a saved file, and
// read, unless it is a tool's error or a word that is not an output.
func TestLinkSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	row := regexp.MustCompile("^\\| (linux/\\S+) \\| `([^`]*)` \\|")
	ours := regexp.MustCompile(`^ethtool |^ip (?:-\w+ )*(?:link|address|addr|a)\b|^ifconfig|^netstat -i|softnet_stat|^dmesg|/proc/net/dev$`)
	// Of AIX, and a file of the tests of a parser that is broken on purpose.
	otherProcesses := regexp.MustCompile(`netstat-in--facter|softnet_stat--procfs-broken`)
	read, refused := 0, 0
	for line := range strings.Lines(string(index)) {
		m := row.FindStringSubmatch(line)
		if m == nil || !ours.MatchString(m[2]) || otherProcesses.MatchString(m[1]) {
			continue
		}
		text := testenv.Must(os.ReadFile(root + m[1]))(t)
		kept, notRead := FromKept("h", map[string][]byte{m[1]: text}, []string{m[1]})
		f, err := Parse(kept)
		switch {
		case err == nil && len(notRead) == 0 && len(f.Unknown) == 0:
			read++
		case isToolError(string(text)):
			refused++
		default:
			var unknown []facts.Unknown
			if f != nil {
				unknown = f.Unknown
			}
			t.Errorf("%s (%s): %v %v %v", m[1], m[2], err, notRead, unknown)
		}
	}
	testenv.Count(t, "snapshots parsed", "links of Linux hosts", read)
	t.Logf("%d outputs are read, %d are what a tool said instead", read, refused)
	if read < 200 {
		t.Errorf("%d outputs were read", read)
	}
}
