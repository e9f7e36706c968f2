//go:build linux

package deploy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/agent/deploy"
	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
)

// private gives the server's sessions folders of their own, so that only the test's files are in them.
const private = "mount -t tmpfs tmpfs /var/tmp; mount -t tmpfs tmpfs /dev/shm; mount -t tmpfs tmpfs \"$HOME\""

// stubAgent compiles a program that prints its path, and removes itself as the agent does. It has 8 MiB of data, so
// that sending it takes a while.
func stubAgent(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		testenv.Missing(t, "Go on PATH, to compile a stub of the agent")
	}
	dir := t.TempDir()
	write(t, dir+"/go.mod", "module stub\n")
	write(t, dir+"/load", strings.Repeat("linerate", 1<<20))
	write(t, dir+"/main.go", `package main
import (_ "embed"; "fmt"; "os"; "path/filepath")
//go:embed load
var load []byte
func main() {
	self, err := os.Executable()
	if err != nil || os.Args[1] != "agent" { panic(self) }
	file, err := os.Stat(self)
	if err != nil { panic(err) }
	folder, err := os.Stat(filepath.Dir(self))
	if err != nil { panic(err) }
	fmt.Println(self, file.Mode(), folder.Mode(), len(load))
	if len(os.Args) > 2 && os.Args[2] == "--unlink-self" {
		fmt.Println(os.Remove(self), os.Remove(filepath.Dir(self)))
	}
}
`)
	cmd := exec.Command("go", "build", "-o", "stub", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir + "/stub"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openSSH(t *testing.T, s *connecttest.Server) connect.Connection {
	t.Helper()
	r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.SSH, Name: s.Dest})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// leftBehind lists what is in the folders that an agent may be sent to. A private server's folders are empty before.
func leftBehind(t *testing.T, r connect.Connection) string {
	t.Helper()
	out, err := connect.Run(t.Context(), r, nil, "sh", "-c",
		`ls -dA /var/tmp/.linerate* /dev/shm/.linerate* "$HOME"/.linerate* 2>/dev/null`)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Stdout)
}

// nothingLeft waits until the host has removed everything.
func nothingLeft(t *testing.T, r connect.Connection) {
	t.Helper()
	var left string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if left = leftBehind(t, r); left == "" {
			return
		}
	}
	t.Errorf("left behind: %s", left)
}

func TestDeployOverSSH(t *testing.T) {
	testenv.Need(t, testenv.Live)
	server := connecttest.SSHDAfter(t, private)
	stub := stubAgent(t)
	r := openSSH(t, server)
	t.Run("start", func(t *testing.T) { deployAndStart(t, r, stub) })
	t.Run("corrupted byte", func(t *testing.T) { corruptedByte(t, r, stub) })
	t.Run("connection dies", func(t *testing.T) { connectionDies(t, r, stub) })
	t.Run("controller killed", func(t *testing.T) { controllerKilled(t, r, stub, server) })
	t.Run("far end dies", func(t *testing.T) { farEndDies(t, r, stub, server) })
}

func deployAndStart(t *testing.T, r connect.Connection, stub string) {
	d, err := deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: stub})
	if err != nil {
		t.Fatal(err)
	}
	out, err := connect.Run(t.Context(), r, nil, d.Argv...)
	if err != nil || out.Exit != 0 {
		t.Fatalf("%q: exit %d, %v: %s", d.Argv, out.Exit, err, out.Stderr)
	}
	want := fmt.Sprintf("%s -rwx------ drwx------ %d\n<nil> <nil>\n", d.Argv[0], 8<<20)
	if string(out.Stdout) != want || !strings.HasPrefix(d.Argv[0], "/var/tmp/.linerate-") {
		t.Errorf("the agent says\n%swant\n%s", out.Stdout, want)
	}
	if left := leftBehind(t, r); left != "" {
		t.Errorf("after the start there is %s", left)
	}
	d.Cleanup()
	d.Cleanup()

	if d, err = deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: stub}); err != nil {
		t.Fatal(err)
	}
	if leftBehind(t, r) == "" {
		t.Error("an agent that was not started is not there")
	}
	d.Cleanup()
	if left := leftBehind(t, r); left != "" {
		t.Errorf("after Cleanup of an agent that never started there is %s", left)
	}
}

