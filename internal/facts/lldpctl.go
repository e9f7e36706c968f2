package facts

import (
	"bytes"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// lldpctlSources are lldpd's: the neighbours in each form but XML, and the interfaces that it listens on.
func lldpctlSources() []source {
	return []source{
		source{name: "lldpctl", read: readLLDPCtl}.orElse(missingLLDP).
			keptAs("lldpctl", `(?m)^LLDP neighbors:|^lldp\.\S+\.(?:via|chassis|port)[.=]|^\s*\{\s*"lldp"\s*:\s*[\[{]`),
		source{name: "lldpcli show interfaces", read: readLLDPInterfaces}.
			keptAs("lldpcli show interfaces", `(?m)^LLDP interfaces:`),
	}
}

// lldpctlCommand brings the ways to ask lldpd into the form of the table.
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
	case tool == "lldpctl" && !show, show && len(plain[1]) >= 2 && (strings.HasPrefix("neighbors", plain[1]) || strings.HasPrefix("neighbours", plain[1])):
		return "lldpctl", true // of lldpctl the words are interfaces
	case show && len(plain[1]) >= 2 && strings.HasPrefix("interfaces", plain[1]):
		return "lldpcli show interfaces", true
	}
	return "", false
}

// readLLDPCtl reads what lldpd has heard: "lldpctl", "lldpcli show neighbors" plain, with -f keyvalue, json or json0, "net show lldp json"
// of Cumulus and "show lldp neighbors" of SONiC, which are lldpd's own. Who is not named in it may not have been listened to (readLLDPInterfaces).
// Format: https://lldpd.github.io/usage.html, lldpd's src/client/display.c. The captures behind it are of lldpd 1.0.16, and of netbox-agent and suzieq.
func readLLDPCtl(f *Facts, _ []string, text []byte) error {
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) == 0: // -f keyvalue of nobody, or a tool that could not ask
		return toolError(text)
	case trimmed[0] == '{':
		return f.lldpJSON(text)
	case lldpKeyvalue.Match(text):
		f.lldpKeyvalue(text)
		return nil
	case bytes.Contains(text, []byte("LLDP neighbors:")), lldpInterfaceLine.Match(text):
		f.lldpText(text)
		return nil
	}
	return toolError(text)
}

var (
	lldpKeyvalue      = lazyregexp.New(`(?m)^lldp\.([^=\n]+?)\.((?:via|rid|age|chassis|port|vlan)(?:\.[^=\n]*)?)=(.*)$`)
	lldpInterfaceLine = lazyregexp.New(`(?m)^\s*Interface:\s+([^\s,]+), via: ([^\s,]+)(?:, RID: \d+)?(?:, Time: (.*?))?\s*$`)
	lldpTextField     = lazyregexp.New(`^\s+(ChassisID|SysName|SysDescr|MgmtIP|PortID|PortDescr|TTL):\s+(.*)$`)
	lldpTextKey       = lazyregexp.New(`^\s*(?:[A-Z][A-Za-z-]*(?: [a-z]+)*|LLDP-MED|PMD autoneg|MAU oper type|UnknownTLVs?|TLV|Unknown TLVs?):(?:\s|$)`)
)

// lldpText reads the plain form. A description that goes on in a line of its own is joined.
func (f *Facts) lldpText(text []byte) {
	var n *LLDPNeighbour
	name, last := "", ""
	end := func() {
		if n != nil {
			f.heard(name, *n)
		}
		n = nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := lldpInterfaceLine.FindStringSubmatch(line); m != nil {
			end()
			name, n = m[1], &LLDPNeighbour{Via: m[2], Proof: f.proof(line)}
			n.aged(m[3])
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
				n.Description += " " + oneLine(line)
			} else {
				last = ""
			}
			continue
		}
		if last = m[1]; last == "PortID" { // which says more than the line that the neighbour begins with
			n.Proof = f.proof(name + ": " + line)
		}
		n.lldpField(m[1], m[2])
	}
	end()
}

// lldpField stores what lldpd prints behind a label.
func (n *LLDPNeighbour) lldpField(label, value string) {
	value = strings.TrimSpace(value)
	switch label {
	case "ChassisID":
		kind, id, _ := strings.Cut(value, " ")
		n.Chassis = lldpID(kind, id)
	case "PortID":
		kind, id, _ := strings.Cut(value, " ")
		n.Port = lldpID(kind, id)
	case "SysName":
		n.System = oneLine(value)
	case "SysDescr":
		n.Description = oneLine(value)
	case "PortDescr":
		n.PortDescription = oneLine(value)
	case "MgmtIP":
		n.manage(value)
	case "TTL":
		n.lasts(value)
	}
}

// lldpKinds are the kinds of an identity as keys of the keyvalue form.
var lldpKinds = []string{"mac", "ifname", "ifalias", "local", "ip", "component", "unhandled"}

