package nvmetcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"time"
)

// peer is one connection of a host at the target, served by one thread: it parses what has arrived, and sends all
// answers together.
type peer struct {
	s      *server
	stream stream
	name   string // of the other end
	here   string // local address of the connection

	begun     bool // ICReq has arrived
	f         framing
	a         *association // nil: no queue is connected
	id        uint16       // of the queue
	entries   uint16       // of the queue
	noFlow    bool
	head      uint16 // SQHD
	deadline  time.Time
	closing   bool
	transfers []transfer // by transfer tag
	free      []uint16   // tags

	in    reader
	phase uint8
	cur   incoming
	large bool

	headers []byte // to send
	to      int
	vec     [][]byte
	bytes   int
	arena   []byte // data to send
	used    int
	chunk   []byte // data of a PDU that is being received
}

// transfer is a write with data requested from the host.
type transfer struct {
	busy   bool
	cid    uint16
	offset int64 // in the drive, of the next data
	moved  uint32
	left   uint32 // rest of the command
	asked  uint32 // rest of this R2T
	status Status
}

// incoming is the H2CData whose data is being received.
type incoming struct {
	tag   uint16
	last  bool
	whole []byte
	rest  []byte
}

const (
	maxOut    = 256 << 10 // bytes that are collected before they are sent
	maxVec    = 960
	arenaSize = 512 << 10
	readPart  = 128 << 10 // data that is read from the drive for one PDU
	sendLimit = 30 * time.Second
	noLimit   = time.Duration(-1)
)

func (s *server) accept(conn net.Conn) (*peer, error) {
	p := &peer{s: s, name: fmt.Sprint(conn.RemoteAddr()), here: fmt.Sprint(conn.LocalAddr()),
		deadline: time.Now().Add(s.limits.Handshake)}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetNoDelay(true)
	}
	stream, err := newStream(conn)
	if err != nil {
		return nil, err
	}
	p.stream = stream
	p.prepare()
	s.mu.Lock()
	s.peers[p] = true
	s.mu.Unlock()
	return p, nil
}

// prepare allocates the buffers of an admin queue; an I/O queue gets more once it is connected.
func (p *peer) prepare() {
	p.in.buf = make([]byte, 16<<10)
	p.headers = make([]byte, 64*beforeMost)
	p.vec = make([][]byte, 0, maxVec+8)
	p.arena = make([]byte, 16<<10)
	p.f = framing{align: 4, capsule: adminInCapsule}
}

func (p *peer) run() {
	runtime.LockOSThread() // receive blocks; the lock ends with the goroutine
	err := p.serve()
	p.s.mu.Lock()
	delete(p.s.peers, p)
	p.s.mu.Unlock()
	if p.a != nil {
		if p.id == 0 {
			p.s.dissolve(p.a)
		} else {
			p.a.mu.Lock()
			if p.a.queues[p.id] == p {
				delete(p.a.queues, p.id)
			}
			p.a.mu.Unlock()
		}
	}
	p.stream.close()
	// The second is an interruption by the target itself.
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		p.s.say(p.name + ": " + err.Error())
	}
}

func (p *peer) serve() error {
	for {
		if err := p.parse(); err != nil {
			return p.refuse(err)
		}
		if !p.hold() {
			if err := p.flush(); err != nil {
				return err
			}
		}
		if p.closing {
			return nil
		}
		if err := p.receive(); err != nil {
			return err
		}
	}
}

// hold reports whether answers wait for the end of data that is already arriving: with many writes under way no host
// waits for them, and one call and one wakeup of the host serve several.
func (p *peer) hold() bool {
	const few, many = 4 * respSize, 8
	return p.phase == phaseData && p.to < few && p.bytes == 0 && len(p.transfers)-len(p.free) >= many && !p.closing
}

// refuse reports an invalid PDU to the host, if that ends the connection.
func (p *peer) refuse(err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	b := p.in.bytes()
	if len(b) >= headSize {
		b = b[:min(len(b), max(int(b[2]), headSize))]
	}
	p.flush() // answers to valid commands
	p.stream.sendAll([][]byte{putTerm(pduC2HTermReq, f, b)}, time.Second)
	return fmt.Errorf("the host does not keep to the specification: %s", f.text)
}

