package loopback

// order is the first and only line that the controller writes to the owner; the end of its input ends the loop.
type order struct {
	Ports [2]Port `json:"ports"`
}

// said is a line that the owner writes.
type said struct {
	// Files are the namespaces, ready to be entered: the link is there, and the ports reach each other.
	Files []string `json:"files,omitempty"`
	Text  string   `json:"text,omitempty"`  // something to be told
	Error string   `json:"error,omitempty"` // nothing comes of it; what was changed is taken back
	// Over is the last line: everything that could be was put back. Problems is the rest.
	Over     bool     `json:"over,omitempty"`
	Problems []string `json:"problems,omitempty"`
}