// lldpKeyvalue reads the keyvalue form: a neighbour begins with its line "via". An interface's name may have dots.
func (f *Facts) lldpKeyvalue(text []byte) {
	var n *LLDPNeighbour
	name := ""
	end := func() {
		if n != nil && n.Chassis.Value+n.Port.Value+n.System != "" { // VLANs alone are no neighbour
			f.heard(name, *n)
		}
	}
	for _, m := range lldpKeyvalue.FindAllStringSubmatch(string(text), -1) {
		of, key, value := m[1], m[2], strings.TrimSpace(m[3])
		if n == nil || key == "via" {
			end()
			name, n = of, &LLDPNeighbour{}
		}
		if of != name { // a line of another interface within, as some collections have it
			if key == "chassis.name" {
				n.System = oneLine(value)
			}
			continue
		}
		part, rest, _ := strings.Cut(key, ".")
		switch {
		case key == "via":
			n.Via = value
			n.Proof = f.proof(m[0])
		case key == "age":
			n.aged(value)
		case part == "chassis" && slices.Contains(lldpKinds, rest):
			n.Chassis = lldpID(rest, value)
		case part == "port" && slices.Contains(lldpKinds, rest):
			n.Port = lldpID(rest, value)
			n.Proof = f.proof(m[0])
		case key == "chassis.name":
			n.System = oneLine(value)
		case key == "chassis.descr":
			n.Description = oneLine(value)
		case key == "port.descr":
			n.PortDescription = oneLine(value)
		case key == "chassis.mgmt-ip":
			n.manage(value)
		case key == "port.ttl", key == "chassis.ttl":
			n.lasts(value)
		}
	}
	end()
}

// lldpJSON reads the forms json, where a name is a key and what there is one of is no list, and json0, where everything is a list.
func (f *Facts) lldpJSON(text []byte) error {
	root, err := jsonTree(text)
	if err != nil {
		return err
	}
	lldp := root.kid("lldp")
	if lldp == nil {
		return toolError(text)
	}
	for _, i := range lldpPorts(lldp) {
		n := LLDPNeighbour{Via: i.node.kid("via").str(), Proof: f.proof(i.node.line())}
		n.aged(i.node.kid("age").str())
		chassis, port := i.node.kid("chassis"), i.node.kid("port")
		if chassis.kid("id") == nil { // json: the name is a key; a neighbour without one has its id there
			for _, c := range chassis.members() {
				if c.kid("id") != nil {
					n.System, chassis = oneLine(c.key), c
					break
				}
			}
		}
		id := func(of *jsonNode) LLDPID { return lldpID(of.get("id", "type").str(), of.get("id", "value").str()) }
		n.Chassis, n.Port = id(chassis), id(port)
		if line := port.get("id", "value").line(); line != "" {
			n.Proof = f.proof(i.name + ": " + line)
		}
		if v := lldpValues(chassis.kid("name")); len(v) > 0 {
			n.System = oneLine(v[0])
		}
		for _, v := range lldpValues(chassis.kid("descr")) {
			n.Description = oneLine(v)
		}
		for _, v := range lldpValues(port.kid("descr")) {
			n.PortDescription = oneLine(v)
		}
		for _, v := range lldpValues(chassis.kid("mgmt-ip")) {
			n.manage(v)
		}
		for _, v := range append(lldpValues(chassis.kid("ttl")), lldpValues(port.kid("ttl"))...) {
			n.lasts(v)
		}
		f.heard(i.name, n)
	}
	return nil
}

// lldpPort is an interface of a JSON answer.
type lldpPort struct {
	name string
	node *jsonNode
}

// lldpPorts are the interfaces of either form.
func lldpPorts(lldp *jsonNode) (out []lldpPort) {
	list := lldp.kid("interface")
	if list == nil {
		return nil
	}
	nodes := []*jsonNode{list}
	if list.kind == '[' {
		nodes = list.kids
	}
	for _, e := range nodes {
		if name := e.kid("name"); name != nil && name.kind == 'v' {
			out = append(out, lldpPort{name.str(), e})
			continue
		}
		for _, i := range e.kids {
			if i.kind == '{' && i.key != "" {
				out = append(out, lldpPort{i.key, i})
			}
		}
	}
	return slices.DeleteFunc(out, func(p lldpPort) bool { return p.name == "" })
}

// lldpValues are the texts of a value that is one, a list of them, or a list of objects with "value".
func lldpValues(n *jsonNode) (out []string) {
	switch {
	case n == nil:
	case n.kind == 'v':
		out = append(out, n.str())
	case n.kind == '[':
		for _, c := range n.kids {
			out = append(out, lldpValues(c)...)
		}
	default:
		out = append(out, lldpValues(n.kid("value"))...)
	}
	return out
}

var lldpStatus = lazyregexp.New(`(?m)^Interface:\s+(\S+)\s*\n\s+Administrative status: (.*)$`)

// readLLDPInterfaces reads "lldpcli show interfaces", text or JSON: where lldpd listens, so that nobody heard there is nobody who spoke.
// The captures behind it are of lldpd 1.0.16.
func readLLDPInterfaces(f *Facts, _ []string, text []byte) error {
	if m := lldpStatus.FindAllSubmatch(text, -1); m != nil {
		for _, i := range m {
			if bytes.Contains(i[2], []byte("RX")) {
				f.listens(string(i[1]))
			}
		}
		return nil
	}
	root, err := jsonTree(text)
	if err != nil {
		return err
	}
	lldp := root.kid("lldp")
	if lldp == nil {
		return toolError(text)
	}
	for _, i := range lldpPorts(lldp) {
		if status := lldpValues(i.node.kid("status")); len(status) > 0 && strings.Contains(status[0], "RX") {
			f.listens(i.name)
		}
	}
	return nil
}
