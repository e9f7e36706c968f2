package block

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"linerate/internal/base/failure"
	"linerate/internal/storage/ring"
)

// chooseWay returns the configured engine, or the best that works on this system, and the reason.
func chooseWay(j Job, t *target) (way, string, error) {
	if t.volume != nil {
		return remoteWay(j, t)
	}
	switch j.Way {
	case WayThreads:
		return way{name: WayThreads}, "asked for", nil
	case WayOverlapped:
		return way{}, "", &failure.Error{Code: failure.CodeUnsupported, Subject: "way overlapped",
			Text: "only Windows has it; take ring or threads"}
	}
	if j.Way == "" && strings.HasPrefix(t.ready.FileSystem, "fuse") {
		return way{
			name: WayThreads,
		}, "through io_uring the kernel hands requests to " + t.ready.FileSystem + " one at a time, and waits for each", nil
	}
	err := probe()
	switch {
	case err == nil && j.Way == WayNop:
		return way{WayNop, ringQueue}, "", nil
	case err == nil:
		return way{WayRing, ringQueue}, "", nil
	case j.Way != "":
		return way{}, "", &failure.Error{Code: failure.CodeUnsupported, Subject: "way " + j.Way,
			Text: noRing(err) + "; take threads"}
	}
	return way{name: WayThreads}, noRing(err), nil
}

// probe opens a ring and closes it.
func probe() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := ring.Open(2, ring.Options{})
	if err == nil {
		r.Close()
	}
	return err
}

// noRing explains why io_uring is not available.
func noRing(err error) string {
	b, _ := os.ReadFile("/proc/sys/kernel/io_uring_disabled")
	switch set := strings.TrimSpace(string(b)); {
	case errors.Is(err, syscall.ENOSYS):
		return "this kernel has no io_uring (or a filter of system calls hides it)"
	case errors.Is(err, syscall.EPERM) && set != "" && set != "0":
		return "io_uring is forbidden here (kernel.io_uring_disabled = " + set + ")"
	case errors.Is(err, syscall.EPERM):
		return "a filter of system calls (seccomp, as containers have it) forbids io_uring"
	}
	return err.Error()
}

// ringed is a Queue over a ring.
type ringed struct {
	r     *ring.Ring
	base  uintptr
	step  uintptr
	read  uint8
	write uint8
	nop   int32 // bytes that a request without any counts as
}

func ringQueue(_ context.Context, w *worker, memory []byte) (Queue, string, error) {
	j := w.e.job
	r, err := ring.Open(len(w.slots), ring.Options{})
	if err != nil {
		return nil, "", err
	}
	q := &ringed{r: r, base: uintptr(unsafe.Pointer(&memory[0])), step: uintptr(stride(j.Size))}
	if j.Way == WayNop {
		q.read, q.write, q.nop = ring.OpNop, ring.OpNop, int32(j.Size)
		r.Every(ring.SQE{FD: -1})
		return q, "", nil
	}
	var notes []string
	q.read, q.write = ring.OpReadFixed, ring.OpWriteFixed
	each := ring.SQE{Flags: ring.FixedFile, Len: uint32(j.Size)}
	if err := r.RegisterFile(int(w.e.target.file.Fd())); err != nil {
		each.Flags, each.FD = 0, int32(w.e.target.file.Fd())
		notes = append(notes, "without a registered file: "+err.Error())
	}
	if err := r.RegisterBuffer(memory); err != nil {
		q.read, q.write = ring.OpRead, ring.OpWrite
		why := err.Error()
		if errors.Is(err, syscall.ENOMEM) {
			why += " (the limit of locked memory, ulimit -l)"
		}
		notes = append(notes, "without registered buffers: "+why)
	}
	each.Opcode = q.read
	r.Every(each)
	if r.Flags()&ring.SetupDeferTaskrun == 0 {
		notes = append(notes, fmt.Sprintf("with plainer flags (%#x), as this kernel has none of 6.1", r.Flags()))
	}
	return q, strings.Join(notes, "; "), nil
}

func (q *ringed) Submit(requests []Request) {
	for len(requests) > 0 {
		free := q.r.Next(len(requests)) // the ring has an entry for every slot, so some are free
		for i := range free {
			e, r := &free[i], &requests[i]
			e.Opcode = q.read
			if r.Op == OpWrite {
				e.Opcode = q.write
			}
			e.Off, e.Addr, e.UserData = uint64(r.Offset), uint64(q.base+uintptr(r.Slot)*q.step), uint64(r.Slot)
		}
		requests = requests[len(free):]
	}
}

func (q *ringed) Wait(least int, timeout time.Duration, done []Completion) (int, error) {
	n, err := q.await(least, timeout)
	if err != nil {
		return 0, err
	}
	n = min(n, len(done))
	q.take(done[:n])
	return n, nil
}

func (q *ringed) await(least int, timeout time.Duration) (int, error) {
	err := q.r.Enter(least, timeout)
	return q.r.Available(), err
}

func (q *ringed) take(done []Completion) {
	for len(done) > 0 {
		ready := q.r.Ready(len(done))
		for i := range ready {
			c, d := &ready[i], &done[i]
			d.Slot, d.Bytes = int32(c.UserData), c.Res+q.nop
			if c.Res < 0 {
				d.Bytes, d.Err = 0, syscall.Errno(-c.Res)
			}
		}
		q.r.Seen(len(ready))
		done = done[len(ready):]
	}
}

func (q *ringed) turn(w *worker, most int, now int64, inside bool) int {
	t, slots, first, step, size, base, stride := w.tally, w.slots, w.part.first, w.part.step, uint64(
		w.e.job.Size,
	), uint64(q.base), uint64(q.step)
	if t.amount >= 0 {
		most = int(min(int64(most), t.amount))
	}
	whole := int32(size) - q.nop
	same := t.runs[OpRead] // reads that one call returns mostly have the same latency
	took := 0
	for took < most {
		next := q.r.Next(most - took)
		ended := q.r.Ready(len(next))
		n := 0
		for n < len(ended) && ended[n].Res == whole {
			n++
		}
		q.r.Back(len(next) - n)
		if n == 0 {
			break
		}
		ended, next, blocks := ended[:n], next[:n], w.blocks[:n]
		w.order.fill(blocks)
		for k := range ended {
			s := &slots[ended[k].UserData]
			d := now - s.began
			s.began = now
			if d == same.d {
				same.n++
				continue
			}
			if inside {
				t.runs[OpRead] = same
				t.flush()
			}
			same.d, same.n = d, 1
		}
		for k := range next {
			// The operation has been a read since the ring was made.
			slot, block, e := ended[k].UserData, first+blocks[k]*step, &next[k]
			slots[slot].block = block
			e.Off, e.Addr, e.UserData = uint64(block)*size, base+slot*stride, slot
		}
		q.r.Seen(n)
		took += n
	}
	if inside {
		t.runs[OpRead] = same
	}
	if t.amount >= 0 {
		t.amount -= int64(took)
	}
	return took
}

func (q *ringed) Close() error {
	q.r.Close()
	return nil
}

// NoRing is why jobs on this host do without io_uring. It is empty if a ring could be opened.
func NoRing() string {
	if err := probe(); err != nil {
		return noRing(err)
	}
	return ""
}
