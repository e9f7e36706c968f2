package read

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/facts"
)

// configuredOfAll prints the files' settings of interfaces, on one line.
func configuredOfAll(f *facts.Facts) string {
	var out []string
	for _, n := range f.NICs {
		if t := n.Configured; t != nil && (t.MTU != 0 || len(t.Addresses) > 0) {
			out = append(out, fmt.Sprintf("%s %d %v", n.Name, t.MTU, t.Addresses))
		}
	}
	return strings.Join(out, "; ")
}

// TestNetworkFiles reads files of network managers in their own forms. A file without autostart, for any interface, or
// one of several of which the active one is unknown, sets nothing.
func TestNetworkFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"ifupdown": {`-- etc/network/interfaces --
source /etc/network/interfaces.d/*
auto lo eth0
iface lo inet loopback
iface eth0 inet static
	address 10.0.0.1
	netmask 255.255.255.0
	up ip link set dev $IFACE mtu 9000
iface eth0 inet6 static
	address fd00::1/64
iface eth9 inet static
	address 10.9.9.9/24
-- etc/network/interfaces.d/vlan --
auto eth1.7
iface eth1.7
	address 10.7.0.1/24 # no comment is one there
	mtu 1496
`, "eth0 9000 [10.0.0.1/24 fd00::1/64]; eth1.7 1496 [10.7.0.1/24]"},
		"netplan, a later file counts": {`-- etc/netplan/90-b.yaml --
network: {ethernets: {e1: {mtu: 4000}}, vlans: {e1.7: {id: 7, link: e1, addresses: [10.7.0.1/24, "fd00::1/64"]}}}
-- etc/netplan/10-a.yaml --
network:
  ethernets:
    e1: {mtu: 9000, addresses: [{"10.0.0.1/24": {label: a}}], dhcp4: false}
    cards: {match: {driver: mlx5_core}, mtu: 1400}
`, "e1 4000 [10.0.0.1/24]; e1.7 0 [10.7.0.1/24 fd00::1/64]"},
		"networkd, the first file counts": {`-- etc/systemd/network/20-all.network --
[Match]
Name=e*
[Link]
MTUBytes=1500
[Network]
DHCP=yes
-- etc/systemd/network/10-e1.network --
[Match]
Name=e1 e2
[Link]
MTUBytes=9K
[Network]
Address=10.0.0.1/24
[Address]
Address=10.0.1.1/24
-- etc/systemd/network/10-x.network --
[Match]
Name=!e9
[Link]
MTUBytes=1234
-- etc/systemd/network/30.netdev --
[NetDev]
Name=e3
Kind=vlan
`, "e1 9216 [10.0.0.1/24 10.0.1.1/24]; e2 9216 [10.0.0.1/24 10.0.1.1/24]; e3 1500 []"},
		"networkd by address, with a link file": {`-- ip -j -d link --
[{"ifindex":2,"ifname":"e1","flags":[],"mtu":1500,"address":"02:00:00:00:00:01"},{"ifindex":3,"ifname":"e2","flags":[],"mtu":1500,"address":"02:00:00:00:00:02"}]
-- etc/systemd/network/10.link --
[Match]
PermanentMACAddress=02:00:00:00:00:02
[Link]
MTUBytes=9000
-- etc/systemd/network/10.network --
[Match]
Name=e2
[Network]
Address=10.0.0.1/24
-- etc/systemd/network/11.network --
[Match]
Name=gone
[Network]
Address=10.0.9.1/24
`, "e2 9000 [10.0.0.1/24]"},
		"NetworkManager": {`-- etc/NetworkManager/system-connections/a.nmconnection --
[connection]
type=ethernet
interface-name=e1
[ethernet]
mtu=9000
[ipv4]
address1=10.0.0.1/24,10.0.0.254
addresses=10.0.1.1/24;10.0.2.1/24;
address-data=x
-- etc/NetworkManager/system-connections/b.nmconnection --
[connection]
type=ethernet
interface-name=e2
autoconnect=false
[ethernet]
mtu=9000
-- etc/NetworkManager/system-connections/c.nmconnection --
[connection]
type=ethernet
interface-name=e3
[ethernet]
mtu=9000
-- etc/NetworkManager/system-connections/d.nmconnection --
[connection]
type=ethernet
interface-name=e3
[ethernet]
mtu=4000
-- etc/NetworkManager/system-connections/wired.nmconnection --
[connection]
type=ethernet
[ethernet]
mtu=1400
`, "e1 9000 [10.0.0.1/24 10.0.1.1/24 10.0.2.1/24]"},
	} {
		f, err := Parse([]byte("os linux\n" + c.text))
		if err != nil || len(f.Unknown) > 0 {
			t.Errorf("%s: %v %v", name, err, f.Unknown)
			continue
		}
		if got := configuredOfAll(f); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	f, err := Parse([]byte("os linux\n-- etc/netplan/a.yaml --\n{a: [\n-- etc/netplan/b.yaml --\nhosts: 3\n-- " +
		"etc/network/interfaces --\nhello\n-- etc/systemd/network/a.link --\n[Link]\nMTUBytes=3\n-- etc/sysctl.d/a.conf " +
		"--\nhello\n"))
	if err != nil || len(f.Unknown) != 5 {
		t.Errorf("%v %v", err, f.Unknown)
	}
}

