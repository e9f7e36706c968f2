//go:build unix

package agent

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// No agent listens before a measurement is prepared, nor after it was stopped.
func TestListensOnlyForAnExperiment(t *testing.T) {
	c := mustStart(t)
	if n := listening(t, c.Hello().PID); n != 0 {
		t.Errorf("%d listening sockets before", n)
	}
	s := good()
	s.Local = netip.MustParseAddr("127.0.0.1")
	x := testenv.Must(c.Prepare(t.Context(), s))(t)
	if n := listening(t, c.Hello().PID); n != 1 {
		t.Errorf("%d listening sockets while one is prepared", n)
	}
	testenv.Check(t, x.Stop(t.Context()))
	if n := listening(t, c.Hello().PID); n != 0 {
		t.Errorf("%d listening sockets after", n)
	}
}

// listening counts the listening TCP sockets of a process.
func listening(t *testing.T, pid int) int {
	t.Helper()
	own := map[string]bool{}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Skip("the sockets of a process are counted in /proc, which is missing here")
	}
	for _, l := range links {
		target, _ := os.Readlink(l)
		own[target] = true
	}
	n := 0
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && own["socket:["+f[9]+"]"] {
				n++
			}
		}
	}
	return n
}
