package lab

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// tcpBuffer is the largest TCP buffer of a lab's host in bytes, each direction: 40 Gb/s over 6 ms. Plans may say otherwise.
const tcpBuffer = 32 << 20

// tune gives a host what a lab needs whatever the machine's own settings are, before the plan's: TCP congestion control
// (a new namespace has the machine's, and one that paces, such as bbr, would stay below every ceiling) and room for TCP's
// buffers. It returns the congestion control in effect.
func (h *host) tune() (string, error) {
	const file = "/proc/sys/net/ipv4/tcp_congestion_control"
	var last error
	// Reno first: every kernel has it, and a namespace may always have it unless the machine's administrator forbade it.
	for _, cc := range []string{"reno", "cubic"} {
		if last = os.WriteFile(file, []byte(cc), 0); last == nil {
			break
		}
	}
	got := readSysctl(file)
	if got == "" {
		return "", fmt.Errorf("TCP congestion control: %w", errors.Join(last, errors.New("it cannot be read")))
	}
	if last != nil {
		h.degraded = append(h.degraded, fmt.Sprintf("TCP congestion control stays %s (%v)", got, last))
	}
	for _, name := range []string{"tcp_rmem", "tcp_wmem"} {
		raise("/proc/sys/net/ipv4/" + name)
	}
	return got, nil
}

// raise lifts the third value of tcp_rmem or tcp_wmem to tcpBuffer.
func raise(file string) {
	f := strings.Fields(readSysctl(file))
	if len(f) != 3 {
		return
	}
	if most, err := strconv.Atoi(f[2]); err == nil && most < tcpBuffer {
		f[2] = strconv.Itoa(tcpBuffer)
		os.WriteFile(file, []byte(strings.Join(f, " ")), 0)
	}
}
