package tcp

import (
	"fmt"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
)

// pipePath moves pages through a pipe into the socket: vmspliced from memory each time, or teed from a pipe that was
// filled once.
type pipePath struct {
	to     *Wire
	tee    bool
	data   []byte // of vmsplice
	free   func()
	full   [2]int // of tee: the filled pipe
	pipe   [2]int
	opened int
}

func (p *pipePath) open(data []byte) error {
	if err := p.makePipe(&p.pipe, len(data)); err != nil {
		return err
	}
	if p.tee {
		if err := p.makePipe(&p.full, len(data)); err != nil {
			return err
		}
		return fillLarge(p.full[1], data)
	}
	var err error
	if p.data, p.free, err = pages(len(data)); err != nil {
		return err
	}
	copy(p.data, data)
	return nil
}

func (p *pipePath) makePipe(ends *[2]int, room int) error {
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	p.opened++
	if _, err := unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, room); err != nil {
		return fmt.Errorf("a pipe of %d bytes: %w", room, err)
	}
	return nil
}

// fillChunk is the length of one call of fillLarge; 4, 8, 16 and 48 KiB gave slower pipes.
const fillChunk = 64 << 10

// fillLarge fills a pipe by way of a local socket. The kernel keeps such bytes in runs of eight pages (32 KiB) with one
// count of users a run; memory that is vmspliced goes page by page, and then both ends' cores take the record of every
// page from one another, which costs the receiver as much as its copy.
func fillLarge(pipe int, data []byte) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("socketpair: %w", err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	for done := 0; done < len(data); {
		n, err := unix.SendmsgN(pair[0], data[done:min(len(data), done+fillChunk)], nil, nil, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("filling a local socket: %w", err)
		}
		for in := 0; in < n; {
			k, err := unix.Splice(pair[1], nil, pipe, nil, n-in, unix.SPLICE_F_NONBLOCK)
			if err == unix.EINTR {
				continue
			}
			if err != nil || k == 0 {
				return fmt.Errorf("filling a pipe of %d bytes: %d are in it: %w", len(data), done+in, err)
			}
			in += int(k)
		}
		done += n
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
		return 0, failure.Of(p.to.peer, err)
	}
	for out := 0; out < in; {
		n, err := unix.Splice(p.pipe[0], nil, p.to.fd, nil, in-out, unix.SPLICE_F_MOVE|unix.SPLICE_F_MORE)
		if n > 0 {
			out += int(n)
		}
		if err != nil && err != unix.EINTR {
			return out, failure.Of(p.to.peer, err)
		}
	}
	return in, nil
}

func (p *pipePath) note() string { return "" }

func (p *pipePath) close() {
	for i, e := range []*[2]int{&p.pipe, &p.full} {
		if i < p.opened { // opened in this order
			unix.Close(e[0])
			unix.Close(e[1])
		}
	}
	if p.free != nil {
		p.free()
	}
}
