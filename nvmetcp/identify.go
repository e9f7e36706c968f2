package nvmetcp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// text is a field without its padding of zeros or blanks; unprintable characters become question marks.
func text(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return '?'
		}
		return r
	}, strings.TrimSpace(string(b)))
}

// putText pads a field with blanks, as Base requires for serial number, model and firmware.
func putText(b []byte, s string) {
	for i := copy(b, s); i < len(b); i++ {
		b[i] = ' '
	}
}

// identity is the used part of Identify Controller (Base, figure 276), 4096 bytes.
type identity struct {
	serial, model, firmware string
	controller              uint16
	version                 uint32
	kind                    uint8  // CNTRLTYPE: 1 I/O, 2 discovery
	transfer                uint8  // MDTS: power of two in units of the smallest page, 0: no limit
	keepAlive               uint16 // KAS, units of 100 ms; 0: none
	commands                uint16 // MAXCMD, 0: not reported
	namespaces              uint32 // NN
	optional                uint16 // ONCS
	writeCache              bool
	sgls                    uint32
	subsystem               string
	capsule                 uint32 // IOCCSZ, units of 16 bytes
	response                uint32 // IORCSZ
	offset                  uint16 // ICDOFF
}

const optionalWriteZeroes = 1 << 3 // ONCS

func parseIdentity(b []byte) (identity, error) {
	if len(b) < identifySize {
		return identity{}, fmt.Errorf("identify data of the controller has %d bytes, not %d", len(b), identifySize)
	}
	return identity{serial: text(b[4:24]), model: text(b[24:64]), firmware: text(b[64:72]), transfer: b[77],
		controller: binary.LittleEndian.Uint16(b[78:]), version: binary.LittleEndian.Uint32(b[80:]), kind: b[111],
		keepAlive: binary.LittleEndian.Uint16(b[320:]), commands: binary.LittleEndian.Uint16(b[514:]),
		namespaces: binary.LittleEndian.Uint32(b[516:]), optional: binary.LittleEndian.Uint16(b[520:]),
		writeCache: b[525]&1 != 0, sgls: binary.LittleEndian.Uint32(b[536:]), subsystem: text(b[768:1024]),
		capsule: binary.LittleEndian.Uint32(b[1792:]), response: binary.LittleEndian.Uint32(b[1796:]),
		offset: binary.LittleEndian.Uint16(b[1800:])}, nil
}

func (i identity) put(b []byte) {
	clear(b[:identifySize])
	putText(b[4:24], i.serial)
	putText(b[24:64], i.model)
	putText(b[64:72], i.firmware)
	b[76] = 1 << 1 // CMIC: several controllers
	b[77] = i.transfer
	binary.LittleEndian.PutUint16(b[78:], i.controller)
	binary.LittleEndian.PutUint32(b[80:], i.version)
	b[111] = i.kind
	b[258], b[259] = 3, maxAsync-1 // ACL, AERL
	b[260] = 3                     // FRMW: one slot, read only
	b[261] = 1 << 2                // LPA: offsets and long lengths of log pages
	binary.LittleEndian.PutUint16(b[320:], i.keepAlive)
	b[512], b[513] = 0x66, 0x44 // entries of 64 and 16 bytes
	binary.LittleEndian.PutUint16(b[514:], i.commands)
	binary.LittleEndian.PutUint32(b[516:], i.namespaces)
	binary.LittleEndian.PutUint16(b[520:], i.optional)
	if i.writeCache {
		b[525] = 1
	}
	binary.LittleEndian.PutUint32(b[536:], i.sgls)
	copy(b[768:1023], i.subsystem)
	binary.LittleEndian.PutUint32(b[1792:], i.capsule)
	binary.LittleEndian.PutUint32(b[1796:], i.response)
	binary.LittleEndian.PutUint16(b[1800:], i.offset)
	b[1803] = 1 // MSDBD
}

// Namespace is a namespace of a subsystem (NVM, section 4.1.5.1).
type Namespace struct {
	ID        uint32
	Blocks    uint64
	BlockSize int      // bytes
	NGUID     [16]byte // zeros: none
	EUI64     [8]byte
	UUID      [16]byte
	ReadOnly  bool // write protected by the target
}

// Size is bytes.
func (n Namespace) Size() int64 { return int64(n.Blocks) * int64(n.BlockSize) }

// Name identifies the namespace globally: NGUID, EUI64 or UUID in hexadecimal, or "" if the target reports none.
func (n Namespace) Name() string {
	for _, b := range [][]byte{n.NGUID[:], n.EUI64[:], n.UUID[:]} {
		if len(bytes.Trim(b, "\x00")) > 0 {
			return fmt.Sprintf("%x", b)
		}
	}
	return ""
}

const biggestNamespace = 1 << 62 // bytes; larger ones cannot be counted

