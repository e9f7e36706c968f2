package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	recvBatch = 32 // super-packets a call
	sendBatch = 64 // wire packets a call

	// room for the tag of a VLAN before the header of a frame, and for the largest super-packet behind it
	headroom  = 4
	mostFrame = 66 << 10

	bufferBytes = 64 << 20 // of a socket: 1 s of 500 Mb/s

	auxSize = 20 // struct tpacket_auxdata of linux/if_packet.h
)

// mmsghdr is the kernel's struct mmsghdr.
type mmsghdr struct {
	hdr unix.Msghdr
	len uint32
}

// port is one interface: a socket that receives its frames, and one that only sends.
type port struct {
	name    string
	index   int
	in, out int

	bufs    [][]byte // of recvBatch messages
	control []byte
	iov     []unix.Iovec
	msgs    []mmsghdr
	sendIov []unix.Iovec
	sends   []mmsghdr
}

// openPort opens the sockets of an interface in this thread's network namespace. It receives nothing before listen.
func openPort(name string) (p *port, err error) {
	found, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf(
			"interface %s: this network namespace has none of this name (ip link lists those that it has): %w", name, err)
	}
	if len(found.HardwareAddr) != 6 {
		return nil, fmt.Errorf("interface %s: it has no Ethernet address; the link carries Ethernet frames alone", name)
	}
	p = &port{name: name, index: found.Index, in: -1, out: -1}
	defer func() {
		if err != nil {
			p.close()
			if errors.Is(err, unix.EPERM) {
				err = fmt.Errorf(
					"%w; packet sockets need CAP_NET_RAW in the network namespace's user namespace: run it as root, or in a lab", err)
			}
			err = fmt.Errorf("interface %s: %w", name, err)
		}
	}()
	// Protocol 0: without one a packet socket receives nothing.
	if p.in, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("packet socket: %w", err)
	}
	if p.out, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("packet socket: %w", err)
	}
	for _, o := range []struct {
		name   string
		number int
	}{{"PACKET_VNET_HDR", unix.PACKET_VNET_HDR}, {"PACKET_IGNORE_OUTGOING", unix.PACKET_IGNORE_OUTGOING},
		{"PACKET_AUXDATA", unix.PACKET_AUXDATA}} {
		if err := unix.SetsockoptInt(p.in, unix.SOL_PACKET, o.number, 1); err != nil {
			return nil, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	// A NIC would drop frames to other stations, a cable transports them.
	if err := unix.SetsockoptPacketMreq(p.in, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP,
		&unix.PacketMreq{Ifindex: int32(p.index), Type: unix.PACKET_MR_PROMISC}); err != nil {
		return nil, fmt.Errorf("promiscuous mode: %w", err)
	}
	if err := buffer(p.in, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF); err != nil {
		return nil, fmt.Errorf("receive buffer: %w", err)
	}
	if err := buffer(p.out, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF); err != nil {
		return nil, fmt.Errorf("send buffer: %w", err)
	}
	if err := unix.Bind(p.out, &unix.SockaddrLinklayer{Ifindex: p.index}); err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	p.make()
	return p, nil
}

// buffer sets the size of a socket's buffer, past the machine's limit where that is allowed.
func buffer(fd, force, plain int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, bufferBytes) == nil {
		return nil
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, plain, bufferBytes)
}

func (p *port) make() {
	p.bufs, p.iov, p.msgs = make([][]byte, recvBatch), make([]unix.Iovec, recvBatch), make([]mmsghdr, recvBatch)
	space := unix.CmsgSpace(auxSize)
	p.control = make([]byte, recvBatch*space)
	for i := range p.msgs {
		p.bufs[i] = make([]byte, headroom+vnetSize+mostFrame)
		p.iov[i].Base = &p.bufs[i][headroom]
		p.iov[i].SetLen(vnetSize + mostFrame)
		p.msgs[i].hdr.Iov = &p.iov[i]
		p.msgs[i].hdr.SetIovlen(1)
		p.msgs[i].hdr.Control = &p.control[i*space]
	}
	p.sendIov, p.sends = make([]unix.Iovec, sendBatch), make([]mmsghdr, sendBatch)
	for i := range p.sends {
		p.sends[i].hdr.Iov = &p.sendIov[i]
		p.sends[i].hdr.SetIovlen(1)
	}
}

