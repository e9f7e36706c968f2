//go:build unix

package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// roleVariable makes this test binary an agent or a controller.
const roleVariable = "LINERATE_TEST_AGENT_ROLE"

// TestRole is what the other tests start in a process of its own.
func TestRole(t *testing.T) {
	switch os.Getenv(roleVariable) {
	case "agent":
		err := Serve(context.Background(), os.Stdin, os.Stdout,
			Options{Log: os.Stderr, UnlinkSelf: os.Getenv("LINERATE_TEST_UNLINK") != "",
				Facts: func(ctx context.Context, level string) ([]byte, error) {
					fmt.Fprintln(os.Stderr, "facts asked for:", level)
					if level == "child" { // a command that hangs, as a driver's might
						out, err := exec.CommandContext(ctx, "sleep", "3600").Output()
						return out, err
					}
					return []byte("x"), nil
				}})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "noisy":
		fmt.Println("Welcome to nas. Last login: yesterday")
		os.Exit(0)
	case "broken":
		fmt.Fprintln(os.Stderr, "exec format error")
		os.Exit(126)
	case "controller":
		os.Setenv(roleVariable, "agent")
		r, err := connect.Open(context.Background(), connect.Spec{Kind: "local"})
		if err != nil {
			panic(err)
		}
		c, err := Dial(context.Background(), r, roleArgv())
		if err != nil {
			panic(err)
		}
		x, err := c.Prepare(context.Background(), good())
		if err != nil {
			panic(err)
		}
		fmt.Println(c.Hello().PID, x.Port)
		time.Sleep(time.Hour)
	}
}

func roleArgv() []string { return []string{os.Args[0], "-test.run=^TestRole$"} }

// start is a client of an agent in a process of its own.
func start(t *testing.T, role string) (*Client, error) {
	t.Helper()
	t.Setenv(roleVariable, role)
	r := testenv.Must(connect.Open(t.Context(), connect.Spec{Kind: "local"}))(t)
	c, err := Dial(t.Context(), r, roleArgv())
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

func mustStart(t *testing.T) *Client {
	t.Helper()
	c := testenv.Must(start(t, "agent"))(t)
	return c
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("%s: not within a minute", what)
}

// gone waits until a process is gone or a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, fmt.Sprintf("the end of process %d", pid), func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		_, rest, ok := strings.Cut(string(stat), ") ")
		return ok && strings.HasPrefix(rest, "Z")
	})
}

// closed waits until nothing listens at a port: the threads of a process that is gone may keep it open for a moment.
func closed(t *testing.T, port int) {
	t.Helper()
	eventually(t, "the end of the data port", func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

func TestEndOfStandardInput(t *testing.T) {
	c := mustStart(t)
	x := testenv.Must(c.Prepare(t.Context(), good()))(t)
	asked := make(chan error, 1)
	go func() { _, err := c.Facts(t.Context(), "child"); asked <- err }()
	var children []int
	if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid())); err == nil {
		eventually(t, "the agent's child in /proc", func() bool {
			children = childrenOf(c.Hello().PID)
			return len(children) > 0
		})
	}
	c.stdin.Close()
	gone(t, c.Hello().PID)
	for _, pid := range children {
		gone(t, pid)
	}
	closed(t, int(x.Port))
	if err := <-asked; err == nil {
		t.Error("the request that was under way has an answer")
	}
}

