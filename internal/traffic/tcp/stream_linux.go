package tcp

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// pages allocates memory outside of Go's heap: the kernel may still hold pages of it when it is freed, and these must
// not become another object's bytes. Large ones use huge pages, which the kernel copies faster.
func pages(n int) ([]byte, func(), error) {
	const huge = 2 << 20
	size := n
	if n >= huge/2 {
		size += huge // room to begin where a huge page does
	}
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, fmt.Errorf("mmap of %d bytes: %w", n, err)
	}
	free := func() { _ = unix.Munmap(b) }
	if size == n {
		return b, free, nil
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // small pages do, too
	at := int(-uintptr(unsafe.Pointer(&b[0])) & (huge - 1))
	return b[at : at+n : at+n], free, nil
}

// newPath opens a way to send without copies. data is sent repeatedly; it is copied once, here.
func newPath(w way, to *Wire, data []byte, until int64) (path, error) {
	fail := func(err error) (path, error) {
		return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: w.String(),
			Text: fmt.Sprintf("it cannot be used on this host (%v); measure with copies at both ends", err)}
	}
	switch w {
	case waySplice, wayTee:
		p := &pipePath{to: to, tee: w == wayTee}
		if err := p.open(data); err != nil {
			p.close()
			return fail(err)
		}
		return p, nil
	case waySendfile:
		fd, err := unix.MemfdCreate("linerate", unix.MFD_CLOEXEC)
		if err != nil {
			return fail(err)
		}
		p := &filePath{to: to, fd: fd}
		for off := 0; off < len(data); {
			n, err := unix.Pwrite(fd, data[off:], int64(off))
			if err != nil {
				p.close()
				return fail(err)
			}
			off += n
		}
		return p, nil
	case wayZeroCopy:
		if err := unix.SetsockoptInt(to.fd, unix.SOL_SOCKET, unix.SO_ZEROCOPY, 1); err != nil {
			return fail(err)
		}
		b, free, err := pages(len(data))
		if err != nil {
			return fail(err)
		}
		copy(b, data)
		return &zeroPath{to: to, data: b, free: free, until: until}, nil
	}
	return fail(fmt.Errorf("it is none"))
}

// filePath sends a file that is in memory.
type filePath struct {
	to *Wire
	fd int
}

func (p *filePath) push(n int) (int, error) {
	off := int64(0)
	for int(off) < n {
		_, err := unix.Sendfile(p.to.fd, p.fd, &off, n-int(off))
		if err != nil && err != unix.EINTR && err != unix.EAGAIN {
			return int(off), failure.Of(p.to.peer, err)
		}
	}
	return n, nil
}

func (p *filePath) close()       { unix.Close(p.fd) }
func (p *filePath) note() string { return "" }

// zeroPath sends memory that the kernel reads in place and releases by a notice in the socket's error queue.
type zeroPath struct {
	to     *Wire
	data   []byte
	free   func()
	until  int64 // stamp after which nothing is waited for
	out    int   // calls without a notice
	copied bool
}

// mostOut is the number of calls without a notice from which on notices are read.
const mostOut = 16

func (p *zeroPath) push(n int) (int, error) {
	for done := 0; ; {
		got, err := unix.SendmsgN(p.to.fd, p.data[done:n], nil, nil, unix.MSG_ZEROCOPY)
		if err == nil {
			p.out++
			done += got
		}
		if p.out >= mostOut || err == unix.ENOBUFS {
			p.reap()
		}
		switch {
		case err == unix.ENOBUFS: // notices take the socket's option memory
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(p.to.fd)}}, 10)
		case err != nil && err != unix.EINTR:
			return done, failure.Of(p.to.peer, err)
		}
		if done == n {
			return n, nil
		}
		if traffic.Now() >= p.until {
			return done, nil
		}
	}
}

// reap reads the notices. Each is about a range of calls, and reports whether the kernel copied after all
// (linux/errqueue.h, struct sock_extended_err).
func (p *zeroPath) reap() {
	var control [256]byte
	for {
		_, n, _, _, err := unix.Recvmsg(p.to.fd, nil, control[:], unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
		if err != nil || n < unix.CmsgLen(16) {
			return
		}
		e := (*extendedError)(unsafe.Pointer(&control[unix.CmsgLen(0)]))
		p.out -= int(e.last - e.first + 1)
		p.copied = p.copied || e.code&1 != 0 // SO_EE_CODE_ZEROCOPY_COPIED
	}
}

// extendedError is struct sock_extended_err.
type extendedError struct {
	errno              uint32
	origin, kind, code uint8
	_                  uint8
	first, last        uint32
}

func (p *zeroPath) note() string {
	if p.copied {
		return ", which the kernel copied after all"
	}
	return ""
}

func (p *zeroPath) close() {
	p.reap()
	p.free() // pages that the kernel still holds live on until it lets go of them
}
