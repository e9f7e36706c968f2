package ethtool

import (
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
)

// ethtoolDriver is a device's driver.
type ethtoolDriver struct{ Driver, Firmware, Bus unit.Opt[string] }

// parseEthtoolDriver reads "ethtool -i X": "KEY: VALUE" lines, whose values may be empty. Format:
// https://man7.org/linux/man-pages/man8/ethtool.8.html
func parseEthtoolDriver(text []byte) (ethtoolDriver, error) {
	none := func(what string) unit.Opt[string] { return unit.Unknown[string]("the driver names no " + what) }
	d := ethtoolDriver{none("name"), none("firmware"), none("bus address")}
	found := false
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok {
			continue
		}
		var to *unit.Opt[string]
		switch strings.TrimSpace(key) {
		case "driver":
			to = &d.Driver
		case "firmware-version":
			to = &d.Firmware
		case "bus-info":
			to = &d.Bus
		default:
			continue
		}
		found = true
		if value != "" && value != "N/A" {
			*to = unit.Known(value)
		}
	}
	if !found {
		return ethtoolDriver{}, parse.ToolError(text)
	}
	return d, nil
}

func putEthtoolDriver(f *parse.Builder, args []string, d ethtoolDriver) {
	nic := f.Interface(args[0])
	nic.Driver, nic.Firmware, nic.BusInfo = d.Driver, d.Firmware, d.Bus
}

func missingEthtoolDriver(f *parse.Builder, args []string, why string) {
	nic := f.Interface(args[0])
	parse.Missing(&nic.Driver, why)
	parse.Missing(&nic.Firmware, why)
	parse.Missing(&nic.BusInfo, why)
}
