package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// putNetClass stores an attribute of /sys/class/net/NAME. Format: https://docs.kernel.org/admin-guide/abi-testing.html
// (sysfs-class-net); speed is in Mb/s, and -1 or 4294967295 if the link is down or the driver has none.
func putNetClass(f *parse.Builder, args []string, value string) {
	nic := f.Interface(args[0])
	switch args[1] {
	case "speed":
		nic.Speed = parse.Megabits(value)
	case "duplex":
		nic.Duplex = parse.Duplex(value)
	case "mtu":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			nic.MTU = n
		}
	case "carrier":
		switch value {
		case "0", "1":
			nic.Carrier = unit.Known(value == "1")
		default:
			nic.Carrier = unit.Unknown[bool]("carrier is " + strconv.Quote(value))
		}
	case "carrier_changes": // up and down; some kernels have no carrier_down_count
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			f.Counted(facts.LinkDowns, nic.Name, n/2, unit.Unknown[uint64]("links are not lost by frames"),
				"carrier_changes: "+value)
		}
	case "ifindex":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			nic.Index = n
		}
	case "mode":
		if value == "datagram" || value == "connected" {
			nic.IPoIB = unit.Known(value)
			nic.IPoIBProof = f.ProofOf(value)
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
func putStatistic(f *parse.Builder, args []string, v uint64) {
	nic := f.Interface(args[0])
	if nic.Counters == nil {
		nic.Counters = map[string]uint64{}
	}
	nic.Counters[args[1]] = v
}
