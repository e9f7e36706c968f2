package parse

import (
	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

// nothingTaken are commands whose output linerate recognizes without reading facts, with the reason.
var nothingTaken = []struct{ name, looks, why string }{
	{"show interfaces switchport", `(?m)^Name: \S+[ \t]*\r?\n +Switchport: (?:Enabled|Disabled)[ \t]*\r?\n +Switchport Monitor:`,
		"facts do not have the VLANs of a switch's ports"},
	{"show vlan", `(?m)^VLAN +Type +Vlan-mode`, "facts do not have the VLANs of a switch's ports"},
	{"show mac address-table", `(?m)^ *VLAN +MAC Address +Type +age +Secure +NTFY +Ports`,
		"LLDP says which port is connected to which; an address may be behind several switches"},
	{"show processes cpu", `(?m)^CPU utilization for five seconds:[^\n]*\n *PID +Runtime\(ms\) +Invoked[^\n]*\n-----`,
		"the switch's CPU does not forward the packets"},
}

// readNothing returns the parser of a source of nothingTaken.
func readNothing(looks string) func(*parse.Builder, []string, []byte) error {
	form := lazyregexp.New(looks)
	return func(_ *parse.Builder, _ []string, text []byte) error {
		if !form.Match(text) {
			return parse.ToolError(text)
		}
		return nil
	}
}
