package lldp

import (
	"bytes"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// lldpctlSources are lldpd's: the neighbours in each form except XML, and the interfaces that it listens on.
func lldpctlSources() []parse.Source {
	return []parse.Source{
		parse.Source{Name: "lldpctl", Read: ReadLLDPCtl}.OrElse(missingLLDP).
			KeptAs("lldpctl", `(?m)^LLDP neighbors:|^lldp\.\S+\.(?:via|chassis|port)[.=]|^\s*\{\s*"lldp"\s*:\s*[\[{]`),
		parse.Source{Name: "lldpcli show interfaces", Read: ReadLLDPInterfaces}.
			KeptAs("lldpcli show interfaces", `(?m)^LLDP interfaces:`),
	}
}

// lldpctlCommand converts commands for lldpd to the form of the table.
func lldpctlCommand(tool string, rest []string) (string, bool) {
	var plain []string
	for i := 0; i < len(rest); i++ {
		switch w := rest[i]; {
		case w == "-f" || w == "-u" || w == "-L" || w == "-C": // with a value
			i++
		case strings.HasPrefix(w, "-"):
		default:
			plain = append(plain, w)
		}
	}
	show := len(plain) >= 2 && len(plain[0]) >= 2 && strings.HasPrefix("show", plain[0])
	switch {
	case tool == "lldpctl" && !show, show && len(plain[1]) >= 2 &&
		(strings.HasPrefix("neighbors", plain[1]) || strings.HasPrefix("neighbours", plain[1])):
		return "lldpctl", true // lldpctl's words are interfaces
	case show && len(plain[1]) >= 2 && strings.HasPrefix("interfaces", plain[1]):
		return "lldpcli show interfaces", true
	}
	return "", false
}

// ReadLLDPCtl reads lldpd's neighbours: "lldpctl", "lldpcli show neighbors" plain, with -f keyvalue, json or json0,
// "net show lldp json" of Cumulus and "show lldp neighbors" of SONiC, which use lldpd. An interface without an entry
// may not receive LLDP (see ReadLLDPInterfaces). Format: https://lldpd.github.io/usage.html, lldpd's
// src/client/display.c. Snapshots: lldpd 1.0.16, netbox-agent and suzieq.
func ReadLLDPCtl(f *parse.Builder, _ []string, text []byte) error {
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) == 0: // -f keyvalue without a neighbour, or a tool that could not connect
		return parse.ToolError(text)
	case trimmed[0] == '{':
		return lldpJSON(f, text)
	case lldpKeyvalue.Match(text):
		readKeyvalue(f, text)
		return nil
	case bytes.Contains(text, []byte("LLDP neighbors:")), lldpInterfaceLine.Match(text):
		lldpText(f, text)
		return nil
	}
	return parse.ToolError(text)
}

var (
	lldpKeyvalue      = lazyregexp.New(`(?m)^lldp\.([^=\n]+?)\.((?:via|rid|age|chassis|port|vlan)(?:\.[^=\n]*)?)=(.*)$`)
	lldpInterfaceLine = lazyregexp.New(`(?m)^\s*Interface:\s+([^\s,]+), via: ([^\s,]+)(?:, RID: \d+)?(?:, Time: (.*?))?\s*$`)
	lldpTextField     = lazyregexp.New(`^\s+(ChassisID|SysName|SysDescr|MgmtIP|PortID|PortDescr|TTL):\s+(.*)$`)
	lldpTextKey       = lazyregexp.New(`^\s*(?:[A-Z][A-Za-z-]*(?: [a-z]+)*|LLDP-MED|PMD autoneg|MAU oper type|UnknownTLVs?|TLV|Unknown TLVs?):(?:\s|$)`)
)

