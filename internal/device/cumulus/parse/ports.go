package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
	"linerate/internal/facts/parse/show"
)

// readNetInterfaces reads "net show interface all json" of NCLU: each port with linkstate, speed and mtu. Snapshots:
// napalm-cumulus.
func readNetInterfaces(f *parse.Builder, _ []string, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.Members() {
		state := p.Kid("linkstate")
		if state.Str() == "" || p.Kid("port_category") == nil && p.Kid("iface_obj") == nil {
			continue
		}
		found++
		port := f.Interface(p.Key)
		if p.Key == "lo" {
			port.Kind = "loopback"
		} else if c := p.Kid("port_category").Str(); strings.HasPrefix(c, "Bond") {
			port.Kind = "bond"
		} else if strings.HasPrefix(c, "Bridge") {
			port.Kind = "bridge"
		}
		show.SetState(port, !strings.HasPrefix(state.Str(), "ADM"), state.Str() == "UP", f.Proof(state.Line()))
		if port.Carrier.Or(false) && port.Kind == "" {
			parse.Learn(&port.Speed, parse.PortSpeed(p.Kid("speed").Str()))
			port.Proves("speed", f.Proof(p.Kid("speed").Line()))
		}
		if heard := p.Get("iface_obj", "lldp"); heard != nil {
			for _, e := range heard.Kids {
				f.Heard(p.Key, nclNeighbour(f, e))
			}
		}
		mtu := p.Get("iface_obj", "mtu")
		if v, err := strconv.Atoi(mtu.Str()); err == nil && v > 0 {
			port.MTU = v
			port.Proves("mtu", f.Proof(mtu.Line()))
		}
		if mac := p.Get("iface_obj", "mac").Str(); mac != "" {
			port.MAC = mac
		}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// nclNeighbour reads a neighbour in NCLU's output, which omits the chassis. A port with an empty list may not receive
// LLDP.
func nclNeighbour(f *parse.Builder, e *parse.JSONNode) facts.LLDPNeighbour {
	n := facts.LLDPNeighbour{Port: lldp.ID("", e.Kid("adj_port").Str()),
		System: facts.OneLine(e.Kid("adj_hostname").Str()), Description: facts.OneLine(e.Kid("system_descr").Str()),
		Proof: f.Proof(e.Kid("adj_hostname").Line())}
	lldp.AddManagement(&n, e.Kid("adj_mgmt_ip").Str())
	return n
}

// readNVInterfaces reads "nv show interface -o json". No snapshot of it exists: the names are those of NVUE's
// documentation.
func readNVInterfaces(f *parse.Builder, _ []string, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.Members() {
		link := p.Kid("link")
		if link == nil || !strings.HasPrefix(p.Key, "swp") {
			continue
		}
		found++
		port := f.Interface(p.Key)
		oper := link.First("oper-status", "state")
		state := oper.Str()
		if state == "" && len(oper.Members()) == 1 { // "state": {"up": {}}
			state = oper.Members()[0].Key
		}
		if state == "up" || state == "down" {
			show.SetState(port, link.Kid("admin-status").Str() != "down", state == "up", f.Proof(oper.Line()))
		}
		if port.Carrier.Or(false) {
			parse.Learn(&port.Speed, parse.PortSpeed(link.Kid("speed").Str()))
		}
		if v, err := strconv.Atoi(link.Kid("mtu").Str()); err == nil && v > 0 {
			port.MTU = v
			port.Proves("mtu", f.Proof(link.Kid("mtu").Line()))
		}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

var cumulusBuild = lazyregexp.New(`(?m)^\s*(?:Build:\s*)?Cumulus Linux (\d[\w.]*)`)

// readCumulusSystem reads "net show system", text or JSON. Snapshots: napalm-cumulus 3.2.0, suzieq 4.3.0.
func readCumulusSystem(f *parse.Builder, _ []string, text []byte) error {
	if n, err := parse.JSONTree(text); err == nil {
		if release := n.First("os-version", "product-release").Str(); release != "" {
			show.SetProduct(f, n.Get("platform", "vendor").Str(), n.Get("platform", "model").Str(), "Cumulus Linux "+release)
			return nil
		}
	}
	m := cumulusBuild.FindSubmatch(text)
	if m == nil {
		return parse.ToolError(text)
	}
	show.SetProduct(f, "", "", "Cumulus Linux "+string(m[1]))
	return nil
}
