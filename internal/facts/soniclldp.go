package facts

// readSONiCLLDP reads "show lldp table". A port that is not in it may not listen.
// The form is the one printed in SONiC's Command-Reference.md and the tests of sonic-utilities (lldpshow).
func readSONiCLLDP(f *Facts, _ []string, text []byte) error {
	list := tables(text, "LocalPort")
	if len(list) == 0 {
		return toolError(text)
	}
	for _, t := range list {
		for _, r := range t.rows {
			port, id := r.get("LOCALPORT"), lldpID("", r.get("REMOTEPORTID"))
			if port == "" || id.Value == "" {
				continue
			}
			f.heard(port, LLDPNeighbour{Port: id, System: oneLine(r.get("REMOTEDEVICE")), PortDescription: oneLine(r.get("REMOTEPORTDESCR")), Via: "LLDP", Proof: f.proof(r.line)})
		}
	}
	return nil
}
