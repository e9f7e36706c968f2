package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations (enum io_uring_op).
const (
	OpNop        = 0
	OpReadFixed  = 4
	OpWriteFixed = 5
	OpRead       = 22
	OpWrite      = 23
)

// FixedFile in SQE.Flags says that FD is an index of registered files.
const FixedFile = 1

// Flags of a ring (IORING_SETUP_*), with the kernel that introduced them.
const (
	SetupCoopTaskrun  = 1 << 8  // 5.19: completions do not interrupt the thread
	SetupSingleIssuer = 1 << 12 // 6.0
	SetupDeferTaskrun = 1 << 13 // 6.1: completions are processed in the wait, by the thread that waits
	SetupNoSQArray    = 1 << 16 // 6.6: no table between the queue and its entries
)

const (
	setupCQSize   = 1 << 3
	setupClamp    = 1 << 4
	setupDisabled = 1 << 6 // 5.10: the ring starts after its waits are registered

	enterGetEvents  = 1 << 0
	enterExtArg     = 1 << 3
	enterRegistered = 1 << 4
	enterArgInPlace = 1 << 6 // IORING_ENTER_EXT_ARG_REG, 6.13

	registerBuffers = 0
	registerFiles   = 2
	unregisterFiles = 3
	registerEnable  = 12
	registerRingFDs = 20
	registerRegion  = 34 // IORING_REGISTER_MEM_REGION, 6.13

	regionOfUser = 1 // in the description of a region
	regionOfWait = 1 // in its registration
	waitHasTime  = 1 // IORING_REG_WAIT_TS

	featSingleMmap = 1 << 0
	featNoDrop     = 1 << 1
	featExtArg     = 1 << 8 // 5.11

	offRing = 0
	offSQEs = 0x10000000
)

// ladder is the sets of flags to try, best first: a kernel refuses flags that it does not know (EINVAL).
var ladder = [...]uint32{SetupSingleIssuer | SetupDeferTaskrun | SetupNoSQArray, SetupSingleIssuer | SetupDeferTaskrun,
	SetupCoopTaskrun, 0}

// ErrOld is a kernel whose io_uring misses a needed feature.
var ErrOld = errors.New("io_uring of this kernel is older than 5.11: its waits cannot be bounded")

// SQE is one request (struct io_uring_sqe).
type SQE struct {
	Opcode   uint8
	Flags    uint8
	IOPrio   uint16
	FD       int32
	Off      uint64
	Addr     uint64
	Len      uint32
	RWFlags  uint32
	UserData uint64
	BufIndex uint16
	_        uint16
	_        int32
	_        [2]uint64
}

// CQE is one completion (struct io_uring_cqe); Res is a count of bytes, or an errno less than 0.
type CQE struct {
	UserData uint64
	Res      int32
	Flags    uint32
}

type sqOffsets struct {
	head, tail, ringMask, ringEntries, flags, dropped, array, _ uint32
	_                                                           uint64
}

type cqOffsets struct {
	head, tail, ringMask, ringEntries, overflow, cqes, flags, _ uint32
	_                                                           uint64
}

type params struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     sqOffsets
	cq                                                                     cqOffsets
}

// argument limits the time of a wait, in both forms: struct io_uring_reg_wait, which the kernel reads in place, and
// struct io_uring_getevents_arg with the time that it points at, which is copied in every call. It has a page of its
// own, so that it never moves.
type argument struct {
	sec, nsec int64
	minWait   uint32
	flags     uint32
	_         [5]uint64

	sigmask     uint64
	sigmaskSz   uint32
	minWaitCopy uint32
	ts          uint64
}

// region is struct io_uring_region_desc.
type region struct {
	addr, size uint64
	flags, id  uint32
	_          [5]uint64
}

// Ring is one ring. Only the thread that opened it, which is locked (runtime.LockOSThread), makes calls.
type Ring struct {
	fd         int
	enterFD    uintptr // its index among the thread's registered rings, or fd
	enterFlags uintptr
	enterArg   uintptr // address of argument, or its offset in the registered region
	enterSize  uintptr
	raw        bool
	flags      uint32

	memory, sqMemory, argMemory []byte

	sqHead, sqTail *uint32
	sqMask         uint32
	sqes           []SQE
	tail           uint32 // filled, not yet submitted
	taken          uint32 // what the kernel has taken

	cqHead, cqTail *uint32
	cqMask         uint32
	cqes           []CQE
	arg            *argument
	file           bool
}

// Options of Open. The zero value is the best that the kernel has.
type Options struct {
	Plainer int  // steps of the ladder of flags to skip, 0..3
	Yield   bool // waits release the CPU slot, as the runtime's own system calls; for more rings than slots
}

