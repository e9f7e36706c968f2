package pci

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Sources are the outputs of any system with these tools.
func Sources() []parse.Source {
	return []parse.Source{
		parse.Parsed("lspci", parseLspci, putPCI).
			KeptAs("lspci", `(?m)^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] .*(?:controller|bridge)`),
		parse.Parsed("pciconf", parsePciconf, func(f *parse.Builder, args []string, v []facts.PCIDevice) {
			if putPCI(f, args, v); f.OS == "" {
				f.OS = "freebsd"
			}
		}).
			KeptAs("pciconf", `(?m)^[a-z][a-z0-9_]*\d+@pci\d+:\d+:\d+:\d+:\s`),
		parse.Parsed("readlink -f /sys/class/net/*/device", ParsePath, putNICDevice),
		{Name: "setpci -s * " + PayloadRegisters, OS: "linux", Read: readPayload},
		parse.Source{Name: "grep -r . /sys/bus/pci/devices/*", Read: readPCI}.
			KeptAs("", `(?m)^/sys/(?:bus/pci/devices/|devices/pci)\S+/current_link_(?:speed|width):`),
	}
}
