package measure

import (
	"io"
	"net"
	"runtime"
	"sync"

	"golang.org/x/sys/windows"
)

// wire is one data connection with overlapped calls of its own: each completes at an event on which its thread waits. A
// call through package net completes at the runtime's port, where another thread takes it and wakes this one.
type wire struct {
	conn      *net.TCPConn // owns the socket
	fd        windows.Handle
	peer      string
	stop      windows.Handle // event: calls return, now and later
	receiving half
	writing   half
	mu        sync.Mutex
	closed    bool
	drained   bool
}

// half is one direction of a wire; the system writes into it while a call is under way.
type half struct {
	overlapped windows.Overlapped
	buffer     windows.WSABuf
	done       windows.Handle // event
}

// begin makes ready for a call. The lowest bit of the event keeps the completion away from the port that package net
// has given the socket to (GetQueuedCompletionStatus).
func (h *half) begin(p []byte) {
	h.overlapped = windows.Overlapped{HEvent: h.done | 1}
	h.buffer = windows.WSABuf{Len: uint32(min(len(p), 1<<30)), Buf: &p[0]}
}

// newWire takes the connection over; c must not be used afterwards.
func newWire(c *net.TCPConn, subject string) (*wire, error) {
	w := &wire{conn: c, peer: subject}
	raw, err := c.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { w.fd = windows.Handle(fd) })
	}
	for _, event := range []*windows.Handle{&w.stop, &w.receiving.done, &w.writing.done} {
		if err == nil {
			*event, err = windows.CreateEvent(nil, 1, 0, nil) // reset by hand: the system does so at each call
		}
	}
	if err != nil {
		w.closeEvents()
		return nil, connectError(subject, err)
	}
	return w, nil
}

func (w *wire) closeEvents() {
	for _, event := range []windows.Handle{w.stop, w.receiving.done, w.writing.done} {
		if event != 0 {
			windows.CloseHandle(event)
		}
	}
}

// wait waits for a call that was begun, and ends it when the wire is interrupted. The system is done with the buffer
// when it returns.
func (w *wire) wait(h *half, err error) (int, error) {
	if err != nil && err != windows.ERROR_IO_PENDING {
		return 0, err
	}
	if err != nil {
		if first, err := windows.WaitForMultipleObjects([]windows.Handle{h.done, w.stop}, false, windows.INFINITE); err != nil || first != windows.WAIT_OBJECT_0 {
			_ = windows.CancelIoEx(w.fd, &h.overlapped)
		}
	}
	var n, flags uint32
	err = windows.WSAGetOverlappedResult(w.fd, &h.overlapped, &n, true, &flags)
	return int(n), err
}

// interrupted says whether interrupt was called.
func (w *wire) interrupted() bool {
	first, err := windows.WaitForSingleObject(w.stop, 0)
	return err == nil && first == windows.WAIT_OBJECT_0
}

func (w *wire) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if w.interrupted() {
		return 0, connectError(w.peer, net.ErrClosed)
	}
	h := &w.receiving
	h.begin(p)
	var n, flags uint32
	got, err := w.wait(h, windows.WSARecv(w.fd, &h.buffer, 1, &n, &flags, &h.overlapped, nil))
	runtime.KeepAlive(p)
	switch {
	case err != nil:
		return 0, endOf(w.peer, err)
	case got == 0:
		return 0, io.EOF
	}
	return got, nil
}

func (w *wire) Write(p []byte) (int, error) {
	h, written := &w.writing, 0
	for written < len(p) {
		if w.interrupted() {
			return written, connectError(w.peer, net.ErrClosed)
		}
		h.begin(p[written:])
		var n uint32
		sent, err := w.wait(h, windows.WSASend(w.fd, &h.buffer, 1, &n, 0, &h.overlapped, nil))
		written += sent
		if err != nil {
			runtime.KeepAlive(p)
			return written, endOf(w.peer, err)
		}
	}
	runtime.KeepAlive(p)
	return written, nil
}

// closeWrite tells the other end that nothing more comes.
func (w *wire) closeWrite() error { return w.conn.CloseWrite() }

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		_ = windows.SetEvent(w.stop)
	}
}

// close closes the socket. Without drained, what is still in its buffer is thrown away, so that it cannot disturb what
// is measured next.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	if !w.drained {
		_ = w.conn.SetLinger(0)
	}
	w.conn.Close()
	w.closeEvents()
}