// listen begins to receive.
func (p *port) listen() error {
	all := uint16(unix.ETH_P_ALL)
	if err := unix.Bind(p.in, &unix.SockaddrLinklayer{Protocol: all<<8 | all>>8, Ifindex: p.index}); err != nil {
		return fmt.Errorf("interface %s: bind: %w", p.name, err)
	}
	return nil
}

func (p *port) close() {
	for _, fd := range []int{p.in, p.out} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// receive reads up to recvBatch available frames, in buffers that the next call overwrites. uncut counts those that
// could not be read whole. An error means that the interface no longer exists.
func (p *port) receive(each func(offload, []byte)) (n, uncut int, err error) {
	for i := range p.msgs {
		p.msgs[i].hdr.SetControllen(unix.CmsgSpace(auxSize))
	}
	got, _, errno := syscall.Syscall6(unix.SYS_RECVMMSG, uintptr(p.in), uintptr(unsafe.Pointer(&p.msgs[0])), recvBatch,
		unix.MSG_DONTWAIT, 0, 0)
	switch errno {
	case 0:
	case unix.EAGAIN, unix.EINTR:
		return 0, 0, nil
	case unix.ENETDOWN:
		return 0, 0, p.there()
	case unix.EINVAL:
		return 1, 1, nil // a super-packet of a type that the kernel cannot describe; it has thrown it away
	default:
		return 0, 0, fmt.Errorf("interface %s: receive: %w", p.name, errno)
	}
	for i := range int(got) {
		m := &p.msgs[i]
		if m.hdr.Flags&unix.MSG_TRUNC != 0 || m.len < vnetSize+etherHeader {
			uncut++
			continue
		}
		b := p.bufs[i][:headroom+int(m.len)]
		o := readOffload(b[headroom:])
		frame := b[headroom+vnetSize:]
		if tag, ok := vlanTag(p.control[i*unix.CmsgSpace(auxSize):][:m.hdr.Controllen]); ok {
			// The kernel removes the tag from the frame. It is inserted again, before the EtherType.
			frame = b[vnetSize:]
			copy(frame[:12], frame[headroom:headroom+12])
			copy(frame[12:], tag[:])
			o.start += headroom
		}
		each(o, frame)
	}
	return int(got), uncut, nil
}

// there returns an error unless the interface exists, up or not.
func (p *port) there() error {
	if _, err := net.InterfaceByIndex(p.index); err != nil {
		return fmt.Errorf("interface %s is gone: the link has ended", p.name)
	}
	return nil
}

// vlanTag finds the tag in the kernel's control message of a frame: struct tpacket_auxdata has the status in its first
// four bytes, and from byte 16 on the tag's control information and type, all in the machine's byte order.
func vlanTag(control []byte) (tag [4]byte, ok bool) {
	const valid, typeValid = 1 << 4, 1 << 6 // TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID
	at := unix.CmsgLen(0)
	if len(control) < at+auxSize {
		return tag, false
	}
	aux := control[at:]
	status := binary.NativeEndian.Uint32(aux)
	if status&valid == 0 {
		return tag, false
	}
	kind := uint16(etherVLAN)
	if status&typeValid != 0 {
		kind = binary.NativeEndian.Uint16(aux[18:])
	}
	binary.BigEndian.PutUint16(tag[:], kind)
	binary.BigEndian.PutUint16(tag[2:], binary.NativeEndian.Uint16(aux[16:]))
	return tag, true
}

// send passes up to sendBatch frames to the interface, and returns how many it accepted. If not all, the next one was
// refused: there is no room in the interface's queue or in the socket's buffer, the frame is longer than its MTU
// allows, or the interface is down.
func (p *port) send(frames [][]byte) (int, error) {
	for i, f := range frames {
		p.sendIov[i].Base = unsafe.SliceData(f)
		p.sendIov[i].SetLen(len(f))
	}
	for {
		n, _, errno := syscall.Syscall6(unix.SYS_SENDMMSG, uintptr(p.out), uintptr(unsafe.Pointer(&p.sends[0])),
			uintptr(len(frames)), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		case unix.ENOBUFS, unix.EAGAIN, unix.EMSGSIZE, unix.EINVAL:
			return 0, nil
		case unix.ENETDOWN, unix.ENXIO:
			return 0, p.there()
		default:
			return 0, fmt.Errorf("interface %s: send: %w", p.name, errno)
		}
	}
}

// missed returns the number of frames that the kernel dropped since the last call because they were not read.
func (p *port) missed() uint64 {
	s, err := unix.GetsockoptTpacketStats(p.in, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	return uint64(s.Drops)
}
