package nvmetcp

import (
	"time"
)

// connect answers the first command of a connection, which makes it a queue (Base, section 6.2).
func (p *peer) connect(e sqe, data []byte, good bool) error {
	if e.opcode() != opFabrics || e.fabrics() != fabricsConnect {
		return p.respond(e.cid(), statusSequence|doNotRetry, 0)
	}
	invalid := func(at uint16, inData bool) error {
		result := uint64(at)
		if inData {
			result |= connectInvalid
		}
		return p.respond(e.cid(), statusConnectInvalid|doNotRetry, result)
	}
	if !good {
		return p.respond(e.cid(), statusTransientTransport, 0)
	}
	if len(data) != connectSize || e.sglType() != sglInCapsule || e.sglOffset() != 0 || e.sglBytes() != connectSize {
		return p.respond(e.cid(), statusSGLLength|doNotRetry, 0)
	}
	c := parseConnect(e, data)
	depth := p.s.limits.Depth
	if c.queue == 0 {
		depth = adminDepth
	}
	switch {
	case c.recordFormat != 0:
		return invalid(40, false)
	case c.entries == 0 || int(c.entries) > depth:
		return invalid(44, false)
	case checkNQN(c.hostNQN) != nil:
		return invalid(offsetHost, true)
	}
	d := p.s.drive(c.subsystem)
	if d == nil && c.subsystem != DiscoveryNQN {
		return invalid(offsetSubsystem, true)
	}
	if d != nil && !d.allows(c.hostNQN) {
		return p.respond(e.cid(), statusConnectHost|doNotRetry, 0)
	}
	if c.queue == 0 {
		if c.controller != anyController {
			return invalid(offsetController, true)
		}
		a := p.s.associate(d, c)
		if a == nil {
			return p.respond(e.cid(), statusConnectBusy, 0)
		}
		p.a = a
		p.alive()
	} else {
		a := p.s.association(c.controller)
		if a == nil || a.drive == nil || a.drive != d || a.host != c.host || a.name != c.hostNQN {
			return invalid(offsetController, true)
		}
		if s := p.join(a, c.queue); s != 0 {
			if s == statusConnectInvalid {
				return invalid(42, false)
			}
			return p.respond(e.cid(), s|doNotRetry, 0)
		}
		p.deadline = time.Time{}
		p.widen()
	}
	p.entries, p.noFlow = c.entries+1, c.noFlow
	if p.id > 0 {
		p.transfers = make([]transfer, p.entries)
		for tag := range p.entries {
			p.free = append(p.free, p.entries-1-tag)
		}
	}
	var fields [cqeSize]byte
	head := uint16(0xffff)
	if !p.noFlow {
		head = p.nextHead()
	}
	cqe(fields[:]).put(uint64(p.a.id), head, p.id, e.cid(), 0)
	return p.send(pduCapsuleResp, 0, fields[:], nil)
}

const adminDepth = 4095 // of an admin queue, which answers its commands in sequence

// join makes this connection an I/O queue of a controller.
func (p *peer) join(a *association, id uint16) Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.status&cstsReady == 0:
		return statusSequence
	case int(id) > p.s.limits.Queues:
		return statusConnectInvalid
	case a.queues[id] != nil:
		return statusConnectBusy
	}
	a.queues[id] = p
	p.a, p.id = a, id
	return 0
}

// widen allocates the buffers of an I/O queue.
func (p *peer) widen() {
	p.f.capsule = uint32(p.s.limits.InCapsule)
	in := reader{buf: make([]byte, stagingSize)}
	in.w = copy(in.buf, p.in.bytes())
	p.in = in
	headers := make([]byte, 256*beforeMost)
	copy(headers, p.headers[:p.to])
	p.headers = headers
	p.chunk = make([]byte, p.s.limits.H2CData)
	if p.a.drive.memory == nil {
		p.arena = make([]byte, arenaSize)
	}
}

