package nvmetcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Subsystem is one drive that a target exports, as namespace 1.
type Subsystem struct {
	NQN        string
	Backing    Backing
	BlockSize  int // 512 or 4096; 0: 512. A remainder of the backing is not exported
	ReadOnly   bool
	AllowHosts []string // NQNs of hosts; none: any
	Serial     string   // empty: derived from the NQN, like the drive's other identifiers
}

// Limits of a target. They hold whatever a host requests; 0 is the default.
type Limits struct {
	Connections int // concurrent; 128
	Queues      int // I/O queues of a controller; 64
	Depth       int // outstanding commands of a queue; 128
	InCapsule   int // bytes of a write inside of its command; 8192
	H2CData     int // bytes of one data PDU (MAXH2CDATA); 128 KiB
	R2T         int // bytes requested at once; default: all of a command
	Transfer    int // bytes of a command, a power of two (MDTS); 1 MiB
	Handshake   time.Duration
}

func (l Limits) filled() (Limits, error) {
	for _, v := range []struct {
		name              string
		at                *int
		usual, least, top int
	}{{"Connections", &l.Connections, 128, 1, 65536}, {"Queues", &l.Queues, 64, 1, 1024}, {"Depth", &l.Depth, 128, 2,
		4096}, {"InCapsule", &l.InCapsule, 8192, 0, 64 << 10},
		{"H2CData", &l.H2CData, 128 << 10, 4096, 4 << 20}, {"R2T", &l.R2T, 4 << 20, 4096, 4 << 20}, {"Transfer",
			&l.Transfer, 1 << 20, 4096, 4 << 20}} {
		if *v.at == 0 {
			*v.at = v.usual
		}
		if *v.at < v.least || *v.at > v.top {
			return l, failure(CodeInput, "limit "+v.name, "%d is not between %d and %d", *v.at, v.least, v.top)
		}
	}
	switch {
	case l.InCapsule%16 != 0 || l.H2CData%4096 != 0 || l.R2T%4096 != 0:
		return l, failure(CodeInput, "limits", "InCapsule must be a multiple of 16, H2CData and R2T of 4096: %d, %d, %d",
			l.InCapsule, l.H2CData, l.R2T)
	case l.Transfer&(l.Transfer-1) != 0:
		return l, failure(CodeInput, "limit Transfer", "%d is not a power of two", l.Transfer)
	}
	if l.Handshake <= 0 {
		l.Handshake = 10 * time.Second
	}
	return l, nil
}

// Target exports subsystems. One thread serves each connection, one command after the other: a slow drive is used by as
// many threads as there are queues.
type Target struct {
	Subsystems []Subsystem
	Limits     Limits
	// called with the reason when a connection ends unexpectedly, perhaps by several threads; may be nil
	Log func(string)
}

// Serve exports subsystems with the default limits until ctx ends.
func Serve(ctx context.Context, ln net.Listener, subsystems ...Subsystem) error {
	return (&Target{Subsystems: subsystems}).Serve(ctx, ln)
}

// server is a running target.
type server struct {
	subsystems []*drive
	limits     Limits
	log        func(string)

	mu           sync.Mutex
	associations map[uint16]*association
	peers        map[*peer]bool
	next         uint16
}

// drive is a validated subsystem.
type drive struct {
	Subsystem
	ns     Namespace
	shift  uint
	memory memory // nil: use ReadAt and WriteAt
	sync   interface{ Sync() error }
}

func prepare(s Subsystem) (*drive, error) {
	if err := checkNQN(s.NQN); err != nil {
		return nil, &Error{Code: CodeInput, Subject: "subsystem", Text: err.Error()}
	}
	bad := func(form string, args ...any) (*drive, error) {
		return nil, failure(CodeInput, "subsystem "+s.NQN, form, args...)
	}
	if s.NQN == DiscoveryNQN {
		return bad("it is the name of the discovery subsystem, which is there without")
	}
	s.BlockSize = cmp.Or(s.BlockSize, 512)
	if s.BlockSize != 512 && s.BlockSize != 4096 {
		return bad("blocks of %d bytes, where 512 and 4096 are supported", s.BlockSize)
	}
	if s.Backing == nil {
		return bad("it has no backing")
	}
	if s.Backing.Size() < int64(s.BlockSize) {
		return bad("its backing of %d bytes has no room for a block of %d", s.Backing.Size(), s.BlockSize)
	}
	if len(s.Serial) > 20 {
		return bad("its serial number has %d bytes, where NVMe has room for 20", len(s.Serial))
	}
	d := &drive{Subsystem: s, shift: 9}
	if s.BlockSize == 4096 {
		d.shift = 12
	}
	sum := sha256.Sum256([]byte(s.NQN))
	if d.Serial == "" {
		d.Serial = fmt.Sprintf("%x", sum[16:26])
	}
	d.ns = Namespace{ID: 1, Blocks: uint64(s.Backing.Size()) >> d.shift, BlockSize: s.BlockSize, ReadOnly: s.ReadOnly}
	copy(d.ns.NGUID[:], sum[:])
	copy(d.ns.UUID[:], sum[:])
	d.ns.UUID[6], d.ns.UUID[8] = d.ns.UUID[6]&0x0f|0x80, d.ns.UUID[8]&0x3f|0x80 // version 8: derived from other data
	d.memory, _ = s.Backing.(memory)
	d.sync, _ = s.Backing.(interface{ Sync() error })
	return d, nil
}