func parseNamespace(b []byte, id uint32) (Namespace, error) {
	if len(b) < identifySize {
		return Namespace{}, fmt.Errorf("identify data of namespace %d has %d bytes, not %d", id, len(b), identifySize)
	}
	n := Namespace{ID: id, Blocks: binary.LittleEndian.Uint64(b), ReadOnly: b[99]&1 != 0}
	copy(n.NGUID[:], b[104:])
	copy(n.EUI64[:], b[120:])
	format := int(b[26] & 15) // FLBAS; its bits 6:5 only matter above 16 formats
	if b[25] > 15 {
		format |= int(b[26]>>5&3) << 4
	}
	if format > int(b[25]) || format > 63 {
		return n, fmt.Errorf("namespace %d is formatted with LBA format %d, and has only %d", id, format, int(b[25])+1)
	}
	lbaf := binary.LittleEndian.Uint32(b[128+4*format:])
	if meta := lbaf & 0xffff; meta != 0 {
		return n, fmt.Errorf(
			"namespace %d has %d bytes of metadata a block, which this initiator does not carry; format it without", id, meta)
	}
	shift := lbaf >> 16 & 0xff
	if shift < 9 || shift > 16 {
		return n, fmt.Errorf("namespace %d has blocks of 2^%d bytes; 512 to 65536 bytes are supported", id, shift)
	}
	n.BlockSize = 1 << shift
	if n.Blocks == 0 || n.Blocks > biggestNamespace>>shift {
		return n, fmt.Errorf("namespace %d has %d blocks of %d bytes, which is not a size of a "+
			"drive", id, n.Blocks, n.BlockSize)
	}
	return n, nil
}

func (n Namespace) put(b []byte) {
	clear(b[:identifySize])
	for _, at := range []int{0, 8, 16} { // NSZE, NCAP, NUSE
		binary.LittleEndian.PutUint64(b[at:], n.Blocks)
	}
	b[30] = 1 // NMIC: shared between controllers
	if n.ReadOnly {
		b[99] = 1
	}
	copy(b[104:], n.NGUID[:])
	copy(b[120:], n.EUI64[:])
	binary.LittleEndian.PutUint32(b[128:], uint32(bits.TrailingZeros(uint(n.BlockSize)))<<16)
}

// parseDescriptors adds the identifiers of a list of namespace identification descriptors (Base, section 5.17.2.3).
func (n *Namespace) parseDescriptors(b []byte) {
	for len(b) >= 4 && b[1] != 0 {
		kind, length := b[0], int(b[1])
		if len(b) < 4+length {
			return
		}
		v := b[4 : 4+length]
		switch {
		case kind == 1 && length == 8:
			copy(n.EUI64[:], v)
		case kind == 2 && length == 16:
			copy(n.NGUID[:], v)
		case kind == 3 && length == 16:
			copy(n.UUID[:], v)
		}
		b = b[4+length:]
	}
}

func (n Namespace) putDescriptors(b []byte) {
	clear(b[:identifySize])
	for _, d := range []struct {
		kind uint8
		v    []byte
	}{{1, n.EUI64[:]}, {2, n.NGUID[:]}, {3, n.UUID[:]}} {
		if len(bytes.Trim(d.v, "\x00")) == 0 {
			continue
		}
		b[0], b[1] = d.kind, uint8(len(d.v))
		copy(b[4:], d.v)
		b = b[4+len(d.v):]
	}
	b[0], b[1] = 4, 1 // CSI: NVM command set, 0
}

// Record is one subsystem that a discovery subsystem reports (Base, section 5.16.1.23, "Discovery Log Page").
type Record struct {
	NQN       string
	Transport string // "tcp", "rdma", ..
	Address   string
	Service   string // port
	Discovery bool   // it is itself a discovery subsystem
}

const recordSize = 1024

var transports = map[uint8]string{1: "rdma", 2: "fc", 3: "tcp", 254: "loop"}

// parseRecords parses a discovery log page; more is the number of records in its header.
func parseRecords(b []byte) (records []Record, more uint64, err error) {
	if len(b) < recordSize {
		return nil, 0, fmt.Errorf("discovery log page of %d bytes; its header alone has %d", len(b), recordSize)
	}
	if format := binary.LittleEndian.Uint16(b[16:]); format != 0 {
		return nil, 0, fmt.Errorf("discovery log page with record format %d, of which only 0 exists", format)
	}
	more = binary.LittleEndian.Uint64(b[8:])
	for rest := b[recordSize:]; len(rest) >= recordSize && uint64(len(records)) < more; rest = rest[recordSize:] {
		transport := transports[rest[0]]
		if transport == "" {
			transport = fmt.Sprintf("transport %d", rest[0])
		}
		records = append(
			records,
			Record{NQN: text(rest[256:512]), Transport: transport, Address: text(rest[512:768]),
				Service: text(rest[32:64]), Discovery: rest[2] != 2},
		)
	}
	return records, more, nil
}

func putRecords(records []Record, v6 bool) []byte {
	b := make([]byte, recordSize*(1+len(records)))
	binary.LittleEndian.PutUint64(b, 1) // GENCTR
	binary.LittleEndian.PutUint64(b[8:], uint64(len(records)))
	for i, r := range records {
		e := b[recordSize*(1+i):]
		e[0], e[1], e[2] = 3, 1, 2
		if v6 {
			e[1] = 2
		}
		if r.Discovery {
			e[2] = 3
		}
		binary.LittleEndian.PutUint16(e[4:], 1) // PORTID
		binary.LittleEndian.PutUint16(e[6:], anyController)
		binary.LittleEndian.PutUint16(e[8:], 32) // ASQSZ
		putText(e[32:64], r.Service)
		copy(e[256:511], r.NQN)
		putText(e[512:768], r.Address)
	}
	return b
}
