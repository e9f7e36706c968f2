package render_test

import (
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
)

// TestPreferredMember: each manager's files name the preferred member of a backup; other bonds have none.
func TestPreferredMember(t *testing.T) {
	for _, c := range []struct{ os, manager, file, want string }{
		{"linux", "networkd", "apply.sh", "\ttry ip link set dev team type bond primary \"$if_np2\"\n"},
		{"linux", "networkd", "verify.sh", `is "preferred member of bond team" "$if_np2" "${p:-none}"`},
		{"linux", "networkd", "undo.sh", `\tprimary) [ "$(primary_of "$object")" = "$value" ] || echo "$value" >"$sys/class/net/$object/bonding/primary" ;;`},
		{"linux", "networkd", "files/etc/systemd/network/10-linerate-np2.network", "Bond=team\nPrimarySlave=yes\n"},
		{"linux", "netplan", "files/etc/netplan/90-linerate.yaml", `primary: "@if_np2@"}`},
		{"linux", "networkmanager", "files/etc/NetworkManager/system-connections/linerate-team.nmconnection",
			"\nprimary=@if_np2@\n"},
		{"linux", "ifupdown", "files/etc/network/interfaces.d/linerate",
			"\tpre-up ip link set dev team type bond primary @if_np2@\n"},
		{"proxmox", "ifupdown", "files/etc/network/interfaces.d/linerate", "\tbond-primary @if_np2@\n"},
	} {
		for mode, there := range map[string]bool{"backup": true, "lacp": false} {
			d, f := bonded(t, c.os, c.manager, mode, "  - {ends: [a.n.2, b.n.1]}\n  - {ends: [a.n.1, b.n.2]}\n", c.file)
			want := strings.ReplaceAll(c.want, `\t`, "\t")
			if got := strings.Contains(f.Text(), want); got != (there || c.file == "undo.sh") {
				t.Errorf("%s, %s, %s: %q there: %v: %s", c.os, c.manager, mode, want, got, f.Text())
			}
			if other := d.File("files/etc/systemd/network/10-linerate-np1.network"); other != nil &&
				strings.Contains(other.Text(), "PrimarySlave") {
				t.Errorf("the other member is preferred, too: %s", other.Text())
			}
		}
	}
}

// TestHashOfBond: each manager's files name the hash policy of a bond; a backup has none.
func TestHashOfBond(t *testing.T) {
	for _, c := range []struct{ os, manager, file, want string }{
		{"linux", "networkd", "apply.sh", `type bond mode 802.3ad miimon 100 xmit_hash_policy layer3+4; }`},
		{"linux", "networkd", "apply.sh", "\ttry ip link set dev team type bond xmit_hash_policy layer3+4\n"},
		{"linux", "networkd", "verify.sh", `is "hash of bond team" layer3+4 "$(hash_of team)"`},
		{"linux", "networkd", "files/etc/systemd/network/10-linerate-team.netdev", "\nTransmitHashPolicy=layer3+4\n"},
		{"linux", "netplan", "files/etc/netplan/90-linerate.yaml", `transmit-hash-policy: "layer3+4"}`},
		{"linux", "networkmanager", "files/etc/NetworkManager/system-connections/linerate-team.nmconnection",
			"\nxmit_hash_policy=layer3+4\n"},
		{"linux", "ifupdown", "files/etc/network/interfaces.d/linerate", "miimon 100 xmit_hash_policy layer3+4\n"},
		{"proxmox", "ifupdown", "files/etc/network/interfaces.d/linerate", "\tbond-xmit-hash-policy layer3+4\n"},
	} {
		for mode, there := range map[string]bool{"backup": false, "lacp": true} {
			_, f := bonded(t, c.os, c.manager, mode, "  - {ends: [a.n.1, b.n.1]}\n  - {ends: [a.n.2, b.n.2]}\n", c.file)
			if got := strings.Contains(f.Text(), c.want); got != there {
				t.Errorf("%s, %s, %s: %q there: %v: %s", c.os, c.manager, mode, c.want, got, f.Text())
			}
		}
	}
}

// bonded renders host a of two, with a bond of two cables, and returns one of its files.
func bonded(t *testing.T, system, manager, mode, links, file string) (config.Device, *config.File) {
	t.Helper()
	p := configtest.Text(t, "fabric: m\nhosts:\n  a: {os: "+system+", settings: {network: "+manager+
		"}, nics: {n: {part: &two {kind: nic, speed: 1G, ports: 2}}}, "+
		"bonds: {team: {of: [n.1, n.2], mode: "+mode+"}}}\n  b: {os: linux, nics: {n: {part: *two}}, bonds: {team: {of: "+
		"[n.1, n.2], mode: "+mode+"}}}\nlinks:\n"+links)
	d := rendered(t, p, p.Hosts[0])
	f := d.File(file)
	if f == nil {
		t.Fatalf("%s, %s: no %s", system, manager, file)
	}
	return d, f
}