// TestConfiguredSettings: the last file by name counts, whatever the folder, and configured settings are compared with
// those in effect.
func TestConfiguredSettings(t *testing.T) {
	f, err := Parse([]byte(`os linux
-- etc/sysctl.d/95-b.conf --
net.core.rmem_max=2
net/ipv4/conf/eth0.7/forwarding = 1
net.ipv4.conf.*.rp_filter = 2
-- etc/sysctl.conf --
net.core.rmem_max = 3
-- etc/sysctl.d/10-a.conf --
net.core.rmem_max = 1
-vm.min_free_kbytes = 65536
-- sysctl -a --
net.core.rmem_max = 3
vm.min_free_kbytes = 67584
`))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	var got []string
	for _, s := range f.ConfiguredSettings {
		got = append(got, fmt.Sprintf("%s %s %q %v", s.Name, s.Value, s.Now, s.Differs()))
	}
	if s := strings.Join(
		got,
		"; ",
	); s != `net.core.rmem_max 3 "3" false; net.ipv4.conf.eth0/7.forwarding 1 "" false; vm.min_free_kbytes 65536 "67584" true` {
		t.Error(s)
	}
	for _, c := range []struct {
		value, now string
		differs    bool
	}{{"1m", "1048576", false}, {"0x10", "16", false}, {"010", "10", false}, {"4096 1  2", "4096\t1\t2", false},
		{"cubic", "bbr", true}, {"1 2", "1", true}, {"", "", false}} {
		s := facts.ConfiguredSetting{Value: c.value, Now: c.now, NowProof: facts.Proof{Line: "x"}}
		if s.Differs() != c.differs {
			t.Errorf("%q is %q: %v", c.value, c.now, !c.differs)
		}
	}
}

// TestRecogniseNetworkFiles: a saved file is recognized by the end of its name and its text, and keeps its name; the
// output of sysctl is not a file of settings.
func TestRecogniseNetworkFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"90-linerate.conf", "# x\nnet.ipv4.tcp_rmem = 4096 1 2\n", "etc/sysctl.d/*"},
		{"sysctl.conf", "#x\nnet.ipv4.ip_forward=1\n", "etc/sysctl.conf"},
		{"sysctl-a.txt", "net.ipv4.ip_forward = 1\n", "sysctl"},
		{"interfaces", "auto lo\niface lo inet loopback\n", "etc/network/interfaces"},
		{"50-cloud-init.yaml", "# This file\nnetwork:\n  version: 2\n  ethernets:\n    e1: {}\n", "etc/netplan/*"},
		{"10-e1.network", "# c\n[Match]\nName=e1\n[Network]\nDHCP=yes\n", "etc/systemd/network/*"},
		{"e1.nmconnection.txt", "[connection]\nid=e1\ntype=ethernet\n", "etc/NetworkManager/system-connections/*"},
		{"loader.conf", "zfs_load=\"YES\"\n", "boot/loader.conf"},
	} {
		if got, ok := Recognise(c.name, []byte(c.text)); !ok || got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	raw, not := FromKept("a",
		map[string][]byte{"10-e1.network.txt": []byte("[Match]\nName=e1\n[Network]\nAddress=10.0.0.1/24\n"),
			"20-e2.network": []byte("[Match]\nName=e2\n[Network]\nAddress=10.0.0.2/24\n")},
		[]string{"10-e1.network.txt", "20-e2.network"})
	f, err := Parse(raw)
	if err != nil || len(not)+len(f.Unknown) > 0 || f.OS != "linux" ||
		configuredOfAll(f) != "e1 0 [10.0.0.1/24]; e2 0 [10.0.0.2/24]" ||
		f.NICs[0].Configured.Source != "etc/systemd/network/10-e1.network" {
		t.Errorf("%v %v %v %s %+v", err, not, f.Unknown, configuredOfAll(f), f.NICs)
	}
}
