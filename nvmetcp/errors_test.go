package nvmetcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// one does one command and returns its completion.
func one(t testing.TB, q *Queue, write bool, offset int64, b []byte) Completion {
	t.Helper()
	if err := q.Submit(0, write, offset, b); err != nil {
		t.Fatal(err)
	}
	done, err := q.Wait(1, time.Now().Add(time.Minute))
	if err != nil || len(done) != 1 {
		t.Fatalf("%d completions, %v", len(done), err)
	}
	return done[0]
}

func says(t *testing.T, err error, code string, words ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%v, want an error with code %s", err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("%q does not say %q", e, w)
		}
	}
}

func TestConnectErrors(t *testing.T) {
	a, _ := serve(
		t,
		&Target{
			Subsystems: []Subsystem{
				{NQN: testNQN, Backing: NewMemory(1 << 20)},
				{NQN: testNQN + "2", Backing: NewMemory(1 << 20), AllowHosts: []string{"nqn.2026-11.test.linerate:friend"}},
			},
			Limits: Limits{Queues: 2, Depth: 16, Transfer: 65536},
		},
		false,
	)
	ctx := t.Context()
	other := a
	other.NQN = "nqn.2026-11.test.linerate:nothing"
	_, err := Connect(ctx, other, Options{})
	says(t, err, CodeRefused, "has no subsystem of that name", "it has: "+testNQN)
	if strings.Contains(err.Error(), testNQN+"2") {
		t.Errorf("%v: it names a subsystem that this host may not use", err)
	}
	other.NQN = testNQN + "2"
	_, err = Connect(ctx, other, Options{HostNQN: "nqn.2026-11.test.linerate:stranger"})
	says(t, err, CodeRefused, "allows certain hosts alone", "nqn.2026-11.test.linerate:stranger")
	connect(t, other, Options{HostNQN: "nqn.2026-11.test.linerate:friend"})
	other = a
	other.Namespace = 7
	_, err = Connect(ctx, other, Options{})
	says(t, err, CodeInput, "no namespace 7, but 1")
	c := connect(t, a, Options{})
	_, err = c.Queue(17)
	says(t, err, CodeLimit, "17 commands under way, where the target allows 1 to 16")
	q := queue(t, c, 16)
	queue(t, c, 1)
	_, err = c.Queue(1)
	says(t, err, CodeLimit, "grants 2")
	says(t, q.Submit(0, true, 0, make([]byte, 512)), CodeReadOnly, "opened for reading only")
	says(t, q.Submit(0, false, 100, make([]byte, 512)), CodeInput, "multiples of the block of 512")
	says(t, q.Submit(0, false, 0, make([]byte, 100)), CodeInput, "multiples of the block of 512")
	says(t, q.Submit(0, false, 0, nil), CodeInput, "multiples")
	says(t, q.Submit(0, false, 0, make([]byte, 65536+512)), CodeLimit,
		"66048 bytes in one command, where the target allows 65536; split it")
	says(t, q.Submit(0, false, 1<<20-512, make([]byte, 1024)), CodeLimit, "ends at 1048576")
	says(t, q.Submit(0, false, -512, make([]byte, 512)), CodeLimit, "offset -512")
	says(t, q.Submit(16, false, 0, make([]byte, 512)), CodeInput, "slot 16 of a queue that has slots 0 to 15")
	if err := q.Submit(3, false, 0, make([]byte, 512)); err != nil {
		t.Fatal(err)
	}
	says(t, q.Submit(3, false, 0, make([]byte, 512)), CodeInput, "slot 3 has a command under way")
	if done, err := q.Wait(5, time.Time{}); err != nil || len(done) != 1 {
		t.Errorf("%v, %v: no more than is under way can end", done, err)
	}
	if done, err := q.Wait(1, time.Time{}); err != nil || len(done) != 0 {
		t.Errorf("%v, %v: nothing is under way", done, err)
	}
	c.Close()
	if err := q.Submit(3, false, 0, make([]byte, 512)); err != nil {
		t.Fatal(err)
	}
	_, err = q.Wait(1, time.Time{})
	says(t, err, CodeStopped)
	says(t, q.Submit(4, false, 0, make([]byte, 512)), CodeStopped)
	_, err = c.Queue(1)
	says(t, err, CodeStopped)
}