// lldpText reads the plain form. It joins a description on several lines.
func lldpText(f *parse.Builder, text []byte) {
	var n *facts.LLDPNeighbour
	name, last := "", ""
	end := func() {
		if n != nil {
			f.Heard(name, *n)
		}
		n = nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := lldpInterfaceLine.FindStringSubmatch(line); m != nil {
			end()
			name, n = m[1], &facts.LLDPNeighbour{Via: m[2], Proof: f.Proof(line)}
			aged(n, m[3])
			continue
		}
		if n == nil {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "-----") {
			end()
			continue
		}
		m := lldpTextField.FindStringSubmatch(line)
		if m == nil {
			if last == "SysDescr" && line != "" && !lldpTextKey.MatchString(line) {
				n.Description += " " + facts.OneLine(line)
			} else {
				last = ""
			}
			continue
		}
		if last = m[1]; last == "PortID" { // it is more specific than the first line of the neighbour
			n.Proof = f.Proof(name + ": " + line)
		}
		lldpField(n, m[1], m[2])
	}
	end()
}

// lldpField stores the value of a label of lldpd.
func lldpField(n *facts.LLDPNeighbour, label, value string) {
	value = strings.TrimSpace(value)
	switch label {
	case "ChassisID":
		kind, id, _ := strings.Cut(value, " ")
		n.Chassis = ID(kind, id)
	case "PortID":
		kind, id, _ := strings.Cut(value, " ")
		n.Port = ID(kind, id)
	case "SysName":
		n.System = facts.OneLine(value)
	case "SysDescr":
		n.Description = facts.OneLine(value)
	case "PortDescr":
		n.PortDescription = facts.OneLine(value)
	case "MgmtIP":
		AddManagement(n, value)
	case "TTL":
		SetTTL(n, value)
	}
}

// lldpKinds are the kinds of an identity as keys of the keyvalue form.
var lldpKinds = []string{"mac", "ifname", "ifalias", "local", "ip", "component", "unhandled"}

// readKeyvalue reads the keyvalue form: a neighbour begins with its line "via". An interface's name may contain dots.
func readKeyvalue(f *parse.Builder, text []byte) {
	var n *facts.LLDPNeighbour
	name := ""
	end := func() {
		if n != nil && n.Chassis.Value+n.Port.Value+n.System != "" { // only VLANs are not a neighbour
			f.Heard(name, *n)
		}
	}
	for _, m := range lldpKeyvalue.FindAllStringSubmatch(string(text), -1) {
		of, key, value := m[1], m[2], strings.TrimSpace(m[3])
		if n == nil || key == "via" {
			end()
			name, n = of, &facts.LLDPNeighbour{}
		}
		if of != name { // a line of another interface within, as in some collections
			if key == "chassis.name" {
				n.System = facts.OneLine(value)
			}
			continue
		}
		part, rest, _ := strings.Cut(key, ".")
		switch {
		case key == "via":
			n.Via = value
			n.Proof = f.Proof(m[0])
		case key == "age":
			aged(n, value)
		case part == "chassis" && slices.Contains(lldpKinds, rest):
			n.Chassis = ID(rest, value)
		case part == "port" && slices.Contains(lldpKinds, rest):
			n.Port = ID(rest, value)
			n.Proof = f.Proof(m[0])
		case key == "chassis.name":
			n.System = facts.OneLine(value)
		case key == "chassis.descr":
			n.Description = facts.OneLine(value)
		case key == "port.descr":
			n.PortDescription = facts.OneLine(value)
		case key == "chassis.mgmt-ip":
			AddManagement(n, value)
		case key == "port.ttl", key == "chassis.ttl":
			SetTTL(n, value)
		}
	}
	end()
}

