package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Megabits reads a speed in Mb/s, the unit of sysfs and ethtool.
func Megabits(s string) unit.Opt[unit.BitRate] {
	digits, _ := strings.CutSuffix(strings.TrimSpace(s), "Mb/s")
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 || n >= 1<<31 {
		return unit.Unknown[unit.BitRate]("the driver names no speed (it says " + strconv.Quote(s) +
			"); the link may be down")
	}
	return unit.Known(unit.BitRate(n) * 1e6)
}

func Duplex(s string) unit.Opt[string] {
	switch s = strings.ToLower(s); s {
	case "full", "half":
		return unit.Known(s)
	}
	return unit.Unknown[string]("the driver does not name it (it says " + strconv.Quote(s) + ")")
}

// Kind returns the kind of the interface, from its link type or its driver.
func Kind(n *facts.Interface) string {
	if n.Kind != "" {
		return n.Kind
	}
	return n.Driver.Or("")
}

// HasNominalSpeed reports whether a driver reports a constant speed that limits nothing.
func HasNominalSpeed(kind string) bool {
	switch kind {
	case "veth", "tun", "tap", "dummy":
		return true
	}
	return false
}

func UnknownSpeed(kind string) unit.Opt[unit.BitRate] {
	return unit.Unknown[unit.BitRate]("a " + kind + " has no rate of its own; the one its driver reports is a constant")
}

func UnknownDuplex(kind string) unit.Opt[string] {
	return unit.Unknown[string]("a " + kind + " has no duplex of its own; the one its driver reports is a constant")
}
