package parse

import (
	"strings"
	"testing"
)

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
