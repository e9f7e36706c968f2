package nvmetcp

import (
	"encoding/binary"
	"math/bits"
	"net"
)

func (p *peer) identify(cns uint8, nsid uint32, set uint8, b []byte) Status {
	a := p.a
	if cns == cnsController {
		p.identity().put(b)
		return 0
	}
	d := a.drive
	if d == nil {
		return statusInvalidField
	}
	switch cns {
	case cnsNamespacesSet, cnsNamespaceSet, cnsControllerSet:
		if set != 0 { // the NVM command set
			return statusInvalidField
		}
	}
	switch cns {
	case cnsNamespaces, cnsNamespacesSet:
		if nsid >= 1<<32-2 {
			return statusNamespace
		}
		if nsid == 0 {
			b[0] = 1
		}
		return 0
	case cnsControllerSet: // no limits beyond MDTS
		return 0
	}
	if nsid != 1 {
		return statusNamespace
	}
	switch cns {
	case cnsNamespace:
		d.ns.put(b)
	case cnsDescriptors:
		d.ns.putDescriptors(b)
	case cnsNamespaceSet: // no metadata: empty
	case cnsNamespaceAny: // Base, figure 280: NMIC, NSATTR, NSTAT
		b[1], b[14] = 1, 1
		if d.ReadOnly {
			b[8] = 1
		}
	default:
		return statusInvalidField
	}
	return 0
}

func (p *peer) identity() identity {
	a, l := p.a, p.s.limits
	// SGLs of any alignment, offsets in capsules, transport data blocks.
	id := identity{model: "linerate", firmware: "1", controller: a.id, version: version, kind: 1,
		keepAlive: 10, commands: uint16(l.Depth), namespaces: 1, sgls: 1 | 1<<20 | 1<<21,
		transfer: uint8(bits.TrailingZeros(uint(l.Transfer / 4096))), capsule: uint32(sqeSize+l.InCapsule) / 16,
		response: cqeSize / 16}
	if a.drive == nil {
		id.kind, id.subsystem, id.serial, id.namespaces, id.commands, id.capsule = 2, DiscoveryNQN, "linerate", 0, 32,
			sqeSize/16
		return id
	}
	id.serial, id.subsystem, id.optional, id.writeCache = a.drive.Serial, a.drive.NQN, optionalWriteZeroes,
		a.drive.sync != nil
	return id
}

// log is a complete page of Get Log Page; nil: it does not exist.
func (p *peer) log(page uint8) []byte {
	if p.a.drive == nil {
		if page == logDiscovery {
			return p.discovery()
		}
		return nil
	}
	switch page {
	case logError:
		return make([]byte, 64) // one empty entry
	case logHealth: // Base, section 5.16.1.3
		b := make([]byte, 512)
		binary.LittleEndian.PutUint16(b[1:], 273+30) // kelvin
		b[3], b[4] = 100, 10                         // spare and its threshold, percent
		return b
	case logFirmware:
		b := make([]byte, 512)
		b[0] = 1
		putText(b[8:16], "1")
		return b
	case logChangedNamespace:
		return make([]byte, 4096)
	case logEffects: // supported; writes change data
		b := make([]byte, 4096)
		for _, op := range []int{opGetLogPage, opIdentify, opAbort, opSetFeatures, opGetFeatures, opAsyncEvent, opKeepAlive} {
			b[4*op] = 1
		}
		for _, op := range []int{opFlush, opRead} {
			b[1024+4*op] = 1
		}
		for _, op := range []int{opWrite, opWriteZeroes} {
			b[1024+4*op] = 3
		}
		return b
	}
	return nil
}

// discovery lists what this host may use, at the address to which it connected.
func (p *peer) discovery() []byte {
	host, port, err := net.SplitHostPort(p.here)
	if err != nil {
		return nil
	}
	ip := net.ParseIP(host)
	var records []Record
	for _, d := range p.s.subsystems {
		if d.allows(p.a.name) {
			records = append(records, Record{NQN: d.NQN, Address: host, Service: port})
		}
	}
	return putRecords(records, ip != nil && ip.To4() == nil)
}
