package parse

import (
	"errors"
	"net"
	"path"
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ReadNetworkd reads a file of systemd-networkd: .network and .link with [Match] and the settings of matching
// interfaces, .netdev with the interfaces that it creates. Files count in the order of their names, and the first match
// wins. Format: systemd.network(5), systemd.link(5), systemd.netdev(5); no snapshot exists, only what package config
// renders.
//
//	[Match]
//	Name=enp1s0f0np0
//	[Link]
//	MTUBytes=9000
func ReadNetworkd(f *parse.Builder, _ []string, text []byte) error {
	lines := iniLines(text)
	t := configuredFile{rank: path.Base(f.Reading), kind: "network", auto: true}
	if strings.HasSuffix(f.Reading, ".link") {
		t.kind = "link"
	}
	var mtus, addresses []iniLine
	known := false
	for _, l := range lines {
		switch l.section + " " + l.key {
		case "Match Name", "Match OriginalName", "NetDev Name":
			t.names = append(t.names, strings.Fields(l.value)...)
			known = true
		case "Match MACAddress", "Match PermanentMACAddress":
			for _, w := range strings.Fields(l.value) {
				if mac, err := net.ParseMAC(w); err == nil {
					t.macs = append(t.macs, mac.String())
				}
			}
			known = true
		case "Match Driver", "Match Type", "Match Path", "Match Virtualization", "Match KernelVersion", "Match Host",
			"Match Architecture":
			known = true
			t.narrowed = true // by criteria that are not evaluated
		case "Link MTUBytes", "NetDev MTUBytes":
			mtus = append(mtus, l)
		case "Network Address", "Address Address":
			addresses = append(addresses, l)
		case "NetDev Kind":
			t.kind = "netdev"
		}
	}
	switch {
	case !known:
		return errors.New("it says of no interface that it is about it ([Match] or [NetDev] with Name=)")
	case t.narrowed:
		return nil
	}
	for i, name := range t.names {
		if strings.HasPrefix(name, "!") { // all except these
			return nil
		}
		t.names[i] = strings.Trim(name, `"`)
	}
	reading := f.Reading
	t.asks = func(_ *parse.Builder, to *facts.Configured) {
		for _, l := range mtus {
			if v, ok := facts.SizeOf(l.value); ok && v < 1<<20 {
				to.SetMTU(int(v), facts.Proof{Source: reading, Line: l.line})
			}
		}
		for _, l := range addresses {
			if a, ok := configuredAddress(l.value); ok {
				to.AddAddress(a, facts.Proof{Source: reading, Line: l.line})
			}
		}
	}
	keepFile(f, t)
	return nil
}

// ReadKeyfile reads a connection of NetworkManager. It sets nothing without autoconnect, or without an interface's name
// or address, because it then fits any interface. Format: nm-settings-keyfile(5); no snapshot exists, only what package
// config renders. An MTU of 0 means none.
//
//	[connection]
//	type=ethernet
//	interface-name=enp1s0f0np0
//	[ethernet]
//	mtu=9000
func ReadKeyfile(f *parse.Builder, _ []string, text []byte) error {
	t := configuredFile{rank: path.Base(f.Reading), kind: "keyfile", auto: true}
	var mtu iniLine
	var addresses []iniLine
	connection := false
	for _, l := range iniLines(text) {
		switch {
		case l.section == "connection" && l.key == "type":
			connection = true
		case l.section == "connection" && l.key == "interface-name":
			t.names = []string{l.value}
		case l.section == "connection" && l.key == "autoconnect" && l.value == "false":
			t.auto = false
		case l.key == "mac-address":
			if mac, err := net.ParseMAC(l.value); err == nil {
				t.macs = []string{mac.String()}
			}
		case l.key == "mtu":
			mtu = l
		case (l.section == "ipv4" || l.section == "ipv6") && strings.HasPrefix(l.key, "address") &&
			strings.Trim(l.key[len("address"):], "0123456789es") == "":
			addresses = append(addresses, l)
		}
	}
	if !connection {
		return errors.New("it is not a connection of NetworkManager ([connection] with type=)")
	}
	if !t.auto || t.names == nil && t.macs == nil {
		return nil
	}
	reading := f.Reading
	t.asks = func(_ *parse.Builder, to *facts.Configured) {
		if v, err := strconv.Atoi(mtu.value); err == nil {
			to.SetMTU(v, facts.Proof{Source: reading, Line: mtu.line})
		}
		for _, l := range addresses {
			for s := range strings.SplitSeq(l.value, ";") {
				if a, ok := configuredAddress(s); ok && strings.Contains(s, "/") {
					to.AddAddress(a, facts.Proof{Source: reading, Line: l.line})
				}
			}
		}
	}
	keepFile(f, t)
	return nil
}
