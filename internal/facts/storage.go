package facts

import (
	"net/netip"
	"strings"

	"linerate/internal/base/unit"
)

// Storage is what a host's storage clients say: over which connections they reach their servers.
type Storage struct {
	Mounts []Mount          // of network file systems; nil if unknown
	SMB    *SMBClient       // of the kernel; nil if unknown
	ISCSI  []ISCSISession   // nil if unknown
	NVMe   []NVMeController // nil if unknown
	Pools  []Pool           // of ZFS; nil if unknown
	Arrays []Array          // software RAID of Linux; nil if unknown
	Drives []Drive          // nil if unknown
	Blocks []BlockCount     // counters of block devices; nil if unknown
	Layers []BlockLayer     // what block devices lie on, as far as they do on others; nil: none does, or it is not known
}

// storageSources are those of storage clients.
func storageSources() []source {
	return []source{
		parsed("proc/mounts", parseMounts, putMounts).on("linux").
			keptAs("proc mounts", `(?m)^\S+ /\S* (?:nfs4?|cifs|smb3) \S+ \d+ \d+$`),
		source{name: "proc/fs/cifs/DebugData", os: "linux", read: readCIFS}.
			keptAs("proc fs cifs debugdata", `^Display Internal CIFS Data Structures`),
		source{name: "iscsiadm -m session", os: "linux", read: readISCSI}.
			keptAs("iscsiadm", `(?m)^(?:iSCSI Transport Class|\s*Current Portal:|tcp: \[\d+\] )`),
		source{name: "grep . /sys/class/nvme/nvme*/transport", os: "linux", read: readNVMeFiles},
		source{name: "nvme list-subsys", os: "linux", read: readNVMeSubsystems}.
			keptAs("nvme list subsys", `(?m)^nvme-subsys\d+ - NQN=|^\s*(?:\[\s*)?\{\s*(?:"HostNQN":[^\n]*\n\s*(?:"HostID":[^\n]*\n\s*)?)?"Subsystems"\s*:`),
		parsed("nvme list", parseNVMeList, putNVMe).on("linux").
			keptAs("nvme list", `(?s)^\s*\{\s*"Devices"|^Node +(?:Generic +)?SN +Model`),
		parsed("zpool status", parseZpoolStatus, putPools).
			keptAs("zpool status", `(?m)^ *pool: \S+\n *state: `),
		parsed("proc/mdstat", parseMdstat, putArrays).on("linux").
			keptAs("proc mdstat", `^Personalities :`),
		parsed("proc/diskstats", parseDiskstats, func(f *Facts, _ []string, v []BlockCount) { f.Storage.Blocks = v }).on("linux").
			keptAs("proc diskstats", `^ +\d+ +\d+ [a-z][\w-]* \d+ \d+ \d+ \d+ `),
		{name: layersSource, os: "linux", read: readLayers},
		{name: loopsSource, os: "linux", read: readLoops},
		parsed("lsblk", parseLsblk, func(f *Facts, _ []string, v []Drive) { f.Storage.Drives = v }).on("linux").
			keptAs("lsblk", `^\s*\{\s*"blockdevices"`),
		parsed("zpool list", parseZpoolList, putPools).
			keptAs("zpool list", `^NAME\s+SIZE\s+ALLOC\s+FREE\s`),
	}
}

// storageCommand brings the ways to write these commands into the form of the table.
func storageCommand(words []string) (name string, ok bool) {
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	rest := strings.Join(words[1:], " ")
	switch {
	case tool == "iscsiadm" && strings.HasPrefix(rest, "-m session"), tool == "iscsiadm" && strings.HasPrefix(rest, "--mode session"):
		return "iscsiadm -m session", true
	case tool == "nvme" && strings.HasPrefix(rest, "list-subsys"):
		return "nvme list-subsys", true
	case tool == "nvme" && (rest == "list" || strings.HasPrefix(rest, "list -")):
		return "nvme list", true
	case tool == "zpool" && len(words) > 1 && (words[1] == "status" || words[1] == "list"):
		return "zpool " + words[1], true
	case tool == "lsblk":
		return tool, true
	case tool == "mounts" && len(words) == 1 && strings.HasPrefix(strings.TrimPrefix(words[0], "/"), "proc/"), words[0] == "/etc/mtab":
		return "proc/mounts", true
	}
	return "", false
}

// Mount is a file system of a server.
type Mount struct {
	From, At, Kind string            // "10.0.1.2:/pool", "/mnt", "nfs4"
	Options        map[string]string // "proto": "tcp", "rdma": ""
	Server         netip.Addr        // invalid: not known
	Proof
}

// Connections is how many connections it has to its server: nconnect of NFS, max_channels of SMB with multichannel.
func (m *Mount) Connections() int {
	for _, key := range []string{"nconnect", "max_channels"} {
		if n := atoi(m.Options[key]); n > 0 && (key == "nconnect" || has(m.Options, "multichannel")) {
			return n
		}
	}
	return 1
}

// RDMA says whether it goes over RDMA.
func (m *Mount) RDMA() bool {
	return has(m.Options, "rdma") || strings.HasPrefix(m.Options["proto"], "rdma")
}

// Signed says whether every packet is signed or encrypted by SMB itself.
func (m *Mount) Signed() bool {
	return has(m.Options, "sign") || has(m.Options, "seal") || m.SMB() && strings.HasSuffix(m.Options["sec"], "i")
}

// SMB says whether it is of an SMB server.
func (m *Mount) SMB() bool { return m.Kind == "cifs" || m.Kind == "smb3" }

func has(m map[string]string, key string) bool { _, ok := m[key]; return ok }

// Pool is a pool of ZFS.
type Pool struct {
	Name   string
	State  string   // ONLINE, DEGRADED, FAULTED
	Errors []string // lines of devices with errors, or that are not ONLINE
	Doing  string   // "resilver", "scrub": under way; empty: neither, or not known
	Work   Proof    // of Doing, with how far it is
	Lost   Proof    // that data is lost: "errors: Permanent errors have been detected .."; empty: it says that there are none, or nothing
	Size   unit.Opt[unit.Bytes]
	Proof  // of the state
}
