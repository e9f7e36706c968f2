//go:build linux

package connect_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
)

// A command sees the namespace's interfaces everywhere, and the test's own threads stay in their namespace.
func TestNetnsSees(t *testing.T) {
	name := connecttest.Namespace(t)
	connecttest.IP(t, "-n", name, "link", "add", "lrseen", "type", "veth", "peer", "name", "lrpeer")
	before, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, "netns "+name)
	for range 20 {
		out, err := connect.Run(t.Context(), r, nil, "sh", "-c",
			"ls /sys/class/net; cat /proc/net/dev; readlink /proc/self/ns/net")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(out.Stdout), "lrpeer") != 2 {
			t.Fatalf("/sys/class/net and /proc/net/dev are not the namespace's:\n%s", out.Stdout)
		}
		if strings.Contains(string(out.Stdout), before) {
			t.Fatal("the command runs in the test's own namespace")
		}
	}
	for end := time.Now().Add(time.Minute); strayThread(t, before); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a thread of the test stayed in the namespace")
		}
	}
	if _, err := os.Stat("/sys/class/net/lrseen"); err == nil {
		t.Error("the fresh /sys got into the test's own mounts")
	}
}

// strayThread reports whether a thread of this process is in another network namespace than home.
func strayThread(t *testing.T, home string) bool {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if now, err := os.Readlink("/proc/self/task/" + e.Name() + "/ns/net"); err == nil && now != home {
			return true
		}
	}
	return false
}

func TestNetnsMissing(t *testing.T) {
	name := connecttest.Namespace(t)
	s := connect.Spec{Kind: connect.Netns, Name: "linerate-no-such"}
	_, err := connect.Open(t.Context(), s)
	var e *connect.Error
	if !errors.As(err, &e) || !strings.Contains(e.Try, "ip netns add linerate-no-such") ||
		!strings.Contains(e.Try, name) && !strings.Contains(e.Try, "..") {
		t.Errorf("got %v; want how to add it, and the names that there are", err)
	}
}

// Without CAP_SYS_ADMIN the message names the next step. The test binary runs again as another user.
func TestNetnsUnprivileged(t *testing.T) {
	if name := os.Getenv("LINERATE_TEST_NETNS_NAME"); name != "" {
		r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.Netns, Name: name})
		if err == nil {
			_, err = connect.Run(t.Context(), r, nil, "true")
		}
		if err == nil || !strings.Contains(err.Error(), "as root") {
			t.Errorf("got %v, want the advice to be root", err)
		}
		return
	}
	name := connecttest.Namespace(t)
	program := copyForAll(t)
	cmd := exec.Command(program, "-test.run=^TestNetnsUnprivileged$")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "LINERATE_TEST_NETNS_NAME="+name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// copyForAll copies the test's program to a place where any user may run it.
func copyForAll(t *testing.T) string {
	dir, err := os.MkdirTemp("/var/tmp", "lrtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/test", data, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir + "/test"
}
