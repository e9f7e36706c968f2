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

	"linerate/internal/storage/ring"
	"linerate/internal/traffic"
)

// way is how the workers get to the target; without queue they make calls that return when they are done.
type way struct {
	name  string
	queue func(ctx context.Context, w *worker, memory []byte) (q Queue, says string, err error)
}

// chooseWay is the way that was asked for, or the best that works here, and why it is that one.
func chooseWay(j Job, t *target) (way, string, error) {
	if t.volume != nil {
		return remoteWay(j, t)
	}
	switch j.Way {
	case WayThreads:
		return way{name: WayThreads}, "asked for", nil
	case WayOverlapped:
		return way{}, "", &traffic.Error{Code: traffic.CodeUnsupported, Subject: "way overlapped", Text: "only Windows has it; take ring or threads"}
	}
	if j.Way == "" && strings.HasPrefix(t.ready.FileSystem, "fuse") {
		return way{name: WayThreads}, "through io_uring the kernel hands requests to " + t.ready.FileSystem + " one at a time, and waits for each", nil
	}
	err := probe()
	switch {
	case err == nil && j.Way == WayNop:
		return way{WayNop, ringQueue}, "", nil
	case err == nil:
		return way{WayRing, ringQueue}, "", nil
	case j.Way != "":
		return way{}, "", &traffic.Error{Code: traffic.CodeUnsupported, Subject: "way " + j.Way, Text: noRing(err) + "; take threads"}
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

// noRing says why there is none.
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
	var says []string
	q.read, q.write = ring.OpReadFixed, ring.OpWriteFixed
	each := ring.SQE{Flags: ring.FixedFile, Len: uint32(j.Size)}
	if err := r.RegisterFile(int(w.e.target.file.Fd())); err != nil {
		each.Flags, each.FD = 0, int32(w.e.target.file.Fd())
		says = append(says, "without a registered file: "+err.Error())
	}
	if err := r.RegisterBuffer(memory); err != nil {
		q.read, q.write = ring.OpRead, ring.OpWrite
		why := err.Error()
		if errors.Is(err, syscall.ENOMEM) {
			why += " (the limit of locked memory, ulimit -l)"
		}
		says = append(says, "without registered buffers: "+why)
	}
	each.Opcode = q.read
	r.Every(each)
	if r.Flags()&ring.SetupDeferTaskrun == 0 {
		says = append(says, fmt.Sprintf("with plainer flags (%#x), as this kernel has none of 6.1", r.Flags()))
	}
	return q, strings.Join(says, "; "), nil
}

func (q *ringed) Submit(requests []Request) {
	for len(requests) > 0 {
		free := q.r.Next(len(requests)) // the ring has an entry for every slot, so there are some
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
	return q.r.There(), err
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
	t, slots, first, step, size, base, stride := w.tally, w.slots, w.part.first, w.part.step, uint64(w.e.job.Size), uint64(q.base), uint64(q.step)
	if t.amount >= 0 {
		most = int(min(int64(most), t.amount))
	}
	whole := int32(size) - q.nop
	same := t.runs[OpRead] // those of one call have mostly waited equally long
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
			slot, block, e := ended[k].UserData, first+blocks[k]*step, &next[k] // its operation is a read since the ring was made
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

// NoRing is why jobs here do without io_uring; empty: a ring was opened, and closed again.
func NoRing() string {
	if err := probe(); err != nil {
		return noRing(err)
	}
	return ""
}
