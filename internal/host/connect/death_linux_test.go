package connect

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// controllerArg turns the test binary into a controller that a test kills.
const controllerArg = "linerate-test-controller"

// controller starts a command that reports its process id and stays.
func controller() {
	p, err := local{}.Start(context.Background(),
		Command{Argv: []string{"sh", "-c", "echo $$; exec sleep 3600"}, Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Wait()
}

// openerArg turns it into a controller that opens a connection, starts a command there that does not read its input,
// and stays.
const openerArg = "linerate-test-opener"

func opener(s string) {
	spec, err := Parse(s)
	if err != nil {
		panic(err)
	}
	r, err := Open(context.Background(), spec)
	if err != nil {
		panic(err)
	}
	p, err := r.Start(context.Background(),
		Command{Argv: []string{"sh", "-c", "trap '' TERM HUP INT; echo .; while :; do sleep 1; done"}, Stdout: os.Stdout})
	if err != nil {
		panic(err)
	}
	p.Wait()
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == openerArg {
		opener(os.Args[2])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == controllerArg {
		controller()
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // of processes that the tests start
	os.Exit(m.Run())
}

// kill -9 of the controller also kills the child, by the kernel.
func TestControllerKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0], controllerArg)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(line)
	if !lives(pid) {
		t.Fatalf("process %q does not live", pid)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for end := time.Now().Add(time.Minute); lives(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %s outlives its controller", pid)
		}
	}
}

// lives reads proc(5); a zombie does not live.
func lives(pid string) bool {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	return err == nil && !strings.Contains(string(status), "State:\tZ")
}
