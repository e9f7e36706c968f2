package nvmetcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Info is what a target reports about itself, and what is in effect between both ends.
type Info struct {
	Model, Serial, Firmware string
	NQN                     string
	Version                 string // supported NVMe version
	Controller              uint16
	MaxTransfer             int // bytes of one command
	InCapsule               int // bytes of a write inside of its command; 0: none
	MaxH2CData              int // bytes of one data PDU to the target
	MaxDepth                int // outstanding commands on one queue
	Queues                  int // I/O queues that the target grants
	HeaderDigest            bool
	DataDigest              bool
	KeepAlive               time.Duration // 0: none
	WriteCache              bool          // volatile: written data is only safe after Sync
	Namespaces              []Namespace
	Namespace               Namespace // that queues read and write
}

// Controller is an association with one subsystem: the admin queue, which is kept alive, and the I/O queues that were
// opened.
type Controller struct {
	address Address
	o       Options
	subject string
	info    Info
	entries uint32 // MQES, 0's based

	asking sync.Mutex // protects the admin queue, which has one command at a time
	admin  *link

	mu     sync.Mutex // protects everything below; never held while waiting for the target
	err    error      // why it is unusable
	queues map[uint16]*Queue
	opened uint16

	stop    chan struct{}
	stopped chan struct{} // the keeper of the connection has ended
}

// Connect opens the admin queue of a subsystem, enables its controller and reads its properties. ctx only limits
// Connect. Errors are *Error; for an unknown name it lists the existing subsystems.
func Connect(ctx context.Context, a Address, o Options) (*Controller, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if a.NQN == DiscoveryNQN {
		return nil, failure(CodeInput, a.String(),
			"this is a discovery subsystem, which has no storage; ask it what there is and connect to one of those")
	}
	o = o.identified()
	c := &Controller{address: a, o: o, subject: a.String(), queues: map[uint16]*Queue{},
		stop: make(chan struct{}), stopped: make(chan struct{})}
	if err := c.open(ctx); err != nil {
		if c.admin != nil {
			c.admin.conn.Close()
		}
		if ctx.Err() != nil {
			return nil, connectionError(c.subject, "connecting", ctx.Err())
		}
		var e *Error
		if errors.As(err, &e) && e.Code == CodeRefused && e.Status&statusCode == statusConnectInvalid {
			e.Text += c.others(ctx)
		}
		return nil, err
	}
	go c.keep()
	return c, nil
}

// others lists the subsystems from the same host's discovery, for the error about an unknown name.
func (c *Controller) others(ctx context.Context) string {
	records, err := Discover(ctx, c.address, c.o)
	if err != nil {
		return "; what it has could not be asked: " + err.Error()
	}
	var names []string
	for _, r := range records {
		if !r.Discovery && r.Transport == "tcp" && len(names) < 20 {
			names = append(names, r.NQN)
		}
	}
	if len(names) == 0 {
		return "; its discovery lists no subsystem over TCP for this host"
	}
	return "; it has: " + strings.Join(names, ", ")
}

// watch ends operations on a link when ctx ends; the returned function ends the watch.
func watch(ctx context.Context, l *link) func() {
	stop := context.AfterFunc(ctx, func() { l.conn.Close() })
	return func() { stop() }
}

// associate opens a connection and makes it a queue (Base, section 6.2; TCP, section 3.2).
func (c *Controller) associate(ctx context.Context, subject string, d connectData) (*link, uint16, error) {
	l, err := dial(ctx, c.address, c.o, subject)
	if err != nil {
		return nil, 0, err
	}
	defer watch(ctx, l)()
	e, b := make(sqe, sqeSize), make([]byte, connectSize)
	d.host, d.hostNQN, d.noFlow = c.o.HostID, c.o.HostNQN, true
	d.put(e, b)
	result, status, _, err := l.command(e, b, nil)
	if err == nil && status != 0 {
		err = c.refused(subject, d, status, uint32(result))
	}
	if err == nil && result>>16&3 != 0 {
		err = failure(
			CodeUnsupported,
			subject,
			"the target wants the host to authenticate (DH-HMAC-CHAP), which this initiator cannot; allow the host %s "+
				"without it for the measurement",
			c.o.HostNQN,
		)
	}
	if err != nil {
		l.conn.Close()
		return nil, 0, err
	}
	return l, uint16(result), nil
}

func (c *Controller) refused(subject string, d connectData, s Status, result uint32) error {
	e := &Error{Code: CodeRefused, Subject: subject, Status: s, At: time.Now()}
	words := s.words(connectWords)
	switch s & statusCode {
	case statusConnectInvalid:
		switch {
		case result == connectInvalid|offsetSubsystem:
			e.Text = fmt.Sprintf("the host %s has no subsystem of that name (%s)", c.address.hostPort(), words)
		case result&connectInvalid != 0:
			e.Text = fmt.Sprintf("Connect was refused for byte %d of its data: %s", result&0xffff, words)
		default:
			e.Text = fmt.Sprintf("Connect was refused for byte %d of the command: %s", result&0xffff, words)
		}
	case statusConnectHost:
		e.Text = fmt.Sprintf(
			"%s: the subsystem allows certain hosts alone; add %s to them, or give the name of an allowed host", words,
			d.hostNQN)
	case statusConnectBusy:
		e.Text = words + ": all its controllers are in use; end another connection to it"
	default:
		e.Text = "Connect was refused: " + words
	}
	return e
}

