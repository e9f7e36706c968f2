// Package method is the table of what linerate can measure: each method with its properties, and each setting of an
// experiment, declared once. The decoder and JSON Schema of fabric files, the flags and help of measure, and the
// refusals of run derive from it.
//
// Other packages query a property of a method. They never compare it with a name.
package method

import (
	"slices"
	"strings"
)

// The names of the methods, as in fabric files and records.
const (
	Throughput = "throughput"
	Latency    = "latency"
	RDMA       = "rdma"
	Storage    = "storage"
	Copy       = "copy"
	Halo       = "halo"
	Command    = "command"
	Acceptance = "acceptance"
	Lossless   = "lossless"
)

// Method is one way to measure. A property that does not apply is false. The zero Method is an unknown name.
type Method struct {
	Name string
	// Alias is another name, understood in fabric files, on command lines and in records, and never written.
	Alias string
	Ends  Ends

	ByHand  bool // linerate measure has it
	Own     bool // of those: has its own command with its own flags
	Grouped bool // linerate measures it among several hosts at once
	ByPath  bool // an experiment can name the links that it uses (via)
	OverIP  bool // its transports are those of IP

	Bulk          bool // goodput of TCP or UDP in a direction
	FillsLinks    bool // goodput that is compared with what the links can carry, RDMA and storage aside
	RoundTrips    bool // requests and responses over TCP, UDP or ICMP
	UsesRDMA      bool // RDMA requests between two hosts
	Exchanges     bool // halo exchange of processes on several hosts
	Stores        bool // reads and writes of storage
	CopiesFiles   bool // copies of files by a tool
	RunsCommand   bool // a command of the user's own
	BoundsErrors  bool // a bound on a link's bit errors
	ProvesClasses bool // an incast in each lossless class
}

// Ends are the endpoints that an experiment of a method has.
type Ends struct {
	Pair  bool // from and to; on: links stands for every link
	From  bool // it needs from
	To    bool // it needs to
	On    bool // hosts in on, unless it has from
	Group bool // hosts instead of from and to
	Store bool // from and to may be drives and volumes
}

// methods lists every method, in the order of messages. It is never modified.
var methods = []Method{
	{Name: Throughput, Alias: "stream", Ends: pair, ByHand: true, Grouped: true, ByPath: true, OverIP: true, Bulk: true,
		FillsLinks: true},
	{Name: Latency, Alias: "ping", Ends: pair, ByHand: true, ByPath: true, OverIP: true, RoundTrips: true},
	{Name: RDMA, Alias: "verbs", Ends: pair, ByHand: true, ByPath: true, UsesRDMA: true},
	{Name: Storage, Alias: "block", Ends: Ends{To: true, Store: true}, ByHand: true, Own: true, Grouped: true,
		Stores: true},
	{Name: Copy, Ends: Ends{From: true, To: true, Store: true}, ByHand: true, Own: true, ByPath: true, CopiesFiles: true},
	{Name: Halo, Ends: Ends{Pair: true, From: true, To: true, Group: true}, Grouped: true, ByPath: true, Exchanges: true},
	{Name: Command, Alias: "app", Ends: Ends{On: true}, ByHand: true, Own: true, ByPath: true, OverIP: true,
		RunsCommand: true},
	{Name: Acceptance, Ends: pair, ByHand: true, ByPath: true, OverIP: true, FillsLinks: true, BoundsErrors: true},
	{
		Name:          Lossless,
		Alias:         "proof",
		Grouped:       true,
		OverIP:        true,
		FillsLinks:    true,
		ProvesClasses: true,
	}, // without endpoints: all hosts of a subnet to one
}

// pair describes a method between two hosts.
var pair = Ends{Pair: true, From: true, To: true}

// Named returns the method with a name or alias, or the zero Method.
func Named(name string) Method {
	for i := range methods {
		if methods[i].Name == name || methods[i].Alias == name && name != "" {
			return methods[i]
		}
	}
	return Method{}
}

// Known reports whether linerate has the method.
func (m Method) Known() bool { return m.Name != "" }

// Canonical returns the name of the method with a name or alias. It returns another text as it is.
func Canonical(name string) string {
	if m := Named(name); m.Known() {
		return m.Name
	}
	return name
}