// Open makes a ring with room for entries requests. Errors are errnos of io_uring_setup (EPERM, ENOSYS: forbidden, or
// missing), or ErrOld.
func Open(entries int, o Options) (*Ring, error) {
	var p params
	var fd uintptr
	var errno syscall.Errno
	for _, flags := range ladder[min(max(o.Plainer, 0), len(ladder)-1):] {
		p = params{flags: flags | setupCQSize | setupClamp | setupDisabled, cqEntries: uint32(2 * entries)}
		fd, _, errno = syscall.RawSyscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(&p)), 0)
		if errno != syscall.EINVAL {
			break
		}
	}
	if errno != 0 {
		return nil, fmt.Errorf("io_uring_setup: %w", errno)
	}
	r := &Ring{fd: int(fd), enterFD: fd, enterFlags: enterExtArg | enterGetEvents, raw: !o.Yield, flags: p.flags}
	unix.CloseOnExec(r.fd)
	if need := uint32(featSingleMmap | featNoDrop | featExtArg); p.features&need != need {
		r.Close()
		return nil, ErrOld
	}
	if err := r.mapped(&p); err != nil {
		r.Close()
		return nil, err
	}
	r.registerWait(o.Plainer > 0)
	if _, errno := r.register(registerEnable, nil, 0); errno != 0 {
		r.Close()
		return nil, fmt.Errorf("io_uring: beginning: %w", errno)
	}
	r.registerSelf()
	return r, nil
}

func (r *Ring) mapped(p *params) error {
	size := max(p.sq.array+4*p.sqEntries, p.cq.cqes+uint32(unsafe.Sizeof(CQE{}))*p.cqEntries)
	var err error
	if r.memory, err = unix.Mmap(r.fd, offRing, int(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("io_uring: mmap of the queues: %w", err)
	}
	if r.sqMemory, err = unix.Mmap(r.fd, offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(SQE{})),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("io_uring: mmap of the requests: %w", err)
	}
	if r.argMemory, err = unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("io_uring: mmap: %w", err)
	}
	at := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[off])) }
	r.sqHead, r.sqTail, r.sqMask = at(p.sq.head), at(p.sq.tail), *at(p.sq.ringMask)
	r.cqHead, r.cqTail, r.cqMask = at(p.cq.head), at(p.cq.tail), *at(p.cq.ringMask)
	r.sqes = unsafe.Slice((*SQE)(unsafe.Pointer(&r.sqMemory[0])), p.sqEntries)
	r.cqes = unsafe.Slice((*CQE)(unsafe.Pointer(&r.memory[p.cq.cqes])), p.cqEntries)
	r.tail = *r.sqTail
	r.taken = r.tail
	if p.flags&SetupNoSQArray == 0 {
		for i, a := 0, unsafe.Slice(at(p.sq.array), p.sqEntries); i < len(a); i++ {
			a[i] = uint32(i) // the table never changes: entries are used in order
		}
	}
	r.arg = (*argument)(unsafe.Pointer(&r.argMemory[0]))
	r.arg.ts = uint64(uintptr(unsafe.Pointer(&r.arg.sec)))
	return nil
}

// register is io_uring_register with count elements at at. It returns the kernel's result.
func (r *Ring) register(what uintptr, at unsafe.Pointer, count int) (uintptr, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), what, uintptr(at), uintptr(count), 0, 0)
	return n, errno
}

// registerWait lets the kernel read the time of waits in place. Where that fails, or with plain, it copies the time in
// every call.
func (r *Ring) registerWait(plain bool) {
	r.enterArg, r.enterSize = uintptr(unsafe.Pointer(&r.arg.sigmask)), 24
	if plain {
		return
	}
	d := (*region)(unsafe.Pointer(&r.argMemory[2048]))
	d.addr, d.size, d.flags = uint64(uintptr(unsafe.Pointer(r.arg))), uint64(len(r.argMemory)), regionOfUser
	m := (*[4]uint64)(
		unsafe.Pointer(&r.argMemory[3072]),
	) // struct io_uring_mem_region_reg: description, flags, reserved
	m[0], m[1] = uint64(uintptr(unsafe.Pointer(d))), regionOfWait
	if _, errno := r.register(registerRegion, unsafe.Pointer(m), 1); errno == 0 {
		r.arg.flags, r.enterArg, r.enterSize = waitHasTime, 0, unsafe.Offsetof(r.arg.sigmask)
		r.enterFlags |= enterArgInPlace
	}
}

// registerSelf saves the look-up of the descriptor in every call (5.18). The ring also works without it.
func (r *Ring) registerSelf() {
	update := (*[2]uint64)(unsafe.Pointer(&r.argMemory[2048])) // struct io_uring_rsrc_update: offset, reserved, data
	update[0], update[1] = 0xffffffff, uint64(r.fd)
	if n, errno := r.register(registerRingFDs, unsafe.Pointer(update), 1); errno == 0 && n == 1 {
		r.enterFD, r.enterFlags = uintptr(uint32(update[0])), r.enterFlags|enterRegistered
	}
}

