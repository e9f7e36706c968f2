package nvmetcp

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

// dataPDU is a C2HData or H2CData.
func dataPDU(f framing, kind, flags uint8, cid, tag uint16, offset, length uint32, n int) []byte {
	b := make([]byte, beforeMost+n+digestSize)
	binary.LittleEndian.PutUint16(b[8:], cid)
	binary.LittleEndian.PutUint16(b[10:], tag)
	binary.LittleEndian.PutUint32(b[12:], offset)
	binary.LittleEndian.PutUint32(b[16:], length)
	at := f.put(b, kind, flags, dataSize, n)
	if f.data {
		binary.LittleEndian.PutUint32(b[at+n:], digest(b[at:at+n]))
		n += digestSize
	}
	return b[:at+n]
}

func askPDU(f framing, cid uint16, offset, length uint32) []byte {
	b := make([]byte, beforeMost)
	binary.LittleEndian.PutUint16(b[8:], cid)
	binary.LittleEndian.PutUint32(b[12:], offset)
	binary.LittleEndian.PutUint32(b[16:], length)
	return b[:f.put(b, pduR2T, 0, r2tSize, 0)]
}

func response(f framing, cid uint16, s Status) []byte {
	b := make([]byte, beforeMost)
	cqe(b[headSize:]).put(0, 0, 1, cid, s)
	return b[:f.put(b, pduCapsuleResp, 0, respSize, 0)]
}

func capsule(f framing, fill func(e sqe), n int) []byte {
	b := make([]byte, beforeMost+n+digestSize)
	e := sqe(b[headSize:cmdSize])
	e.begin(opRead, 7, 1)
	fill(e)
	at := f.put(b, pduCapsuleCmd, 0, cmdSize, n)
	if f.data && n > 0 {
		binary.LittleEndian.PutUint32(b[at+n:], digest(b[at:at+n]))
		n += digestSize
	}
	return b[:at+n]
}