func TestNoTarget(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := Address{Host: "127.0.0.1", Port: uint16(ln.Addr().(*net.TCPAddr).Port), NQN: testNQN}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var open []net.Conn // the garbage collector would close connections without a reference
		for {
			c, err := ln.Accept()
			if err != nil {
				break
			}
			open = append(open, c)
			switch len(open) {
			case 1:
				io.WriteString(c, "SSH-2.0-OpenSSH_9.2\r\n")
			case 2:
				c.Close()
			} // the third is never answered
		}
		for _, c := range open {
			c.Close()
		}
	}()
	_, err = Connect(t.Context(), a, Options{})
	says(t, err, CodeProtocol, "SSH-2.0-", "no NVMe/TCP target")
	_, err = Connect(t.Context(), a, Options{})
	says(t, err, CodeReset, "closed the connection", "perhaps what listens there is no NVMe/TCP target")
	_, err = Connect(t.Context(), a, Options{Timeout: 50 * time.Millisecond})
	says(t, err, CodeTimeout, "no answer in time")
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	_, err = Connect(ctx, a, Options{})
	says(t, err, CodeTimeout)
	ln.Close()
	<-ended
	_, err = Connect(t.Context(), a, Options{})
	says(t, err, CodeRefused, "connection refused")
	_, err = Connect(t.Context(), a, Options{KeepAlive: time.Millisecond, HostNQN: "a b"})
	says(t, err, CodeInput)
}

// broken is a drive that is partly unreadable and unwritable.
type broken struct{ *Memory }

func (b broken) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 8192 && offset+int64(len(p)) > 4096 {
		return 0, errors.New("input/output error")
	}
	return b.Memory.ReadAt(p, offset)
}

func (b broken) WriteAt(p []byte, offset int64) (int, error) {
	if offset < 8192 && offset+int64(len(p)) > 4096 {
		return 0, errors.New("no space left on device")
	}
	return b.Memory.WriteAt(p, offset)
}

// hidden hides all methods of a Backing beyond the interface.
type hidden struct{ Backing }

// An error of the drive fails the command, and the queue goes on.
func TestDriveErrors(t *testing.T) {
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: hidden{broken{NewMemory(4 << 20)}}}}}, false)
	q := queue(t, connect(t, a, Options{Write: true}), 4)
	d := one(t, q, false, 4096, make([]byte, 4096))
	says(t, d.Err, CodeStatus, "read of 4096 bytes at offset 4096: unrecovered read error (status 281h)")
	d = one(t, q, true, 4096, make([]byte, 4096))
	says(t, d.Err, CodeStatus, "write of 4096 bytes at offset 4096: write fault (status 280h)")
	d = one(t, q, true, 0, make([]byte, 1<<20))
	says(t, d.Err, CodeStatus, "write fault")
	if d := one(t, q, true, 8192, random(1, 8192)); d.Err != nil {
		t.Error(d.Err)
	}
	b := make([]byte, 8192)
	if d := one(t, q, false, 8192, b); d.Err != nil || !bytes.Equal(b, random(1, 8192)) {
		t.Error(d.Err)
	}
}

func TestReadOnly(t *testing.T) {
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: NewMemory(1 << 20), ReadOnly: true}}}, false)
	c := connect(t, a, Options{Write: true})
	q := queue(t, c, 4)
	if !c.Info().Namespace.ReadOnly {
		t.Error("it does not say that it is write protected")
	}
	says(t, q.Submit(0, true, 0, make([]byte, 512)), CodeReadOnly, "write protected by its target")
	q.write, q.ns.ReadOnly = true, false // an initiator that does not check
	says(t, one(t, q, true, 0, make([]byte, 512)).Err, CodeStatus, "write protected (status 20h)")
	says(t, one(t, q, true, 0, make([]byte, 65536)).Err, CodeStatus, "write protected (status 20h)")
}

