package device

// Source is the id of a document in which the form of a command is written.
type Source string

// Sources are the documents that several families share. Each family has its own beside them.
var Sources = map[Source]string{
	"ip-link(8)":    "iproute2, ip-link(8)",
	"ip-address(8)": "iproute2, ip-address(8)",
	"ip-route(8)":   "iproute2, ip-route(8)",
	"sysctl(8)":     "procps, sysctl(8); keys: kernel documentation, networking/ip-sysctl",
	"ethtool(8)":    "ethtool(8)",
	"hosts(5)":      "hosts(5)",
	"plan":          "linerate's own: it only prints or compares",
}
