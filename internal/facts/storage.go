package facts

import (
	"net/netip"
	"strings"

	"linerate/internal/base/unit"
)

// ISCSISession is a session of the kernel's iSCSI initiator.
type ISCSISession struct {
	Target    string         `json:"target"` // empty: the output is truncated before it
	Portal    netip.AddrPort `json:"portal"`
	Transport string         `json:"transport"` // tcp, iser
	From      netip.Addr     `json:"from"`      // of this host; invalid: unknown
	Netdev    string         `json:"netdev"`    // empty: any
	ID        string         `json:"id"`
	State     string         `json:"state"`   // "LOGGED_IN"
	Digests   string         `json:"digests"` // "None", "CRC32C": of the data; empty: unknown
	Disks     []string       `json:"disks"`
	// Connections is their number; if unknown, each connection is a separate session.
	Connections unit.Opt[int] `json:"connections"`
	Proof                     // the line of the portal
}

// Drive is a disk of a machine, on any bus.
type Drive struct {
	Name  string `json:"name"`  // "nvme0n1"
	Model string `json:"model"` // empty: none, or unknown
	// "nvme", "sata", "sas", "iscsi", "usb"; empty: unknown, or of a virtual machine
	Transport string               `json:"transport"`
	Size      unit.Opt[unit.Bytes] `json:"size"`
	Rotates   unit.Opt[bool]       `json:"rotates"`
}

// Array is a software RAID of Linux (md).
type Array struct {
	Name   string `json:"name"`  // "md0"
	Level  string `json:"level"` // "raid1"; empty: it is not running
	Active bool   `json:"active"`
	// Container reports that it is the container of a firmware RAID (imsm, ddf), which never runs itself.
	Container bool     `json:"container"`
	Disks     int      `json:"disks"`  // configured number; 0: unknown, or a level without redundancy
	InUse     int      `json:"in_use"` // current number
	Faulty    []string `json:"faulty"` // its disks that failed
	// "recovery", "resync", "reshape", "check"; with =DELAYED or =PENDING while it waits; empty: nothing
	Doing string            `json:"doing"`
	Done  unit.Opt[float64] `json:"done"` // completed share, 0 to 1
	Work  Proof             `json:"work"` // of Doing
	Proof                   // of the number of disks, else its first line
}

// Rebuilding reports whether it writes to its disks on its own at this moment: a check only reads.
func (a *Array) Rebuilding() bool {
	return a.Doing == "recovery" || a.Doing == "resync" || a.Doing == "reshape"
}

// NVMeController is a path to an NVMe subsystem: a drive of the machine, or one over the network.
type NVMeController struct {
	Name      string         `json:"name"`      // "nvme0"
	Transport string         `json:"transport"` // pcie, tcp, rdma, fc, loop; empty: unknown
	Model     string         `json:"model"`
	Target    netip.AddrPort `json:"target"`    // of tcp and rdma
	From      netip.Addr     `json:"from"`      // of this host; invalid: chosen by the routing table
	State     string         `json:"state"`     // "live"
	Subsystem string         `json:"subsystem"` // its NQN; empty: unknown
	Queues    unit.Opt[int]  `json:"queues"`    // I/O queues, without the admin queue
	Proof                    // of Queues, else of the path
}

// Storage is a host's storage clients and their connections to servers.
type Storage struct {
	Mounts []Mount          `json:"mounts"` // of network file systems; nil if unknown
	SMB    *SMBClient       `json:"smb"`    // of the kernel; nil if unknown
	ISCSI  []ISCSISession   `json:"iscsi"`  // nil if unknown
	NVMe   []NVMeController `json:"nvme"`   // nil if unknown
	Pools  []Pool           `json:"pools"`  // of ZFS; nil if unknown
	Arrays []Array          `json:"arrays"` // software RAID of Linux; nil if unknown
	Drives []Drive          `json:"drives"` // nil if unknown
	Blocks []BlockCount     `json:"blocks"` // counters of block devices; nil if unknown
	Layers []BlockLayer     `json:"layers"` // what block devices are built on; nil: no device is, or unknown
}

// Mount is a file system of a server.
type Mount struct {
	From    string            `json:"from"`
	At      string            `json:"at"`
	Kind    string            `json:"kind"`    // "10.0.1.2:/pool", "/mnt", "nfs4"
	Options map[string]string `json:"options"` // "proto": "tcp", "rdma": ""
	Server  netip.Addr        `json:"server"`  // invalid: unknown
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
	Name   string   `json:"name"`
	State  string   `json:"state"`  // ONLINE, DEGRADED, FAULTED
	Errors []string `json:"errors"` // lines of devices with errors, or that are not ONLINE
	Doing  string   `json:"doing"`  // "resilver", "scrub": running; empty: neither, or unknown
	Work   Proof    `json:"work"`   // of Doing, with its progress
	// lost data: "errors: Permanent errors have been detected .."; empty: none is reported
	Lost  Proof                `json:"lost"`
	Size  unit.Opt[unit.Bytes] `json:"size"`
	Proof                      // of the state
}

// PhysicalDisk is a drive of Windows.
type PhysicalDisk struct {
	Name   string               `json:"name"`
	Media  string               `json:"media"`
	Bus    string               `json:"bus"` // "Samsung SSD 980", SSD, NVMe; empty: unknown
	Size   unit.Opt[unit.Bytes] `json:"size"`
	Health string               `json:"health"` // Healthy, Warning, Unhealthy
	State  string               `json:"state"`  // OK, Degraded, Predictive Failure
	Proof                       // of its health
}