// A deadline is kept: without completions Wait returns at the deadline without an error.
func TestDeadline(t *testing.T) {
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: NewMemory(1 << 20)}}}, false)
	r, a := relayTo(t, a)
	q := queue(t, connect(t, a, Options{}), 4)
	r.stop.Store(true)
	if err := q.Submit(0, false, 0, make([]byte, 512)); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{-time.Second, 0, 5 * time.Millisecond, 150 * time.Millisecond} {
		until := time.Now().Add(wait)
		done, err := q.Wait(1, until)
		if len(done) != 0 || err != nil || time.Now().Before(until) {
			t.Errorf("%v: %v, %v, %v too early", wait, done, err, time.Until(until))
		}
	}
	if done, err := q.Wait(0, time.Time{}); len(done) != 0 || err != nil {
		t.Error(done, err)
	}
	r.cut.Store(true) // so that Close does not wait for an answer
	q.c.Close()
}

// Digests detect bytes that change on the way: in data it is an error of the command, in a header of the connection.
func TestDigests(t *testing.T) {
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: NewMemory(1 << 20)}}}, false)
	r, a := relayTo(t, a)
	c := connect(t, a, Options{HeaderDigest: true, DataDigest: true, Write: true})
	q := queue(t, c, 4)
	r.spoil.Store(1000)
	says(t, one(t, q, false, 0, make([]byte, 4096)).Err, CodeProtocol,
		"read of 4096 bytes at offset 0: the data's digest does not fit it")
	if d := one(t, q, false, 0, make([]byte, 4096)); d.Err != nil {
		t.Error(d.Err)
	}
	r.spoil.Store(9)
	if err := q.Submit(0, false, 0, make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	_, err := q.Wait(1, time.Time{})
	says(t, err, CodeProtocol, "C2HData with header digest", "bytes were changed on the way")
}

func TestWrongTargets(t *testing.T) {
	m := NewMemory(4096)
	for want, target := range map[string]*Target{
		"no subsystem":                  {},
		"subsystem: the name is empty":  {Subsystems: []Subsystem{{Backing: m}}},
		"exported twice":                {Subsystems: []Subsystem{{NQN: "a", Backing: m}, {NQN: "a", Backing: m}}},
		"blocks of 1000 bytes":          {Subsystems: []Subsystem{{NQN: "a", Backing: m, BlockSize: 1000}}},
		"no room for a block of 4096":   {Subsystems: []Subsystem{{NQN: "a", Backing: NewMemory(512), BlockSize: 4096}}},
		"no backing":                    {Subsystems: []Subsystem{{NQN: "a"}}},
		"discovery subsystem":           {Subsystems: []Subsystem{{NQN: DiscoveryNQN, Backing: m}}},
		"limit Depth: 1 is not between": {Subsystems: []Subsystem{{NQN: "a", Backing: m}}, Limits: Limits{Depth: 1}},
		"not a power of two":            {Subsystems: []Subsystem{{NQN: "a", Backing: m}}, Limits: Limits{Transfer: 12288}},
		"room for 20":                   {Subsystems: []Subsystem{{NQN: "a", Backing: m, Serial: strings.Repeat("x", 21)}}},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		says(t, target.Serve(t.Context(), ln), CodeInput, want)
		if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: it still listens", want)
		}
	}
}

// raw sends one admin command on a connected controller.
func raw(t *testing.T, c *Controller, in int, fill func(e sqe)) (uint64, Status, []byte) {
	t.Helper()
	e, b := make(sqe, sqeSize), make([]byte, in)
	fill(e)
	v, s, n, err := c.admin.command(e, nil, b)
	if err != nil {
		t.Fatal(err)
	}
	return v, s &^ doNotRetry, b[:n]
}

