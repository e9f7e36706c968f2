package parse

import (
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
)

var (
	eosLLDPHead  = lazyregexp.New(`(?m)^\s*Interface (\S+) detected (\d+) LLDP neighbors?:`)
	eosNeighbour = lazyregexp.New(`^\s*Neighbor \S+/.*, age (\d+) seconds`)
	eosLLDPField = lazyregexp.New(`^\s+(?:- )?([A-Z][A-Za-z ]*?)\s*:\s?(.*)$`)
	eosLLDPTable = lazyregexp.New(`(?m)^\s*Port\s+Neighbor Device ID\s+Neighbor Port ID\s+TTL`)
)

// ReadEOSLLDP reads "show lldp neighbors", as table or JSON, and its detail, as text or JSON. The detail lists every
// port that receives LLDP; a port that is not in the table may not. Snapshots: ntc-templates, napalm, suzieq.
func ReadEOSLLDP(f *parse.Builder, _ []string, text []byte) error {
	switch {
	case eosLLDPHead.Match(text):
		eosLLDPText(f, text)
		return nil
	case eosLLDPTable.Match(text):
		for _, t := range parse.Tables(text, "Port") {
			for _, r := range t.Rows {
				n := facts.LLDPNeighbour{System: r.Get("NEIGHBOR DEVICE ID"), Port: lldp.ID("", r.Get("NEIGHBOR PORT ID")),
					Via: "LLDP", Proof: f.Proof(r.Line)}
				lldp.SetTTL(&n, r.Get("TTL"))
				if n.Port.Value != "" && n.TTL.IsKnown() {
					f.Heard(eosPort(f, r.Get("PORT")).Name, n)
				}
			}
		}
		return nil
	}
	root, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	list := root.Kid("lldpNeighbors")
	if list == nil {
		return parse.ToolError(text)
	}
	if list.Kind == '[' { // of the table
		for _, e := range list.Kids {
			n := facts.LLDPNeighbour{System: e.Kid("neighborDevice").Str(), Port: lldp.ID("", e.Kid("neighborPort").Str()),
				Via: "LLDP", Proof: f.Proof(e.Kid("neighborDevice").Line())}
			lldp.SetTTL(&n, e.Kid("ttl").Str())
			if port := e.Kid("port").Str(); port != "" {
				f.Heard(eosPort(f, port).Name, n)
			}
		}
		return nil
	}
	for _, p := range list.Kids {
		infos := p.Kid("lldpNeighborInfo")
		if p.Key == "" || infos == nil {
			continue
		}
		name := eosPort(f, p.Key).Name
		f.Listens(name)
		for _, e := range infos.Kids {
			f.Heard(name, eosLLDPJSON(f, name, e))
		}
	}
	return nil
}

func eosLLDPJSON(f *parse.Builder, port string, e *parse.JSONNode) facts.LLDPNeighbour {
	of := e.Kid("neighborInterfaceInfo")
	n := facts.LLDPNeighbour{Chassis: lldp.ID(e.Kid("chassisIdType").Str(), e.Kid("chassisId").Str()),
		Port:   lldp.ID(of.Kid("interfaceIdType").Str(), of.Kid("interfaceId").Str()),
		System: facts.OneLine(e.Kid("systemName").Str()), Description: facts.OneLine(e.Kid("systemDescription").Str()),
		PortDescription: facts.OneLine(of.Kid("interfaceDescription").Str()), Via: "LLDP",
		Proof: f.Proof(port + ": " + of.Kid("interfaceId").Line())}
	lldp.SetTTL(&n, e.Kid("ttl").Str())
	if m := e.Kid("managementAddresses"); m != nil {
		for _, a := range m.Kids {
			lldp.AddManagement(&n, a.Kid("address").Str())
		}
	}
	return n
}

// eosLLDPText reads the detail's text.
func eosLLDPText(f *parse.Builder, text []byte) {
	var n *facts.LLDPNeighbour
	var chassisKind, portKind, name, last string
	end := func() {
		if n != nil && n.Chassis.Value+n.Port.Value != "" {
			f.Heard(name, *n)
		}
		n, chassisKind, portKind, last = nil, "", "", ""
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := eosLLDPHead.FindStringSubmatch(line); m != nil {
			end()
			name = eosPort(f, m[1]).Name
			f.Listens(name)
			continue
		}
		if name == "" {
			continue
		}
		if m := eosNeighbour.FindStringSubmatch(line); m != nil {
			end()
			n = &facts.LLDPNeighbour{Via: "LLDP", Proof: f.Proof(name + ": " + line)}
			if s, err := strconv.Atoi(m[1]); err == nil && s >= 0 {
				n.Age = unit.Known(time.Duration(min(s, 1<<30)) * time.Second)
			}
			continue
		}
		if n == nil {
			continue
		}
		m := eosLLDPField.FindStringSubmatch(line)
		if m == nil {
			if last == "System Description" && line != "" { // it continues, in quotes
				n.Description = facts.OneLine(n.Description + " " + strings.Trim(strings.TrimSpace(line), `"`))
			}
			continue
		}
		value := strings.Trim(strings.TrimSpace(m[2]), `"`)
		kind, _, _ := strings.Cut(value, " (")
		last = m[1]
		switch m[1] {
		case "Chassis ID type":
			chassisKind = kind
		case "Chassis ID":
			n.Chassis = lldp.ID(chassisKind, value)
		case "Port ID type":
			portKind = kind
		case "Port ID":
			if n.Port.Value == "" { // link aggregation has one too
				n.Port = lldp.ID(portKind, value)
			}
		case "Port Description":
			n.PortDescription = facts.OneLine(value)
		case "Time To Live":
			lldp.SetTTL(n, value)
		case "System Name":
			n.System = facts.OneLine(value)
		case "System Description":
			n.Description = facts.OneLine(value)
		case "Management Address":
			lldp.AddManagement(n, value)
		}
	}
	end()
}
