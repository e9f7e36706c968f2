package block

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// memory is a Remote whose volume is memory. After hang requests it stops answering.
type memory struct {
	lock   sync.Mutex
	b      []byte
	serial string
	fail   error // of every request
	hang   bool
	late   time.Duration // of leaving: its silence before it disconnects
	opened int
	synced int
}

func (m *memory) Knows(target string) bool { return strings.HasPrefix(target, "memory://") }

func (m *memory) Open(context.Context, string, bool) (Volume, error) {
	m.opened++
	return m, nil
}

func (m *memory) Size() unit.Bytes            { return unit.Bytes(len(m.b)) }
func (m *memory) Sector() unit.Bytes          { return 512 }
func (m *memory) Identity() string            { return m.serial }
func (m *memory) Way() (string, string)       { return "memory", "there is no other" }
func (m *memory) Flush(context.Context) error { m.synced++; return nil }
func (m *memory) Close() error                { m.opened--; return nil }
func (m *memory) Queue(_ context.Context, slots [][]byte) (Queue, error) {
	return &memoryQueue{m: m, slots: slots}, nil
}

type memoryQueue struct {
	m     *memory
	slots [][]byte
	ended []Completion
}

func (q *memoryQueue) Submit(requests []Request) {
	q.m.lock.Lock()
	defer q.m.lock.Unlock()
	if q.m.hang {
		return
	}
	for _, r := range requests {
		b := q.slots[r.Slot]
		if r.Op == OpWrite {
			copy(q.m.b[r.Offset:], b)
		} else {
			copy(b, q.m.b[r.Offset:])
		}
		q.ended = append(q.ended, Completion{Slot: r.Slot, Bytes: int32(len(b)), Err: q.m.fail})
	}
}

func (q *memoryQueue) Wait(_ int, timeout time.Duration, done []Completion) (int, error) {
	if len(q.ended) == 0 {
		time.Sleep(min(timeout, time.Millisecond))
	}
	n := copy(done, q.ended)
	q.ended = q.ended[:copy(q.ended, q.ended[n:])]
	return n, nil
}

func (q *memoryQueue) Close() error { return nil }

// A target without a client of the system: read, written when its identity or size allows it, verified, read back.
func TestRemote(t *testing.T) {
	m := &memory{b: make([]byte, 4<<20), serial: "uuid.1"}
	j := base(t)
	j.Target, j.Span, j.Remote, j.Read, j.Verify = "memory://a/b", 0, m, 0.5, true
	j.Amount, j.Interval = 4*unit.MiB, time.Minute // done however busy the machine is
	for destroy, says := range map[string]string{"": "destroy memory://a/b=uuid.1",
		"memory://a/b=4MiB": `its serial number is "uuid.1"`, "memory://a/c=uuid.1": "another one"} {
		j.Destroy = destroy
		var e *failure.Error
		if _, err := Prepare(t.Context(), j); !errors.As(err, &e) || e.Code != failure.CodeUnsafe ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", destroy, err)
		}
	}
	j.Destroy = "memory://a/b=uuid.1"
	r, o := ok(t, j)
	if v := o.Verified; r.Kind != KindRemote || r.Way != "memory" || r.Identity != "uuid.1" || v.Wrong != 0 ||
		v.Right == 0 ||
		v.ReadBack == 0 ||
		v.NotReadBack != 0 ||
		m.synced != 1 ||
		m.opened != 0 {
		t.Errorf("%+v, %+v, %d syncs, %d open", r, v, m.synced, m.opened)
	}
	m.serial, j.Destroy = "", "memory://a/b=4MiB"
	if _, o := ok(t, j); o.Write.Operations == 0 {
		t.Error("nothing was written")
	}
	j.Way = WayRing
	if _, err := Prepare(t.Context(), j); err == nil || !strings.Contains(err.Error(), "by memory alone") {
		t.Error(err)
	}
	j.Way, j.Read, j.Destroy, j.Verify, m.fail = "", 1, "", false, errors.New("namespace not ready")
	_, o, err := do(t, j)
	if err == nil || o.Errors[0].Text != "namespace not ready" || o.Errors[0].Errno != 0 {
		t.Errorf("%v, %+v", err, o.Errors)
	}
}

