package lab

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/labtest"
	"linerate/internal/testenv"
)

// The whole life of a lab as an ordinary user.
func TestRootless(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if os.Geteuid() != 0 {
		rootless(t)
		return
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		testenv.Missing(t, "the user nobody, as whom root tries what an ordinary user can do")
	}
	if hints := namespaceSettings(); len(hints) > 0 {
		testenv.Missing(t, "user namespaces for ordinary users: "+strings.Join(hints, "; "))
	}
	dir, err := os.MkdirTemp("", "lr")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	binary, runtimeDir := filepath.Join(dir, "lab.test"), filepath.Join(dir, "run")
	copyFile(t, "/proc/self/exe", binary)
	if err := os.Mkdir(runtimeDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(runtimeDir, uid, gid); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run", "^TestRootless$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"XDG_RUNTIME_DIR=" + runtimeDir, "TMPDIR=" + runtimeDir, "PATH=" + os.Getenv("PATH"),
		testenv.Variable + "=" + os.Getenv(testenv.Variable)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)},
		Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestRootless") {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	t.Logf("as nobody:\n%s", out)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func rootless(t *testing.T) {
	marker := private(t)
	l := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{})
	t.Logf("%+v", l.Info)
	if !l.Info.Rootless {
		t.Error("it runs without a user namespace")
	}
	wantOutput(t, l, "a", "id -u; hostname; ls /sys/class/net; grep 10.9 /etc/hosts", "0\na\nlo\nnic1\n10.9.0.2 b")
	wantOutput(t, l, "a", "echo '4096 32768 32768' > /proc/sys/net/ipv4/tcp_rmem && cat /proc/sys/net/ipv4/tcp_rmem",
		"4096\t32768\t32768")
	wantOutput(t, l, "a", "test -d /proc/2/task || test ! -d /proc/2; cat /proc/1/cmdline | tr '\\0' ' '",
		"linerate lab-init "+l.id+" ")
	carries(t, l, 1, true)
	if err := os.WriteFile("/proc/sys/net/ipv4/tcp_rmem", []byte("4096 32768 32768"), 0); err == nil {
		t.Error("this test runs as root")
	}
	var missing *guest.MissingError
	if err := tunMissing(
		"/etc/shadow",
	); !errors.As(err, &missing) || !strings.Contains(err.Error(), "this user may not open /etc/shadow") ||
		!strings.Contains(missing.Try, "chmod 0666 /etc/shadow") {
		t.Errorf("a device of root's: %v", err)
	}
	spaces := namespaces(marker)
	if err := l.Down(); err != nil {
		t.Error(err)
	}
	wantNothing(t, marker, spaces)
	// kill -9 of the controller, as an ordinary user
	cmd, out, errs := controller(t, "bound", "")
	info := upInfo(t, out, errs)
	if p := startIn(t, info.ID+"/a", "sleep", "600"); p == nil {
		t.Error("no process")
	}
	spaces = namespaces(marker)
	cmd.Process.Kill()
	cmd.Wait()
	wantNothing(t, marker, spaces)
}

// Where user namespaces are not allowed, the error says which setting forbids them. The limit of a user namespace
// applies inside it, so a lab is a safe place to test it.
func TestNoUserNamespaces(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1, UserNamespace: true})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, code := run(t, l, "a", "sh", "-c",
		"echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" "+controllerCommand+" detach-userns", self)
	if code != 1 || !strings.Contains(out, "user.max_user_namespaces is 0") || !strings.Contains(out, "as root") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// A lab in a lab, as in a container: root can only get a user namespace there.
func TestNested(t *testing.T) {
	marker := private(t)
	outer := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1, UserNamespace: true})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"detach", "detach-userns"} {
		out, code := run(t, outer, "a", self, controllerCommand, mode)
		if code != 0 || !strings.Contains(out, `"hosts":["a","b"]`) || !strings.Contains(out, `"emulated":[]`) {
			t.Errorf("%s: exit %d: %s", mode, code, out)
		}
	}
	spaces := namespaces(marker)
	if err := outer.Down(); err != nil {
		t.Fatal(err)
	}
	downAll(t)
	wantNothing(t, marker, spaces)
}
