package facts

import (
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/lazyregexp"
)

var (
	eosLLDPHead  = lazyregexp.New(`(?m)^\s*Interface (\S+) detected (\d+) LLDP neighbors?:`)
	eosNeighbour = lazyregexp.New(`^\s*Neighbor \S+/.*, age (\d+) seconds`)
	eosLLDPField = lazyregexp.New(`^\s+(?:- )?([A-Z][A-Za-z ]*?)\s*:\s?(.*)$`)
	eosLLDPTable = lazyregexp.New(`(?m)^\s*Port\s+Neighbor Device ID\s+Neighbor Port ID\s+TTL`)
)

// readEOSLLDP reads "show lldp neighbors", table or JSON, and its detail, text or JSON. The detail names every port that listens; of the
// table a port that is not in it may not. Captures: ntc-templates, napalm, suzieq.
func readEOSLLDP(f *Facts, _ []string, text []byte) error {
	switch {
	case eosLLDPHead.Match(text):
		f.eosLLDPText(text)
		return nil
	case eosLLDPTable.Match(text):
		for _, t := range tables(text, "Port") {
			for _, r := range t.rows {
				n := LLDPNeighbour{System: r.get("NEIGHBOR DEVICE ID"), Port: lldpID("", r.get("NEIGHBOR PORT ID")), Via: "LLDP", Proof: f.proof(r.line)}
				n.lasts(r.get("TTL"))
				if n.Port.Value != "" && n.TTL.IsKnown() {
					f.heard(f.eosPort(r.get("PORT")).Name, n)
				}
			}
		}
		return nil
	}
	root, err := jsonTree(text)
	if err != nil {
		return err
	}
	list := root.kid("lldpNeighbors")
	if list == nil {
		return toolError(text)
	}
	if list.kind == '[' { // of the table
		for _, e := range list.kids {
			n := LLDPNeighbour{System: e.kid("neighborDevice").str(), Port: lldpID("", e.kid("neighborPort").str()), Via: "LLDP", Proof: f.proof(e.kid("neighborDevice").line())}
			n.lasts(e.kid("ttl").str())
			if port := e.kid("port").str(); port != "" {
				f.heard(f.eosPort(port).Name, n)
			}
		}
		return nil
	}
	for _, p := range list.kids {
		infos := p.kid("lldpNeighborInfo")
		if p.key == "" || infos == nil {
			continue
		}
		name := f.eosPort(p.key).Name
		f.listens(name)
		for _, e := range infos.kids {
			f.heard(name, f.eosLLDPJSON(name, e))
		}
	}
	return nil
}

func (f *Facts) eosLLDPJSON(port string, e *jsonNode) LLDPNeighbour {
	of := e.kid("neighborInterfaceInfo")
	n := LLDPNeighbour{
		Chassis: lldpID(e.kid("chassisIdType").str(), e.kid("chassisId").str()), Port: lldpID(of.kid("interfaceIdType").str(), of.kid("interfaceId").str()),
		System: oneLine(e.kid("systemName").str()), Description: oneLine(e.kid("systemDescription").str()), PortDescription: oneLine(of.kid("interfaceDescription").str()),
		Via: "LLDP", Proof: f.proof(port + ": " + of.kid("interfaceId").line()),
	}
	n.lasts(e.kid("ttl").str())
	if m := e.kid("managementAddresses"); m != nil {
		for _, a := range m.kids {
			n.manage(a.kid("address").str())
		}
	}
	return n
}

// eosLLDPText reads the detail's text.
func (f *Facts) eosLLDPText(text []byte) {
	var n *LLDPNeighbour
	var chassisKind, portKind, name, last string
	end := func() {
		if n != nil && n.Chassis.Value+n.Port.Value != "" {
			f.heard(name, *n)
		}
		n, chassisKind, portKind, last = nil, "", "", ""
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := eosLLDPHead.FindStringSubmatch(line); m != nil {
			end()
			name = f.eosPort(m[1]).Name
			f.listens(name)
			continue
		}
		if name == "" {
			continue
		}
		if m := eosNeighbour.FindStringSubmatch(line); m != nil {
			end()
			n = &LLDPNeighbour{Via: "LLDP", Proof: f.proof(name + ": " + line)}
			if s, err := strconv.Atoi(m[1]); err == nil && s >= 0 {
				n.Age = known(time.Duration(min(s, 1<<30)) * time.Second)
			}
			continue
		}
		if n == nil {
			continue
		}
		m := eosLLDPField.FindStringSubmatch(line)
		if m == nil {
			if last == "System Description" && line != "" { // it goes on, in quotes
				n.Description = oneLine(n.Description + " " + strings.Trim(strings.TrimSpace(line), `"`))
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
			n.Chassis = lldpID(chassisKind, value)
		case "Port ID type":
			portKind = kind
		case "Port ID":
			if n.Port.Value == "" { // link aggregation has one too
				n.Port = lldpID(portKind, value)
			}
		case "Port Description":
			n.PortDescription = oneLine(value)
		case "Time To Live":
			n.lasts(value)
		case "System Name":
			n.System = oneLine(value)
		case "System Description":
			n.Description = oneLine(value)
		case "Management Address":
			n.manage(value)
		}
	}
	end()
}
