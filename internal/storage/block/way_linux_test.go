package block

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

// forbidRings makes every io_uring_setup of the calling thread fail, with a filter of system calls as containers have
// it (seccomp(2), linux/filter.h). The thread is locked and ends with its goroutine.
func forbidRings(t *testing.T, with unix.Errno) {
	t.Helper()
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // system call number
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: unix.SYS_IO_URING_SETUP},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(with)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		testenv.Missing(t, err.Error())
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&f))); errno != 0 {
		testenv.Missing(t, errno.Error())
	}
}

// Where io_uring is forbidden or missing, threads replace it, and the reason is reported. An engine that was configured
// by name is an error.
func TestWithoutRings(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for with, says := range map[unix.Errno]string{unix.EPERM: "a filter of system calls (seccomp",
		unix.ENOSYS: "no io_uring"} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
			forbidRings(t, with)
			j := base(t)
			w, why, err := chooseWay(j, &target{})
			if err != nil || w.name != WayThreads || w.queue != nil || !strings.Contains(why, says) {
				t.Errorf("%v: %s because %q, %v", with, w.name, why, err)
			}
			j.Way = WayRing
			if _, _, err := chooseWay(j, &target{}); err == nil || !strings.Contains(err.Error(), says) ||
				!strings.Contains(err.Error(), "take threads") {
				t.Errorf("%v: %v", with, err)
			}
			j.Way = ""
			if r, o := ok(t, j); r.Way != WayThreads || o.Read.Operations == 0 {
				t.Errorf("%+v", r)
			}
		}()
		<-done
	}
}

// More rings than CPUs while the garbage collector runs all the time: every thread makes progress.
func TestManyRingsAndTheCollector(t *testing.T) {
	testenv.Need(t, testenv.Live)
	j := base(t)
	j.Threads, j.Depth, j.Amount = runtime.NumCPU()+4, 8, 20000*4096
	e, err := Prepare(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var stop atomic.Bool
	collected := make(chan int)
	go func() {
		n := 0
		for ; !stop.Load(); n++ {
			_ = make([]byte, 1<<20)
			runtime.GC()
		}
		collected <- n
	}()
	o, err := e.Run(t.Context(), traffic.Now(), nil)
	stop.Store(true)
	if n := <-collected; err != nil || o.Read.Operations == 0 || n < 2 {
		t.Errorf("%v, %d operations, %d collections", err, o.Read.Operations, n)
	}
	if after := runtime.GOMAXPROCS(0); after < j.Threads+2 {
		t.Errorf("GOMAXPROCS is %d: %d threads keep their place in it", after, j.Threads)
	}
}

// allocated is how many allocations the program made during do.
func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.Mallocs - before.Mallocs)
}

// The loop allocates nothing. Its outcome does: the size of an encoded histogram depends on how far apart the latencies
// are, so it is encoded once more and not counted.
func TestNoAllocationInTheLoop(t *testing.T) {
	for _, way := range append(ways(t), WayNop) {
		j := base(t)
		j.Way, j.Read, j.Verify, j.Cached, j.Amount = way, 0.5, way != WayNop, true, 20000*4096
		e, err := Prepare(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		var o *Outcome
		all := allocated(func() { o, err = e.Run(t.Context(), traffic.Now(), nil) })
		e.Close()
		if err != nil {
			t.Fatal(err)
		}
		encoding := 0
		for _, c := range []Counts{o.Read, o.Write} {
			h, err := c.Latency()
			if err != nil {
				t.Fatal(err)
			}
			if h == nil {
				continue // nop only reads
			}
			encoding += allocated(func() { _, err = h.Encode() })
			if err != nil {
				t.Fatal(err)
			}
		}
		n := o.Read.Operations + o.Write.Operations
		if got := all - encoding; got > int(n)/10 || n != 20000 {
			t.Errorf("%s: %d allocations for %d operations, and %d for the histograms", way, got, n, encoding)
		}
	}
}

// Before the first request every thread that submits one already waits in the kernel for the start: a thread that must
// be woken comes late when others already work.
func TestStandReady(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if _, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/syscall"); err != nil {
		testenv.Missing(t, err.Error())
	}
	may := false // this user
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		back := placement.Precede()
		may = preceding() > 0
		back()
	}()
	<-done
	for _, way := range ways(t) {
		j := base(t)
		j.Way, j.Threads, j.Depth = way, 1, 12
		if way == WayRing {
			j.Threads, j.Depth = 12, 1
		}
		e, err := Prepare(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		e.standing = 3 * time.Second // every thread, and the one that observes them, gets a turn in it
		most, before, begin := 0, 0, traffic.Now()+int64(e.standing+300*time.Millisecond)
		over := make(chan struct{})
		go func() {
			defer close(over)
			for traffic.Now() < begin {
				most, before = max(most, inCall(unix.SYS_NANOSLEEP)), max(before, preceding())
				time.Sleep(5 * time.Millisecond)
			}
		}()
		o, err := e.Run(t.Context(), begin, nil)
		<-over
		e.Close()
		if err != nil || o.FirstNS < begin {
			t.Errorf("%s: the first request %v after the moment, %v", way, time.Duration(o.FirstNS-begin), err)
		}
		if most < 12 {
			t.Errorf("%s: at most %d threads were ready at once, and 12 requests were to begin", way, most)
		}
		if may && before < 12 || preceding() != 0 {
			t.Errorf("%s: %d threads were to go before ordinary ones, and %d do still", way, before, preceding())
		}
	}
}

// preceding is how many threads of this process have priority over ordinary ones.
func preceding() (n int) {
	all, _ := filepath.Glob("/proc/self/task/*")
	for _, dir := range all {
		id, _ := strconv.Atoi(filepath.Base(dir))
		if a, err := unix.SchedGetAttr(id, 0); err == nil && a.Policy == unix.SCHED_FIFO {
			n++
		}
	}
	return n
}

// inCall is how many threads of this process are in a system call (proc_pid_syscall(5)).
func inCall(number int) (n int) {
	all, _ := filepath.Glob("/proc/self/task/*/syscall")
	for _, file := range all {
		text, _ := os.ReadFile(file) // a thread that has ended has no file
		if first, _, _ := strings.Cut(string(text), " "); first == strconv.Itoa(number) {
			n++
		}
	}
	return n
}