// Admin commands that other hosts send, beyond those of this package.
func TestAdmin(t *testing.T) {
	drive := NewMemory(1 << 20)
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: drive, BlockSize: 4096}}}, false)
	c := connect(t, a, Options{Write: true, KeepAlive: -1})
	identify := func(cns uint8, nsid uint32) (Status, []byte) {
		_, s, b := raw(t, c, identifySize, func(e sqe) {
			e.begin(opIdentify, 0, nsid)
			e.setDW(10, uint32(cns))
		})
		return s, b
	}
	for _, k := range []struct {
		cns  uint8
		nsid uint32
		want Status
	}{{cnsController, 0, 0}, {cnsNamespaces, 0, 0}, {cnsNamespaces, 1<<32 - 1, statusNamespace}, {cnsNamespace, 1, 0},
		{cnsNamespace, 2, statusNamespace}, {cnsDescriptors, 1, 0},
		{cnsNamespaceSet, 1, 0}, {cnsControllerSet, 0, 0}, {cnsNamespacesSet, 0, 0}, {cnsNamespaceAny, 1, 0}, {0x55, 1,
			statusInvalidField}} {
		if s, b := identify(k.cns, k.nsid); s != k.want || s == 0 && len(b) != identifySize {
			t.Errorf("Identify %d of %d: %v, %d bytes", k.cns, k.nsid, s, len(b))
		}
	}
	if _, b := identify(cnsNamespaces, 1); binary.LittleEndian.Uint32(b) != 0 {
		t.Error("there is a namespace above 1")
	}
	log := func(page uint8, n int, offset uint64) (Status, []byte) {
		_, s, b := raw(t, c, n, func(e sqe) {
			e.begin(opGetLogPage, 0, 1<<32-1)
			e.setDW(10, uint32(page)|uint32(n/4-1)<<16)
			e.setQW(12, offset)
		})
		return s, b
	}
	for page, want := range map[uint8]Status{logError: 0, logHealth: 0, logFirmware: 0, logChangedNamespace: 0,
		logEffects: 0, logDiscovery: statusLogPage, 0x44: statusLogPage} {
		if s, b := log(page, 512, 0); s != want || s == 0 && len(b) != 512 {
			t.Errorf("log page %x: %v, %d bytes", page, s, len(b))
		}
	}
	if s, b := log(logHealth, 8, 0); s != 0 || b[3] != 100 {
		t.Errorf("%v %x", s, b)
	}
	if s, _ := log(logHealth, 8, 1<<40); s != statusInvalidField {
		t.Errorf("offset behind the end: %v", s)
	}
	feature := func(op, id uint8, v uint32) (uint64, Status) {
		r, s, _ := raw(t, c, 0, func(e sqe) {
			e.begin(op, 0, 0)
			e.setDW(10, uint32(id))
			e.setDW(11, v)
		})
		return r, s
	}
	if v, s := feature(opGetFeatures, featureQueues, 0); s != 0 || v != 63<<16|63 {
		t.Errorf("%x, %v", v, s)
	}
	if _, s := feature(opSetFeatures, featureKeepAlive, 60000); s != 0 {
		t.Error(s)
	}
	if v, s := feature(opGetFeatures, featureKeepAlive, 0); s != 0 || v != 60000 {
		t.Errorf("%d, %v", v, s)
	}
	if _, s := feature(opGetFeatures, featurePower, 0); s != statusInvalidField {
		t.Error(s)
	}
	if v, s, _ := raw(t, c, 0, func(e sqe) { e.begin(opAbort, 0, 0) }); v != 1 || s != 0 {
		t.Error(v, s)
	}
	if _, s, _ := raw(t, c, 0, func(e sqe) { e.begin(0x84, 0, 0) }); s != statusInvalidOpcode {
		t.Error(s)
	}
	// Shutdown and reset of a controller.
	q := queue(t, c, 2)
	if err := c.setProperty(propertyCC, ccEnable|ccEntries|ccShutdownNormal); err != nil {
		t.Fatal(err)
	}
	if v, err := c.property(propertyCSTS, 4); err != nil || v&cstsShutdown != cstsShutdownDone {
		t.Errorf("%x, %v", v, err)
	}
	if err := c.setProperty(propertyCC, 0); err != nil {
		t.Fatal(err)
	}
	if v, err := c.property(propertyCSTS, 4); err != nil || v != 0 {
		t.Errorf("%x, %v", v, err)
	}
	if err := q.Submit(0, false, 0, make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Wait(1, time.Now().Add(time.Minute)); err == nil {
		t.Error("a queue outlives the reset of its controller")
	}
	if _, err := c.Queue(1); err == nil {
		t.Error("a controller that is not enabled takes a queue")
	}
	if err := c.setProperty(propertyCC, ccEnable|ccEntries|1<<4); err == nil {
		t.Error("a command set that there is not is taken")
	}
}