// Flags returns the flags in effect, of the Setup constants.
func (r *Ring) Flags() uint32 {
	return r.flags & (SetupCoopTaskrun | SetupSingleIssuer | SetupDeferTaskrun | SetupNoSQArray)
}

// RegisterFile makes fd the registered file 0.
func (r *Ring) RegisterFile(fd int) error {
	fds := (*[1]int32)(unsafe.Pointer(&r.argMemory[2048]))
	fds[0] = int32(fd)
	if _, errno := r.register(registerFiles, unsafe.Pointer(fds), 1); errno != 0 {
		return fmt.Errorf("io_uring: registering the file: %w", errno)
	}
	r.file = true
	return nil
}

// RegisterBuffer makes b the registered buffer 0; any part of it can be read into or written from. It must not be
// memory of Go's heap. The kernel locks it, which counts against an ordinary user's limit of locked memory (ENOMEM).
func (r *Ring) RegisterBuffer(b []byte) error {
	v := (*unix.Iovec)(unsafe.Pointer(&r.argMemory[2048]))
	v.Base = &b[0]
	v.SetLen(len(b))
	if _, errno := r.register(registerBuffers, unsafe.Pointer(v), 1); errno != 0 {
		return fmt.Errorf("io_uring: registering the buffers: %w", errno)
	}
	return nil
}

// Every sets all requests to e, before the first of them, so that Next's caller sets only fields that differ.
func (r *Ring) Every(e SQE) {
	for i := range r.sqes {
		r.sqes[i] = e
	}
}

// Next queues and returns the next free requests, at most most; none if the queue is full. They hold the values of
// earlier requests: the caller sets every field that differs. At the end of the queue the rest comes with the next
// call.
func (r *Ring) Next(most int) []SQE {
	at := r.tail & r.sqMask
	n := min(uint32(most), uint32(len(r.sqes))-(r.tail-r.taken), uint32(len(r.sqes))-at)
	r.tail += n
	return r.sqes[at : at+n]
}

// Back removes the last n requests of Next.
func (r *Ring) Back(n int) { r.tail -= uint32(n) }

// Available is how many completions are available.
func (r *Ring) Available() int { return int(atomic.LoadUint32(r.cqTail) - *r.cqHead) }

// Enter submits what is queued and waits until least completions are available, for at most timeout. It also ends early
// when a signal comes. After an error, an errno, the ring is unusable.
func (r *Ring) Enter(least int, timeout time.Duration) error {
	atomic.StoreUint32(r.sqTail, r.tail)
	r.arg.sec, r.arg.nsec = int64(timeout/time.Second), int64(timeout%time.Second)
	var n uintptr
	var errno syscall.Errno
	if r.raw {
		n, _, errno = syscall.RawSyscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(r.tail-r.taken), uintptr(least),
			r.enterFlags, r.enterArg, r.enterSize)
	} else {
		n, _, errno = syscall.Syscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(r.tail-r.taken), uintptr(least),
			r.enterFlags, r.enterArg, r.enterSize)
	}
	switch errno {
	case 0:
		r.taken += uint32(n)
	case syscall.EINTR, syscall.ETIME, syscall.EAGAIN, syscall.EBUSY: // what is queued stays queued
	default:
		return fmt.Errorf("io_uring_enter: %w", errno)
	}
	return nil
}

// Queued is how many requests the kernel has not taken yet.
func (r *Ring) Queued() int { return int(r.tail - r.taken) }

// Ready returns the next available completions, at most most; they stay until Seen. At the end of the queue the rest
// comes with the next call.
func (r *Ring) Ready(most int) []CQE {
	at := *r.cqHead & r.cqMask
	n := min(atomic.LoadUint32(r.cqTail)-*r.cqHead, uint32(most), uint32(len(r.cqes))-at)
	return r.cqes[at : at+n]
}

// Seen releases the entries of the first n completions.
func (r *Ring) Seen(n int) { atomic.StoreUint32(r.cqHead, *r.cqHead+uint32(n)) }

// Take copies available completions into done and returns their number.
func (r *Ring) Take(done []CQE) int {
	n := copy(done, r.Ready(len(done)))
	r.Seen(n)
	k := copy(done[n:], r.Ready(len(done)-n))
	r.Seen(k)
	return n + k
}

// Close ends the ring. Requests under way go on in the kernel for a while, so their buffers must stay allocated.
func (r *Ring) Close() {
	if r.file { // the kernel frees a ring later, and until then the file system could not be unmounted
		_, _ = r.register(unregisterFiles, nil, 0)
		r.file = false
	}
	for _, b := range [][]byte{r.memory, r.sqMemory, r.argMemory} {
		if b != nil {
			_ = unix.Munmap(b)
		}
	}
	r.memory, r.sqMemory, r.argMemory = nil, nil, nil
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
		r.fd = -1
	}
}
