//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
	"linerate/tools/bench/wire"
)

// link is the two namespaces and the agents in them.
type link struct {
	names   [2]string
	agents  [2]*agent.Client
	files   chan farFile // answered in the far namespace
	softirq []int        // the kernel's threads that take packets over when there are too many
	cloop   string       // the C program; empty: no compiler
	folder  string
}

const near, far = "10.77.0.1", "10.77.0.2"

func newLink(ctx context.Context) (*link, error) {
	id := strconv.Itoa(os.Getpid())
	l := &link{names: [2]string{"lrbA" + id, "lrbB" + id}}
	fail := func(err error) (*link, error) { l.close(); return nil, err }
	for _, n := range l.names {
		if err := wire.Command(ctx, "ip", "netns", "add", n); err != nil {
			return fail(err)
		}
	}
	steps := [][]string{{"link", "add", "lrv0", "netns", l.names[0], "type", "veth", "peer", "name", "lrv1", "netns", l.names[1]}}
	for i, address := range []string{near, far} {
		n, dev := l.names[i], fmt.Sprintf("lrv%d", i)
		steps = append(steps, []string{"-n", n, "addr", "add", address + "/24", "dev", dev},
			[]string{"-n", n, "link", "set", "lo", "up"}, []string{"-n", n, "link", "set", dev, "up"})
	}
	for _, s := range steps {
		if err := wire.Command(ctx, "ip", s...); err != nil {
			return fail(err)
		}
	}
	// A namespace inherits the host's congestion control, which may pace.
	const key = "/proc/sys/net/ipv4/tcp_congestion_control"
	for _, n := range l.names {
		if err := wire.Command(ctx, "ip", "netns", "exec", n, "sh", "-c", "echo reno >"+key); err != nil {
			return fail(err)
		}
		have, err := exec.CommandContext(ctx, "ip", "netns", "exec", n, "cat", key).Output()
		if err != nil || strings.TrimSpace(string(have)) != "reno" {
			return fail(fmt.Errorf("congestion control in %s is %q, not reno: %w", n, have, err))
		}
	}
	if err := l.look(); err != nil {
		return fail(err)
	}
	l.softirq = softirqThreads()
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	for i, n := range l.names {
		r, err := connect.Open(ctx, connect.Spec{Kind: connect.Netns, Name: n})
		if err != nil {
			return fail(err)
		}
		if l.agents[i], err = agent.Dial(ctx, r, []string{self, wire.AgentWord}); err != nil {
			return fail(err)
		}
	}
	if l.folder, err = os.MkdirTemp("", "bench-network-"); err != nil {
		return fail(err)
	}
	if _, err := exec.LookPath("cc"); err == nil {
		source := filepath.Join(l.folder, "cloop.c")
		if err := os.WriteFile(source, cSource, 0o600); err != nil {
			return fail(err)
		}
		l.cloop = filepath.Join(l.folder, "cloop")
		if err := wire.Command(ctx, "cc", "-O2", "-Wall", "-o", l.cloop, source); err != nil {
			return fail(err)
		}
	}
	return l, nil
}

func (l *link) setMTU(ctx context.Context, mtu int) error {
	for i, n := range l.names {
		if err := wire.Command(ctx, "ip", "-n", n, "link", "set", fmt.Sprintf("lrv%d", i), "mtu", strconv.Itoa(mtu)); err != nil {
			return err
		}
	}
	return nil
}

// farFile asks for a file below /proc/thread-self as it is in the far namespace.
type farFile struct {
	name   string
	answer chan string
}

// look starts a thread that lives in the far namespace and reads files there.
func (l *link) look() error {
	l.files = make(chan farFile)
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		f, err := os.Open("/var/run/netns/" + l.names[1])
		if err == nil {
			err = unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
			f.Close()
		}
		ready <- err
		for q := range l.files {
			text, _ := os.ReadFile("/proc/thread-self/" + q.name)
			q.answer <- string(text)
		}
	}()
	return <-ready
}

func (l *link) far(name string) string {
	q := farFile{name, make(chan string)}
	l.files <- q
	return <-q.answer
}

// bytes is what the far end of the link has received.
func (l *link) bytes() int64 {
	for _, line := range strings.Split(l.far("net/dev"), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "lrv1:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}

// listening waits until a TCP port listens at the far end.
func (l *link) listening(port int) error {
	want := fmt.Sprintf(":%04X", port)
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(2 * time.Millisecond) {
		for _, line := range strings.Split(l.far("net/tcp")+l.far("net/tcp6"), "\n") {
			// Local address, other address, state: 0A is LISTEN.
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], want) && f[3] == "0A" {
				return nil
			}
		}
	}
	return fmt.Errorf("nobody listens on port %d", port)
}

// softirqThreads finds the kernel's threads that handle packets outside of the programs that send and receive them.
func softirqThreads() []int {
	var out []int
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		if text, _ := os.ReadFile(name); strings.HasPrefix(string(text), "ksoftirqd/") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			out = append(out, pid)
		}
	}
	return out
}

func (l *link) close() {
	for _, a := range l.agents {
		if a != nil {
			a.Close()
		}
	}
	for _, n := range l.names {
		_ = exec.Command("ip", "netns", "del", n).Run()
	}
	os.RemoveAll(l.folder)
}