// Data that is lost on the way is found by reading it back, also where the job only writes.
func TestLostWritesAreFound(t *testing.T) {
	m := &memory{b: make([]byte, 1<<20)}
	j := base(t)
	j.Target, j.Span, j.Remote, j.Read, j.Verify, j.Destroy, j.Amount = "memory://x", 0, &deaf{
		m,
	}, 0, true, "memory://x=1MiB", 1*unit.MiB
	_, o := ok(t, j)
	v := o.Verified
	if v.Wrong == 0 || len(v.Blocks) == 0 || v.Blocks[0].Kind != WrongZeros || v.Blocks[0].Offset != 7*4096 ||
		v.Wrong != 1 ||
		v.ReadBack != 256 {
		t.Errorf("%+v", v)
	}
}

// deaf is memory that drops writes to block 7.
type deaf struct{ *memory }

func (d *deaf) Open(context.Context, string, bool) (Volume, error) { return d, nil }

func (d *deaf) Queue(_ context.Context, slots [][]byte) (Queue, error) {
	return &deafQueue{memoryQueue{m: d.memory, slots: slots}}, nil
}

type deafQueue struct{ memoryQueue }

func (q *deafQueue) Submit(requests []Request) {
	for i, r := range requests {
		if r.Op == OpWrite && r.Offset == 7*4096 {
			q.ended = append(q.ended, Completion{Slot: r.Slot, Bytes: 4096})
			continue
		}
		q.memoryQueue.Submit(requests[i : i+1])
	}
}

// A lost connection ends the job, also with on_error go-on. Requests that were under way do not count as written.
func TestGoneInTheMiddle(t *testing.T) {
	m := &memory{b: make([]byte, 1<<20)}
	j := base(t)
	j.Target, j.Span, j.Remote, j.Read, j.Verify, j.Destroy, j.OnError = "memory://x", 0, &leaving{
		m,
	}, 0, true, "memory://x=1MiB", OnErrorGoOn
	j.Threads, j.Depth, j.Amount = 1, 4, 0
	_, o, err := do(t, j)
	var e *failure.Error
	if !errors.As(err, &e) || e.Code != CodeLost || !strings.Contains(e.Text, "cable pulled") ||
		!strings.Contains(e.Text, "with 4 requests under way") {
		t.Fatal(err)
	}
	v := o.Verified
	if o.LostNS == 0 || o.CloseNS != o.LostNS || o.Hanging != 4 || o.Write.Operations != leavesAfter || v.Right != 0 ||
		v.ReadBack != 0 ||
		v.NotReadBack != leavesAfter+4 {
		t.Errorf("%+v, %+v", o, v)
	}
}

// A target falls silent in the interval, which shows only afterwards: the figures cover the time until its last answer.
func TestSilentInTheMiddle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &memory{b: make([]byte, 1<<20)}
		j := base(t)
		j.Target, j.Span, j.Remote, j.Threads, j.Depth, j.Amount, j.Interval = "memory://x", 0, &leaving{
			m,
		}, 1, 4, 0, 100*time.Millisecond
		m.late = 300 * time.Millisecond
		e, err := Prepare(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		o, err := e.Run(t.Context(), traffic.Now(), nil)
		var lost *failure.Error
		if !errors.As(err, &lost) || lost.Code != CodeLost || !strings.Contains(lost.Text, "the last answer came") {
			t.Fatal(err)
		}
		_, seen, _ := strings.Cut(lost.Text, "that was seen ")
		seen, _, _ = strings.Cut(seen, " after the interval began")
		if at, err := time.ParseDuration(seen); err != nil || at < m.late || at > m.late+10*time.Millisecond {
			t.Errorf("%v; it was silent for %v", lost.Text, m.late)
		}
		if o.LastNS == 0 || o.LostNS != o.LastNS || o.CloseNS != o.LastNS || o.Read.Operations != leavesAfter {
			t.Errorf("%+v", o)
		}
	})
}

// leavesAfter is how many requests leaving answers.
const leavesAfter = 40

// leaving is memory that disconnects after some requests.
type leaving struct{ *memory }

func (l *leaving) Open(context.Context, string, bool) (Volume, error) { return l, nil }

func (l *leaving) Queue(_ context.Context, slots [][]byte) (Queue, error) {
	return &leavingQueue{memoryQueue: memoryQueue{m: l.memory, slots: slots}}, nil
}

type leavingQueue struct {
	memoryQueue
	answered int
}

func (q *leavingQueue) Wait(least int, timeout time.Duration, done []Completion) (int, error) {
	if q.answered == leavesAfter {
		time.Sleep(q.m.late)
		return 0, errors.New("cable pulled")
	}
	n, err := q.memoryQueue.Wait(least, timeout, done[:min(len(done), leavesAfter-q.answered)])
	q.answered += n
	return n, err
}

