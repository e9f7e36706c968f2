package lab

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/safchain/ethtool"

	"linerate/internal/design/plan"
)

// tcpBuffer is the largest TCP buffer of a lab's host in bytes, each direction: 40 Gb/s over 6 ms. Plans may set
// another size.
const tcpBuffer = 32 << 20

// tune applies a lab's own settings to a host, independent of the machine's and before the plan's: TCP congestion
// control (a new namespace has the machine's, and one that paces, such as bbr, would stay below every ceiling) and room
// for TCP's buffers. It returns the congestion control in effect.
func (h *host) tune() (string, error) {
	const file = "/proc/sys/net/ipv4/tcp_congestion_control"
	var last error
	// Reno first: every kernel has it, and a namespace may always use it unless the administrator forbids it.
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

// raise raises the third value of tcp_rmem or tcp_wmem to tcpBuffer.
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

// offload switches a feature of the interface on or off. It runs on the host's thread.
func offload(s plan.Setting) (note string) {
	want := s.Value == "on"
	what := fmt.Sprintf("offload %s %s on %s", s.Key, s.Value, s.Interface)
	e, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	defer e.Close()
	state, err := e.FeaturesWithState(s.Interface)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	change := map[string]bool{}
	for _, name := range plan.OffloadFeatures(s.Key) {
		if f, ok := state[name]; ok && f.Available && f.Active != want {
			change[name] = want
		}
	}
	if len(change) > 0 {
		if err := e.Change(s.Interface, change); err != nil {
			return fmt.Sprintf("%s: the kernel refused it (%v)", what, err)
		}
	}
	after, err := e.Features(s.Interface)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	var wrong []string
	found := false
	for _, name := range plan.OffloadFeatures(s.Key) {
		got, ok := after[name]
		found = found || ok && got == want
		if ok && got != want && state[name].Available {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) > 0 {
		return fmt.Sprintf("%s: it stayed as it was (%s)", what, strings.Join(wrong, ", "))
	}
	if !found && want {
		return fmt.Sprintf("%s: a virtual link does not have it", what)
	}
	return ""
}
