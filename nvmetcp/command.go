package nvmetcp

import "encoding/binary"

// Opcodes of the admin queue (Base, section 5) and of I/O queues (NVM, section 3).
const (
	opGetLogPage  = 0x02
	opIdentify    = 0x06
	opAbort       = 0x08
	opSetFeatures = 0x09
	opGetFeatures = 0x0a
	opAsyncEvent  = 0x0c
	opKeepAlive   = 0x18
	opFabrics     = 0x7f

	opFlush       = 0x00
	opWrite       = 0x01
	opRead        = 0x02
	opWriteZeroes = 0x08
)

// Types of Fabrics commands (Base, section 6).
const (
	fabricsPropertySet = 0x00
	fabricsConnect     = 0x01
	fabricsPropertyGet = 0x04
	fabricsDisconnect  = 0x08
)

// Properties (Base, section 3.1.3).
const (
	propertyCAP  = 0x00
	propertyVS   = 0x08
	propertyCC   = 0x14
	propertyCSTS = 0x1c
	propertyNSSR = 0x20
)

const (
	ccEnable         = 1
	ccShutdown       = 3 << 14
	ccShutdownNormal = 1 << 14
	ccEntries        = 6<<16 | 4<<20 // 64 and 16 bytes an entry of the queues
	cstsReady        = 1
	cstsFatal        = 1 << 1
	cstsShutdown     = 3 << 2
	cstsShutdownDone = 2 << 2
)

// Features (Base, section 5.27.1).
const (
	featurePower      = 0x02
	featureQueues     = 0x07
	featureAsyncEvent = 0x0b
	featureKeepAlive  = 0x0f
	featureHostID     = 0x81
	featureWriteCache = 0x06
)

// Pages of Identify (Base, section 5.17, field CNS) and of Get Log Page.
const (
	cnsNamespace        = 0x00
	cnsController       = 0x01
	cnsNamespaces       = 0x02
	cnsDescriptors      = 0x03
	cnsNamespaceSet     = 0x05
	cnsControllerSet    = 0x06
	cnsNamespacesSet    = 0x07
	cnsNamespaceAny     = 0x08
	logError            = 0x01
	logHealth           = 0x02
	logFirmware         = 0x03
	logChangedNamespace = 0x04
	logEffects          = 0x05
	logDiscovery        = 0x70

	identifySize = 4096
)

// Kinds of SGL descriptors (Base, section 4.1.2): type in the upper half, subtype in the lower.
const (
	sglInCapsule = 0x01 // data block, offset in the capsule
	sglTransport = 0x5a // transport data block: the data is sent in PDUs
)

const sqeSize = 64

// sqe is an entry of a submission queue (Base, section 3.3.3.1), 64 bytes.
type sqe []byte

func (e sqe) opcode() uint8    { return e[0] }
func (e sqe) cid() uint16      { return binary.LittleEndian.Uint16(e[2:]) }
func (e sqe) fabrics() uint8   { return e[4] }
func (e sqe) nsid() uint32     { return binary.LittleEndian.Uint32(e[4:]) }
func (e sqe) dw(n int) uint32  { return binary.LittleEndian.Uint32(e[4*n:]) }
func (e sqe) qw(n int) uint64  { return binary.LittleEndian.Uint64(e[4*n:]) } // of double words n and n+1
func (e sqe) sglBytes() uint32 { return binary.LittleEndian.Uint32(e[32:]) }
func (e sqe) sglOffset() uint64 {
	return binary.LittleEndian.Uint64(e[24:])
}
func (e sqe) sglType() uint8 { return e[39] }

func (e sqe) setDW(n int, v uint32) { binary.LittleEndian.PutUint32(e[4*n:], v) }
func (e sqe) setQW(n int, v uint64) { binary.LittleEndian.PutUint64(e[4*n:], v) }

// begin initializes a command with data in PDUs; without data the length is 0.
func (e sqe) begin(opcode uint8, cid uint16, nsid uint32) {
	clear(e[:sqeSize])
	e[0], e[1] = opcode, 0x40 // PSDT: SGLs
	binary.LittleEndian.PutUint16(e[2:], cid)
	binary.LittleEndian.PutUint32(e[4:], nsid)
	e[39] = sglTransport
}

// carry sets the number of data bytes, and whether they are inside of the capsule.
func (e sqe) carry(n int, inCapsule bool) {
	binary.LittleEndian.PutUint32(e[32:], uint32(n))
	if inCapsule {
		e[39] = sglInCapsule
	}
}

const cqeSize = 16

// cqe is an entry of a completion queue (Base, section 3.3.3.2), 16 bytes.
type cqe []byte

func (e cqe) result() uint64 { return binary.LittleEndian.Uint64(e) }
func (e cqe) cid() uint16    { return binary.LittleEndian.Uint16(e[12:]) }
func (e cqe) status() Status { return Status(binary.LittleEndian.Uint16(e[14:]) >> 1) }

func (e cqe) put(result uint64, head, queue, cid uint16, s Status) {
	binary.LittleEndian.PutUint64(e, result)
	binary.LittleEndian.PutUint16(e[8:], head)
	binary.LittleEndian.PutUint16(e[10:], queue)
	binary.LittleEndian.PutUint16(e[12:], cid)
	binary.LittleEndian.PutUint16(e[14:], uint16(s)<<1)
}

// Data of Connect (Base, figure 380), 1024 bytes.
const connectSize = 1024

type connectData struct {
	host         [16]byte
	controller   uint16 // FFFFh: any
	subsystem    string
	hostNQN      string
	queue        uint16 // of the command itself, like the following fields
	entries      uint16 // SQSIZE, 0's based
	noFlow       bool   // SQ flow control is off
	keepAlive    uint32 // milliseconds
	recordFormat uint16
}

const (
	anyController    = 0xffff
	connectNoFlow    = 1 << 2  // CATTR
	connectInvalid   = 1 << 16 // IATTR: the offset is one in the data
	offsetController = 16
	offsetSubsystem  = 256
	offsetHost       = 512
)

func (c connectData) put(e sqe, b []byte) {
	e.begin(opFabrics, 0, 0)
	e[4] = fabricsConnect
	e.carry(connectSize, true)
	binary.LittleEndian.PutUint16(e[42:], c.queue)
	binary.LittleEndian.PutUint16(e[44:], c.entries)
	if c.noFlow {
		e[46] = connectNoFlow
	}
	binary.LittleEndian.PutUint32(e[48:], c.keepAlive)
	clear(b[:connectSize])
	copy(b, c.host[:])
	binary.LittleEndian.PutUint16(b[offsetController:], c.controller)
	copy(b[offsetSubsystem:offsetSubsystem+255], c.subsystem)
	copy(b[offsetHost:offsetHost+255], c.hostNQN)
}

func parseConnect(e sqe, b []byte) connectData {
	c := connectData{recordFormat: binary.LittleEndian.Uint16(e[40:]), queue: binary.LittleEndian.Uint16(e[42:]),
		entries: binary.LittleEndian.Uint16(e[44:]), noFlow: e[46]&connectNoFlow != 0,
		keepAlive: binary.LittleEndian.Uint32(e[48:]), controller: binary.LittleEndian.Uint16(b[offsetController:]),
		subsystem: text(b[offsetSubsystem : offsetSubsystem+256]), hostNQN: text(b[offsetHost : offsetHost+256])}
	copy(c.host[:], b)
	return c
}
