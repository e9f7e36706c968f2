package nvmetcp

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Types of PDUs (TCP, section 3.6, figure 19).
const (
	pduICReq       = 0x00
	pduICResp      = 0x01
	pduH2CTermReq  = 0x02
	pduC2HTermReq  = 0x03
	pduCapsuleCmd  = 0x04
	pduCapsuleResp = 0x05
	pduH2CData     = 0x06
	pduC2HData     = 0x07
	pduR2T         = 0x09
)

var pduNames = map[uint8]string{pduICReq: "ICReq", pduICResp: "ICResp", pduH2CTermReq: "H2CTermReq",
	pduC2HTermReq: "C2HTermReq", pduCapsuleCmd: "CapsuleCmd", pduCapsuleResp: "CapsuleResp", pduH2CData: "H2CData",
	pduC2HData: "C2HData", pduR2T: "R2T"}

func pduName(kind uint8) string {
	if s, ok := pduNames[kind]; ok {
		return s
	}
	return fmt.Sprintf("PDU of type %02xh", kind)
}

// Flags of the common header (TCP, section 3.6.1).
const (
	flagHeaderDigest = 1 << 0
	flagDataDigest   = 1 << 1
	flagLast         = 1 << 2 // of H2CData and C2HData
	flagSuccess      = 1 << 3 // of C2HData: no response capsule follows
)

const (
	headSize   = 8   // common header
	icSize     = 128 // ICReq, ICResp
	cmdSize    = 72
	dataSize   = 24 // H2CData, C2HData
	respSize   = 24
	r2tSize    = 24
	termSize   = 24
	maxTerm    = 128 // bytes of the invalid PDU in a TermReq
	digestSize = 4

	// adminInCapsule is the in-capsule data that the admin queue, and Connect, may always have (TCP, section 3.3.2.1.1
	// "ICDOFF and IOCCSZ").
	adminInCapsule = 8192
)

// head is the common header: PLEN counts header, digests, padding and data.
type head struct {
	kind, flags, hlen, pdo uint8
	plen                   uint32
}

func parseHead(b []byte) head {
	return head{b[0], b[1], b[2], b[3], binary.LittleEndian.Uint32(b[4:])}
}

func (h head) put(b []byte) {
	b[0], b[1], b[2], b[3] = h.kind, h.flags, h.hlen, h.pdo
	binary.LittleEndian.PutUint32(b[4:], h.plen)
}

// Fatal errors of a connection, the field FES of a TermReq (TCP, figures 29 and 31).
const (
	fesHeaderField  = 1
	fesSequence     = 2
	fesHeaderDigest = 3
	fesRange        = 4
	fesLimit        = 5 // R2T limit towards the target, data transfer limit towards the host
	fesUnsupported  = 6
)

var fesWords = [...]string{"reserved", "invalid field in a PDU's header", "PDU out of sequence", "header digest error",
	"data transfer out of range", "limit of R2Ts or of data exceeded", "unsupported parameter"}

// fault is a violation that ends a connection: the contents of a TermReq, and a message.
type fault struct {
	code uint16
	info uint32 // offset of the field, or the received digest
	text string
}

func (f *fault) Error() string { return f.text }

