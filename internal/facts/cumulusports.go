package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// readNetInterfaces reads "net show interface all json" of NCLU: each port with linkstate, speed and mtu. Captures: napalm-cumulus.
func readNetInterfaces(f *Facts, _ []string, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.members() {
		state := p.kid("linkstate")
		if state.str() == "" || p.kid("port_category") == nil && p.kid("iface_obj") == nil {
			continue
		}
		found++
		port := f.nic(p.key)
		if p.key == "lo" {
			port.Kind = "loopback"
		} else if c := p.kid("port_category").str(); strings.HasPrefix(c, "Bond") {
			port.Kind = "bond"
		} else if strings.HasPrefix(c, "Bridge") {
			port.Kind = "bridge"
		}
		port.eosState(!strings.HasPrefix(state.str(), "ADM"), state.str() == "UP", f.proof(state.line()))
		if port.Carrier.Or(false) && port.Kind == "" {
			learn(&port.Speed, portSpeed(p.kid("speed").str()))
			port.proves("speed", f.proof(p.kid("speed").line()))
		}
		if heard := p.get("iface_obj", "lldp"); heard != nil {
			for _, e := range heard.kids {
				f.heard(p.key, nclNeighbour(f, e))
			}
		}
		mtu := p.get("iface_obj", "mtu")
		if v, err := strconv.Atoi(mtu.str()); err == nil && v > 0 {
			port.MTU = v
			port.proves("mtu", f.proof(mtu.line()))
		}
		if mac := p.get("iface_obj", "mac").str(); mac != "" {
			port.MAC = mac
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

// nclNeighbour is a neighbour as NCLU has it, which leaves out the chassis. An empty list may be of a port that does not listen.
func nclNeighbour(f *Facts, e *jsonNode) LLDPNeighbour {
	n := LLDPNeighbour{Port: lldpID("", e.kid("adj_port").str()), System: oneLine(e.kid("adj_hostname").str()), Description: oneLine(e.kid("system_descr").str()),
		Proof: f.proof(e.kid("adj_hostname").line())}
	n.manage(e.kid("adj_mgmt_ip").str())
	return n
}

// readNVInterfaces reads "nv show interface -o json". There is no capture of it: the names are those of NVUE's own description.
func readNVInterfaces(f *Facts, _ []string, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.members() {
		link := p.kid("link")
		if link == nil || !strings.HasPrefix(p.key, "swp") {
			continue
		}
		found++
		port := f.nic(p.key)
		oper := link.first("oper-status", "state")
		state := oper.str()
		if state == "" && len(oper.members()) == 1 { // "state": {"up": {}}
			state = oper.members()[0].key
		}
		if state == "up" || state == "down" {
			port.eosState(link.kid("admin-status").str() != "down", state == "up", f.proof(oper.line()))
		}
		if port.Carrier.Or(false) {
			learn(&port.Speed, portSpeed(link.kid("speed").str()))
		}
		if v, err := strconv.Atoi(link.kid("mtu").str()); err == nil && v > 0 {
			port.MTU = v
			port.proves("mtu", f.proof(link.kid("mtu").line()))
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

var cumulusBuild = lazyregexp.New(`(?m)^\s*(?:Build:\s*)?Cumulus Linux (\d[\w.]*)`)

// readCumulusSystem reads "net show system", text or JSON. Captures: napalm-cumulus 3.2.0, suzieq 4.3.0.
func readCumulusSystem(f *Facts, _ []string, text []byte) error {
	if n, err := jsonTree(text); err == nil {
		if release := n.first("os-version", "product-release").str(); release != "" {
			f.isProduct(n.get("platform", "vendor").str(), n.get("platform", "model").str(), "Cumulus Linux "+release)
			return nil
		}
	}
	m := cumulusBuild.FindSubmatch(text)
	if m == nil {
		return toolError(text)
	}
	f.isProduct("", "", "Cumulus Linux "+string(m[1]))
	return nil
}
