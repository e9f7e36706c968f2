package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// keptBy makes a folder of captures of files that somebody kept by hand, each named HOST/FILE.
func keptBy(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What a few outputs of a machine do not have is said to be not in them: no port without a link, no card without a bus, nothing switched off.
func TestFactsKeptByHand(t *testing.T) {
	dir := keptBy(t, map[string]string{
		"nas/lspci.txt":          "01:00.0 Ethernet controller: Intel Corporation Ethernet Controller X710 for 10GbE SFP+ (rev 01)\n00:1f.6 Ethernet controller: Intel Corporation Ethernet Connection (2) I219-V (rev 31)\n",
		"nas/ethtool-i-eth0.txt": "driver: i40e\nversion: 2.8.20-k\nfirmware-version: 5.04 0x80002530 0.0.0\nbus-info: 0000:01:00.0\n",
		"nas/ethtool-i-eth1.txt": "driver: e1000e\nversion: 3.2.6-k\nfirmware-version: 0.13-4\nbus-info: 0000:00:1f.6\n",
		"nas/proc-net-dev.txt": "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n" +
			"  eth0: 100 2 0 0 0 0 0 0 100 2 0 0 0 0 0 0\n  eth1: 100 2 0 0 0 0 0 0 100 2 0 0 0 0 0 0\n   br0: 100 2 0 0 0 0 0 0 100 2 0 0 0 0 0 0\n",
		"sw/show-interfaces-status.txt": "Port       Name   Status       Vlan     Duplex Speed  Type            Flags Encapsulation\nEt1               connected    1        full   10G    10GBASE-SRL\nEt2               notconnect   1        full   10G    Not Present\n",
		"x/notes.txt":                   "bought in 2019\n",
	})
	a := call(t, nil, "facts", "--captures", dir)
	for _, want := range []string{
		"nas: whether its 2 ports have a link is not in the capture", "not known: the capture has its cards without their links", "driver   i40e, firmware 5.04 0x80002530 0.0.0",
		"driver   e1000e, firmware 0.13-4", "worth    not known, as the state of its link is not in the capture", "1 of which neither state nor address is in the capture",
		"sw: 2 ports in the capture, 1 with a link", "Ethernet1  up at 10.0 Gb/s", "Ethernet2  no link",
	} {
		if !strings.Contains(a.out, want) {
			t.Errorf("want %q", want)
		}
	}
	for _, wrong := range []string{"none of its", "no network card", "switched off", "no link of PCI Express", "unnamed", "0 bit/s", "MTU 0"} {
		if strings.Contains(a.out, wrong) {
			t.Errorf("not %q", wrong)
		}
	}
	if t.Failed() {
		t.Log(a)
	}
}

// A folder of which nothing is recognised is no host that is well.
func TestCheckNothingRead(t *testing.T) {
	a := call(t, nil, "check", "--captures", keptBy(t, map[string]string{"x/notes.txt": "bought in 2019\n"}))
	if a.code != exitIncomplete || !strings.HasPrefix(a.out, "no machine was looked at; 1 could not be looked at") || strings.Contains(a.out, "-- NAME --") {
		t.Error(a)
	}
}

// The number on the bus is the chip's: it makes a card of four ports no card of two.
func TestFactsSameChip(t *testing.T) {
	text := ""
	for _, n := range []string{"0", "1", "2", "3"} {
		text += "0a:00." + n + " Ethernet controller [0200]: Intel Corporation Ethernet Controller X710 for 10GbE SFP+ [8086:1572] (rev 01)\n"
	}
	a := call(t, nil, "facts", "--captures", keptBy(t, map[string]string{"fw/lspci-nn.txt": text}))
	out := unwrapped(a.out)
	if !strings.Contains(out, "0a:00 Intel Corporation Ethernet Controller X710 for 10GbE SFP+") || strings.Contains(out, "X710-DA2") ||
		!strings.Contains(out, "a card with the chip of intel-x710-da2, 8086:1572, and with 4 functions in place of 2") {
		t.Error(a)
	}
}