func badField(offset uint32, form string, args ...any) *fault {
	return &fault{fesHeaderField, offset, fmt.Sprintf(form, args...)}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func digest(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// framing is what both ends negotiated for one connection.
type framing struct {
	header, data bool   // digests
	align        int    // of data that this end sends, in bytes
	most         uint32 // limit of received data in one PDU
	capsule      uint32 // limit of received in-capsule data
}

func (f framing) headerDigest() int {
	if f.header {
		return digestSize
	}
	return 0
}

func (f framing) dataDigest() int {
	if f.data {
		return digestSize
	}
	return 0
}

// put writes the common header of a PDU with n bytes of data, and its header digest if negotiated, into b, which
// already holds the rest of the header and has room for 255 bytes. It returns the number of bytes before the data. All
// but CapsuleCmd have PDO only with data.
func (f framing) put(b []byte, kind, flags, hlen uint8, n int) int {
	before := int(hlen) + f.headerDigest()
	pdo := 0
	if n > 0 {
		if f.align > 1 {
			padded := (before + f.align - 1) / f.align * f.align
			clear(b[before:padded])
			before = padded
		}
		pdo = before
	}
	length := before + n
	if f.header {
		flags |= flagHeaderDigest
	}
	if f.data && n > 0 {
		flags |= flagDataDigest
		length += digestSize
	}
	head{kind, flags, hlen, uint8(pdo), uint32(length)}.put(b)
	if f.header {
		binary.LittleEndian.PutUint32(b[hlen:], digest(b[:hlen]))
	}
	return before
}

// beforeMost is the maximum size of everything before the data of a PDU: PDO is one byte.
const beforeMost = 256

// direction is the receiving end of a PDU.
type direction uint8

const (
	toHost direction = iota
	toTarget
)

// check validates a common header before the rest of the PDU is awaited. It returns how many bytes are before the data
// and how many bytes of data there are.
func (f framing) check(h head, way direction) (before, n int, err *fault) {
	var size uint8
	most := uint32(0)
	flags := uint8(flagHeaderDigest | flagDataDigest)
	switch {
	case h.kind == pduH2CTermReq && way == toTarget, h.kind == pduC2HTermReq && way == toHost:
		if h.hlen != termSize || h.plen < termSize || h.plen > termSize+maxTerm {
			return 0, 0, badField(2, "%s of %d bytes with a header of %d, where %d to %d and %d are allowed", pduName(h.kind),
				h.plen, h.hlen, termSize, termSize+maxTerm, termSize)
		}
		return termSize, int(h.plen) - termSize, nil
	case h.kind == pduCapsuleCmd && way == toTarget:
		size, most = cmdSize, f.capsule
	case h.kind == pduH2CData && way == toTarget:
		size, most, flags = dataSize, f.most, flags|flagLast
	case h.kind == pduCapsuleResp && way == toHost:
		size = respSize
	case h.kind == pduC2HData && way == toHost:
		size, most, flags = dataSize, f.most, flags|flagLast|flagSuccess
	case h.kind == pduR2T && way == toHost:
		size = r2tSize
	default:
		return 0, 0, &fault{fesSequence, 0, fmt.Sprintf("a %s came, which has no place here", pduName(h.kind))}
	}
	name := pduName(h.kind)
	if h.hlen != size {
		return 0, 0, badField(2, "%s with a header of %d bytes, where the specification has %d", name, h.hlen, size)
	}
	if h.flags&^flags != 0 {
		return 0, 0, badField(1, "%s with flags %02xh, of which only %02xh are defined", name, h.flags, flags)
	}
	if got := h.flags&flagHeaderDigest != 0; got != f.header {
		return 0, 0, badField(1, "%s: header digest %s, but at the start of the connection it was %s", name, onOff(got),
			onOff(f.header))
	}
	before = int(size) + f.headerDigest()
	if h.plen == uint32(before) {
		if h.kind == pduC2HData || h.kind == pduH2CData {
			return 0, 0, badField(4, "%s without data", name)
		}
		return before, 0, nil // PDO is reserved
	}
	if most == 0 {
		return 0, 0, badField(4, "%s of %d bytes, where it has %d", name, h.plen, before)
	}
	if int(h.pdo) < before {
		return 0, 0, badField(3, "%s with data from byte %d on, which lies inside of its header of %d", name, h.pdo, before)
	}
	if got := h.flags&flagDataDigest != 0; got != f.data {
		return 0, 0, badField(1, "%s: data digest %s, but at the start of the connection it was %s", name, onOff(got),
			onOff(f.data))
	}
	around := uint32(h.pdo) + uint32(f.dataDigest())
	if h.plen <= around {
		return 0, 0, badField(4, "%s of %d bytes without room for data behind the %d of header and digests", name, h.plen,
			around)
	}
	if h.plen-around > most {
		return 0, 0, &fault{fesLimit, 0,
			fmt.Sprintf("%s with %d bytes of data, where at most %d are allowed", name, h.plen-around, most)}
	}
	return int(h.pdo), int(h.plen - around), nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// checkDigest compares a header with its digest.
func (f framing) checkDigest(pdu []byte, hlen uint8) *fault {
	if !f.header {
		return nil
	}
	want, got := digest(pdu[:hlen]), binary.LittleEndian.Uint32(pdu[hlen:])
	if got != want {
		return &fault{
			fesHeaderDigest,
			got,
			fmt.Sprintf("%s with header digest %08x, but its header gives %08x: bytes were changed on the way",
				pduName(pdu[0]), got, want),
		}
	}
	return nil
}

// initial is ICReq or ICResp (TCP, sections 3.6.2.1 and 3.6.2.2): the proposal of one end.
type initial struct {
	version      uint16 // PFV
	align        int    // HPDA or CPDA in bytes: for data that the other end sends
	header, data bool   // digests
	most         uint32 // ICReq: outstanding R2Ts of one command; ICResp: MAXH2CDATA
}

func (i initial) put(kind uint8) []byte {
	b := make([]byte, icSize)
	head{kind, 0, icSize, 0, icSize}.put(b)
	binary.LittleEndian.PutUint16(b[8:], i.version)
	b[10] = uint8(i.align/4 - 1)
	if i.header {
		b[11] |= 1
	}
	if i.data {
		b[11] |= 2
	}
	most := i.most
	if kind == pduICReq {
		most-- // 0's based
	}
	binary.LittleEndian.PutUint32(b[12:], most)
	return b
}

// parseInitial parses the 128 bytes of an ICReq or ICResp.
func parseInitial(b []byte, kind uint8) (initial, *fault) {
	if len(b) < icSize {
		return initial{}, &fault{fesSequence, 0, fmt.Sprintf("%s of %d bytes", pduName(kind), len(b))}
	}
	h := parseHead(b)
	switch {
	case h.kind != kind:
		return initial{}, &fault{fesSequence, 0,
			fmt.Sprintf("a connection begins with %s, and a %s came", pduName(kind), pduName(h.kind))}
	case h.hlen != icSize || h.plen != icSize:
		return initial{}, badField(2, "%s of %d bytes with a header of %d, where both are %d", pduName(kind), h.plen,
			h.hlen, icSize)
	}
	i := initial{version: binary.LittleEndian.Uint16(b[8:]), align: (int(b[10]) + 1) * 4, header: b[11]&1 != 0,
		data: b[11]&2 != 0, most: binary.LittleEndian.Uint32(b[12:])}
	switch {
	case i.version != 0:
		return i, &fault{fesUnsupported, 8,
			fmt.Sprintf("%s with PDU format version %d, of which only 0 exists", pduName(kind), i.version)}
	case b[10] > 31:
		return i, badField(10, "%s with data alignment %d, where 0 to 31 are allowed", pduName(kind), b[10])
	case b[11]&^3 != 0:
		return i, badField(11, "%s with digests %02xh, of which only 1 and 2 are defined", pduName(kind), b[11])
	}
	if kind == pduICReq {
		if i.most++; i.most == 0 {
			i.most--
		}
	} else if i.most < 4096 || i.most%4 != 0 {
		return i, badField(12, "ICResp with MAXH2CDATA %d, where at least 4096 and a multiple of 4 are required", i.most)
	}
	return i, nil
}

// putTerm is a TermReq (TCP, sections 3.6.2.3 and 3.6.2.4) with the header of the invalid PDU.
func putTerm(kind uint8, f *fault, wrong []byte) []byte {
	wrong = wrong[:min(len(wrong), maxTerm)]
	b := make([]byte, termSize+len(wrong))
	head{kind, 0, termSize, 0, uint32(len(b))}.put(b)
	binary.LittleEndian.PutUint16(b[8:], f.code)
	binary.LittleEndian.PutUint32(b[10:], f.info)
	copy(b[termSize:], wrong)
	return b
}

// termText describes a TermReq; b begins with its header of 24 bytes, and wrong is its copy of the invalid PDU.
func termText(b, wrong []byte) string {
	code, info := binary.LittleEndian.Uint16(b[8:]), binary.LittleEndian.Uint32(b[10:])
	word := "a reason that the specification does not have"
	if int(code) < len(fesWords) {
		word = fesWords[code]
	}
	s := fmt.Sprintf("%s (FES %d, FEI %#x)", word, code, info)
	if len(wrong) > 0 {
		s += "; the PDU was: " + pduName(wrong[0])
	}
	return s
}
