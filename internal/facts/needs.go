package facts

import (
	"strings"
	"time"
)

// Needs is what an agent checks on its host for a run, besides the snapshot, which may come from elsewhere. A string
// with the reason why something is not possible is empty if it is.
type Needs struct {
	User   string `json:"user"` // that the agent runs as
	UID    int    `json:"uid"`  // -1: the system has no such numbers
	System string `json:"system"`
	// Family is the package format of the system: "debian", "fedora", "suse", "arch", "alpine", "freebsd", or the ID of
	// its os-release; empty: unknown.
	Family string `json:"family"`
	// Capabilities are the mask CapEff of /proc/self/status; nil: unknown.
	Capabilities *uint64           `json:"capabilities"`
	Programs     map[string]string `json:"programs"` // paths of the programs in question; empty: missing
	// NoRing is why block experiments cannot use io_uring, and NoNamespaces why this user cannot create network
	// namespaces; "-": not applicable on this system.
	NoRing       string `json:"no_ring"`
	NoNamespaces string `json:"no_namespaces"`
	// TCPInfo is how many bytes of struct tcp_info the kernel fills; 0: unknown.
	TCPInfo     int     `json:"tcp_info"`
	ClockSource string  `json:"clock_source"` // empty: unknown
	Clock       Clock   `json:"clock"`
	WallNS      int64   `json:"wall_ns"` // the host's calendar clock at the response, nanoseconds since 1970
	Busy        *Busy   `json:"busy"`    // nil: unknown
	Idle        []Sleep `json:"idle"`    // enabled idle states of the first CPU; nil: unknown
	Rooms       []Room  `json:"rooms,omitempty"`
}

// Room is a path of the host, in the order of the request, and the space there.
type Room struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // "folder", "file", "device"; empty: not checked, Missing is the reason
	// why no file can be created; empty: no known reason
	Missing string `json:"missing,omitempty"`
	Free    *int64 `json:"free"` // bytes that this user may still write to its file system; nil: unknown
	// FileSystem is its type ("ext4", "nfs4"), Mount its mount point, Source what is mounted ("/dev/sda1", "nas:/tank");
	// empty: unknown.
	FileSystem string `json:"file_system,omitempty"`
	Mount      string `json:"mount,omitempty"`
	Source     string `json:"source,omitempty"`
}

// Clock is the resolution of the host's monotonic clock, in seconds.
type Clock struct {
	Resolution float64 `json:"resolution"` // the smallest step seen; 0: it did not move
	Cost       float64 `json:"cost"`       // of one reading
	Overshoot  float64 `json:"overshoot"`  // how late a sleep of a millisecond ended, 99th percentile
}

// Busy is the CPU time of other processes during a moment.
type Busy struct {
	Cores    int           `json:"cores"`
	Share    float64       `json:"share"` // of all CPUs' time, without the agent's own
	Interval time.Duration `json:"interval"`
}

// Sleep is an idle state.
type Sleep struct {
	Name    string        `json:"name"`    // "C6"
	Latency time.Duration `json:"latency"` // that the CPU needs to leave it
}

// packageFamilies are the package formats by the IDs of os-release.
var packageFamilies = map[string]string{"debian": "debian", "ubuntu": "debian", "fedora": "fedora", "rhel": "fedora",
	"centos": "fedora", "suse": "suse", "opensuse": "suse", "sles": "suse", "arch": "arch", "alpine": "alpine",
	"freebsd": "freebsd"}

// ParseRelease reads /etc/os-release: the system's name, and its package format. Format: os-release(5).
func ParseRelease(text []byte) (system, family string) {
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			values[key] = OneLine(strings.Trim(value, `"'`))
		}
	}
	system = values["PRETTY_NAME"]
	if system == "" {
		system = strings.TrimSpace(values["NAME"] + " " + values["VERSION_ID"])
	}
	for _, id := range append([]string{values["ID"]}, strings.Fields(values["ID_LIKE"])...) {
		if strings.HasPrefix(id, "opensuse-") {
			return system, "suse"
		}
		if family, ok := packageFamilies[id]; ok {
			return system, family
		}
	}
	return system, values["ID"]
}

// CPUs returns the time of all cores in /proc/stat, in seconds: busy, and total.
func CPUs(cores []CoreTime) (worked, all float64) {
	for _, c := range cores {
		w := c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal
		worked, all = worked+w, all+w+c.Idle+c.IOWait
	}
	return worked, all
}
