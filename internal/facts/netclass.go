package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// putNetClass stores an attribute of /sys/class/net/NAME.
// Format: https://docs.kernel.org/admin-guide/abi-testing.html (sysfs-class-net);
// speed is in Mb/s, -1 or 4294967295 when the link is down or the driver has none.
func putNetClass(f *Facts, args []string, value string) {
	nic := f.nic(args[0])
	switch args[1] {
	case "speed":
		nic.Speed = megabits(value)
	case "duplex":
		nic.Duplex = duplex(value)
	case "mtu":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			nic.MTU = n
		}
	case "carrier":
		switch value {
		case "0", "1":
			nic.Carrier = known(value == "1")
		default:
			nic.Carrier = unit.Unknown[bool]("carrier is " + strconv.Quote(value))
		}
	case "carrier_changes": // up and down; carrier_down_count is not there for all
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			f.counted(LinkDowns, nic.Name, n/2, unit.Unknown[uint64]("links are not lost by frames"), "carrier_changes: "+value)
		}
	case "ifindex":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			nic.Index = n
		}
	case "mode":
		if value == "datagram" || value == "connected" {
			nic.IPoIB = known(value)
			nic.IPoIBProof = f.proofOf(value)
		}
	case "address":
		nic.MAC = strings.ToLower(value)
	case "flags":
		if n, err := strconv.ParseUint(value, 0, 32); err == nil {
			nic.Up, nic.UpKnown = n&1 != 0, true // IFF_UP
		}
	}
}

// putStatistic stores a counter of /sys/class/net/NAME/statistics.
// Format: https://docs.kernel.org/networking/statistics.html
func putStatistic(f *Facts, args []string, v uint64) {
	nic := f.nic(args[0])
	if nic.Counters == nil {
		nic.Counters = map[string]uint64{}
	}
	nic.Counters[args[1]] = v
}

// megabits reads a speed in Mb/s as sysfs and ethtool print it.
func megabits(s string) unit.Opt[unit.BitRate] {
	digits, _ := strings.CutSuffix(strings.TrimSpace(s), "Mb/s")
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 || n >= 1<<31 {
		return unit.Unknown[unit.BitRate]("the driver names no speed (it says " + strconv.Quote(s) + "); the link may be down")
	}
	return known(unit.BitRate(n) * 1e6)
}

func duplex(s string) unit.Opt[string] {
	switch s = strings.ToLower(s); s {
	case "full", "half":
		return known(s)
	}
	return unit.Unknown[string]("the driver does not name it (it says " + strconv.Quote(s) + ")")
}

// kind is the kind of the interface, from its link type or its driver.
func (n *Interface) kind() string {
	if n.Kind != "" {
		return n.Kind
	}
	return n.Driver.Or("")
}

// hasNominalSpeed says whether a driver reports a speed that is a constant of its
// source text and limits nothing.
func hasNominalSpeed(kind string) bool {
	switch kind {
	case "veth", "tun", "tap", "dummy":
		return true
	}
	return false
}

func unknownSpeed(kind string) unit.Opt[unit.BitRate] {
	return unit.Unknown[unit.BitRate]("a " + kind + " has no rate of its own; the one its driver reports is a constant")
}

func unknownDuplex(kind string) unit.Opt[string] {
	return unit.Unknown[string]("a " + kind + " has no duplex of its own; the one its driver reports is a constant")
}