// Spellings returns the names and aliases of all methods.
func Spellings() []string {
	var names []string
	for _, m := range methods {
		if names = append(names, m.Name); m.Alias != "" {
			names = append(names, m.Alias)
		}
	}
	return names
}

// Synonym returns the name of the method that is meant by the name of a program or by a common word for what is
// measured, such as iperf3 or bandwidth; empty if there is none.
func Synonym(word string) string {
	return map[string]string{
		"iperf": Throughput, "iperf2": Throughput, "iperf3": Throughput, "netperf": Throughput, "bandwidth": Throughput,
		"speed": Throughput, "goodput": Throughput, "tcp": Throughput, "udp": Throughput, "nuttcp": Throughput,
		"rtt": Latency, "delay": Latency, "icmp": Latency, "sockperf": Latency, "qperf": Latency,
		"perftest": RDMA, "roce": RDMA, "infiniband": RDMA, "ib": RDMA, "iwarp": RDMA, "ibverbs": RDMA,
		"ib_write_bw": RDMA, "ib_read_bw": RDMA, "ib_send_bw": RDMA, "ib_write_lat": RDMA, "ib_read_lat": RDMA,
		"ib_send_lat": RDMA,
		"fio":         Storage, "diskspd": Storage, "crystaldiskmark": Storage, "disk": Storage, "drive": Storage,
		"io":   Storage,
		"iops": Storage, "vmfleet": Storage,
		"cp": Copy, "robocopy": Copy, "rsync": Copy, "scp": Copy, "file": Copy, "files": Copy,
		"mpi": Halo, "stencil": Halo, "exchange": Halo,
		"exec": Command, "run": Command, "shell": Command, "program": Command, "application": Command,
		"ber": Acceptance, "bert": Acceptance, "link-test": Acceptance, "bit-error-rate": Acceptance,
		"pfc": Lossless, "incast": Lossless,
	}[strings.ToLower(word)]
}

// MeantValue returns the value of a setting that somebody means who writes a common word for it: upload for the
// direction out; empty if there is none.
func MeantValue(key, word string) string {
	return map[string]map[string]string{
		"direction": {
			"upload": "out", "up": "out", "tx": "out", "send": "out", "sending": "out", "outgoing": "out", "forward": "out",
			"download": "in", "down": "in", "rx": "in", "receive": "in", "receiving": "in", "incoming": "in", "reverse": "in",
			"bidir": "both", "bidirectional": "both", "duplex": "both", "full-duplex": "both",
		},
		"transport": {
			"roce": "rocev2", "infiniband": "ib", "ping": "icmp", "cifs": "smb", "samba": "smb", "nvme": "nvme-tcp",
			"nvmeof": "nvme-tcp", "sftp": "ssh", "scp": "ssh",
		},
		"traffic": {"mesh": "all-to-all", "many-to-one": "incast"},
		"access":  {"rand": "random", "seq": "sequential"},
	}[key][strings.ToLower(word)]
}

// Names returns the names of the methods that meet a condition; nil: all.
func Names(meets func(Method) bool) []string {
	var names []string
	for _, m := range methods {
		if meets == nil || meets(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// SharesFlags reports whether the method runs between two hosts on a command line that shares its flags with other
// methods.
func SharesFlags(name string) bool {
	m := Named(name)
	return m.ByHand && !m.Own
}

// Takes reports whether experiments of a method may have a setting. It is true for a key that is not a setting.
func Takes(name, key string) bool {
	s, ok := find(key)
	return !ok || s.Of(name)
}

// Measures reports whether this version of linerate measures a method with a setting.
func Measures(name, key string) bool {
	m := Named(name)
	if key == "via" {
		return m.ByPath
	}
	s, ok := find(key)
	return ok && m.Known() && s.Of(name) && !slices.Contains(s.Later, name)
}

// Programs returns the programs whose output linerate can read: the values of the setting app.
func Programs() []string {
	return []string{"lammps", "osu_latency", "osu_bw", "imb_latency", "imb_bw", "iperf3", "fio",
		"ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_write_lat", "ib_read_lat", "ib_send_lat"}
}

func join(words []string) string { return strings.Join(words, ", ") }
