package ring

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/testenv"
)

// open locks the thread while the test runs, and skips the test where io_uring is not available.
func open(t *testing.T, entries int, o Options) *Ring {
	t.Helper()
	testenv.Need(t, testenv.Live)
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	r, err := Open(entries, o)
	if err != nil {
		testenv.Missing(t, "io_uring: "+err.Error())
	}
	t.Cleanup(r.Close)
	return r
}

func TestEveryRungOfTheLadder(t *testing.T) {
	seen := map[uint32]bool{}
	for plainer := range len(ladder) {
		for _, yield := range []bool{false, true} {
			r := open(t, 8, Options{Plainer: plainer, Yield: yield})
			if better := r.Flags() &^ (SetupCoopTaskrun | SetupSingleIssuer | SetupDeferTaskrun | SetupNoSQArray); better != 0 {
				t.Errorf("flags %#x", better)
			}
			for _, above := range ladder[:plainer] {
				if r.Flags() == above {
					t.Errorf("%d steps are left out, and the flags are still %#x", plainer, above)
				}
			}
			seen[r.Flags()] = true
			writesAndReads(t, r)
		}
	}
	if len(seen) < 2 {
		t.Errorf("only these flags were ever in effect: %v", seen)
	}
}

func writesAndReads(t *testing.T, r *Ring) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := unix.Mmap(-1, 0, 8*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	if err := r.RegisterFile(int(f.Fd())); err != nil {
		t.Fatal(err)
	}
	if err := r.RegisterBuffer(b); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 4*4096)
	for i := range want {
		want[i] = byte(i*7 + i>>8)
	}
	copy(b, want)
	each := func(op uint8, at int) {
		for i := range 4 {
			r.Next(1)[0] = SQE{Opcode: op, Flags: FixedFile, Off: uint64(i * 4096),
				Addr: uint64(uintptr(unsafe.Pointer(&b[at+i*4096]))), Len: 4096, UserData: uint64(i)}
		}
		var done [8]CQE
		for n := 0; n < 4; {
			if err := r.Enter(4-n, time.Second); err != nil {
				t.Fatal(err)
			}
			k := r.Take(done[:])
			for _, c := range done[:k] {
				if c.Res != 4096 || c.UserData > 3 {
					t.Fatalf("operation %d: %+v", op, c)
				}
			}
			n += k
		}
	}
	each(OpWriteFixed, 0)
	each(OpReadFixed, 4*4096)
	if !bytes.Equal(b[4*4096:], want) {
		t.Error("what is read is not what was written")
	}
	if r.Queued() != 0 {
		t.Errorf("%d requests are still queued", r.Queued())
	}
}

func TestFullQueue(t *testing.T) {
	r := open(t, 4, Options{})
	n := 0
	for e := r.Next(1); len(e) > 0; e = r.Next(1) {
		e[0] = SQE{Opcode: OpNop, UserData: uint64(n)}
		n++
	}
	if n != 4 {
		t.Errorf("a ring for 4 takes %d", n)
	}
	if err := r.Enter(n, time.Second); err != nil {
		t.Fatal(err)
	}
	var done [8]CQE
	if got := r.Take(done[:]); got != n {
		t.Errorf("%d of %d come back", got, n)
	}
}

// Both queues wrap in steps that do not divide them: nothing is lost or comes twice where a batch wraps.
func TestBatchesOverTheEnd(t *testing.T) {
	r := open(t, 8, Options{})
	given, seen, parts := uint64(0), uint64(0), 0
	for range 100 {
		for left := 5; left > 0; {
			some := r.Next(left)
			for i := range some {
				some[i] = SQE{Opcode: OpNop, UserData: given}
				given++
			}
			left -= len(some)
			parts++
		}
		if err := r.Enter(5, time.Second); err != nil {
			t.Fatal(err)
		}
		for some := r.Ready(5); len(some) > 0; some = r.Ready(5) {
			for _, c := range some {
				if c.UserData != seen {
					t.Fatalf("request %d comes back as number %d", c.UserData, seen)
				}
				seen++
			}
			r.Seen(len(some))
			parts++
		}
	}
	if given != 500 || seen != 500 || parts <= 200 {
		t.Errorf("%d requests, %d completions, in %d parts", given, seen, parts)
	}
	if most := r.Next(100); len(most) > 8 {
		t.Errorf("a queue of 8 gives %d", len(most))
	}
}

