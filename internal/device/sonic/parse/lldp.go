package parse

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
)

// ReadSONiCLLDP reads "show lldp table". A port that is missing may not receive LLDP. The form is that of SONiC's
// Command-Reference.md and the tests of sonic-utilities (lldpshow).
func ReadSONiCLLDP(f *parse.Builder, _ []string, text []byte) error {
	list := parse.Tables(text, "LocalPort")
	if len(list) == 0 {
		return parse.ToolError(text)
	}
	for _, t := range list {
		for _, r := range t.Rows {
			port, id := r.Get("LOCALPORT"), lldp.ID("", r.Get("REMOTEPORTID"))
			if port == "" || id.Value == "" {
				continue
			}
			f.Heard(port, facts.LLDPNeighbour{Port: id, System: facts.OneLine(r.Get("REMOTEDEVICE")),
				PortDescription: facts.OneLine(r.Get("REMOTEPORTDESCR")), Via: "LLDP", Proof: f.Proof(r.Line)})
		}
	}
	return nil
}