func (d *drive) allows(host string) bool {
	return len(d.AllowHosts) == 0 || slices.Contains(d.AllowHosts, host)
}

// Serve accepts connections of ln until ctx ends, which closes ln and all of them, or until ln fails. It returns nil if
// ctx has ended.
func (t *Target) Serve(ctx context.Context, ln net.Listener) error {
	s := &server{log: t.Log, associations: map[uint16]*association{}, peers: map[*peer]bool{}}
	defer ln.Close()
	if len(t.Subsystems) == 0 {
		return failure(CodeInput, "target", "it has no subsystem to export")
	}
	for _, sub := range t.Subsystems {
		d, err := prepare(sub)
		if err != nil {
			return err
		}
		if s.drive(d.NQN) != nil {
			return failure(CodeInput, "subsystem "+d.NQN, "it is exported twice")
		}
		s.subsystems = append(s.subsystems, d)
	}
	var err error
	if s.limits, err = t.Limits.filled(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	defer s.endAll()
	for pause := time.Millisecond; ; {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return connectionError("target", "listening on "+ln.Addr().String(), err)
		case err != nil: // out of descriptors, or a connection was reset before it was accepted
			s.say("a connection could not be accepted: " + err.Error())
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, time.Second)
			continue
		}
		pause = time.Millisecond
		s.mu.Lock()
		full := len(s.peers) >= s.limits.Connections
		s.mu.Unlock()
		if full {
			s.say(
				fmt.Sprintf("%v: refused, for %d connections are open, which is the target's limit", conn.RemoteAddr(),
					s.limits.Connections),
			)
			conn.Close()
			continue
		}
		p, err := s.accept(conn)
		if err != nil {
			s.say(fmt.Sprintf("%v: %v", conn.RemoteAddr(), err))
			conn.Close()
			continue
		}
		all.Go(p.run)
	}
}

func (s *server) say(text string) {
	if s.log != nil {
		s.log(text)
	}
}

func (s *server) drive(nqn string) *drive {
	for _, d := range s.subsystems {
		if d.NQN == nqn {
			return d
		}
	}
	return nil
}

func (s *server) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		p.stream.interrupt()
	}
}

const (
	maxAsync = 4 // event requests held
	version  = 0x00010400
)

// association is a controller that a host created by connecting an admin queue (Base, section 2.4: the dynamic model).
type association struct {
	id     uint16
	drive  *drive // nil: discovery
	host   [16]byte
	name   string      // of the host
	active atomic.Bool // a command came on an I/O queue, which also shows that the host is alive

	mu     sync.Mutex
	cc     uint32
	status uint32 // CSTS
	events int    // event requests held
	config uint32 // of events
	keep   time.Duration
	queues map[uint16]*peer
}

// associate creates a controller; 0 if all numbers are taken.
func (s *server) associate(d *drive, c connectData) *association {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 0xffef {
		s.next++
		if s.next == 0 || s.next >= 0xfff0 {
			s.next = 1
		}
		if s.associations[s.next] == nil {
			a := &association{id: s.next, drive: d, host: c.host, name: c.hostNQN,
				keep: time.Duration(c.keepAlive) * time.Millisecond, queues: map[uint16]*peer{}}
			s.associations[a.id] = a
			return a
		}
	}
	return nil
}

func (s *server) association(id uint16) *association {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.associations[id]
}

// dissolve ends a controller with all its queues.
func (s *server) dissolve(a *association) {
	s.mu.Lock()
	delete(s.associations, a.id)
	s.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = 0
	a.reset()
}

// reset ends the I/O queues; the caller holds the lock.
func (a *association) reset() {
	for id, p := range a.queues {
		p.stream.interrupt()
		delete(a.queues, id)
	}
	a.events = 0
}
