package nvmetcp

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

const testNQN = "nqn.2026-11.test.linerate:disk"

// bare hides the kind of a connection, so that package net is used on every system.
type bare struct{ net.Conn }

type bareListener struct{ net.Listener }

func (l bareListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return bare{c}, nil
}

// serve starts a target on loopback until the test ends or the returned function is called. It returns the address.
func serve(t testing.TB, target *Target, plain bool) (Address, func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := Address{Host: "127.0.0.1", Port: uint16(ln.Addr().(*net.TCPAddr).Port), NQN: target.Subsystems[0].NQN}
	if plain {
		ln = bareListener{ln}
	}
	return a, serveOn(t, target, ln)
}

// serveOn starts a target on a listener.
func serveOn(t testing.TB, target *Target, ln net.Listener) (end func()) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- target.Serve(ctx, ln) }()
	end = sync.OnceFunc(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the target ended with: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("the target does not end")
		}
	})
	t.Cleanup(end)
	return end
}

func connect(t testing.TB, a Address, o Options) *Controller {
	t.Helper()
	c, err := Connect(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func queue(t testing.TB, c *Controller, depth int) *Queue {
	t.Helper()
	q, err := c.Queue(depth)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}

// random has a seed, so that a failure can be repeated.
func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	c := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	c.Read(b)
	return b
}

// backings are the two kinds that a target treats differently.
func backings(t testing.TB, size int) map[string]Backing {
	t.Helper()
	name := filepath.Join(t.TempDir(), "drive")
	if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(name, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return map[string]Backing{"memory": NewMemory(int64(size)), "file": f}
}

func content(t testing.TB, b Backing) []byte {
	t.Helper()
	all := make([]byte, b.Size())
	if _, err := b.ReadAt(all, 0); err != nil {
		t.Fatal(err)
	}
	return all
}

// Data written through a queue, in commands of all sizes at random places with many under way, is in the backing and is
// read back, with all digests, limits, kinds of connection and of backing.
func TestPair(t *testing.T) {
	const size = 4 << 20
	for _, c := range []struct {
		name   string
		block  int
		limits Limits
		o      Options
		plain  bool
	}{
		{name: "usual", block: 512},
		{name: "header digest", block: 512, o: Options{HeaderDigest: true}},
		{name: "both digests", block: 4096, o: Options{HeaderDigest: true, DataDigest: true}},
		{name: "data digest, several R2Ts", block: 512, o: Options{DataDigest: true}, limits: Limits{R2T: 16384,
			H2CData: 8192}},
		{name: "small PDUs, nothing in capsules", block: 512, limits: Limits{R2T: 12288, H2CData: 4096, InCapsule: 16}},
		{name: "package net", block: 512, plain: true},
		{name: "package net, both digests, small", block: 4096, plain: true, o: Options{HeaderDigest: true,
			DataDigest: true}, limits: Limits{R2T: 8192, H2CData: 4096}},
	} {
		for kind, backing := range backings(t, size) {
			t.Run(c.name+" "+kind, func(t *testing.T) {
				a, end := serve(t,
					&Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: backing, BlockSize: c.block}}, Limits: c.limits}, c.plain)
				o := c.o
				o.Write = true
				if c.plain {
					o.wrap = func(conn net.Conn) net.Conn { return bare{conn} }
				}
				ctl := connect(t, a, o)
				if i := ctl.Info(); i.HeaderDigest != o.HeaderDigest || i.DataDigest != o.DataDigest ||
					i.Namespace.Size() != size ||
					i.Namespace.BlockSize != c.block ||
					i.NQN != testNQN ||
					i.Namespace.Name() == "" {
					t.Fatalf("%+v", i)
				}
				want := make([]byte, size)
				exercise(t, queue(t, ctl, 32), want, c.block, 300)
				end() // the race detector does not see the ordering by the network
				if !bytes.Equal(content(t, backing), want) {
					t.Error("the backing does not hold what was written")
				}
			})
		}
	}
}

