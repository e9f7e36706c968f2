package facts

import (
	"strings"
	"time"
)

// Needs is what an agent looked at on its host beside the capture, because a run wants it: what a capture, which may come from anywhere, does not
// have. A string that says why something is not so is empty where it is so.
type Needs struct {
	User   string `json:"user"` // whom the agent runs as
	UID    int    `json:"uid"`  // -1: the system has no such numbers
	System string `json:"system"`
	// Family is whose packages the system takes: "debian", "fedora", "suse", "arch", "alpine", "freebsd", or the ID of its
	// os-release; empty: not known.
	Family string `json:"family"`
	// Capabilities are the mask CapEff of /proc/self/status; nil: not known.
	Capabilities *uint64           `json:"capabilities"`
	Programs     map[string]string `json:"programs"` // where each of those asked for is; empty: nowhere
	// NoRing is why block experiments do without io_uring, and NoNamespaces why this user can make no network namespace; "-": the
	// question does not arise on this system.
	NoRing       string `json:"no_ring"`
	NoNamespaces string `json:"no_namespaces"`
	// TCPInfo is how many bytes of struct tcp_info the kernel fills; 0: not known.
	TCPInfo     int     `json:"tcp_info"`
	ClockSource string  `json:"clock_source"` // empty: not known
	Clock       Clock   `json:"clock"`
	WallNS      int64   `json:"wall_ns"` // the host's calendar clock at the answer, nanoseconds since 1970
	Busy        *Busy   `json:"busy"`    // nil: not known
	Idle        []Sleep `json:"idle"`    // states of idling of the first processor that may be entered; nil: not known
	Rooms       []Room  `json:"rooms,omitempty"`
}

// Room is a path of the host, in the order in which they were asked for, and what can be written there.
type Room struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`            // "folder", "file", "device"; empty: it was not looked at, and Lacks says why
	Lacks string `json:"lacks,omitempty"` // why no file can be made there; empty: nothing is known that would stand in the way
	Free  *int64 `json:"free"`            // bytes that this user may still write to its file system; nil: not known
	// FileSystem is its type ("ext4", "nfs4"), Mount where it begins, Source what is mounted there ("/dev/sda1", "nas:/tank"); empty: not known.
	FileSystem string `json:"file_system,omitempty"`
	Mount      string `json:"mount,omitempty"`
	Source     string `json:"source,omitempty"`
}

// Clock is what the host's monotonic clock resolves, in seconds.
type Clock struct {
	Resolution float64 `json:"resolution"` // the smallest step seen; 0: it did not move
	Cost       float64 `json:"cost"`       // of one reading
	Overshoot  float64 `json:"overshoot"`  // by how much a sleep of a millisecond ended late, 99th percentile
}

// Busy is what others had of the processors for a moment.
type Busy struct {
	Cores  int           `json:"cores"`
	Share  float64       `json:"share"` // of all processors' time, without the agent's own
	Window time.Duration `json:"window"`
}

// Sleep is a state of idling.
type Sleep struct {
	Name    string        `json:"name"`    // "C6"
	Latency time.Duration `json:"latency"` // that the processor takes to leave it
}

// ParseRelease reads /etc/os-release: how the system calls itself, and whose packages it takes.
// Format: os-release(5).
func ParseRelease(text []byte) (system, family string) {
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			values[key] = oneLine(strings.Trim(value, `"'`))
		}
	}
	system = values["PRETTY_NAME"]
	if system == "" {
		system = strings.TrimSpace(values["NAME"] + " " + values["VERSION_ID"])
	}
	for _, id := range append([]string{values["ID"]}, strings.Fields(values["ID_LIKE"])...) {
		switch {
		case id == "debian" || id == "ubuntu":
			return system, "debian"
		case id == "fedora" || id == "rhel" || id == "centos":
			return system, "fedora"
		case id == "suse" || id == "opensuse" || strings.HasPrefix(id, "opensuse-") || id == "sles":
			return system, "suse"
		case id == "arch" || id == "alpine" || id == "freebsd":
			return system, id
		}
	}
	return system, values["ID"]
}

// Processors is the time of all cores of /proc/stat, in seconds: what was worked, and all of it.
func Processors(cores []CoreTime) (worked, all float64) {
	for _, c := range cores {
		w := c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal
		worked, all = worked+w, all+w+c.Idle+c.IOWait
	}
	return worked, all
}