// Some requests of a batch fail, and the others go on at once: each block is still requested once, and each failure is
// counted.
func TestFailuresAmongABatch(t *testing.T) {
	const blocks = 256
	p := &patchy{memory: &memory{b: make([]byte, blocks*4096)}, reads: map[int64]int{}}
	j := base(t)
	j.Target, j.Span, j.Remote, j.Threads, j.Depth, j.Batch, j.OnError = "memory://x", 0, p, 1, 8, 2, OnErrorGoOn
	j.Amount = blocks * 4096
	_, o, err := do(t, j)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.reads) != blocks {
		t.Errorf("%d of %d blocks were asked for", len(p.reads), blocks)
	}
	bad := int64(0)
	for offset, n := range p.reads {
		if n != 1 {
			t.Errorf("offset %d was asked for %d times", offset, n)
		}
		if p.bad(offset) {
			bad++
		}
	}
	h, err := o.Read.Latency()
	if err != nil || o.ErrorCount != bad || o.Read.Operations != blocks-bad || h.Count() != blocks-bad {
		t.Errorf("%d errors and %d operations, %d of %d blocks are bad (%v)", o.ErrorCount, o.Read.Operations, bad, blocks,
			err)
	}
}

// patchy is memory in which every seventh block is unreadable: some reads fail, and some are short.
type patchy struct {
	*memory
	reads map[int64]int // by offset
}

func (p *patchy) bad(offset int64) bool { return offset/4096%7 == 3 }

func (p *patchy) Open(context.Context, string, bool) (Volume, error) { return p, nil }

func (p *patchy) Queue(_ context.Context, slots [][]byte) (Queue, error) {
	return &patchyQueue{memoryQueue{m: p.memory, slots: slots}, p}, nil
}

type patchyQueue struct {
	memoryQueue
	p *patchy
}

func (q *patchyQueue) Submit(requests []Request) {
	q.memoryQueue.Submit(requests)
	for i, r := range requests {
		q.p.reads[r.Offset]++
		c := &q.ended[len(q.ended)-len(requests)+i]
		switch {
		case !q.p.bad(r.Offset):
		case r.Offset/4096%2 == 0:
			c.Bytes = 512
		default:
			c.Err = errors.New("medium error")
		}
	}
}

// A failed write over a block of unknown content leaves the old content: that is not a wrong block.
func TestFailedWriteIsNoWrongBlock(t *testing.T) {
	m := &memory{b: make([]byte, 1<<20)}
	j := base(t)
	j.Target, j.Span, j.Remote, j.Read, j.Verify, j.Destroy, j.OnError = "memory://x", 0, &refusing{
		m,
	}, 0, true, "memory://x=1MiB", OnErrorGoOn
	j.Amount, j.Interval = 2*unit.MiB, time.Minute
	_, o := ok(t, j)
	if v := o.Verified; o.ErrorCount == 0 || v.Wrong != 0 || v.Unknown != 1 || v.ReadBack != 255 {
		t.Errorf("%d errors, %+v", o.ErrorCount, v)
	}
}

// refusing is memory that refuses to write block 7.
type refusing struct{ *memory }

func (r *refusing) Open(context.Context, string, bool) (Volume, error) { return r, nil }

func (r *refusing) Queue(_ context.Context, slots [][]byte) (Queue, error) {
	return &refusingQueue{memoryQueue{m: r.memory, slots: slots}}, nil
}

type refusingQueue struct{ memoryQueue }

func (q *refusingQueue) Submit(requests []Request) {
	for i, r := range requests {
		if r.Op == OpWrite && r.Offset == 7*4096 {
			q.ended = append(q.ended, Completion{Slot: r.Slot, Err: errors.New("medium error")})
			continue
		}
		q.memoryQueue.Submit(requests[i : i+1])
	}
}

// OnHome's function is called before written data is synced.
func TestOnHome(t *testing.T) {
	m := &memory{b: make([]byte, 1<<20)}
	j := base(t)
	j.Target, j.Span, j.Remote, j.Read, j.Destroy = "memory://x", 0, m, 0, "memory://x=1MiB"
	e, err := Prepare(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	synced := -1
	e.OnHome(func() { synced = m.synced })
	if _, err := e.Run(t.Context(), traffic.Now(), nil); err != nil || synced != 0 || m.synced != 1 {
		t.Errorf("%v; %d syncs before, %d behind", err, synced, m.synced)
	}
}