// exercise writes and reads at random, each place by one command at a time, and compares with want.
func exercise(t *testing.T, q *Queue, want []byte, block, commands int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(block)))
	type request struct {
		write  bool
		offset int
		b      []byte
	}
	under := make([]*request, q.Depth())
	overlaps := func(offset, n int) bool {
		for _, r := range under {
			if r != nil && offset < r.offset+len(r.b) && r.offset < offset+n {
				return true
			}
		}
		return false
	}
	started, busy := 0, 0
	for started < commands || busy > 0 {
		for at := range under {
			if under[at] != nil || started >= commands {
				continue
			}
			n := block << rng.IntN(12) // up to 1 MiB with blocks of 512
			n = min(n, 1<<20)
			offset := rng.IntN((len(want)-n)/block+1) * block
			if overlaps(offset, n) {
				continue
			}
			r := &request{write: rng.IntN(2) == 0, offset: offset, b: make([]byte, n)}
			if r.write {
				copy(r.b, random(rng.Uint64(), n))
				copy(want[offset:], r.b)
			}
			if err := q.Submit(at, r.write, int64(offset), r.b); err != nil {
				t.Fatal(err)
			}
			under[at] = r
			started++
			busy++
		}
		done, err := q.Wait(1+rng.IntN(busy), time.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if len(done) == 0 {
			t.Fatal("nothing ends")
		}
		for _, d := range done {
			r := under[d.Slot]
			if r == nil || d.Err != nil {
				t.Fatalf("slot %d: %v, %v", d.Slot, r, d.Err)
			}
			if !r.write && !bytes.Equal(r.b, want[r.offset:r.offset+len(r.b)]) {
				t.Fatalf("%d bytes read at %d are not what was written there", len(r.b), r.offset)
			}
			under[d.Slot] = nil
			busy--
		}
	}
}

// Several queues of one controller work at once, each driven by a thread of its own.
func TestQueues(t *testing.T) {
	const part = 1 << 20
	drive := NewMemory(4 * part)
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: drive}}}, false)
	c := connect(t, a, Options{Write: true})
	ended := make(chan error, 4)
	for k := range 4 {
		q := queue(t, c, 8)
		go func() {
			ended <- func() error {
				data := random(uint64(k), part)
				for write, b := true, data; ; write, b = false, make([]byte, part) {
					for i := 0; i < part; i += 8 * 65536 {
						for at := range 8 {
							from := i + at*65536
							if err := q.Submit(at, write, int64(k*part+from), b[from:from+65536]); err != nil {
								return err
							}
						}
						for n := 0; n < 8; {
							done, err := q.Wait(1, time.Now().Add(time.Minute))
							if err != nil {
								return err
							}
							n += len(done)
						}
					}
					if !write {
						if !bytes.Equal(b, data) {
							return fmt.Errorf("queue %d reads what it did not write", k)
						}
						return nil
					}
				}
			}()
		}()
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A hot path that allocates would be delayed by the garbage collector.
func TestNothingIsAllocated(t *testing.T) {
	drive := NewMemory(1 << 20)
	a, _ := serve(t, &Target{Subsystems: []Subsystem{{NQN: testNQN, Backing: drive}}}, false)
	q := queue(t, connect(t, a, Options{Write: true}), 16)
	small, large := make([]byte, 4096), make([]byte, 65536)
	deadline := time.Now().Add(time.Minute)
	n := testing.AllocsPerRun(200, func() {
		for at := range 16 {
			b := small
			if at%4 == 3 {
				b = large
			}
			if err := q.Submit(at, at%2 == 1, int64(at)*65536, b[:len(b):len(b)]); err != nil {
				t.Fatal(err)
			}
		}
		for left := 16; left > 0; {
			done, err := q.Wait(left, deadline)
			if err != nil {
				t.Fatal(err)
			}
			left -= len(done)
		}
	})
	if n >= 1 && runtime.GOOS == "linux" { // package net may allocate on other systems
		t.Errorf("%v allocations a batch of 16 commands at both ends together", n)
	}
}