func join(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// changed is a PDU with one byte different.
func changed(b []byte, at int, v byte) []byte {
	b = append([]byte(nil), b...)
	b[at] = v
	return b
}

// terms are the codes of the TermReqs among PDUs.
func terms(t *testing.T, b []byte) (codes []uint16) {
	t.Helper()
	for len(b) >= headSize {
		h := parseHead(b)
		if int(h.plen) > len(b) || h.plen < headSize {
			t.Fatalf("what was sent is not a row of PDUs: %x", b[:min(len(b), 64)])
		}
		if h.kind == pduH2CTermReq || h.kind == pduC2HTermReq {
			codes = append(codes, binary.LittleEndian.Uint16(b[8:]))
		}
		b = b[h.plen:]
	}
	return codes
}

// A violation by the target is reported, ends the queue, and is reported to the target.
func TestWrongTarget(t *testing.T) {
	plain, header := framing{align: 4}, framing{align: 4, header: true}
	read := func(flags uint8, offset, length uint32, n int) []byte {
		return dataPDU(plain, pduC2HData, flags, 0, 0, offset, length, n)
	}
	for _, c := range []struct {
		name string
		f    framing
		in   []byte
		want string
		fes  uint16 // 0: no TermReq
	}{
		{"unknown type", plain, []byte{0x55, 0, 8, 0, 8, 0, 0, 0}, "PDU of type 55h", fesSequence},
		{"a PDU of the other direction", plain, dataPDU(plain, pduH2CData, 0, 0, 0, 0, 512, 512), "H2CData", fesSequence},
		{"ICResp again", plain, initial{align: 4, most: 4096}.put(pduICResp), "ICResp", fesSequence},
		{"header of another size", plain, changed(response(plain, 0, 0), 2, 28), "header of 28 bytes", fesHeaderField},
		{"undefined flag", plain, changed(response(plain, 0, 0), 1, 0x40), "flags 40h", fesHeaderField},
		{"digest that was not agreed", plain, response(header, 0, 0), "header digest on", fesHeaderField},
		{"digest that lacks", header, response(plain, 0, 0), "header digest off", fesHeaderField},
		{"wrong header digest", header, changed(response(header, 0, 0), 9, 1), "header digest", fesHeaderDigest},
		{"response too long", plain, changed(response(plain, 0, 0), 4, 32), "CapsuleResp of 32 bytes", fesHeaderField},
		{"huge length", plain, changed(read(0, 0, 512, 512), 7, 0x7f), "at most 16777216 are allowed", fesLimit},
		{"data inside of the header", plain, changed(read(0, 0, 512, 512), 3, 12), "inside of its header", fesHeaderField},
		{"no data", plain, read(0, 0, 0, 0), "C2HData without data", fesHeaderField},
		{"data for a slot that there is not", plain, dataPDU(plain, pduC2HData, 0, 900, 0, 0, 512, 512), "command 900",
			fesHeaderField},
		{"data for a slot that is free", plain, dataPDU(plain, pduC2HData, 0, 3, 0, 0, 512, 512), "command 3, of which " +
			"no read", fesHeaderField},
		{"data for a write", plain, dataPDU(plain, pduC2HData, 0, 1, 0, 0, 512, 512), "command 1, of which no read",
			fesHeaderField},
		{"two lengths", plain, read(0, 0, 1024, 512), "512 bytes of data says that it has 1024", fesHeaderField},
		{"data behind the end", plain, read(0, 0, 8704, 8704), "bytes 0 to 8704 of a read of 8192", fesRange},
		{"a hole", plain, read(0, 4096, 512, 512), "bytes 4096 to 4608 of a read of 8192 bytes, of which 0 came", fesRange},
		{"the same again", plain, join(read(0, 0, 512, 512), read(0, 0, 512, 512)), "of which 512 came", fesRange},
		{"success too soon", plain, read(flagLast|flagSuccess, 0, 512, 512), "SUCCESS when 512 of 8192", fesHeaderField},
		{"response without data", plain, response(plain, 0, 0), "success for a read of 8192 bytes, of which 0 came",
			fesSequence},
		{"response to what is not under way", plain, response(plain, 3, 0), "command 3", fesHeaderField},
		{"two responses", plain, join(response(plain, 2, 0), response(plain, 2, 0)), "command 2", fesHeaderField},
		{"write without data", plain, response(plain, 1, 0), "success for a write of 65536 bytes", fesSequence},
		{"R2T for a read", plain, askPDU(plain, 0, 0, 512), "R2T for command 0, of which no write", fesHeaderField},
		{"R2T for data that came with the command", plain, askPDU(plain, 2, 0, 512), "went with its command", fesSequence},
		{"R2T behind the end", plain, askPDU(plain, 1, 0, 65537), "R2T for bytes 0 to 65537", fesRange},
		{"R2T for nothing", plain, askPDU(plain, 1, 0, 0), "R2T for bytes 0 to 0", fesRange},
		{"R2T out of order", plain, askPDU(plain, 1, 512, 512), "R2T for bytes 512 to 1024", fesRange},
		{"too many R2Ts", plain, join(askPDU(plain, 1, 0, 512), askPDU(plain, 1, 512, 512), askPDU(plain, 1, 1024, 512)),
			"number 3 under way for one command, where 2", fesLimit},
		{"the target ends it", plain, putTerm(pduC2HTermReq, &fault{code: fesRange, info: 16}, make([]byte, 24)),
			"data transfer out of range (FES 4, FEI 0x10); the PDU was: ICReq", 0},
		{"TermReq of a size that it cannot have", plain, changed(putTerm(pduC2HTermReq, &fault{code: 1}, nil), 5, 9),
			"C2HTermReq of", fesHeaderField},
		{"it closes", plain, nil, "3 commands under way: the other end closed the connection", 0},
		{"it closes inside of a PDU", plain, read(0, 0, 8192, 8192)[:4000], "3 commands under way: the other end closed " +
			"the connection", 0},
	} {
		for _, piece := range []int{1 << 20, 1, 13} {
			if c.fes == fesLimit && c.in[0] == pduR2T && piece < len(c.in) {
				continue // these are answered in sequence
			}
			s := &script{in: c.in, piece: piece}
			q := testQueue(s, c.f)
			var err error
			for err == nil {
				_, err = q.Wait(3, time.Now().Add(time.Minute))
			}
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.At.IsZero() ||
				e.Subject != "queue 1" {
				t.Errorf("%s, in pieces of %d: %v\nwant %q", c.name, piece, err, c.want)
			}
			codes := terms(t, s.out)
			if c.fes == 0 && len(codes) != 0 || c.fes != 0 && (len(codes) != 1 || codes[0] != c.fes) {
				t.Errorf("%s, in pieces of %d: TermReqs %v, want %d", c.name, piece, codes, c.fes)
			}
			if _, again := q.Wait(1, time.Time{}); again == nil || q.Submit(3, false, 0, make([]byte, 512)) == nil {
				t.Errorf("%s: the queue goes on", c.name)
			}
		}
	}
}

// A violation by a host ends its connection with a TermReq or is answered with a status, and affects nothing else.
func TestWrongHost(t *testing.T) {
	plain, both := framing{align: 4}, framing{align: 4, header: true, data: true}
	io := func(op uint8, lba uint64, blocks, sgl uint32, kind uint8, n int) []byte {
		return capsule(plain, func(e sqe) {
			e.begin(op, 7, 1)
			e.setQW(10, lba)
			e.setDW(12, blocks-1)
			binary.LittleEndian.PutUint32(e[32:], sgl)
			e[39] = kind
		}, n)
	}
	write := io(opWrite, 0, 128, 65536, sglTransport, 0)
	for _, c := range []struct {
		name   string
		f      framing
		in     []byte
		fes    uint16 // 0: none
		status Status // of the answer, where there is one
	}{
		{"unknown type", plain, []byte{0x55, 0, 8, 0, 8, 0, 0, 0}, fesSequence, 0},
		{"a PDU of the other direction", plain, response(plain, 0, 0), fesSequence, 0},
		{"ICReq again", plain, initial{align: 4, most: 1}.put(pduICReq), fesSequence, 0},
		{"data that nobody asked for", plain, dataPDU(plain, pduH2CData, flagLast, 7, 0, 0, 512, 512), fesHeaderField, 0},
		{"a tag that there is not", plain, join(write, dataPDU(plain, pduH2CData, 0, 7, 999, 0, 512, 512)), fesHeaderField,
			0},
		{"data of another command", plain, join(write, dataPDU(plain, pduH2CData, 0, 8, 0, 0, 512, 512)), fesHeaderField, 0},
		{"data behind the end", plain, join(write, dataPDU(plain, pduH2CData, flagLast, 7, 0, 0, 66048, 66048)), fesRange, 0},
		{"data out of order", plain, join(write, dataPDU(plain, pduH2CData, 0, 7, 0, 512, 512, 512)), fesRange, 0},
		{"the last too soon", plain, join(write, dataPDU(plain, pduH2CData, flagLast, 7, 0, 0, 512, 512)), fesHeaderField, 0},
		{"two lengths", plain, join(write, dataPDU(plain, pduH2CData, 0, 7, 0, 0, 1024, 512)), fesHeaderField, 0},
		{"more data than a PDU may have", plain, join(write, dataPDU(plain, pduH2CData, 0, 7, 0, 0, 131584, 131584)),
			fesLimit, 0},
		{"a capsule too large", plain, io(opWrite, 0, 32, 16384, sglInCapsule, 16384), fesLimit, 0},
		{"wrong header digest", both, changed(capsule(both, func(e sqe) {}, 0), 20, 9), fesHeaderDigest, 0},
		{"wrong data digest", both, changed(capsule(both, func(e sqe) {
			e.begin(opWrite, 7, 1)
			e.carry(512, true)
		}, 512), 200, 9), 0, statusTransientTransport},
		{"more commands than the queue has entries", plain, func() (all []byte) {
			for range 10 {
				all = append(all, write...)
			}
			return all
		}(), fesSequence, 0},
		{"the host ends it", plain, putTerm(pduH2CTermReq, &fault{code: fesRange}, nil), 0, 0},
		{"unknown opcode", plain, io(0x55, 0, 1, 0, sglTransport, 0), 0, statusInvalidOpcode},
		{"another namespace", plain, capsule(plain, func(e sqe) { e.begin(opRead, 7, 2) }, 0), 0, statusNamespace},
		{"behind the end", plain, io(opRead, 2048, 1, 512, sglTransport, 0), 0, statusRange},
		{"over the end", plain, io(opRead, 2047, 2, 1024, sglTransport, 0), 0, statusRange},
		{"an address that wraps", plain, io(opRead, 1<<64-1, 2, 1024, sglTransport, 0), 0, statusRange},
		{"SGL too short", plain, io(opRead, 0, 8, 512, sglTransport, 0), 0, statusSGLLength},
		{"in the capsule, and nothing there", plain, io(opWrite, 0, 1, 512, sglInCapsule, 0), 0, statusSGLLength},
		{"in the capsule and not all there", plain, io(opWrite, 0, 2, 1024, sglInCapsule, 512), 0, statusSGLLength},
		{"a read into the capsule", plain, io(opRead, 0, 1, 512, sglInCapsule, 0), 0, statusSGLType},
		{"a kind of SGL that there is not", plain, io(opRead, 0, 1, 512, 0x40, 0), 0, statusSGLType},
		{"data with a command that asks for R2T", plain, io(opWrite, 0, 1, 512, sglTransport, 512), 0, statusSGLType},
	} {
		for _, piece := range []int{1 << 20, 1, 13} {
			s := &script{in: c.in, piece: piece}
			p := testPeer(s, 1, false, c.f, NewMemory(1<<20))
			p.serve()
			codes := terms(t, s.out)
			if c.fes == 0 && len(codes) != 0 || c.fes != 0 && (len(codes) != 1 || codes[0] != c.fes) {
				t.Errorf("%s, in pieces of %d: TermReqs %v, want %d", c.name, piece, codes, c.fes)
			}
			if c.status != 0 &&
				(len(s.out) < respSize || cqe(s.out[headSize:]).status()&statusCode != c.status ||
					cqe(s.out[headSize:]).cid() != 7) {
				t.Errorf("%s, in pieces of %d: answered with %x, want status %v", c.name, piece, s.out, c.status)
			}
		}
	}
}

// An invalid first PDU ends the connection.
func TestWrongBeginning(t *testing.T) {
	good := initial{align: 4, most: 1}.put(pduICReq)
	for name, b := range map[string][]byte{
		"HTTP": []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "version": changed(good, 8, 1), "alignment": changed(good, 10,
			32), "digests": changed(good, 11, 4),
		"length": changed(good, 4, 64), "command first": capsule(framing{align: 4}, func(e sqe) {}, 0),
	} {
		s := &script{in: b, piece: 1000}
		if err := testPeer(s, 0, true, framing{}, NewMemory(4096)).serve(); err == nil || len(terms(t, s.out)) != 1 {
			t.Errorf("%s: %v, %x", name, err, s.out)
		}
	}
}

// A completion that arrives while the command's data is still being sent is reported only afterwards: the buffer is in
// use until then.
func TestEarlyAnswer(t *testing.T) {
	s := &script{in: response(framing{align: 4}, 2, statusWriteFault), piece: 1 << 20, stuck: true}
	q := testQueue(s, framing{align: 4})
	done, err := q.Wait(1, time.Now())
	if len(done) != 0 || !q.slots[2].busy {
		t.Fatalf("%v %v: a slot is free whose data is still being sent", done, err)
	}
	q = testQueue(s, framing{align: 4})
	s.in = response(framing{align: 4}, 2, statusWriteFault)
	if err := q.pump(); err != nil {
		t.Fatal(err)
	}
	if err := q.receive(0); err != nil {
		t.Fatal(err)
	}
	if err := q.parse(); err != nil || len(q.late) != 1 {
		t.Fatal(err, q.late)
	}
	s.stuck = false
	if err := q.pump(); err != nil || len(q.done) != 1 || q.done[0].Status != statusWriteFault || q.slots[2].busy {
		t.Fatal(err, q.done)
	}
}

// With many large writes under way answers are sent together, a few at a time; the answer to a single write is sent at
// With many large writes under way answers are sent together, a few at a time; one to a single write at once.
func TestAnswersGoTogether(t *testing.T) {
	f := framing{align: 4}
	for _, c := range []struct{ writes, least, most int }{{24, 10, 16}, {1, 2, 2}} {
		s := &script{piece: 8192}
		for cid := range uint16(c.writes) {
			s.in = append(s.in, capsule(f, func(e sqe) {
				e.begin(opWrite, cid, 1)
				e.setDW(12, 127)
				e.carry(65536, false)
			}, 0)...)
		}
		p := testPeer(s, 1, false, f, NewMemory(1<<20))
		p.transfers, p.free = make([]transfer, c.writes), nil
		for tag := range uint16(c.writes) {
			p.free = append(p.free, uint16(c.writes)-1-tag) // the first command has tag 0
		}
		for cid := range uint16(c.writes) {
			s.in = append(s.in, dataPDU(f, pduH2CData, flagLast, cid, cid, 0, 65536, 65536)...)
		}
		p.serve()
		answers := 0
		for b := s.out; len(b) >= headSize; b = b[parseHead(b).plen:] {
			if parseHead(b).kind == pduCapsuleResp && cqe(b[headSize:]).status() == 0 {
				answers++
			}
		}
		if answers != c.writes || s.calls < c.least || s.calls > c.most {
			t.Errorf("%d writes: %d answers in %d calls, want %d to %d calls", c.writes, answers, s.calls, c.least, c.most)
		}
	}
}
