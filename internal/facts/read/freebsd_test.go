package read

import (
	"os"
	"strings"
	"testing"

	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// TestSnapshotsFreeBSD: every snapshot of a host with FreeBSD is recognized by its name or content, and its parser
// reads it.
func TestSnapshotsFreeBSD(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project, of which testdata has a part: %v", err)
	}
	read := map[string]int{}
	for line := range strings.Lines(string(index)) {
		if !strings.HasPrefix(line, "| freebsd/") {
			continue
		}
		file := strings.Fields(line)[1]
		text := testenv.Must(os.ReadFile(root + file))(t)
		a, notRead := FromKept("x", map[string][]byte{file: text}, []string{file})
		if len(notRead) > 0 { // lists of connections, and load of pools, have no facts
			if !strings.Contains(file, "netstat-a") && !strings.Contains(file, "netstat-A") &&
				!strings.Contains(file, "zpool-iostat") {
				t.Errorf("%s: %v", file, notRead)
			}
			read["not read"]++
			continue
		}
		f, err := Parse(a)
		if err != nil || len(f.Unknown) > 0 {
			t.Errorf("%s: %v %v", file, err, f.Unknown)
			continue
		}
		if f.OS != "freebsd" && !strings.Contains(file, "zpool") {
			t.Errorf("%s: it is taken for an output of %q", file, f.OS)
		}
		read[snapshot.ParseArchive(a).Files[0].Name]++
	}
	t.Log(read)
	for _, name := range []string{"dmesg", "ifconfig", "pciconf", "netstat -i", "netstat -w", "netstat -r", "sysctl",
		"kldstat", "vmstat -i", "vmstat -z"} {
		if read[name] == 0 {
			t.Errorf("no snapshot was read by the parser of %q", name)
		}
	}
}