// childrenOf are the processes that pid has started, where the system has /proc.
func childrenOf(pid int) []int {
	var out []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		for _, word := range strings.Fields(string(text)) {
			var n int
			if _, err := fmt.Sscan(word, &n); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// kill -9 of the controller: the agent and its port are gone.
func TestControllerKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestRole$")
	cmd.Env = append(os.Environ(), roleVariable+"=controller")
	out := testenv.Must(cmd.StdoutPipe())(t)
	testenv.Check(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	var pid, port int
	if _, err2 := fmt.Sscan(line, &pid, &port); err != nil || err2 != nil {
		t.Fatalf("%q: %v, %v", line, err, err2)
	}
	cmd.Process.Kill()
	cmd.Wait()
	gone(t, pid)
	closed(t, port)
}

func TestSIGTERM(t *testing.T) {
	c := mustStart(t)
	syscall.Kill(c.Hello().PID, syscall.SIGTERM)
	gone(t, c.Hello().PID)
	_, err := c.Facts(t.Context(), "x")
	if err == nil || !strings.Contains(err.Error(), "signal: terminated") {
		t.Errorf("%v", err)
	}
}

// One of two agents is killed while they measure: its client reports how it ended, and the other end that its
// connections were reset.
func TestAgentKilled(t *testing.T) {
	testenv.Need(t, testenv.Live)
	from, to := mustStart(t), mustStart(t)
	s := good()
	s.Interval, s.Samples = 10*time.Minute, 10
	x, err := to.Prepare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	s.Side, s.Listen, s.Port, s.Token = traffic.From, false, x.Port, x.Token
	y, err := from.Prepare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := to.Facts(t.Context(), "last words"); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceFunc(func() { syscall.Kill(to.Hello().PID, syscall.SIGKILL) })
	ends := make(chan error, 1)
	begin := traffic.Now() + int64(2*time.Second)
	go func() {
		_, err := y.Start(t.Context(), begin+from.Clock().Nanoseconds, func([]traffic.Sample) { kill() })
		ends <- err
	}()
	_, err = x.Start(t.Context(), begin+to.Clock().Nanoseconds, nil)
	other := <-ends
	for _, want := range []string{"measure throughput", "exit code 137", "last lines", "last words"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("killed end: %v, want %q", err, want)
		}
	}
	var e *failure.Error
	if !errors.As(other, &e) || e.Code != failure.CodeReset {
		t.Errorf("other end: %v", other)
	}
	if err := to.Err(); err == nil {
		t.Error("a client of a killed agent has no error")
	}
	if _, err := from.Facts(t.Context(), "x"); err != nil {
		t.Errorf("the other agent: %v", err)
	}
}

// An agent that is stopped cannot end by itself; it is killed.
func TestCloseStoppedAgent(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	syscall.Kill(c.Hello().PID, syscall.SIGSTOP)
	c.Close()
	gone(t, c.Hello().PID)
}

func TestDialFails(t *testing.T) {
	for role, want := range map[string]string{"broken": "exit code 126; the agent's last lines: exec format error",
		"noisy": `wrote "Welc"`} {
		_, err := start(t, role)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "local: start the agent") {
			t.Errorf("%s: %v, want %q", role, err, want)
		}
	}
	r := testenv.Must(connect.Open(t.Context(), connect.Spec{Kind: "local"}))(t)
	if _, err := Dial(t.Context(), r, []string{"/no/such/program"}); !errors.Is(err, connect.ErrNoProgram) {
		t.Errorf("no program: %v", err)
	}
}

// When the context of Dial ends, so do the agent and all it does.
func TestCancel(t *testing.T) {
	t.Setenv(roleVariable, "agent")
	ctx, cancel := context.WithCancel(t.Context())
	r := testenv.Must(connect.Open(t.Context(), connect.Spec{Kind: "local"}))(t)
	c := testenv.Must(Dial(ctx, r, roleArgv()))(t)
	s := good()
	s.Interval = time.Minute
	testenv.Must(c.Prepare(ctx, s))(t)
	cancel()
	gone(t, c.Hello().PID)
}

func TestUnlinkSelf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "linerate-x")
	path := filepath.Join(dir, "linerate")
	testenv.Check(t, os.Mkdir(dir, 0o700))
	copyProgram(t, path)
	t.Setenv(roleVariable, "agent")
	t.Setenv("LINERATE_TEST_UNLINK", "1")
	r := testenv.Must(connect.Open(t.Context(), connect.Spec{Kind: "local"}))(t)
	c := testenv.Must(Dial(t.Context(), r, []string{path, "-test.run=^TestRole$"}))(t)
	defer c.Close()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
	if _, err := c.Facts(t.Context(), "x"); err != nil {
		t.Errorf("without its file: %v", err)
	}
}

func copyProgram(t *testing.T, path string) {
	t.Helper()
	in := testenv.Must(os.Open(os.Args[0]))(t)
	defer in.Close()
	out := testenv.Must(os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700))(t)
	testenv.Must(io.Copy(out, in))(t)
	testenv.Check(t, out.Close())
}
