package facts

// readOnyxRemote reads "show lldp remote | json-print": the neighbours by port. A port that is not in it may not listen.
// Capture: napalm-onyx; of the text there is none.
func readOnyxRemote(f *Facts, _ []string, text []byte) error {
	root, err := jsonTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range root.members() {
		port := f.onyxPort(p.key)
		if port == nil {
			continue
		}
		list := []*jsonNode{p}
		if p.kind == '[' {
			list = p.kids
		}
		for _, e := range list {
			if e.kid("Device ID") == nil && e.kid("Port ID") == nil {
				continue
			}
			found++
			f.heard(port.Name, LLDPNeighbour{Chassis: lldpID("", e.kid("Device ID").str()), Port: lldpID("", e.kid("Port ID").str()), System: oneLine(e.kid("System Name").str()),
				Via: "LLDP", Proof: f.proof(p.key + ": " + e.kid("Device ID").line())})
		}
	}
	if found == 0 && len(root.kids) > 0 {
		return toolError(text)
	}
	return nil
}