// A wait for nothing ends by itself, and does not delay the garbage collector: a request waits for a writer.
func TestWaitsHoldNobodyUp(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	var stop atomic.Bool
	var wg sync.WaitGroup
	failed := make(chan error, 2)
	for range 2 {
		var p [2]int
		if err := unix.Pipe(p[:]); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(p[0])
		defer unix.Close(p[1])
		wg.Add(1)
		go func() {
			defer wg.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			r, err := Open(4, Options{})
			if err != nil {
				return
			}
			defer r.Close()
			b, _ := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
			r.Next(1)[0] = SQE{Opcode: OpRead, FD: int32(p[0]), Off: ^uint64(0),
				Addr: uint64(uintptr(unsafe.Pointer(&b[0]))), Len: 1}
			var done [4]CQE
			for !stop.Load() {
				if err := r.Enter(1, 50*time.Millisecond); err != nil {
					failed <- err
					return
				}
				if n := r.Take(done[:]); n != 0 {
					failed <- unix.Errno(-done[0].Res)
					return
				}
			}
		}()
	}
	for range 50 {
		_ = make([]byte, 1<<20)
		runtime.GC()
	}
	stop.Store(true)
	wg.Wait()
	select {
	case err := <-failed:
		t.Error(err)
	default:
	}
}

// The time of a wait reaches every kernel, in either form: read in place, or copied in the call.
func TestWaitsTakeTheirTime(t *testing.T) {
	for plainer := range len(ladder) {
		var p [2]int
		if err := unix.Pipe(p[:]); err != nil {
			t.Fatal(err)
		}
		r := open(t, 4, Options{Plainer: plainer})
		b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			t.Fatal(err)
		}
		r.Next(1)[0] = SQE{Opcode: OpRead, FD: int32(p[0]), Off: ^uint64(0),
			Addr: uint64(uintptr(unsafe.Pointer(&b[0]))), Len: 1}
		for _, limit := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond} {
			whole := false
			// The runtime interrupts a thread after 10 ms, and other signals may come earlier.
			for tries := 0; !whole && tries < 100; tries++ {
				began := time.Now()
				if err := r.Enter(1, limit); err != nil {
					t.Fatal(err)
				}
				whole = time.Since(began) >= limit
			}
			if !whole {
				t.Errorf("%d steps left out: no wait of %v lasted that long", plainer, limit)
			}
			if n := r.Available(); n != 0 {
				t.Errorf("%d completions of a pipe that is empty", n)
			}
		}
		if _, err := unix.Write(p[1], []byte{42}); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // the wait may be woken before it
			if err := r.Enter(1, time.Second); err != nil || r.Available() > 0 {
				break
			}
		}
		if r.Available() != 1 || b[0] != 42 {
			t.Errorf("%d steps left out: %d completions, byte %d", plainer, r.Available(), b[0])
		}
		_ = unix.Close(p[0])
		_ = unix.Close(p[1])
	}
}

func BenchmarkNop(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := Open(32, Options{})
	if err != nil {
		b.Skip(err)
	}
	defer r.Close()
	var done [32]CQE
	b.ResetTimer()
	for n := 0; n < b.N; {
		for range 32 {
			r.Next(1)[0] = SQE{Opcode: OpNop}
		}
		if err := r.Enter(8, time.Second); err != nil {
			b.Fatal(err)
		}
		n += r.Take(done[:])
	}
}