// altered changes the input of the command that receives a file.
type altered struct {
	connect.Connection
	change func(io.Reader) io.Reader
}

func (a altered) Start(ctx context.Context, c connect.Command) (connect.Process, error) {
	if len(c.Argv) > 2 && strings.Contains(c.Argv[2], `cat >"$4"`) {
		c.Stdin = a.change(c.Stdin)
	}
	return a.Connection.Start(ctx, c)
}

// readerFunc is a Read method.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func corruptedByte(t *testing.T, r connect.Connection, stub string) {
	at := 4 << 20
	corrupt := func(from io.Reader) io.Reader {
		return readerFunc(func(p []byte) (int, error) {
			n, err := from.Read(p)
			if at >= 0 && at < n {
				p[at] ^= 1
			}
			at -= n
			return n, err
		})
	}
	_, err := deploy.Deploy(t.Context(), altered{r, corrupt}, deploy.Options{AgentFile: stub})
	var e *connect.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "arrived changed") {
		t.Errorf("one changed bit: %v", err)
	}
	if left := leftBehind(t, r); left != "" {
		t.Errorf("there is %s", left)
	}
}

func TestDeploySkipsNoexec(t *testing.T) {
	testenv.Need(t, testenv.Live)
	script := "mount -t tmpfs -o noexec tmpfs /var/tmp; mount -t tmpfs -o size=1m tmpfs /dev/shm; mount -t tmpfs tmpfs " +
		"\"$HOME\""
	server := connecttest.SSHDAfter(t, script)
	r := openSSH(t, server)
	stub := stubAgent(t)
	d, err := deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: stub})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Cleanup()
	if !strings.HasPrefix(d.Argv[0], server.Home+"/.linerate-") {
		t.Errorf("the agent is %s, want it in %s, the only folder with exec and room", d.Argv[0], server.Home)
	}
	out, err := connect.Run(t.Context(), r, nil, d.Argv...)
	if err != nil || out.Exit != 0 {
		t.Errorf("exit %d, %v: %s", out.Exit, err, out.Stderr)
	}
}

func TestDeployNowhere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	script := "mount -t tmpfs -o noexec tmpfs /var/tmp; mount -t tmpfs -o size=1m tmpfs /dev/shm; mount -t tmpfs -o ro " +
		"tmpfs \"$HOME\""
	r := openSSH(t, connecttest.SSHDAfter(t, script))
	stub := stubAgent(t)
	_, err := deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: stub})
	if err == nil {
		t.Fatal("deployed")
	}
	for _, words := range []string{"/var/tmp: nothing can be started there (noexec)", "/dev/shm: ", "KiB free of",
		": not writable", "try: "} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("the message does not say %q: %v", words, err)
		}
	}
	if left := leftBehind(t, r); left != "" {
		t.Errorf("there is %s", left)
	}
}

// A program that was built with cgo does not start on a host without its libraries. The shell says "not found" of the
// file that was just sent, which is not the reason.
func TestDeployWithoutLibraries(t *testing.T) {
	testenv.Need(t, testenv.Live)
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		testenv.Missing(t, "the program gcc (Debian: gcc)")
	}
	dir := t.TempDir()
	write(t, dir+"/main.c", "int main(void) { return 0; }\n")
	if out, err := exec.Command(gcc, "-Wl,--dynamic-linker=/lib/ld-none.so.9", "-o", dir+"/linerate",
		dir+"/main.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := openSSH(t, connecttest.SSHDAfter(t, private))
	_, err = deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: dir + "/linerate"})
	if err == nil {
		t.Fatal("deployed")
	}
	for _, words := range []string{"built with cgo", "/lib/ld-none.so.9", "CGO_ENABLED=0 go build"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("the message does not say %q: %v", words, err)
		}
	}
	if left := leftBehind(t, r); left != "" {
		t.Errorf("there is %s", left)
	}
	if out, err := exec.Command(gcc, "-o", dir+"/linerate", dir+"/main.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d, err := deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: dir + "/linerate"})
	if err != nil {
		t.Fatalf("with its libraries: %v", err)
	}
	d.Cleanup()
}

// bannered prints a line that is too long to be read, before the command that keeps the agent's folder.
type bannered struct{ connect.Connection }

