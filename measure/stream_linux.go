package measure

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pages is memory outside of Go's heap: the kernel may still hold pages of it when it is given back, and what they
// hold must not become another object's bytes. Large ones ask for huge pages, which the kernel copies faster.
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

// newPath opens a way without copies. data is sent again and again; it is copied once, here.
func newPath(w way, to *wire, data []byte, until int64) (path, error) {
	fail := func(err error) (path, error) {
		return nil, &Error{Code: CodeUnsupported, Subject: w.String(), Text: fmt.Sprintf("it cannot be used on this host (%v); measure with copies at both ends", err)}
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

// pipePath moves pages through a pipe into the socket: vmspliced from memory each time, or teed from a pipe that was
// filled once.
type pipePath struct {
	to     *wire
	tee    bool
	data   []byte
	free   func()
	full   [2]int // of tee: the filled pipe
	pipe   [2]int
	opened int
}

func (p *pipePath) open(data []byte) error {
	var err error
	if p.data, p.free, err = pages(len(data)); err != nil {
		return err
	}
	copy(p.data, data)
	ends := []*[2]int{&p.pipe}
	if p.tee {
		ends = append(ends, &p.full)
	}
	for _, e := range ends {
		if err := unix.Pipe2(e[:], unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("pipe: %w", err)
		}
		p.opened++
		if _, err := unix.FcntlInt(uintptr(e[1]), unix.F_SETPIPE_SZ, len(data)); err != nil {
			return fmt.Errorf("a pipe of %d bytes: %w", len(data), err)
		}
	}
	if p.tee {
		if n, err := p.fill(p.full[1], len(data)); err != nil || n != len(data) {
			return fmt.Errorf("a filled pipe of %d bytes: %d, %v", len(data), n, err)
		}
	}
	return nil
}

// fill hands the first n bytes of memory to a pipe.
func (p *pipePath) fill(pipe, n int) (int, error) {
	v := unix.Iovec{Base: &p.data[0]}
	v.SetLen(n)
	for {
		got, err := unix.Vmsplice(pipe, []unix.Iovec{v}, 0)
		if err != unix.EINTR {
			return got, err
		}
	}
}

func (p *pipePath) push(n int) (int, error) {
	var in int
	var err error
	if p.tee {
		var got int64
		got, err = unix.Tee(p.full[0], p.pipe[1], n, 0)
		in = int(got)
	} else {
		in, err = p.fill(p.pipe[1], n)
	}
	if err == unix.EINTR {
		return 0, nil
	}
	if err != nil {
		return 0, connectError(p.to.peer, err)
	}
	for out := 0; out < in; {
		n, err := unix.Splice(p.pipe[0], nil, p.to.fd, nil, in-out, unix.SPLICE_F_MOVE|unix.SPLICE_F_MORE)
		if n > 0 {
			out += int(n)
		}
		if err != nil && err != unix.EINTR {
			return out, connectError(p.to.peer, err)
		}
	}
	return in, nil
}

func (p *pipePath) note() string { return "" }

func (p *pipePath) close() {
	for i, e := range []*[2]int{&p.pipe, &p.full} {
		if i < p.opened {
			unix.Close(e[0])
			unix.Close(e[1])
		}
	}
	if p.free != nil {
		p.free()
	}
}

// filePath sends a file that lies in memory.
type filePath struct {
	to *wire
	fd int
}

func (p *filePath) push(n int) (int, error) {
	off := int64(0)
	for int(off) < n {
		_, err := unix.Sendfile(p.to.fd, p.fd, &off, n-int(off))
		if err != nil && err != unix.EINTR && err != unix.EAGAIN {
			return int(off), connectError(p.to.peer, err)
		}
	}
	return n, nil
}

func (p *filePath) close()       { unix.Close(p.fd) }
func (p *filePath) note() string { return "" }

// zeroPath sends memory that the kernel reads in place and gives back by a notice in the socket's error queue.
type zeroPath struct {
	to     *wire
	data   []byte
	free   func()
	until  int64 // stamp after which nothing is waited for
	out    int   // calls without a notice
	copied bool
}

// mostOut is how many calls may be without a notice before they are looked for.
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
			return done, connectError(p.to.peer, err)
		}
		if done == n {
			return n, nil
		}
		if Now() >= p.until {
			return done, nil
		}
	}
}

// reap takes the notices that are there. Each tells of a range of calls, and whether the kernel copied after all
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
