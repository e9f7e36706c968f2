package fabric

import (
	"fmt"
	"strings"

	"linerate/internal/base/diag"
)

// OffloadNames are the offloads of a NIC that a file may switch, by their short names in ethtool -K.
func OffloadNames() []string { return []string{"tso", "gso", "gro", "lro", "sg", "rx", "tx"} }

// offloads reads the offloads among a NIC's settings; the other settings are text.
func (f *fields) offloads(settings map[string]string) map[string]bool {
	var out map[string]bool
	for _, name := range OffloadNames() {
		text, ok := settings[name]
		if !ok {
			continue
		}
		on := false
		switch strings.ToLower(text) {
		case "on", "true", "yes":
			on = true
		case "off", "false", "no":
		default:
			f.bad(diag.ValueUnknown, "settings", fmt.Sprintf("%s: %s is neither on nor off", name, quote(text)),
				"an offload is on or off",
				fmt.Sprintf("write %s: off, or delete it for the driver's default", name))
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[name] = on
	}
	return out
}

// SwitchOffloads makes every NIC of the fabric merge packets (on: tso, gso, gro) or process each by itself (off: also
// lro), whatever the file sets.
func (f *Fabric) SwitchOffloads(on bool) {
	names := []string{"tso", "gso", "gro"}
	if !on {
		names = append(names, "lro")
	}
	for _, h := range f.Hosts {
		for _, n := range h.NICs {
			if n.Offloads == nil {
				n.Offloads = map[string]bool{}
			}
			for _, name := range names {
				n.Offloads[name] = on
			}
		}
	}
}
