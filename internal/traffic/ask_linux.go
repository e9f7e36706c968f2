package traffic

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ask is reading without the name of the congestion control, into buf, which must have room for struct tcp_info.
// Without queues it is the counters of TCP_INFO alone: one system call.
func (w *wire) ask(buf []byte, queues bool) (*reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("the socket is closed")
	}
	n, err := getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return nil, fmt.Errorf("TCP_INFO: %w", err)
	}
	r := &reading{info: buf[:n]}
	if !queues {
		return r, nil
	}
	r.mem = w.memory()
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ); err == nil {
		n := int64(v)
		r.inQ = &n
	}
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCOUTQ); err == nil {
		n := int64(v)
		r.outQ = &n
	}
	return r, nil
}
