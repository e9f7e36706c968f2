package nvmetcp

import (
	"io"
	"net"
	"time"
)

// script is a stream whose other end sends a script, in pieces, and closes.
type script struct {
	in    []byte
	piece int
	out   []byte
	stuck bool // nothing can be sent
	calls int  // number of sendAll calls
}

func (s *script) receive(a, b []byte, left time.Duration, sending bool) (int, error) {
	if len(s.in) == 0 {
		return 0, io.EOF
	}
	n := 0
	for _, v := range [][]byte{a, b} {
		k := copy(v, s.in[:min(len(s.in), max(s.piece-n, 1))])
		s.in = s.in[k:]
		n += k
		if n >= s.piece || len(s.in) == 0 {
			break
		}
	}
	return n, nil
}

func (s *script) send(vec [][]byte) (int, error) {
	n := 0
	for _, v := range vec {
		if s.stuck {
			break
		}
		n += len(v)
		if len(s.out) < 1<<20 {
			s.out = append(s.out, v...)
		}
	}
	return n, nil
}

func (s *script) sendAll(vec [][]byte, limit time.Duration) error {
	s.calls++
	s.send(vec)
	return nil
}
func (s *script) interrupt() {}
func (s *script) close()     {}

// speaker is a net.Conn whose other end sends a script and closes.
type speaker struct {
	in  []byte
	out []byte
}

func (c *speaker) Read(b []byte) (int, error) {
	if len(c.in) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.in)
	c.in = c.in[n:]
	return n, nil
}

func (c *speaker) Write(b []byte) (int, error) {
	if len(c.out) < 1<<20 {
		c.out = append(c.out, b...)
	}
	return len(b), nil
}
func (c *speaker) Close() error                       { return nil }
func (c *speaker) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (c *speaker) RemoteAddr() net.Addr               { return &net.TCPAddr{} }
func (c *speaker) SetDeadline(time.Time) error        { return nil }
func (c *speaker) SetReadDeadline(t time.Time) error  { return nil }
func (c *speaker) SetWriteDeadline(t time.Time) error { return nil }

// testQueue is a queue without a target: four slots, of which 0 reads 8192 bytes, 1 writes 65536, 2 writes 4096 in
// its capsule, and 3 is free.
func testQueue(s stream, f framing) *Queue {
	c := &Controller{o: Options{Write: true, R2Ts: 2, Timeout: time.Minute},
		info:   Info{Namespace: Namespace{ID: 1, Blocks: 1 << 20, BlockSize: 512}, InCapsule: 8192, MaxTransfer: 1 << 20},
		queues: map[uint16]*Queue{}}
	f.most = biggestTransfer
	q := newQueue(c, 1, "queue 1", s, &link{f: f, most: 16384}, 4)
	for at, n := range []int{8192, 65536, 4096} {
		if err := q.Submit(at, at > 0, 0, make([]byte, n)); err != nil {
			panic(err)
		}
	}
	return q
}

// testPeer is the target's end of a queue: 0 is the admin queue; with raw the handshake is still missing.
func testPeer(s stream, id uint16, raw bool, f framing, b Backing) *peer {
	d, err := prepare(Subsystem{NQN: testNQN, Backing: b})
	if err != nil {
		panic(err)
	}
	limits, err := Limits{Depth: 8}.filled()
	if err != nil {
		panic(err)
	}
	srv := &server{subsystems: []*drive{d}, limits: limits, associations: map[uint16]*association{},
		peers: map[*peer]bool{}}
	p := &peer{s: srv, stream: s, here: "127.0.0.1:4420", deadline: time.Now().Add(time.Minute)}
	p.prepare()
	if raw {
		return p
	}
	capsule := p.f.capsule
	p.f, p.begun = f, true
	p.f.capsule, p.f.most = capsule, uint32(limits.H2CData)
	p.a = srv.associate(d, connectData{hostNQN: "nqn.2026-11.test.linerate:host"})
	p.a.status, p.id, p.entries = cstsReady, id, 9
	if id > 0 {
		p.a.queues[id] = p
		p.widen()
	}
	p.transfers = make([]transfer, p.entries)
	for tag := range p.entries {
		p.free = append(p.free, p.entries-1-tag)
	}
	return p
}
