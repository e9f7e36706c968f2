package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
)

const (
	// lldpDetail matches a line of "show lldp neighbors detail" that IOS does not have.
	lldpDetail = `(?m)^Local Port id: \S`
	// lldpTable matches a row of "show lldp neighbors": IOS has the same header, and other port names.
	lldpTable = `(?m)^Device ID +Local Intf +Hold-time +Capability +Port ID[^\n]*\n` +
		`(?:[^\n]*\n){0,2}?(?:\S[^\n]*)?[ \t]+(?:Eth\d+(?:/\d+)+|mgmt\d) +\d+ `
)

var (
	detailForm = lazyregexp.New(lldpDetail)
	tableForm  = lazyregexp.New(lldpTable)
	// The name is truncated to the width of its column, or is on a separate line, with an empty column.
	neighbourRow = lazyregexp.New(`^(\S.*?)?\s+(Eth\d[\d/.]*|mgmt\d)\s+(\d+)\s+(?:([A-Z]{1,8})\s+)?(\S+)\s*$`)
	detailField  = lazyregexp.New(`^([A-Z][A-Za-z ]*?):\s+(.*)$`)
)

// readLLDP reads "show lldp neighbors" and its detail. A port that is in neither may not receive LLDP. Snapshots:
// ntc-templates.
func readLLDP(f *parse.Builder, _ []string, text []byte) error {
	switch {
	case detailForm.Match(text):
		readDetail(f, text)
	case tableForm.Match(text):
		readTable(f, text)
	default:
		return parse.ToolError(text)
	}
	return nil
}

// readTable reads the table. The column of the hold time has what the neighbour announced.
func readTable(f *parse.Builder, text []byte) {
	name, in := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		m := neighbourRow.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "Device ID "):
			in = true
		case !in, strings.HasPrefix(line, "Total entries"):
		case m == nil:
			name = strings.TrimSpace(line)
		default:
			if m[1] != "" {
				name = m[1]
			}
			n := facts.LLDPNeighbour{System: facts.OneLine(name), Port: lldp.ID("", m[5]), Via: "LLDP", Proof: f.Proof(line)}
			lldp.SetTTL(&n, m[3])
			f.Heard(port(f, m[2]).Name, n)
			name = ""
		}
	}
}

// readDetail reads the detail: one block per neighbour, whose first line is its chassis. A value that it did not
// announce is "not advertised", or the word null.
func readDetail(f *parse.Builder, text []byte) {
	var n *facts.LLDPNeighbour
	name, last := "", ""
	end := func() {
		if n != nil && name != "" && n.Chassis.Value+n.Port.Value != "" {
			f.Heard(name, *n)
		}
		n, name, last = nil, "", ""
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		m := detailField.FindStringSubmatch(line)
		if m == nil || last == "System Description" && !detailKeys[m[1]] {
			if last == "System Description" && line != "" && n != nil { // it continues
				n.Description = facts.OneLine(n.Description + " " + line)
			}
			continue
		}
		key, value := m[1], strings.TrimSpace(m[2])
		if value == "not advertised" || value == "null" {
			value = ""
		}
		if key == "Chassis id" {
			end()
			n = &facts.LLDPNeighbour{Via: "LLDP", Chassis: lldp.ID("", value)}
		}
		last = key
		if n == nil {
			continue
		}
		switch key {
		case "Port id":
			n.Port = lldp.ID("", value)
			n.Proof = f.Proof(line)
		case "Local Port id":
			name = port(f, value).Name
			f.Listens(name)
		case "Port Description":
			n.PortDescription = facts.OneLine(value)
		case "System Name":
			n.System = facts.OneLine(value)
		case "System Description":
			n.Description = facts.OneLine(value)
		case "Management Address", "Management Address IPV6":
			lldp.AddManagement(n, value)
		}
	}
	end()
}

// detailKeys are the names of a neighbour's values: a description over several lines may have others.
var detailKeys = map[string]bool{"Chassis id": true, "Time remaining": true, "System Capabilities": true,
	"Enabled Capabilities": true, "Management Address": true, "Management Address IPV6": true, "Vlan ID": true}