// receive waits for data, limited by the handshake or the keep alive timer.
func (p *peer) receive() error {
	for {
		left := noLimit
		if !p.deadline.IsZero() {
			left = max(time.Until(p.deadline), 0)
		}
		var n int
		var err error
		if p.phase == phaseData && len(p.cur.rest) >= directFrom {
			n, err = p.stream.receive(p.cur.rest, p.in.room(shortRead, beforeMost), left, false)
			k := min(n, len(p.cur.rest))
			p.cur.rest = p.cur.rest[k:]
			p.in.w += n - k
		} else {
			size := len(p.in.buf)
			if p.large && len(p.in.bytes()) < headSize {
				size = shortRead
			}
			n, err = p.stream.receive(p.in.room(size, min(len(p.in.buf), p.longest())), nil, left, false)
			p.in.w += n
		}
		if err != errTimeout {
			return err
		}
		if p.a == nil {
			return fmt.Errorf("no queue was connected within %v", p.s.limits.Handshake)
		}
		if keep := p.keep(); !p.a.active.Swap(false) && keep > 0 {
			return fmt.Errorf("no sign of life from host %s within its keep alive time of %v; its connections are closed",
				p.a.name, keep)
		}
		p.alive()
	}
}

func (p *peer) keep() time.Duration {
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	return p.a.keep
}

// alive restarts the keep alive timer of an admin queue.
func (p *peer) alive() {
	if keep := p.keep(); p.id == 0 && keep > 0 {
		p.deadline = time.Now().Add(keep + time.Second)
	} else {
		p.deadline = time.Time{}
	}
}

// longest is the required size of the staging buffer: a capsule with its data, or the header and digest of any other
// PDU.
func (p *peer) longest() int { return beforeMost + digestSize + int(p.f.capsule) }

// parse handles everything that has arrived.
func (p *peer) parse() error {
	for !p.closing {
		switch p.phase {
		case phaseData:
			p.cur.rest = p.cur.rest[p.in.take(p.cur.rest):]
			if len(p.cur.rest) > 0 {
				return nil
			}
			p.phase = phaseDigest
		case phaseDigest:
			good := true
			if p.f.data {
				b := p.in.bytes()
				if len(b) < digestSize {
					return nil
				}
				good = binary.LittleEndian.Uint32(b) == digest(p.cur.whole)
				p.in.skip(digestSize)
			}
			p.phase = phaseHead
			if err := p.dataEnds(good); err != nil {
				return err
			}
		default:
			more, err := p.pdu()
			if !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// pdu handles the next PDU, if its header has arrived, and for a capsule its data too.
func (p *peer) pdu() (more bool, err error) {
	b := p.in.bytes()
	if len(b) < headSize {
		return false, nil
	}
	h := parseHead(b)
	if !p.begun {
		if h.kind != pduICReq || h.hlen != icSize || h.plen != icSize {
			return false, &fault{fesSequence, 0, fmt.Sprintf("a connection begins with ICReq, and %q came", b[:headSize])}
		}
		if len(b) < icSize {
			return false, nil
		}
		return true, p.initialize(b[:icSize])
	}
	before, n, f := p.f.check(h, toTarget)
	if f != nil {
		return false, f
	}
	whole := before
	if h.kind != pduH2CData {
		whole += n
		if h.kind == pduCapsuleCmd && n > 0 {
			whole += p.f.dataDigest()
		}
	}
	if len(b) < whole {
		return false, nil
	}
	if h.kind == pduH2CTermReq {
		return false, fmt.Errorf("the host ended the connection: %s", termText(b, b[termSize:whole]))
	}
	if f := p.f.checkDigest(b, h.hlen); f != nil {
		return false, f
	}
	if h.kind == pduH2CData {
		if f := p.dataBegins(h, b, n); f != nil {
			return false, f
		}
		p.in.skip(before)
		return true, nil
	}
	data := b[before : before+n]
	good := n == 0 || !p.f.data || binary.LittleEndian.Uint32(b[before+n:]) == digest(data)
	e := sqe(b[headSize:cmdSize])
	if p.a == nil {
		err = p.connect(e, data, good)
	} else if p.id == 0 {
		err = p.adminCommand(e, data, good)
	} else {
		err = p.ioCommand(e, data, good)
	}
	if err != nil {
		return false, err
	}
	p.in.skip(whole)
	return true, nil
}

func (p *peer) initialize(b []byte) error {
	i, f := parseInitial(b, pduICReq)
	if f != nil {
		return f
	}
	p.in.skip(icSize)
	p.begun = true
	p.f.header, p.f.data, p.f.align, p.f.most = i.header, i.data, i.align, uint32(p.s.limits.H2CData)
	answer := initial{align: 4, header: i.header, data: i.data, most: p.f.most}
	return p.stream.sendAll([][]byte{answer.put(pduICResp)}, sendLimit)
}
