package facts

import (
	"net/netip"
	"strings"

	"linerate/internal/base/unit"
)

// ISCSISession is a session of the kernel's iSCSI initiator.
type ISCSISession struct {
	Target    string // empty: the output is truncated before it
	Portal    netip.AddrPort
	Transport string     // tcp, iser
	From      netip.Addr // of this host; invalid: unknown
	Netdev    string     // empty: any
	ID        string
	State     string // "LOGGED_IN"
	Digests   string // "None", "CRC32C": of the data; empty: unknown
	Disks     []string
	// Connections is their number; if unknown, each connection is a separate session.
	Connections unit.Opt[int]
	Proof       // the line of the portal
}

// Drive is a disk of a machine, on any bus.
type Drive struct {
	Name      string // "nvme0n1"
	Model     string // empty: none, or unknown
	Transport string // "nvme", "sata", "sas", "iscsi", "usb"; empty: unknown, or of a virtual machine
	Size      unit.Opt[unit.Bytes]
	Rotates   unit.Opt[bool]
}

// Array is a software RAID of Linux (md).
type Array struct {
	Name   string // "md0"
	Level  string // "raid1"; empty: it is not running
	Active bool
	// Container reports that it is the container of a firmware RAID (imsm, ddf), which never runs itself.
	Container bool
	Disks     int      // configured number; 0: unknown, or a level without redundancy
	InUse     int      // current number
	Faulty    []string // its disks that failed
	// "recovery", "resync", "reshape", "check"; with =DELAYED or =PENDING while it waits; empty: nothing
	Doing string
	Done  unit.Opt[float64] // completed share, 0 to 1
	Work  Proof             // of Doing
	Proof                   // of the number of disks, else its first line
}

// Rebuilding reports whether it writes to its disks on its own at this moment: a check only reads.
func (a *Array) Rebuilding() bool {
	return a.Doing == "recovery" || a.Doing == "resync" || a.Doing == "reshape"
}

// NVMeController is a path to an NVMe subsystem: a drive of the machine, or one over the network.
type NVMeController struct {
	Name      string // "nvme0"
	Transport string // pcie, tcp, rdma, fc, loop; empty: unknown
	Model     string
	Target    netip.AddrPort // of tcp and rdma
	From      netip.Addr     // of this host; invalid: chosen by the routing table
	State     string         // "live"
	Subsystem string         // its NQN; empty: unknown
	Queues    unit.Opt[int]  // I/O queues, without the admin queue
	Proof                    // of Queues, else of the path
}

// Storage is a host's storage clients and their connections to servers.
type Storage struct {
	Mounts []Mount          // of network file systems; nil if unknown
	SMB    *SMBClient       // of the kernel; nil if unknown
	ISCSI  []ISCSISession   // nil if unknown
	NVMe   []NVMeController // nil if unknown
	Pools  []Pool           // of ZFS; nil if unknown
	Arrays []Array          // software RAID of Linux; nil if unknown
	Drives []Drive          // nil if unknown
	Blocks []BlockCount     // counters of block devices; nil if unknown
	Layers []BlockLayer     // what block devices are built on; nil: no device is, or unknown
}

// Mount is a file system of a server.
type Mount struct {
	From, At, Kind string            // "10.0.1.2:/pool", "/mnt", "nfs4"
	Options        map[string]string // "proto": "tcp", "rdma": ""
	Server         netip.Addr        // invalid: unknown
	Proof
}

// Connections returns the number of connections to its server: nconnect of NFS, max_channels of SMB with multichannel.
func (m *Mount) Connections() int {
	for _, key := range []string{"nconnect", "max_channels"} {
		if n := Atoi(m.Options[key]); n > 0 && (key == "nconnect" || has(m.Options, "multichannel")) {
			return n
		}
	}
	return 1
}

// RDMA reports whether it uses RDMA.
func (m *Mount) RDMA() bool {
	return has(m.Options, "rdma") || strings.HasPrefix(m.Options["proto"], "rdma")
}

// Signed reports whether SMB signs or encrypts every packet.
func (m *Mount) Signed() bool {
	return has(m.Options, "sign") || has(m.Options, "seal") || m.SMB() && strings.HasSuffix(m.Options["sec"], "i")
}

// SMB reports whether it is of an SMB server.
func (m *Mount) SMB() bool { return m.Kind == "cifs" || m.Kind == "smb3" }

func has(m map[string]string, key string) bool { _, ok := m[key]; return ok }

// Pool is a pool of ZFS.
type Pool struct {
	Name   string
	State  string   // ONLINE, DEGRADED, FAULTED
	Errors []string // lines of devices with errors, or that are not ONLINE
	Doing  string   // "resilver", "scrub": running; empty: neither, or unknown
	Work   Proof    // of Doing, with its progress
	// lost data: "errors: Permanent errors have been detected .."; empty: none is reported
	Lost  Proof
	Size  unit.Opt[unit.Bytes]
	Proof // of the state
}

// PhysicalDisk is a drive of Windows.
type PhysicalDisk struct {
	Name, Media, Bus string // "Samsung SSD 980", SSD, NVMe; empty: unknown
	Size             unit.Opt[unit.Bytes]
	Health           string // Healthy, Warning, Unhealthy
	State            string // OK, Degraded, Predictive Failure
	Proof                   // of its health
}
