package read

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// TestHostSnapshots: each of the collection's outputs about hosts is recognized as a saved file, and read.
func TestHostSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	row := regexp.MustCompile("^\\| (linux/\\S+) \\| `([^`]*)` \\|")
	ours := regexp.MustCompile(`/proc/interrupts|^cat /proc/…|^cat /proc/diskstats|^numactl (-H|--hardware)|^lscpu$|^nstat|^iscsiadm|^zpool (list|status)|^nvme list -o json|/proc/mounts|DebugData|stat/nf_conntrack`)
	// Truncated, so that nothing of their form remains: an export without its server, two lines of DFS.
	cut := regexp.MustCompile(`mount-nfs--fsc|insights-cifs|proc-net-snmp|softnet-stat`)
	read, not := 0, 0
	for line := range strings.Lines(string(index)) {
		m := row.FindStringSubmatch(line)
		if m == nil || !ours.MatchString(m[2]) || cut.MatchString(m[1]) {
			continue
		}
		text := testenv.Must(os.ReadFile(root + m[1]))(t)
		kept, notRead := FromKept("h", map[string][]byte{m[1]: text}, []string{m[1]})
		if len(notRead) > 0 {
			not++
			t.Errorf("%s (%s): %v", m[1], m[2], notRead)
			continue
		}
		if f, err := Parse(kept); err != nil || len(f.Unknown) > 0 {
			not++
			t.Errorf("%s (%s): %v %v", m[1], m[2], err, f.Unknown)
			continue
		}
		read++
	}
	testenv.Count(t, "snapshots parsed", "hosts with Linux", read)
	t.Logf("%d outputs are read, %d are not", read, not)
	if read < 40 {
		t.Errorf("%d outputs were recognised", read)
	}
}
