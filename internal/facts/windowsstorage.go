package facts

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// PhysicalDisk is a drive of Windows.
type PhysicalDisk struct {
	Name, Media, Bus string // "Samsung SSD 980", SSD, NVMe; empty: not known
	Size             unit.Opt[unit.Bytes]
	Health           string // Healthy, Warning, Unhealthy
	State            string // OK, Degraded, Predictive Failure
	Proof                   // of its health
}

// takeDisk reads Get-PhysicalDisk. Size is in bytes, or as the table has it ("25 GB", which are of 1024). Captured in the table of
// Windows Server 2022's own reference page alone.
func takeDisk(f *Facts, o *psObject) {
	d := PhysicalDisk{Name: o.text("FriendlyName"), Media: o.text("MediaType"), Bus: o.text("BusType"), Health: o.text("HealthStatus"), State: o.text("OperationalStatus"),
		Size: unit.Unknown[unit.Bytes]("Size is not in the capture"), Proof: f.proof(o.line("HealthStatus", "OperationalStatus"))}
	if size, ok := psSize(o.text("Size")); ok {
		d.Size = known(size)
	}
	w := f.windows()
	w.Disks = append(w.Disks, d)
}

// psSize is "25 GB", "931,51 GB", or bytes.
func psSize(s string) (unit.Bytes, bool) {
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

// takeSession reads Get-IscsiSession. A digest that is off is None, as open-iscsi says it. Captured on Microsoft's reference page.
func takeSession(f *Facts, o *psObject) {
	target := o.text("TargetNodeAddress")
	if up, ok := o.flag("IsConnected").Get(); target == "" || ok && !up {
		return
	}
	s := f.session(o.text("SessionIdentifier"))
	s.Target, s.State, s.Transport, s.Proof = target, "LOGGED_IN", "tcp", f.proof(o.line("TargetNodeAddress"))
	if n, ok := o.number("NumberOfConnections").Get(); ok && n < 1<<16 {
		s.Connections = known(int(n))
	}
	if on, ok := o.flag("IsDataDigest").Get(); ok {
		s.Digests = map[bool]string{true: "CRC32C", false: "None"}[on]
	}
}

// session is the iSCSI session of that number, made if there is none yet; one without a number is always another one.
func (f *Facts) session(id string) *ISCSISession {
	list := &f.Storage.ISCSI
	for i := range *list {
		if id != "" && (*list)[i].ID == id {
			return &(*list)[i]
		}
	}
	*list = append(*list, ISCSISession{ID: id})
	return &(*list)[len(*list)-1]
}

// takeISCSIConnection reads Get-IscsiConnection, in windows.ps1 with the session that it is of beside: where the target is. Earlier
// releases call the addresses TargetNodeAddress and InitiatorNodeAddress. Captured on Microsoft's reference page, without a session: it
// then belongs to none, and is left out.
func takeISCSIConnection(f *Facts, o *psObject) {
	id := o.text("SessionIdentifier")
	to, err := netip.ParseAddr(o.text("TargetAddress", "TargetNodeAddress"))
	port, ok := o.number("TargetPortNumber").Get()
	if id == "" || err != nil || !ok || port >= 1<<16 {
		return
	}
	s := f.session(id)
	s.Portal = netip.AddrPortFrom(to, uint16(port))
	if from, err := netip.ParseAddr(o.text("InitiatorAddress", "InitiatorNodeAddress")); err == nil && !from.IsUnspecified() {
		s.From = from
	}
}