// adminCommand answers a command of the admin queue.
func (p *peer) adminCommand(e sqe, data []byte, good bool) error {
	a := p.a
	p.alive()
	done := func(result uint64) error { return p.respond(e.cid(), 0, result) }
	fail := func(s Status) error { return p.respond(e.cid(), s|doNotRetry, 0) }
	if !good {
		return p.respond(e.cid(), statusTransientTransport, 0)
	}
	if e.opcode() == opFabrics {
		switch e.fabrics() {
		case fabricsPropertyGet:
			v, ok := p.property(e.dw(11), e[40]&7)
			if !ok {
				return fail(statusInvalidField)
			}
			return done(v)
		case fabricsPropertySet:
			if e.dw(11) != propertyCC || e[40]&7 != 0 {
				return fail(statusInvalidField)
			}
			if !p.configure(uint32(e.qw(12))) {
				return fail(statusInvalidField)
			}
			return done(0)
		case fabricsConnect:
			return fail(statusSequence)
		}
		return fail(statusInvalidOpcode)
	}
	if e.opcode() == opKeepAlive {
		return done(0)
	}
	a.mu.Lock()
	ready := a.status&cstsReady != 0
	a.mu.Unlock()
	if !ready {
		return fail(statusSequence)
	}
	if a.drive == nil && e.opcode() != opIdentify && e.opcode() != opGetLogPage && e.opcode() != opAsyncEvent &&
		e.opcode() != opGetFeatures &&
		e.opcode() != opSetFeatures {
		return fail(statusInvalidOpcode)
	}
	switch e.opcode() {
	case opIdentify:
		b := make([]byte, identifySize)
		if s := p.identify(uint8(e.dw(10)), e.nsid(), uint8(e.dw(11)>>24), b); s != 0 {
			return fail(s)
		}
		return p.page(e, b)
	case opGetLogPage:
		b := p.log(uint8(e.dw(10)))
		if b == nil {
			return fail(statusLogPage)
		}
		n := (uint64(e.dw(10)>>16) | uint64(e.dw(11)&0xffff)<<16) + 1
		offset := e.qw(12)
		if n*4 > maxLog || offset%4 != 0 || offset > uint64(len(b)) {
			return fail(statusInvalidField)
		}
		part := make([]byte, n*4)
		copy(part, b[offset:])
		return p.page(e, part)
	case opSetFeatures, opGetFeatures:
		v, s := p.feature(e)
		if s != 0 {
			return fail(s)
		}
		return done(v)
	case opAsyncEvent:
		a.mu.Lock()
		full := a.events >= maxAsync
		if !full {
			a.events++
		}
		a.mu.Unlock()
		if full {
			return fail(statusAsyncLimit)
		}
		p.nextHead() // it is held, and answered when an event occurs, which never happens
		return nil
	case opAbort:
		return done(1) // nothing was aborted: each command is answered before the next is read
	}
	return fail(statusInvalidOpcode)
}

const maxLog = 1 << 20 // bytes of one answer

// page sends one page of data, as much as the host has room for.
func (p *peer) page(e sqe, b []byte) error {
	if e.sglType() != sglTransport {
		return p.respond(e.cid(), statusSGLType|doNotRetry, 0)
	}
	if int64(e.sglBytes()) < int64(len(b)) {
		return p.respond(e.cid(), statusSGLLength|doNotRetry, 0)
	}
	return p.deliver(e.cid(), 0, b, true)
}

func (p *peer) property(offset uint32, size uint8) (uint64, bool) {
	a := p.a
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case offset == propertyCAP && size == 1:
		// MQES, CQR, TO of 7.5 s, CSS: NVM command set
		return uint64(p.s.limits.Depth) | 1<<16 | 15<<24 | 1<<37, true
	case offset == propertyVS && size == 0:
		return version, true
	case offset == propertyCC && size == 0:
		return uint64(a.cc), true
	case offset == propertyCSTS && size == 0:
		return uint64(a.status), true
	case offset == propertyNSSR && size == 0:
		return 0, true
	}
	return 0, false
}

// configure sets CC (Base, section 3.1.3.5).
func (p *peer) configure(cc uint32) bool {
	a := p.a
	a.mu.Lock()
	defer a.mu.Unlock()
	if cc&ccEnable != 0 &&
		(cc>>4&7 != 0 || cc>>7&15 != 0 || cc>>11&7 != 0 || a.drive != nil && cc&(0xff<<16) != ccEntries) {
		return false // command set, page size, arbitration, entries
	}
	if a.cc&ccEnable != 0 && cc&ccEnable == 0 {
		a.reset()
		a.status = 0
	}
	if a.cc&ccEnable == 0 && cc&ccEnable != 0 {
		a.status = cstsReady
	}
	if cc&ccShutdown != 0 && a.cc&ccShutdown == 0 {
		if d := a.drive; d != nil && d.sync != nil && !d.ReadOnly {
			if err := d.sync.Sync(); err != nil {
				p.s.say("flush of " + d.NQN + ": " + err.Error())
			}
		}
		a.status = a.status&^cstsShutdown | cstsShutdownDone
	}
	a.cc = cc
	return true
}

func (p *peer) feature(e sqe) (uint64, Status) {
	a, set, v := p.a, e.opcode() == opSetFeatures, e.dw(11)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.drive == nil && uint8(e.dw(10)) != featureAsyncEvent && uint8(e.dw(10)) != featureKeepAlive {
		return 0, statusInvalidField
	}
	switch uint8(e.dw(10)) {
	case featureQueues:
		most := uint32(p.s.limits.Queues - 1)
		if set && (v&0xffff == 0xffff || v>>16 == 0xffff) {
			return 0, statusInvalidField
		}
		return uint64(most<<16 | most), 0
	case featureAsyncEvent:
		if set {
			a.config = v
		}
		return uint64(a.config), 0
	case featureKeepAlive:
		if set {
			if v > uint32(time.Hour.Milliseconds()) {
				return 0, statusKeepAliveInvalid
			}
			a.keep = time.Duration(v) * time.Millisecond
			return 0, 0
		}
		return uint64(a.keep.Milliseconds()), 0
	case featureWriteCache:
		if set || a.drive.sync == nil {
			return 0, statusInvalidField
		}
		return 1, 0
	}
	return 0, statusInvalidField
}