func (c *Controller) open(ctx context.Context) (err error) {
	keep := c.o.keepAlive()
	if c.address.NQN == DiscoveryNQN {
		keep = 0
	}
	c.admin, c.info.Controller, err = c.associate(ctx, c.subject,
		connectData{controller: anyController, subsystem: c.address.NQN, entries: 31, keepAlive: uint32(keep.Milliseconds())})
	if err != nil {
		return err
	}
	defer watch(ctx, c.admin)()
	capability, err := c.property(propertyCAP, 8)
	if err != nil {
		return err
	}
	version, err := c.property(propertyVS, 4)
	if err != nil {
		return err
	}
	c.entries = uint32(capability & 0xffff)
	c.info.Version = fmt.Sprintf("%d.%d", version>>16&0xffff, version>>8&0xff)
	if least := capability >> 48 & 15; least != 0 {
		return failure(CodeUnsupported, c.subject, "the controller wants memory pages of at least %d KiB", 4<<least)
	}
	if err := c.enable(ctx, capability); err != nil {
		return err
	}
	id, err := c.identify()
	if err != nil || c.address.NQN == DiscoveryNQN {
		return err
	}
	c.info.KeepAlive = keep
	if id.keepAlive == 0 {
		c.info.KeepAlive = 0
	}
	if err := c.grant(); err != nil {
		return err
	}
	return c.namespaces()
}

// property reads a property of 4 or 8 bytes.
func (c *Controller) property(offset uint32, size int) (uint64, error) {
	e := make(sqe, sqeSize)
	e.begin(opFabrics, 0, 0)
	e[4] = fabricsPropertyGet
	if size == 8 {
		e[40] = 1
	}
	e.setDW(11, offset)
	v, s, _, err := c.admin.command(e, nil, nil)
	if err == nil && s != 0 {
		err = c.statusError(fmt.Sprintf("reading property %xh", offset), s)
	}
	return v, err
}

func (c *Controller) setProperty(offset uint32, v uint64) error {
	e := make(sqe, sqeSize)
	e.begin(opFabrics, 0, 0)
	e[4] = fabricsPropertySet
	e.setDW(11, offset)
	e.setQW(12, v)
	_, s, _, err := c.admin.command(e, nil, nil)
	if err == nil && s != 0 {
		err = c.statusError(fmt.Sprintf("setting property %xh", offset), s)
	}
	return err
}

func (c *Controller) statusError(doing string, s Status) error {
	return &Error{Code: CodeStatus, Subject: c.subject, Text: doing + ": " + s.String(), At: time.Now(), Status: s}
}

// enable sets CC.EN and waits for CSTS.RDY for the time in CAP.TO, at most 30 s (Base, section 3.5.1).
func (c *Controller) enable(ctx context.Context, capability uint64) error {
	if err := c.setProperty(propertyCC, ccEnable|ccEntries); err != nil {
		return err
	}
	limit := min(max(time.Duration(capability>>24&0xff)*500*time.Millisecond, time.Second), 30*time.Second)
	began := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		state, err := c.property(propertyCSTS, 4)
		switch {
		case err != nil:
			return err
		case state&cstsFatal != 0:
			return failure(CodeStatus, c.subject, "the controller reports a fatal error of its own (CSTS.CFS)")
		case state&cstsReady != 0:
			return nil
		case time.Since(began) > limit:
			return failure(CodeTimeout, c.subject,
				"the controller was enabled and is not ready after %v, within which it says it would be", limit)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Info returns what Connect found.
func (c *Controller) Info() Info { return c.info }

// Err is why the controller is unusable, or nil.
func (c *Controller) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// fail ends all queues with err, unless they have failed before.
func (c *Controller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	for _, q := range c.queues {
		q.stream.interrupt()
	}
}

// Close shuts the controller down and closes all its connections; queues in use end with an error.
func (c *Controller) Close() error {
	c.mu.Lock()
	select {
	case <-c.stop:
		c.mu.Unlock()
		return nil
	default:
	}
	close(c.stop)
	healthy := c.err == nil
	c.mu.Unlock()
	c.fail(failure(CodeStopped, c.subject, "it was closed"))
	c.admin.conn.SetDeadline(time.Now().Add(closeLimit)) // for a Keep Alive under way
	c.asking.Lock()
	if healthy {
		// Optional: otherwise the target waits for the end of the connection.
		c.admin.timeout = min(c.admin.timeout, closeLimit)
		c.setProperty(propertyCC, ccEnable|ccEntries|ccShutdownNormal)
	}
	c.admin.conn.Close()
	c.asking.Unlock()
	<-c.stopped
	return nil
}

const closeLimit = 2 * time.Second
