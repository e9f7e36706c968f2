package parse

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
)

// ReadOnyxRemote reads "show lldp remote | json-print": the neighbours by port. A port that is missing may not receive
// LLDP. Snapshot: napalm-onyx; none of the text.
func ReadOnyxRemote(f *parse.Builder, _ []string, text []byte) error {
	root, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range root.Members() {
		port := onyxPort(f, p.Key)
		if port == nil {
			continue
		}
		list := []*parse.JSONNode{p}
		if p.Kind == '[' {
			list = p.Kids
		}
		for _, e := range list {
			if e.Kid("Device ID") == nil && e.Kid("Port ID") == nil {
				continue
			}
			found++
			f.Heard(port.Name, facts.LLDPNeighbour{Chassis: lldp.ID("", e.Kid("Device ID").Str()),
				Port: lldp.ID("", e.Kid("Port ID").Str()), System: facts.OneLine(e.Kid("System Name").Str()),
				Via: "LLDP", Proof: f.Proof(p.Key + ": " + e.Kid("Device ID").Line())})
		}
	}
	if found == 0 && len(root.Kids) > 0 {
		return parse.ToolError(text)
	}
	return nil
}
