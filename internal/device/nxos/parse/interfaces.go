package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// interfaceLooks matches "show interface" of NX-OS, but not of EOS and IOS: an interface's line that ends after its
// state, "Hardware:" with a colon, and two blanks before the address of a VLAN interface.
const interfaceLooks = `(?m)^` + portNames + ` is (?:up|down|administratively down)(?: \([^)\n]*\))?[ \t]*\r?$` +
	`|^[ \t]+Hardware: .*, address: [0-9a-f]{4}\.|^[ \t]+Hardware is EtherSVI, address is  [0-9a-f]{4}\.`

var (
	interfaceForm = lazyregexp.New(interfaceLooks)
	headLine      = lazyregexp.New(`^(` + portNames + `) is (up|down|administratively down)\b(?: \(([^)]*)\))?`)
	adminLine     = lazyregexp.New(`(?i)^\s*admin state(?: is|:) (up|down)\b`)
	mtuLine       = lazyregexp.New(`^\s+MTU (\d+) bytes`)
	addressLine   = lazyregexp.New(`^\s+Hardware(?: is|:) .*\baddress(?: is|:)\s+(\S+)`)
	speedLine     = lazyregexp.New(`^\s+(full|half)-duplex, (\d+ [MG]b/s)`)
	memberLine    = lazyregexp.New(`^\s+Belongs to (Po\d+)`)
	modeLine      = lazyregexp.New(`^\s+Port mode is (\S+)`)
	descLine      = lazyregexp.New(`^\s+(?:Description:|Port description is) (\S.*)$`)
	disabled      = lazyregexp.New(`(?i)err(?:or)?[ -]?disabled`)
)

// readInterfaces reads "show interface", of one port or of all. Snapshots: ntc-templates, Nexus 5500, 7000 and 9000 of
// several releases.
func readInterfaces(f *parse.Builder, _ []string, text []byte) error {
	if !interfaceForm.Match(text) {
		return parse.ToolError(text)
	}
	var n *facts.Interface
	var c *counted
	why := ""
	finish := func() {
		if n != nil {
			c.keep(f)
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := headLine.FindStringSubmatch(line); m != nil {
			finish()
			n, why = port(f, m[1]), m[3]
			c = newCounted(n.Name)
			setState(f, n, m[2], why, line)
			continue
		}
		if n == nil {
			continue
		}
		if m := adminLine.FindStringSubmatch(line); m != nil {
			n.Up, n.UpKnown = m[1] == "up", true
		}
		if m := descLine.FindStringSubmatch(line); m != nil {
			n.Alias = facts.OneLine(m[1])
		}
		if m := mtuLine.FindStringSubmatch(line); m != nil {
			setMTU(n, m[1], f.Proof(line))
		}
		if m := addressLine.FindStringSubmatch(line); m != nil && facts.IsMAC(m[1]) {
			n.MAC = facts.ColonMAC(m[1])
		}
		if m := speedLine.FindStringSubmatch(line); m != nil && n.Carrier.Or(false) && n.Kind == "" {
			setSpeed(n, m[2], m[1], f.Proof(line))
		}
		if m := memberLine.FindStringSubmatch(line); m != nil {
			n.Master = portName(m[1])
		}
		if m := modeLine.FindStringSubmatch(line); m != nil && m[1] != "routed" && n.MTU == policyMTU {
			state := parse.StateOf[policyPorts](f)
			state.names = append(state.names, n.Name)
		}
		c.line(line)
	}
	finish()
	return nil
}

// setState stores whether a port has a link, and whether it is enabled. Without a link the latter is unknown, unless
// the next line has it or the reason is that an administrator disabled it: a port without a module may be either.
func setState(f *parse.Builder, n *facts.Interface, state, why, line string) {
	off := strings.EqualFold(why, "Administratively down") || state == "administratively down"
	show.SetState(n, !off, state == "up", f.Proof(line))
	switch {
	case disabled.MatchString(why), strings.EqualFold(why, "SFP validation failed"):
		portDown(f, n.Name, why, line)
	case state == "down" && !off && why != "Link not connected":
		n.Up, n.UpKnown = false, false
	}
}

// portDown records why a switch disabled a port: because of its module, or for another reason.
func portDown(f *parse.Builder, name, why, line string) {
	e := facts.Event{What: facts.PortDisabled, Subject: name, Detail: why, Proof: f.Proof(line)}
	if strings.HasPrefix(why, "SFP ") {
		e.What = facts.ModuleRefused
	}
	f.Happened(e)
}

func setSpeed(n *facts.Interface, rate, duplex string, p facts.Proof) {
	parse.Learn(&n.Speed, parse.PortSpeed(rate))
	n.Proves("speed", p)
	if duplex == "full" || duplex == "half" {
		n.Duplex = unit.Known(duplex)
		n.Proves("duplex", p)
	}
}
