package block

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/nvmetcp"
)

// WayNVMeTCP is linerate's own NVMe/TCP initiator.
const WayNVMeTCP = "nvme-tcp"

// nvmeRemote opens NVMe/TCP subsystems.
type nvmeRemote struct {
	host string // the initiator's name (host NQN); empty: a generated one
}

func (nvmeRemote) Knows(target string) bool { return strings.HasPrefix(target, nvmetcp.Scheme+"://") }

func (r nvmeRemote) Open(ctx context.Context, target string, write bool) (Volume, error) {
	a, err := nvmetcp.ParseAddress(target)
	if err != nil {
		return nil, nvmeError(err)
	}
	c, err := nvmetcp.Connect(ctx, a, nvmetcp.Options{Write: write, HostNQN: r.host})
	if err != nil {
		return nil, nvmeError(err)
	}
	return &nvmeVolume{c: c, write: write}, nil
}

// nvmeError converts an error of the initiator to one of this package.
func nvmeError(err error) error {
	var e *nvmetcp.Error
	if !errors.As(err, &e) {
		return err
	}
	code := e.Code
	switch code {
	case failure.CodeInput,
		failure.CodeLimit,
		failure.CodeRefused,
		failure.CodeUnreachable,
		failure.CodeTimeout,
		failure.CodeReset,
		failure.CodeStopped,
		failure.CodeUnsupported:
	default:
		code = failure.CodeInternal
	}
	return &failure.Error{Code: code, Subject: e.Subject, Text: strings.TrimPrefix(err.Error(), e.Subject+": ")}
}

// nvmeVolume is a namespace.
type nvmeVolume struct {
	c     *nvmetcp.Controller
	write bool
}

func (v *nvmeVolume) Size() unit.Bytes   { return unit.Bytes(v.c.Info().Namespace.Size()) }
func (v *nvmeVolume) Sector() unit.Bytes { return unit.Bytes(v.c.Info().Namespace.BlockSize) }

func (v *nvmeVolume) Identity() string { return NVMeIdentity(v.c.Info()) }

// NVMeIdentity distinguishes a namespace from others: its own name, or its subsystem's serial number.
func NVMeIdentity(i nvmetcp.Info) string {
	if name := i.Namespace.Name(); name != "" {
		return name
	}
	return i.Serial
}

func (v *nvmeVolume) Way() (way, why string) { return WayNVMeTCP, "own initiator, not your system's" }
func (v *nvmeVolume) Close() error           { return v.c.Close() }

// Flush makes the namespace write its cache to the medium.
func (v *nvmeVolume) Flush(ctx context.Context) error {
	if !v.write {
		return nil
	}
	q, err := v.c.QueueContext(ctx, 1)
	if err != nil {
		return nvmeError(err)
	}
	defer q.Close()
	if err := q.Sync(0); err != nil {
		return nvmeError(err)
	}
	for { // in steps: a Flush may take minutes, and the job may end meanwhile
		done, err := q.Wait(1, time.Now().Add(100*time.Millisecond))
		switch {
		case err != nil:
			return nvmeError(err)
		case len(done) > 0:
			return nvmeError(done[0].Err)
		case ctx.Err() != nil:
			return &failure.Error{Code: failure.CodeTimeout, Subject: "flush",
				Text: "given up, before the target had answered: " + context.Cause(ctx).Error()}
		}
	}
}

// Queue is one connection. A request that is larger than the target takes in one command is split.
func (v *nvmeVolume) Queue(ctx context.Context, slots [][]byte) (Queue, error) {
	size := len(slots[0])
	q := &nvmeQueue{slots: slots, parts: 1, part: size, left: make([]nvmeSlot, len(slots))}
	if most := v.c.Info().MaxTransfer; most > 0 && size > most {
		block := v.c.Info().Namespace.BlockSize
		q.part = most / block * block
		q.parts = (size + q.part - 1) / q.part
	}
	if depth := len(slots) * q.parts; depth > v.c.Info().MaxDepth {
		return nil, &failure.Error{
			Code:    failure.CodeLimit,
			Subject: "depth",
			Text: fmt.Sprintf(
				"%d requests of %v are %d commands under way, where the target allows %d a queue; lower depth or size",
				len(slots), unit.Bytes(size), depth, v.c.Info().MaxDepth),
		}
	}
	var err error
	if q.q, err = v.c.QueueContext(ctx, len(slots)*q.parts); err != nil {
		return nil, nvmeError(err)
	}
	return q, nil
}

type nvmeQueue struct {
	q           *nvmetcp.Queue
	slots       [][]byte
	parts, part int // commands of a request, and bytes of one
	left        []nvmeSlot
	failed      error
}

// nvmeSlot is the unfinished part of a request.
type nvmeSlot struct {
	parts int
	err   error
}

func (q *nvmeQueue) Submit(requests []Request) {
	for _, r := range requests {
		q.submit(int(r.Slot), r.Op, r.Offset)
	}
}

func (q *nvmeQueue) submit(slot int, op Op, offset int64) {
	b := q.slots[slot]
	q.left[slot] = nvmeSlot{parts: q.parts}
	for i := range q.parts {
		at := i * q.part
		if err := q.q.Submit(slot*q.parts+i, op == OpWrite, offset+int64(at), b[at:min(at+q.part, len(b))]); err != nil &&
			q.failed == nil {
			q.failed = err // the next Wait returns it: such a request was wrong from the beginning
		}
	}
}

func (q *nvmeQueue) Wait(least int, timeout time.Duration, done []Completion) (n int, err error) {
	if q.failed != nil {
		return 0, nvmeError(q.failed)
	}
	deadline := time.Now().Add(timeout)
	for n < least || n == 0 && least == 0 {
		ask := least - n
		if q.parts > 1 {
			ask = min(ask, 1)
		}
		ended, werr := q.q.Wait(ask, deadline)
		for _, c := range ended {
			s := &q.left[c.Slot/q.parts]
			if c.Err != nil && s.err == nil {
				s.err = c.Err
			}
			if s.parts--; s.parts > 0 {
				continue
			}
			d := Completion{Slot: int32(c.Slot / q.parts), Bytes: int32(len(q.slots[c.Slot/q.parts])), Err: s.err}
			if d.Err != nil {
				d.Bytes, d.Err = 0, nvmeError(d.Err)
			}
			done[n] = d
			n++
		}
		if werr != nil {
			return n, nvmeError(werr)
		}
		if len(ended) == 0 || least == 0 || !time.Now().Before(deadline) {
			break
		}
	}
	return n, nil
}

func (q *nvmeQueue) Close() error { return q.q.Close() }