func (b bannered) Start(ctx context.Context, c connect.Command) (connect.Process, error) {
	if slices.Contains(c.Argv, "sh") && c.Stdin != nil {
		c.Argv = append([]string{"sh", "-c", `head -c 100000 /dev/zero | tr '\0' x; echo; exec "$@"`, "sh"}, c.Argv...)
	}
	return b.Connection.Start(ctx, c)
}

func TestDeployAfterALongLine(t *testing.T) {
	testenv.Need(t, testenv.Live)
	_, err := deploy.Deploy(t.Context(), bannered{openSSH(t, connecttest.SSHD(t))},
		deploy.Options{AgentFile: stubAgent(t)})
	if err == nil || !strings.Contains(err.Error(), "token too long") || !strings.Contains(err.Error(), "login scripts") {
		t.Error(err)
	}
}

// half passes on a MiB, calls then, and passes on nothing more.
func half(then func()) func(io.Reader) io.Reader {
	return func(from io.Reader) io.Reader {
		from = io.LimitReader(from, 1<<20)
		return readerFunc(func(p []byte) (int, error) {
			n, err := from.Read(p)
			if err == io.EOF {
				then()
				time.Sleep(time.Hour)
			}
			return n, err
		})
	}
}

func farEndDies(t *testing.T, r connect.Connection, stub string, server *connecttest.Server) {
	die := func() {
		out, err := exec.Command("ip", "netns", "pids", server.Namespace).Output()
		if err != nil {
			t.Error(err)
		}
		for _, word := range strings.Fields(string(out)) {
			if pid, _ := strconv.Atoi(word); pid > 1 && pid != server.Process.Pid {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	_, err := deploy.Deploy(t.Context(), altered{r, half(die)}, deploy.Options{AgentFile: stub})
	var e *connect.Error
	if !errors.As(err, &e) || e.Try == "" || e.Connection != r.String() {
		t.Errorf("got %v, want a *connect.Error with a next step", err)
	}
}

// When the connection is cut, the host removes the folder.
func connectionDies(t *testing.T, r connect.Connection, stub string) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := deploy.Deploy(ctx, altered{r, half(cancel)}, deploy.Options{AgentFile: stub})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	nothingLeft(t, r)
}

const deployTo = "LINERATE_TEST_DEPLOY_TO"

// TestDeployChild is the controller that controllerKilled kills.
func TestDeployChild(t *testing.T) {
	dest, stub, ok := strings.Cut(os.Getenv(deployTo), " ")
	if !ok {
		return // not a test of its own
	}
	r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.SSH, Name: dest})
	if err != nil {
		t.Fatal(err)
	}
	_, err = deploy.Deploy(t.Context(), altered{r, half(func() { fmt.Println("half") })}, deploy.Options{AgentFile: stub})
	t.Fatal(err)
}

func controllerKilled(t *testing.T, r connect.Connection, stub string, server *connecttest.Server) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestDeployChild$", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), deployTo+"="+server.Dest+" "+stub)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("half\n"))); err != nil {
		t.Fatal(err)
	}
	if left := leftBehind(t, r); !strings.Contains(left, ".linerate-") {
		t.Errorf("in the middle of sending the far side has %q", left)
	}
	cmd.Process.Kill()
	cmd.Wait()
	nothingLeft(t, r)
	var alive []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if alive, err = exec.Command("ip", "netns", "pids", server.Namespace).Output(); err == nil &&
			len(bytes.Fields(alive)) == 1 {
			return
		}
	}
	t.Errorf("processes other than sshd are left: %q, %v", alive, err)
}

func TestDeployHere(t *testing.T) {
	r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.Local})
	if err != nil {
		t.Fatal(err)
	}
	d, err := deploy.Deploy(t.Context(), r, deploy.Options{})
	if self, _ := os.Executable(); err != nil || len(d.Argv) != 2 || d.Argv[0] != self || d.Argv[1] != "agent" {
		t.Fatalf("got %q, %v; want the running program", d.Argv, err)
	}
	d.Cleanup()
	if d, err = deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: "x/agent"}); err != nil ||
		!filepath.IsAbs(d.Argv[0]) {
		t.Errorf("got %q, %v; want an absolute path", d.Argv, err)
	}
}