// lldpJSON reads the form json, where a name is a key and a single value is not a list, and json0, where everything is
// a list.
func lldpJSON(f *parse.Builder, text []byte) error {
	root, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	lldp := root.Kid("lldp")
	if lldp == nil {
		return parse.ToolError(text)
	}
	for _, i := range lldpPorts(lldp) {
		n := facts.LLDPNeighbour{Via: i.node.Kid("via").Str(), Proof: f.Proof(i.node.Line())}
		aged(&n, i.node.Kid("age").Str())
		chassis, port := i.node.Kid("chassis"), i.node.Kid("port")
		if chassis.Kid("id") == nil { // json: the name is a key; a neighbour without a name has its id there
			for _, c := range chassis.Members() {
				if c.Kid("id") != nil {
					n.System, chassis = facts.OneLine(c.Key), c
					break
				}
			}
		}
		id := func(of *parse.JSONNode) facts.LLDPID {
			return ID(of.Get("id", "type").Str(), of.Get("id", "value").Str())
		}
		n.Chassis, n.Port = id(chassis), id(port)
		if line := port.Get("id", "value").Line(); line != "" {
			n.Proof = f.Proof(i.name + ": " + line)
		}
		if v := lldpValues(chassis.Kid("name")); len(v) > 0 {
			n.System = facts.OneLine(v[0])
		}
		for _, v := range lldpValues(chassis.Kid("descr")) {
			n.Description = facts.OneLine(v)
		}
		for _, v := range lldpValues(port.Kid("descr")) {
			n.PortDescription = facts.OneLine(v)
		}
		for _, v := range lldpValues(chassis.Kid("mgmt-ip")) {
			AddManagement(&n, v)
		}
		for _, v := range append(lldpValues(chassis.Kid("ttl")), lldpValues(port.Kid("ttl"))...) {
			SetTTL(&n, v)
		}
		f.Heard(i.name, n)
	}
	return nil
}

// lldpPort is an interface of a JSON output.
type lldpPort struct {
	name string
	node *parse.JSONNode
}

// lldpPorts returns the interfaces of either form.
func lldpPorts(lldp *parse.JSONNode) (out []lldpPort) {
	list := lldp.Kid("interface")
	if list == nil {
		return nil
	}
	nodes := []*parse.JSONNode{list}
	if list.Kind == '[' {
		nodes = list.Kids
	}
	for _, e := range nodes {
		if name := e.Kid("name"); name != nil && name.Kind == 'v' {
			out = append(out, lldpPort{name.Str(), e})
			continue
		}
		for _, i := range e.Kids {
			if i.Kind == '{' && i.Key != "" {
				out = append(out, lldpPort{i.Key, i})
			}
		}
	}
	return slices.DeleteFunc(out, func(p lldpPort) bool { return p.name == "" })
}

// lldpValues returns the texts of a value that is one, a list of them, or a list of objects with "value".
func lldpValues(n *parse.JSONNode) (out []string) {
	switch {
	case n == nil:
	case n.Kind == 'v':
		out = append(out, n.Str())
	case n.Kind == '[':
		for _, c := range n.Kids {
			out = append(out, lldpValues(c)...)
		}
	default:
		out = append(out, lldpValues(n.Kid("value"))...)
	}
	return out
}

var lldpStatus = lazyregexp.New(`(?m)^Interface:\s+(\S+)\s*\n\s+Administrative status: (.*)$`)

// ReadLLDPInterfaces reads "lldpcli show interfaces", text or JSON: the interfaces on which lldpd listens, so that a
// missing neighbour is a fact. Snapshots: lldpd 1.0.16.
func ReadLLDPInterfaces(f *parse.Builder, _ []string, text []byte) error {
	if m := lldpStatus.FindAllSubmatch(text, -1); m != nil {
		for _, i := range m {
			if bytes.Contains(i[2], []byte("RX")) {
				f.Listens(string(i[1]))
			}
		}
		return nil
	}
	root, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	lldp := root.Kid("lldp")
	if lldp == nil {
		return parse.ToolError(text)
	}
	for _, i := range lldpPorts(lldp) {
		if status := lldpValues(i.node.Kid("status")); len(status) > 0 && strings.Contains(status[0], "RX") {
			f.Listens(i.name)
		}
	}
	return nil
}
