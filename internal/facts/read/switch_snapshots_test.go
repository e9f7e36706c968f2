package read

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// switchesRead are how many snapshots of a system are read, and the commands without facts, by the start of the
// snapshots' names.
var switchesRead = map[string]struct {
	least int
	left  []string
}{
	"sonic": {20, []string{"counterpoll", "gearbox", "show-interfaces-errors", "show-interfaces-phy",
		"show-interfaces-switchport", "show-interfaces-tpid", "show-interfaces-transceiver",
		"show-ip-", "show-platform-inventory", "show-priority-group"}},
	"onyx": {20, []string{"show-hosts", "show-interfaces-ethernet-rates", "show-interfaces-switchport",
		"show-interfaces-vlan", "show-ip-", "show-lldp-local",
		"show-lldp-remote", "show-mac-", "show-module", "show-protocols", "show-vlan", "show-what"}},
	"cumulus": {7, []string{"arp", "decode", "cat-", "if-", "ip-", "net-show-lldp", "sudo-vtysh", "interfaces",
		"meminfo", "net-show-configuration", "ntpq", "showsys",
		"sudo-net-show-interface-all-json--napalm-get-interfaces-ip", "sudo-net-show-interface-all-json--napalm-get-lldp"}},
	"eos": {30, []string{"show-ip-", "show-lldp-", "show-mac-", "show-module", "show-reload", "show-vlan", "show-vrf",
		"show-inventory", "show-interfaces-description", "show-interfaces-transceiver-hardware", "server-ethtool"}},
	"nxos": {56, []string{"show-port-channel-summary--ntc-show_port-channel_summary.txt"}}, // an output of EOS
}

// TestSwitchSnapshots reads outputs of real switches, if the collection is next to the project: each is recognized by
// its name or content and read without an unknown, or is of a command without facts.
func TestSwitchSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	for system, want := range switchesRead {
		read := 0
		err := filepath.WalkDir(root+system, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name := filepath.Base(path)
			if strings.HasSuffix(name, ".values.json") { // the values of the snapshot next to it
				return nil
			}
			if slices.ContainsFunc(want.left, func(p string) bool { return strings.HasPrefix(name, p) }) {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, as := range []string{name, "x.txt"} { // by its name, and only by its content
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
		t.Logf("%s: %d snapshots read", system, read)
		if read < want.least {
			t.Errorf("%s: %d snapshots read, want at least %d", system, read, want.least)
		}
	}
}
