package block

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"linerate/internal/base/failure"
)

// chooseWay returns the configured engine, or the best that works on this system, and the reason.
func chooseWay(j Job, t *target) (way, string, error) {
	switch {
	case t.volume != nil:
		return remoteWay(j, t)
	case j.Way == "" || j.Way == WayOverlapped:
		return way{WayOverlapped, overlappedQueue}, "", nil
	case j.Way == WayThreads:
		return way{name: WayThreads}, "asked for", nil
	}
	return way{}, "", &failure.Error{Code: failure.CodeUnsupported, Subject: "way " + j.Way,
		Text: "Windows does not have it; take overlapped or threads"}
}

// request is what Windows works on. Requests have memory of their own, which stays allocated where a completion may
// come late.
type request struct {
	o    windows.Overlapped
	slot int32
}

// entry is OVERLAPPED_ENTRY.
type entry struct {
	key      uintptr
	o        *windows.Overlapped
	internal uintptr
	bytes    uint32
}

// overlapped is a Queue over a handle and a completion port of its own.
type overlapped struct {
	file, port windows.Handle
	requests   []request
	buffers    []slot
	entries    []entry
	early      []Completion // refused when they were submitted
}

var getQueued = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetQueuedCompletionStatusEx")

func overlappedQueue(_ context.Context, w *worker, _ []byte) (Queue, string, error) {
	j := w.e.job
	a := access{write: j.writes(), direct: !j.Cached && w.e.target.ready.DirectWhy == "", sync: j.Sync}
	h, err := create(w.e.ready.Path, a, windows.FILE_FLAG_OVERLAPPED)
	if err != nil {
		return nil, "", openError(w.e.ready.Path, err)
	}
	port, err := windows.CreateIoCompletionPort(h, 0, 0, 1)
	if err != nil {
		_ = windows.CloseHandle(h)
		return nil, "", fmt.Errorf("CreateIoCompletionPort: %w", err)
	}
	if err := getQueued.Find(); err != nil {
		_ = windows.CloseHandle(port)
		_ = windows.CloseHandle(h)
		return nil, "", err
	}
	q := &overlapped{file: h, port: port, requests: make([]request, len(w.slots)), buffers: w.slots,
		entries: make([]entry, len(w.slots)), early: make([]Completion, 0, len(w.slots))}
	return q, "", nil
}

func (q *overlapped) Submit(requests []Request) {
	for _, r := range requests {
		q.submit(r)
	}
}

func (q *overlapped) submit(a Request) {
	r := &q.requests[a.Slot]
	*r = request{slot: a.Slot}
	r.o.Offset, r.o.OffsetHigh = uint32(a.Offset), uint32(a.Offset>>32)
	b := q.buffers[a.Slot].buffer
	var err error
	if a.Op == OpWrite {
		err = windows.WriteFile(q.file, b, nil, &r.o)
	} else {
		err = windows.ReadFile(q.file, b, nil, &r.o)
	}
	// Requests that complete at once come through the port as well.
	if err != nil && !errors.Is(err, windows.ERROR_IO_PENDING) {
		q.early = append(q.early, Completion{Slot: a.Slot, Err: ended(err)})
	}
}

// ended treats the end of the file as on other systems: not an error, and no bytes.
func ended(err error) error {
	if errors.Is(err, windows.ERROR_HANDLE_EOF) {
		return nil
	}
	return err
}

func (q *overlapped) Wait(least int, timeout time.Duration, done []Completion) (int, error) {
	if n := copy(done, q.early); n > 0 {
		q.early = q.early[:copy(q.early, q.early[n:])]
		return n, nil
	}
	ms := uint32((timeout + time.Millisecond - 1) / time.Millisecond)
	var n uint32
	ok, _, err := getQueued.Call(uintptr(q.port), uintptr(unsafe.Pointer(&q.entries[0])),
		uintptr(min(len(q.entries), len(done))), uintptr(unsafe.Pointer(&n)), uintptr(ms), 0)
	if ok == 0 {
		if errors.Is(err, syscall.Errno(windows.WAIT_TIMEOUT)) {
			return 0, nil
		}
		return 0, fmt.Errorf("GetQueuedCompletionStatusEx: %w", err)
	}
	for i, e := range q.entries[:n] {
		r := (*request)(unsafe.Pointer(e.o))
		c := Completion{Slot: r.slot, Bytes: int32(e.bytes)}
		if r.o.Internal != 0 { // NTSTATUS
			status := windows.NTStatus(uint32(r.o.Internal))
			if c.Err = ended(status.Errno()); errors.Is(c.Err, syscall.Errno(0)) {
				c.Err = status // a status without a Windows error number
			}
		}
		done[i] = c
	}
	_ = least // the port returns what there is, at least one
	return int(n), nil
}

func (q *overlapped) Close() error {
	return errors.Join(windows.CloseHandle(q.file), windows.CloseHandle(q.port))
}
