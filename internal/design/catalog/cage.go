package catalog

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
)

// Cage is the form factor of a port, and of the plugs made for it.
type Cage string

// A form is a family of cages in which plugs fit mechanically. The rate is the sum of the cage's lanes.
type form struct {
	family string
	rate   unit.BitRate
}

var cages = map[Cage]form{
	"sfp":       {"SFP", 1e9},
	"sfp+":      {"SFP", 10e9},
	"sfp28":     {"SFP", 25e9},
	"sfp56":     {"SFP", 50e9},
	"qsfp+":     {"QSFP", 40e9},
	"qsfp28":    {"QSFP", 100e9},
	"qsfp56":    {"QSFP", 200e9},
	"qsfp112":   {"QSFP", 400e9},
	"qsfp56-dd": {"QSFP-DD", 400e9},
	"cx4":       {"CX4", 20e9},
	"rj45":      {"RJ45", 10e9},
	combo:       {"combo", 10e9},
}

// combo is a port with two sockets, of which one works at a time.
const combo Cage = "combo-sfp+/rj45"

// ParseCage reads the name of a cage, ignoring case. The error has the nearest names.
func ParseCage(s string) (Cage, error) {
	c := Cage(strings.ToLower(strings.TrimSpace(s)))
	if _, ok := cages[c]; ok {
		return c, nil
	}
	names := make([]string, 0, len(cages))
	for k := range cages {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("%q is not a cage that linerate knows; write %s", s,
		strings.Join(nearest(string(c), names, 4), ", "))
}

// Rate returns the fastest Ethernet rate of the form factor; 0 if the cage is unknown. A QSFP+ cage on some Mellanox
// NICs does 56G with Mellanox' cables.
func (c Cage) Rate() unit.BitRate { return cages[c].rate }

// Lanes returns how many ports a breakout cable can make of one port; 0 if the cage is unknown.
func (c Cage) Lanes() int {
	switch cages[c].family {
	case "QSFP", "CX4":
		return 4
	case "QSFP-DD":
		return 8
	case "SFP", "RJ45", "combo":
		return 1
	}
	return 0
}

// Fits reports whether an end of a cable or transceiver goes into a cage and runs at its own rate. why is the reason if
// not. If ok, why is a reservation, such as an unknown cage.
func Fits(cage, end Cage) (ok bool, why string) {
	in, knownCage := cages[cage]
	plug, knownEnd := cages[end]
	switch {
	case cage == "" || end == "":
		return true, "the cage or the plug is not known: look before buying"
	case !knownCage || !knownEnd:
		return false, fmt.Sprintf("linerate does not know how %s and %s go together", cage, end)
	case cage == end:
		return true, ""
	case cage == combo:
		if plug.family == "SFP" {
			return Fits("sfp+", end)
		}
		return end == "rj45", reasonUnless(end == "rj45", "a combo port takes an RJ45 or an SFP+ plug, not "+string(end))
	case in.family == plug.family && in.rate > plug.rate:
		return true, fmt.Sprintf("the %s plug runs at its own %s in the %s cage", end, short(plug.rate), cage)
	case in.family == plug.family:
		return false, fmt.Sprintf("the %s plug goes into the %s cage, but that was made for %s and generally does not "+
			"drive it at %s: take an %s cable",
			end, cage, short(in.rate), short(plug.rate), cage)
	case in.family == "QSFP-DD" && plug.family == "QSFP":
		return true, fmt.Sprintf("a QSFP-DD cage takes the %s plug, with half of its lanes", end)
	case in.family == "QSFP" && plug.family == "QSFP-DD":
		return false, "a QSFP-DD plug has a second row of contacts and does not go into a QSFP cage"
	case in.family == "QSFP" && plug.family == "SFP":
		return false, fmt.Sprintf("the %s plug is smaller than the %s cage: it needs a QSFP-to-SFP adapter (QSA), and the "+
			"port then runs one lane", end, cage)
	case in.family == "SFP" && plug.family == "QSFP":
		return false, fmt.Sprintf("the %s plug is too large for the %s cage: take a breakout cable, or another NIC", end,
			cage)
	case in.family == "SFP" && end == "rj45":
		return false, fmt.Sprintf("the %s cage needs an SFP+ module with an RJ45 socket first", cage)
	}
	return false, fmt.Sprintf("a %s plug does not go into a %s cage", end, cage)
}

func reasonUnless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// short prints a port's rate in short: 10G, 2.5G, 100M.
func short(r unit.BitRate) string {
	if r < unit.GigabitPerSecond {
		return fmt.Sprintf("%gM", float64(r/unit.MegabitPerSecond))
	}
	return fmt.Sprintf("%gG", float64(r/unit.GigabitPerSecond))
}