// Event requests are held up to their limit, and do not block the connection.
func TestEvents(t *testing.T) {
	s := &script{piece: 1 << 20}
	f := framing{align: 4}
	for n := range maxAsync + 1 {
		s.in = append(s.in, capsule(f, func(e sqe) { e.begin(opAsyncEvent, uint16(n), 0) }, 0)...)
	}
	testPeer(s, 0, false, f, NewMemory(4096)).serve()
	if len(s.out) != respSize || cqe(s.out[headSize:]).cid() != maxAsync ||
		cqe(s.out[headSize:]).status()&statusCode != statusAsyncLimit {
		t.Errorf("%x", s.out)
	}
}

// Write Zeroes and Flush reach the drive.
func TestZeroesAndFlush(t *testing.T) {
	for kind, b := range backings(t, 1<<20) {
		if _, err := b.WriteAt(bytes.Repeat([]byte{7}, 1<<20), 0); err != nil {
			t.Fatal(err)
		}
		f := framing{align: 4}
		s := &script{piece: 1 << 20, in: join(capsule(f, func(e sqe) {
			e.begin(opWriteZeroes, 1, 1)
			e.setQW(10, 8)
			e.setDW(12, 1023)
		}, 0), capsule(f, func(e sqe) { e.begin(opFlush, 2, 1) }, 0))}
		testPeer(s, 1, false, f, b).serve()
		want := bytes.Repeat([]byte{7}, 1<<20)
		clear(want[4096 : 4096+524288])
		if !bytes.Equal(content(t, b), want) {
			t.Errorf("%s: other bytes are zero", kind)
		}
		if len(s.out) != 2*respSize || cqe(s.out[headSize:]).status() != 0 ||
			cqe(s.out[respSize+headSize:]).status() != 0 ||
			binary.LittleEndian.Uint16(s.out[respSize+headSize+8:]) != 2 {
			t.Errorf("%s: %x", kind, s.out)
		}
	}
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: NewMemory(1 << 20)}}}, false)
	q := queue(t, connect(t, a, Options{}), 2)
	if err := q.Sync(1); err != nil {
		t.Fatal(err)
	}
	if done, err := q.Wait(1, time.Now().Add(time.Minute)); err != nil || len(done) != 1 || done[0].Slot != 1 ||
		done[0].Err != nil {
		t.Error(done, err)
	}
}

func TestDiscover(t *testing.T) {
	a, _ := serve(
		t,
		&Target{
			Subsystems: []Subsystem{
				{NQN: testNQN, Backing: NewMemory(1 << 20)},
				{NQN: testNQN + "2", Backing: NewMemory(1 << 20)},
			},
		},
		false,
	)
	records, err := Discover(t.Context(), Address{Host: a.Host, Port: a.Port}, Options{})
	if err != nil || len(records) != 2 ||
		records[1] != (Record{NQN: testNQN + "2", Transport: "tcp", Address: "127.0.0.1",
			Service: strings.TrimPrefix(a.hostPort(), "127.0.0.1:")}) {
		t.Errorf("%+v, %v", records, err)
	}
	a.NQN = DiscoveryNQN
	c, err := Connect(t.Context(), a, Options{})
	if err == nil {
		c.Close()
	}
	says(t, err, CodeInput, "discovery subsystem, which has no storage")
}
