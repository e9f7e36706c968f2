package parse

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

const (
	capabilitiesLooks = `(?m)^ +Type \((?:SFP capable|Non SFP)\):`
	breakoutLooks     = `(?m)^Parent +Breakout Map +Breakout Ports`
	descriptionLooks  = `(?m)^Port +Type +Speed +Description`
	inventoryLooks    = `(?m)^NAME: "Chassis", +DESCR: "Nexus`
	arpLooks          = `(?m)^IP ARP Table for (?:all contexts|context )`
)

var (
	capabilitiesForm = lazyregexp.New(capabilitiesLooks)
	capability       = lazyregexp.New(`^ +(Type \(SFP capable\)|Speed): +(\S+)$`)
	breakoutForm     = lazyregexp.New(breakoutLooks)
	breakoutRow      = lazyregexp.New(`^(Eth\d[\d/]*) +(\d+g)-([2-8])x +Eth`)
	descriptionForm  = lazyregexp.New(descriptionLooks)
	// Ports have their type and speed before the description, other interfaces only the description.
	descriptionRow = lazyregexp.New(`^(` + portNames + `) +(?:\S+ +(?:\d+G?|auto) +)?(\S.*)$`)
	inventoryForm  = lazyregexp.New(inventoryLooks)
	inventoryName  = lazyregexp.New(`^NAME: "?([^",]+)"?, +DESCR: "?(.*?)"?$`)
	inventoryPart  = lazyregexp.New(`^PID: (.*?) *, +VID: (.*?) *, +SN:`)
	arpForm        = lazyregexp.New(arpLooks)
	arpRow         = lazyregexp.New(`^(\d+\.\d+\.\d+\.\d+) +\S+ +(\S+) +(` + portNames + `)(?: |$)`)
)

// readCapabilities reads "show interface capabilities": one block per port. Snapshots: ntc-templates, Nexus 5600 and
// 2348.
func readCapabilities(f *parse.Builder, _ []string, text []byte) error {
	if !capabilitiesForm.Match(text) {
		return parse.ToolError(text)
	}
	var n *facts.Interface
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if portForm.MatchString(line) {
			n = port(f, line)
		}
		m := capability.FindStringSubmatch(line)
		switch {
		case n == nil || m == nil:
		case m[1] == "Speed":
			n.Wire.Supported = show.SpeedModes(m[2])
		case !strings.EqualFold(m[2], "unknown") && m[2] != "--":
			optic(n).Types = []string{m[2]}
		}
	}
	return nil
}

// optic returns the module of a port, and creates it if needed.
func optic(n *facts.Interface) *facts.Optic {
	if n.Wire.Optic == nil {
		n.Wire.Optic = &facts.Optic{}
	}
	return n.Wire.Optic
}

// readBreakout reads "show interface breakout": "10g-4x" divides a port into four lanes of 10G. Snapshots:
// ntc-templates.
func readBreakout(f *parse.Builder, _ []string, text []byte) error {
	if !breakoutForm.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		m := breakoutRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		lanes, _ := strconv.Atoi(m[3])
		for lane := range lanes {
			n := port(f, fmt.Sprintf("%s/%d", m[1], lane+1))
			n.Wire.Supported = show.SpeedModes(strings.ToUpper(m[2]))
		}
	}
	return nil
}

// readDescription reads "show interface description". Its speeds are configured ones. Snapshots: ntc-templates.
func readDescription(f *parse.Builder, _ []string, text []byte) error {
	if !descriptionForm.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		m := descriptionRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if n := port(f, m[1]); m[2] != "--" {
			n.Alias = facts.OneLine(m[2])
		}
	}
	return nil
}

// readInventory reads "show inventory": the model of the switch, and the modules in its ports; the version of a module
// is the vendor's number. Snapshots: ntc-templates, Nexus 9000.
func readInventory(f *parse.Builder, _ []string, text []byte) error {
	if !inventoryForm.Match(text) {
		return parse.ToolError(text)
	}
	name, description := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := inventoryName.FindStringSubmatch(line); m != nil {
			name, description = m[1], strings.TrimSpace(m[2])
			if name == "Chassis" {
				show.SetProduct(f, "Cisco", strings.TrimSuffix(strings.TrimSuffix(description, " Chassis"), " chassis"), "")
			}
			continue
		}
		m := inventoryPart.FindStringSubmatch(line)
		if m == nil || !portForm.MatchString(name) {
			continue
		}
		o := optic(port(f, name))
		o.Vendor, o.Part = description, m[2]
		if m[1] != "" {
			o.Types = []string{m[1]}
		}
	}
	return nil
}

// readARP reads "show ip arp". INCOMPLETE marks an address without an answer. Snapshots: ntc-templates.
func readARP(f *parse.Builder, _ []string, text []byte) error {
	if !arpForm.Match(text) {
		return parse.ToolError(text)
	}
	f.Neighbours = []facts.Neighbour{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		m := arpRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		address, err := netip.ParseAddr(m[1])
		if err != nil {
			continue
		}
		n := facts.Neighbour{Address: address, Interface: portName(m[3]), Proof: f.Proof(line)}
		if facts.IsMAC(m[2]) {
			n.MAC = facts.ColonMAC(m[2])
		}
		f.Neighbours = append(f.Neighbours, n)
	}
	return nil
}
