package read

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestKeptNames expects the source and interface of typical file names of one machine.
func TestKeptNames(t *testing.T) {
	driver := "driver: ixgbe\nversion: 5.1.0-k\nfirmware-version: 0x800000cb\nbus-info: 0000:04:00.0\n"
	pfc := "pfc-cap 4 macsec-bypass off delay 0\nprio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n"
	for _, c := range []struct {
		names []string
		text  string
		want  []string
	}{
		{[]string{"ethtool-i-eth1.txt"}, driver, []string{"ethtool -i eth1"}},
		{[]string{"ethtool_-i_vxlan_sys_4789"}, driver, []string{"ethtool -i vxlan_sys_4789"}},
		{[]string{"ethtool-i-eth1--monday.txt"}, driver, []string{"ethtool -i eth1"}},
		{[]string{"ethtool--i-eth1.txt"}, driver, []string{"ethtool -i eth1"}},
		{[]string{"driver.txt"}, driver, []string{"ethtool -i unnamed"}},
		{[]string{"ethtool-i-show-fec.txt"}, "FEC parameters for eth0:\nActive FEC encoding: RS\n",
			[]string{"ethtool --show-fec eth0"}},
		{[]string{"ethtool--show-fec-eth0.txt"}, "netlink error: Operation not supported\n",
			[]string{"ethtool --show-fec eth0"}},
		{[]string{"dcb-pfc-show.txt"}, pfc, []string{"dcb pfc unnamed"}},
		{[]string{"dcb-pfc-show-dev-eth2.txt"}, pfc, []string{"dcb pfc eth2"}},
		{[]string{"mlxlink-d-mlx5_0-m-c.txt"}, "Physical state : LinkUp\n", []string{"mlxlink mlx5_0"}},
		{[]string{"mlxconfig-d-c2:00.0-e-q.txt"}, "Configurations:  Next Boot\n", []string{"mlxconfig c2:00.0"}},
		{[]string{"mlnx_qos-i-ens1f0.txt"}, "Priority trust state: dscp\n", []string{"mlnx_qos ens1f0"}},
	} {
		for _, name := range c.names {
			raw, notRead := FromKept("h", map[string][]byte{name: []byte(c.text)}, []string{name})
			if got := sourceNames(raw); !slices.Equal(got, c.want) || len(notRead) > 0 {
				t.Errorf("%s: %q, not %q; %v", name, got, c.want, notRead)
			}
		}
	}
}

// TestKeptUnnamed: two files that name no interface are of two interfaces, not of one that changed.
func TestKeptUnnamed(t *testing.T) {
	files := map[string][]byte{
		"first.txt":  []byte("driver: i40e\nversion: 2.8\nfirmware-version: 5.04\nbus-info: 0000:01:00.0\n"),
		"second.txt": []byte("driver: igb\nversion: 5.6\nfirmware-version: 3.16\nbus-info: 0000:04:00.0\n"),
	}
	raw, notRead := FromKept("h", files, []string{"first.txt", "second.txt"})
	if got := sourceNames(raw); !slices.Equal(got, []string{"ethtool -i unnamed", "ethtool -i unnamed2"}) ||
		len(notRead) > 0 {
		t.Errorf("%q, %v", got, notRead)
	}
}

// TestKeptNIC: mlxconfig's output names the adapter if the file's name does not.
func TestKeptNIC(t *testing.T) {
	text := "Device type:        ConnectX6\nDevice:             c2:00.0\n\nConfigurations:                             " +
		" Next Boot\n        LINK_TYPE_P1                 ETH(2)\n"
	raw, _ := FromKept("h", map[string][]byte{"mlxconfig-query.txt": []byte(text)}, []string{"mlxconfig-query.txt"})
	f, err := Parse(raw)
	if err != nil || len(f.Firmware) != 1 || f.Firmware[0].Device != "c2:00.0" {
		t.Errorf("%v %+v", err, f)
	}
}

func sourceNames(raw []byte) (out []string) {
	for _, f := range txtar.Parse(raw).Files {
		out = append(out, f.Name)
	}
	return out
}

// TestKeptColours: control sequences are not part of an output: colours of "ip -c", a window's title in a file of
// script(1).
func TestKeptColours(t *testing.T) {
	text := "\x1b]0;root@nas\x072: \x1b[36me1: \x1b[0m<BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state " +
		"\x1b[32mUP \x1b[0mmode DEFAULT group default qlen 1000\n    link/ether \x1b[33m02:00:00:00:00:01\x1b[0m brd " +
		"ff:ff:ff:ff:ff:ff\n"
	raw, notRead := FromKept("h", map[string][]byte{"ip-link.txt": []byte(text)}, []string{"ip-link.txt"})
	f, err := Parse(raw)
	if err != nil || len(notRead) > 0 || len(f.NICs) != 1 || f.NICs[0].Name != "e1" || f.NICs[0].MTU != 9000 ||
		!f.NICs[0].Carrier.Or(false) {
		t.Errorf("%v %v %+v", err, notRead, f)
	}
}

// TestKeptTrailing: blanks at the ends of lines change nothing: pciconf's names are between quotes up to the end of the
// line.
func TestKeptTrailing(t *testing.T) {
	text := "ix0@pci0:1:0:0:\tclass=0x020000 card=0x030a1dcf chip=0x10fb8086 rev=0x01 hdr=0x00   \r\n    vendor     = " +
		"'Intel Corporation'  \r\n    device     = '82599ES 10-Gigabit SFI/SFP+ Network Connection' \t\r\n"
	raw, notRead := FromKept("h", map[string][]byte{"pciconf-lvc.txt": []byte(text)}, []string{"pciconf-lvc.txt"})
	f, err := Parse(raw)
	if err != nil || len(notRead) > 0 || len(f.PCI) != 1 ||
		f.PCI[0].Name != "Intel Corporation 82599ES 10-Gigabit SFI/SFP+ Network Connection" {
		t.Errorf("%v %v %+v", err, notRead, f)
	}
}

// TestKeptPassword: sudo prompts for a password before the output, also in a pasted session.
func TestKeptPassword(t *testing.T) {
	pfc := "[sudo] Passwort für admin: \npfc-cap 4 macsec-bypass off delay 0\nprio-pfc 0:off 1:off 2:off 3:on 4:off " +
		"5:off 6:off 7:off\n"
	for name, text := range map[string]string{"dcb-pfc-show-dev-eth2.txt": pfc,
		"session.txt": "admin@nas:~$ sudo dcb pfc show dev eth2\n" + pfc + "admin@nas:~$ \n"} {
		raw, notRead := FromKept("h", map[string][]byte{name: []byte(text)}, []string{name})
		f, err := Parse(raw)
		if err != nil || len(notRead) > 0 || len(f.Unknown) > 0 || f.NIC("eth2") == nil || f.NIC("eth2").Effect == nil {
			t.Errorf("%s: %v %v %+v", name, err, notRead, f)
		}
	}
}
