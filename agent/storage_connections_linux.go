package agent

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// connections counts the TCP connections of this network namespace to an address and port.
func connections(to netip.AddrPort) (n int, err error) {
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(file)
		if err != nil && file == "/proc/self/net/tcp" {
			return 0, err
		}
		n += connectionsIn(string(text), to)
	}
	return n, nil
}

// connectionsIn counts them in a text of the form of /proc/net/tcp (proc_pid_net(5)): addresses are hexadecimal, each 32 bits of them in the order of the
// processor, which is taken to be little-endian; state 01 is established.
func connectionsIn(text string, to netip.AddrPort) (n int) {
	var forms []string
	if to.Addr().Is4() {
		a := to.Addr().As4()
		forms = append(forms, procAddress(a[:], to.Port()))
	}
	a := to.Addr().As16() // also of a socket of IPv6 that speaks IPv4
	forms = append(forms, procAddress(a[:], to.Port()))
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 3 && f[3] == "01" && slices.Contains(forms, f[2]) {
			n++
		}
	}
	return n
}

func procAddress(a []byte, port uint16) string {
	var s strings.Builder
	for word := range slices.Chunk(slices.Clone(a), 4) {
		slices.Reverse(word)
		s.WriteString(strings.ToUpper(hex.EncodeToString(word)))
	}
	return fmt.Sprintf("%s:%04X", s.String(), port)
}
