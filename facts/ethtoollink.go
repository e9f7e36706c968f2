package facts

import (
	"strings"

	"linerate/unit"
)

// ethtoolLink is the state of a link.
type ethtoolLink struct {
	Speed   unit.Opt[unit.BitRate]
	Duplex  unit.Opt[string]
	Carrier unit.Opt[bool]
}

// parseEthtoolLink reads "ethtool X": the lines "Speed: 10000Mb/s", "Duplex: Full"
// and "Link detected: yes". A driver may leave out each.
// Format: https://man7.org/linux/man-pages/man8/ethtool.8.html, ethtool's netlink/settings.c.
func parseEthtoolLink(text []byte) (ethtoolLink, error) {
	l := ethtoolLink{
		Speed:   unit.Unknown[unit.BitRate]("the driver names no speed"),
		Duplex:  unit.Unknown[string]("the driver does not name it"),
		Carrier: unit.Unknown[bool]("the driver does not say whether the link is up"),
	}
	found := false
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok {
			continue
		}
		switch strings.TrimSpace(key) {
		case "Speed":
			l.Speed, found = megabits(value), true
		case "Duplex":
			l.Duplex, found = duplex(value), true
		case "Link detected":
			found = true
			if answer, _, _ := strings.Cut(value, " "); answer == "yes" || answer == "no" { // "no (Autoneg)"
				l.Carrier = known(answer == "yes")
			}
		}
	}
	if !found {
		return ethtoolLink{}, toolError(text)
	}
	return l, nil
}

func putEthtoolLink(f *Facts, args []string, l ethtoolLink) {
	nic := f.nic(args[0])
	nic.Speed, nic.Duplex = l.Speed, l.Duplex
	if nic.Carrier == (unit.Opt[bool]{}) { // ip link tells an interface that is off from one without a link
		nic.Carrier = l.Carrier
	}
}

func missingEthtoolLink(f *Facts, args []string, why string) {
	nic := f.nic(args[0])
	set(&nic.Speed, why)
	set(&nic.Duplex, why)
}
