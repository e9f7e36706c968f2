package device

// Source is the id of a document in which the form of a command is written.
type Source string

// sources says what stands behind an id. A line whose form stands nowhere is not rendered.
var sources = map[Source]string{
	"ip-link(8)":    "iproute2, ip-link(8)",
	"ip-address(8)": "iproute2, ip-address(8)",
	"ip-route(8)":   "iproute2, ip-route(8)",
	"sysctl(8)":     "procps, sysctl(8); keys: kernel documentation, networking/ip-sysctl",
	"ethtool(8)":    "ethtool(8)",
	"hosts(5)":      "hosts(5)",
	"plan":          "linerate's own: it only prints or compares",
}

// Register adds documents; families call it in variables of their own. An id that is there twice with two texts is a mistake of the program.
func Register(more map[Source]string) bool {
	for id, text := range more {
		if old, ok := sources[id]; ok && old != text {
			panic("config: the source " + string(id) + " is there twice")
		}
		sources[id] = text
	}
	return true
}

// Document is the document behind an id, and whether it is known.
func (s Source) Document() (string, bool) {
	text, ok := sources[s]
	return text, ok
}
