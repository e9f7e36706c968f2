package parse

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// takeDisk reads Get-PhysicalDisk. Size is in bytes, or as in the table ("25 GB", in powers of 1024). Source: the table
// on the reference page of Windows Server 2022.
func takeDisk(f *parse.Builder, o *psObject) {
	d := facts.PhysicalDisk{Name: o.text("FriendlyName"), Media: o.text("MediaType"), Bus: o.text("BusType"),
		Health: o.text("HealthStatus"), State: o.text("OperationalStatus"),
		Size:  unit.Unknown[unit.Bytes]("Size is not in the snapshot"),
		Proof: f.Proof(o.line("HealthStatus", "OperationalStatus"))}
	if size, ok := PsSize(o.text("Size")); ok {
		d.Size = unit.Known(size)
	}
	w := windowsOf(f)
	w.Disks = append(w.Disks, d)
}

// PsSize reads "25 GB", "931,51 GB", or bytes.
func PsSize(s string) (unit.Bytes, bool) {
	if n, ok := psNumber(s); ok {
		return unit.Bytes(n), true
	}
	value, scale, ok := strings.Cut(strings.TrimSpace(s), " ")
	if !ok {
		return 0, false
	}
	shift, ok := map[string]uint{"KB": 10, "MB": 20, "GB": 30, "TB": 40}[strings.TrimSpace(scale)]
	v, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
	if !ok || err != nil || !(v >= 0 && v < 1<<20) {
		return 0, false
	}
	return unit.Bytes(v * float64(uint64(1)<<shift)), true
}

// takeSession reads Get-IscsiSession. A digest that is off is None, as in open-iscsi. Source: Microsoft's reference
// page.
func takeSession(f *parse.Builder, o *psObject) {
	target := o.text("TargetNodeAddress")
	if up, ok := o.flag("IsConnected").Get(); target == "" || ok && !up {
		return
	}
	s := session(f, o.text("SessionIdentifier"))
	s.Target, s.State, s.Transport, s.Proof = target, "LOGGED_IN", "tcp", f.Proof(o.line("TargetNodeAddress"))
	if n, ok := o.number("NumberOfConnections").Get(); ok && n < 1<<16 {
		s.Connections = unit.Known(int(n))
	}
	if on, ok := o.flag("IsDataDigest").Get(); ok {
		s.Digests = map[bool]string{true: "CRC32C", false: "None"}[on]
	}
}

// session returns the iSCSI session of a number, and creates it if needed; without a number it always creates one.
func session(f *parse.Builder, id string) *facts.ISCSISession {
	list := &f.Storage.ISCSI
	for i := range *list {
		if id != "" && (*list)[i].ID == id {
			return &(*list)[i]
		}
	}
	*list = append(*list, facts.ISCSISession{ID: id})
	return &(*list)[len(*list)-1]
}

// takeISCSIConnection reads Get-IscsiConnection, with its session from the script of collect: the address of the
// target. Earlier releases call the addresses TargetNodeAddress and InitiatorNodeAddress. Source: Microsoft's reference
// page. A connection without a session is ignored.
func takeISCSIConnection(f *parse.Builder, o *psObject) {
	id := o.text("SessionIdentifier")
	to, err := netip.ParseAddr(o.text("TargetAddress", "TargetNodeAddress"))
	port, ok := o.number("TargetPortNumber").Get()
	if id == "" || err != nil || !ok || port >= 1<<16 {
		return
	}
	s := session(f, id)
	s.Portal = netip.AddrPortFrom(to, uint16(port))
	if from, err := netip.ParseAddr(o.text("InitiatorAddress", "InitiatorNodeAddress")); err == nil &&
		!from.IsUnspecified() {
		s.From = from
	}
}
