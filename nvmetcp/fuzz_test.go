package nvmetcp

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func shape(mode byte) framing {
	return framing{align: 4 << (mode >> 2 & 3), header: mode&1 != 0, data: mode&2 != 0}
}

// oneLine requires that every message is one line.
func oneLine(t *testing.T, err error) {
	if s := err.Error(); s == "" || len(s) > 1000 || strings.Contains(s, "\n") {
		t.Fatalf("error %q", s)
	}
}

// Arbitrary bytes from a target: nothing panics, the queue ends with an error of one line, and no slot completes twice.
func FuzzQueue(f *testing.F) {
	for mode := range byte(4) {
		s := shape(mode)
		f.Add(
			mode,
			byte(200),
			join(dataPDU(s, pduC2HData, flagLast|flagSuccess, 0, 0, 0, 8192, 8192), askPDU(s, 1, 0, 40000), response(s, 2, 0),
				askPDU(s, 1, 40000, 25536), response(s, 1, 0)),
		)
		f.Add(
			mode,
			byte(1),
			join(dataPDU(s, pduC2HData, 0, 0, 0, 0, 4096, 4096), response(s, 0, statusReadError),
				putTerm(pduC2HTermReq, &fault{code: 3}, make([]byte, 24))),
		)
	}
	f.Fuzz(func(t *testing.T, mode, piece byte, in []byte) {
		s := &script{in: in, piece: int(piece) + 1}
		q := testQueue(s, shape(mode))
		ended := map[int]bool{}
		for {
			done, err := q.Wait(1, time.Now().Add(time.Minute))
			for _, d := range done {
				if ended[d.Slot] {
					t.Fatalf("slot %d ends twice", d.Slot)
				}
				ended[d.Slot] = true
				if d.Err != nil {
					oneLine(t, d.Err)
				}
			}
			if err != nil {
				oneLine(t, err)
				return
			}
			if len(ended) == 3 {
				return
			}
		}
	})
}

// Arbitrary bytes from a host to a target, on a connected queue and from the beginning.
func FuzzTarget(f *testing.F) {
	for mode := range byte(4) {
		s := shape(mode)
		write := capsule(s, func(e sqe) {
			e.begin(opWrite, 7, 1)
			e.setDW(12, 127)
			e.carry(65536, false)
		}, 0)
		f.Add(
			mode,
			byte(1),
			byte(100),
			join(
				write,
				dataPDU(s, pduH2CData, 0, 7, 0, 0, 32768, 32768),
				dataPDU(s, pduH2CData, flagLast, 7, 0, 32768, 32768, 32768),
				capsule(s, func(e sqe) {
					e.begin(opWrite, 8, 1)
					e.setDW(12, 7)
					e.carry(4096, true)
				}, 4096),
				capsule(s, func(e sqe) { e.carry(512, false) }, 0),
			),
		)
		f.Add(mode, byte(0), byte(1), join(capsule(s, func(e sqe) {
			e.begin(opIdentify, 1, 0)
			e.setDW(10, cnsController)
			e.carry(identifySize, false)
		}, 0), capsule(s, func(e sqe) {
			e.begin(opGetLogPage, 2, 0)
			e.setDW(10, logHealth|127<<16)
			e.carry(512, false)
		}, 0), capsule(s, func(e sqe) { e.begin(opAsyncEvent, 3, 0) }, 0)))
		e, data := make(sqe, sqeSize), make([]byte, connectSize)
		connectData{controller: anyController, subsystem: testNQN, hostNQN: "nqn.2026-11.test.linerate:host",
			entries: 7}.put(e, data)
		f.Add(
			mode,
			byte(2),
			byte(99),
			join(initial{align: 4, most: 1}.put(pduICReq),
				capsule(framing{align: 4}, func(to sqe) { copy(to, e) }, connectSize)),
		)
	}
	small := NewMemory(1 << 20)
	f.Fuzz(func(t *testing.T, mode, id, piece byte, in []byte) {
		s := &script{in: in, piece: int(piece) + 1}
		p := testPeer(s, uint16(id%2), id%4 == 2, shape(mode), small)
		if err := p.serve(); err != nil {
			oneLine(t, err)
		}
	})
}

// Arbitrary answers to one command of the admin queue, and to the first PDU of a connection.
func FuzzLink(f *testing.F) {
	for mode := range byte(4) {
		s := shape(mode)
		f.Add(mode, join(dataPDU(s, pduC2HData, flagLast, 1, 0, 0, identifySize, identifySize), response(s, 1, 0)))
		f.Add(mode|128, initial{align: 4, most: 4096}.put(pduICResp))
	}
	f.Fuzz(func(t *testing.T, mode byte, in []byte) {
		l := &link{conn: &speaker{in: in}, subject: "x", f: shape(mode), timeout: time.Minute,
			buf: make([]byte, cmdSize+beforeMost+adminInCapsule)}
		l.f.most = biggestTransfer
		if mode&128 != 0 {
			if err := l.initialize(Options{HeaderDigest: true, DataDigest: true}); err != nil {
				oneLine(t, err)
			} else if l.most < 4096 || l.f.align < 4 {
				t.Fatalf("%+v", l)
			}
			return
		}
		e := make(sqe, sqeSize)
		e.begin(opIdentify, 0, 0)
		if _, _, n, err := l.command(e, nil, make([]byte, identifySize)); err != nil {
			oneLine(t, err)
		} else if n > identifySize {
			t.Fatal(n)
		}
	})
}

// Pages of a target with arbitrary contents.
func FuzzPages(f *testing.F) {
	b := make([]byte, identifySize)
	Namespace{ID: 1, Blocks: 2048, BlockSize: 512}.put(b)
	f.Add(b)
	f.Add(putRecords([]Record{{NQN: testNQN, Address: "10.0.0.1", Service: "4420"}}, false))
	f.Add([]byte{1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 16, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := parseNamespace(b, 1); err != nil {
			oneLine(t, err)
		} else if n.Size() <= 0 || n.BlockSize < 512 {
			t.Fatalf("%+v", n)
		}
		if _, err := parseIdentity(b); err != nil {
			oneLine(t, err)
		}
		if r, _, err := parseRecords(b); err != nil {
			oneLine(t, err)
		} else if len(r) > len(b)/recordSize {
			t.Fatal(len(r))
		}
		var n Namespace
		n.parseDescriptors(b)
	})
}

// An accepted address is the same after formatting and parsing.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"nvme-tcp://10.0.0.2/nqn.2014-08.org.nvmexpress.discovery",
		"nvme-tcp://[fe80::1%25eth0]:4421/nqn.a:b?nsid=2", "nvme-tcp://a/x%2Fy", "nvme-tcp://:1/", "http://a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAddress(s)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeInput {
				t.Fatalf("%v", err)
			}
			oneLine(t, err)
			return
		}
		again, err := ParseAddress(a.String())
		if err != nil || again != a {
			t.Fatalf("%q is %+v, written %q, read again %+v, %v", s, a, a, again, err)
		}
	})
}
