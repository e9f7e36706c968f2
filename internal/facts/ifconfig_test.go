package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestIfconfig(t *testing.T) {
	f := freebsdFixture(t)
	var got []string
	for _, n := range f.NICs {
		s := fmt.Sprintf("%s kind %q mtu %d up %t carrier %s %s %s %v", n.Name, n.Kind, n.MTU, n.Up, say(n.Carrier), say(n.Speed), say(n.Duplex), n.Addresses)
		if n.Master != "" || n.Lower != "" {
			s += fmt.Sprintf(" master %q lower %q", n.Master, n.Lower)
		}
		got = append(got, s)
	}
	want := []string{
		`lo0 kind "" mtu 16384 up true carrier ? ? ? [::1/128 fe80::1/64 127.0.0.1/8]`,
		`mce0 kind "" mtu 9000 up true carrier true 50.0 Gb/s full [10.20.0.1/24]`,
		`mce0.711 kind "vlan" mtu 1500 up true carrier true 50.0 Gb/s full [2001:db8::1/64] master "" lower "mce0"`,
		`ix0 kind "" mtu 9000 up true carrier true 10.0 Gb/s full [] master "lagg0" lower ""`,
		`ix1 kind "" mtu 9000 up true carrier false ? ? [] master "lagg0" lower ""`,
		`igb0 kind "" mtu 1500 up false carrier true 100 Mb/s half []`,
		`lagg0 kind "bond" mtu 9000 up true carrier true ? ? [10.30.0.1/24]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ix0 := f.NIC("ix0")
	if ix0.Offloads["tx-tcp-segmentation"] || ix0.Fixed["tx-tcp-segmentation"] || !f.NIC("mce0").Offloads["rx-lro"] {
		t.Errorf("%v %v", ix0.Offloads, ix0.Fixed)
	}
	if p := ix0.Proofs["offloads"]; p.Line != "options=e53f2b<RXCSUM,VLAN_MTU,JUMBO_MTU>" || p.Source != "ifconfig -vma" {
		t.Errorf("%+v", p)
	}
	if e := ix0.Effect; e == nil || !e.PauseRx.Or(false) || e.PauseTx.Or(true) {
		t.Errorf("%+v", e)
	}
	if b := f.NIC("lagg0").Bond; b == nil || b.Mode != "lacp" || len(b.Members) != 2 || b.Members[1].Up || !b.Spreads() || b.PerPacket() {
		t.Errorf("%+v", b)
	}
	if !slices.ContainsFunc(f.Events, func(e Event) bool { return e.What == MemberDown && e.Subject == "ix1" }) {
		t.Error("the lagg's member without a link is not said")
	}
}

// say prints what is known, else a question mark.
func say[T any](o interface{ Get() (T, bool) }) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return "?"
}

func TestIfMedia(t *testing.T) {
	for line, want := range map[string]string{
		"media: Ethernet 50GBase-CR2 <full-duplex,rxpause,txpause>":                      "50GBase-CR2 50.0 Gb/s full",
		"media: Ethernet autoselect (10Gbase-SR <full-duplex,rxpause,txpause>)":          "10Gbase-SR 10.0 Gb/s full",
		"media: Ethernet autoselect":                                                     "autoselect ? ?",
		"media: Ethernet autoselect (none)":                                              "none ? ?",
		"media: Ethernet 40Gbase-CR4 <full-duplex> (100GBase-CR4 <full-duplex,rxpause>)": "100GBase-CR4 100 Gb/s full",
		"media: Ethernet autoselect (2500Base-T <full-duplex>)":                          "2500Base-T 2.50 Gb/s full",
		"media: Ethernet autoselect (1000baseT <half-duplex>)":                           "1000baseT 1.00 Gb/s half",
		"media: Ethernet autoselect (Unknown <full-duplex>)":                             "Unknown ? full",
		"media: Ethernet 1000baseT <full-duplex>":                                        "1000baseT 1.00 Gb/s full",
		"media: nonsense (((":                                                            " ? ?",
	} {
		m := parseIfMedia(line)
		got := m.active + " ?"
		if r := m.rate(); r > 0 {
			got = m.active + " " + r.String()
		}
		switch {
		case m.options["full-duplex"]:
			got += " full"
		case m.options["half-duplex"]:
			got += " half"
		default:
			got += " ?"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestIfAddress(t *testing.T) {
	for line, want := range map[string]string{
		"inet 23.246.26.130 netmask 0xffffff80 broadcast 23.246.26.255": "23.246.26.130/25",
		"inet 10.10.2.101/24 broadcast 10.10.2.255":                     "10.10.2.101/24",
		"inet6 fe80::e42:a1ff:fe2b:374%mce0 prefixlen 64 scopeid 0x4":   "fe80::e42:a1ff:fe2b:374/64",
		"inet 10.0.0.1 --> 10.0.0.2 netmask 0xffffffff":                 "10.0.0.1/32",
		"inet 0.0.0.1 netmask 0x0":                                      "0.0.0.1/0",
		"inet 10.0.0.1 netmask 0xff00ff00":                              "-",
		"inet 10.0.0.300 netmask 0xffffff00":                            "-",
		"inet 10.0.0.1/99":                                              "-",
	} {
		p, ok := ifAddress(strings.Fields(line))
		if got := p.String(); ok && got != want || !ok && want != "-" {
			t.Errorf("%s: %s %t, want %s", line, got, ok, want)
		}
	}
}
