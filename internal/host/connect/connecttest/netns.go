//go:build linux

package connecttest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"linerate/internal/testenv"
)

var namespaces atomic.Int64

// Namespace makes a network namespace with its loopback up, and returns its name; it ends with the test, which is of
// the kind live.
func Namespace(t testing.TB) string {
	t.Helper()
	testenv.Need(t, testenv.Live)
	return namespace(t)
}

// namespace is Namespace for a test of another kind.
func namespace(t testing.TB) string {
	t.Helper()
	testenv.NeedRoot(t)
	if firstOf("/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip") == "" {
		testenv.Missing(t, "the program ip (Debian: iproute2)")
	}
	name := fmt.Sprintf("lrtest-%d-%d", os.Getpid(), namespaces.Add(1))
	IP(t, "netns", "add", name)
	t.Cleanup(func() {
		pids, _ := exec.Command("ip", "netns", "pids", name).Output()
		for _, word := range strings.Fields(string(pids)) {
			if pid, err := strconv.Atoi(word); err == nil {
				syscall.Kill(pid, syscall.SIGKILL) // only the test's own programs are in it
			}
		}
		exec.Command("ip", "netns", "del", name).Run()
	})
	IP(t, "-n", name, "link", "set", "lo", "up")
	return name
}

// IP runs ip(8) and fails the test when it fails.
func IP(t testing.TB, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
