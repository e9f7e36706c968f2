package facts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// switchesRead are how many captures of a system are read, and those that are of commands of which nothing is taken, by the words
// that their names begin with.
var switchesRead = map[string]struct {
	least int
	left  []string
}{
	"sonic": {20, []string{"counterpoll", "gearbox", "show-interfaces-errors", "show-interfaces-phy", "show-interfaces-switchport", "show-interfaces-tpid", "show-interfaces-transceiver",
		"show-ip-", "show-platform-inventory", "show-priority-group"}},
	"onyx": {20, []string{"show-hosts", "show-interfaces-ethernet-rates", "show-interfaces-switchport", "show-interfaces-vlan", "show-ip-", "show-lldp-local",
		"show-lldp-remote", "show-mac-", "show-module", "show-protocols", "show-vlan", "show-what"}},
	"cumulus": {7, []string{"arp", "decode", "cat-", "if-", "ip-", "net-show-lldp", "sudo-vtysh", "interfaces", "meminfo", "net-show-configuration", "ntpq", "showsys",
		"sudo-net-show-interface-all-json--napalm-get-interfaces-ip", "sudo-net-show-interface-all-json--napalm-get-lldp"}},
	"eos": {30, []string{"show-ip-", "show-lldp-", "show-mac-", "show-module", "show-reload", "show-vlan", "show-vrf", "show-inventory", "show-interfaces-description",
		"show-interfaces-transceiver-hardware", "server-ethtool"}},
}

// Answers of real switches, if the collection lies beside the project: each is recognised by its name or its content and read
// without a reason against it, or is of a command of which nothing is taken.
func TestSwitchCaptures(t *testing.T) {
	const root = "../../../shared/captures/"
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no collection of captures beside the project: %v", err)
	}
	for system, want := range switchesRead {
		read := 0
		err := filepath.WalkDir(root+system, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name := filepath.Base(path)
			if slices.ContainsFunc(want.left, func(p string) bool { return strings.HasPrefix(name, p) }) {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, as := range []string{name, "x.txt"} { // by its name, and by its content alone
				kept, notRead := FromKept("sw", map[string][]byte{as: text}, []string{as})
				f, err := Parse(kept)
				if err != nil || len(notRead) > 0 {
					t.Errorf("%s as %s: %v; not read: %v", strings.TrimPrefix(path, root), as, err, notRead)
				} else if len(f.Unknown) > 0 || f.OS != system {
					t.Errorf("%s as %s: %s; unknown: %v", strings.TrimPrefix(path, root), as, f.OS, f.Unknown)
				}
			}
			read++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		testenv.Count(t, "snapshots parsed", "switches with "+system, read)
		t.Logf("%s: %d captures read", system, read)
		if read < want.least {
			t.Errorf("%s: %d captures read, want at least %d", system, read, want.least)
		}
	}
}
