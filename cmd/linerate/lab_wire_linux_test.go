package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/lab/wire"
	"linerate/internal/testenv"
)

// wired are two namespaces with a third between them, for the link's process between p0 and p1.
func wired(t *testing.T) (w *two, middle string) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	w, middle = &two{newPlace(t), connecttest.Namespace(t), connecttest.Namespace(t)}, connecttest.Namespace(t)
	for i, ns := range []string{w.a, w.b} {
		port := fmt.Sprintf("p%d", i)
		connecttest.IP(t, "-n", middle, "link", "add", port, "type", "veth", "peer", "name", "e0", "netns", ns)
		connecttest.IP(t, "-n", middle, "link", "set", port, "up")
		connecttest.IP(t, "-n", ns, "addr", "add", fmt.Sprintf("10.77.0.%d/24", i+1), "dev", "e0")
		connecttest.IP(t, "-n", ns, "link", "set", "e0", "up")
	}
	return w, middle
}

// linkReport is the output of the link when it ends.
type linkReport struct {
	Schema     string
	Seed       uint64
	Directions []struct {
		From, To string
		wire.Counts
	}
}

// between starts the link's process and waits until it is ready; end returns its last line.
func (w *two) between(t *testing.T, middle string, args ...string) (cmd *exec.Cmd, in io.Closer,
	end func() linkReport) {
	t.Helper()
	cmd = exec.Command("ip", append([]string{"netns", "exec", middle, w.program(t), "lab-wire", "p0", "p1"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	stdin := testenv.Must(cmd.StdinPipe())(t)
	stdout := testenv.Must(cmd.StdoutPipe())(t)
	log := &output{}
	cmd.Stderr, cmd.WaitDelay = log, time.Second
	testenv.Check(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the link says %q, %v: %s", line, err, log)
	}
	return cmd, stdin, func() (r linkReport) {
		t.Helper()
		late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		defer late.Stop()
		text, _ := io.ReadAll(lines)
		if err := cmd.Wait(); err != nil || strings.Count(string(text), "\n") != 1 {
			t.Fatalf("%v: want one line: %s%s", err, text, log)
		}
		if err := json.Unmarshal(text, &r); err != nil || r.Schema != "linerate/lab-wire/1" || len(r.Directions) != 2 {
			t.Fatalf("%v: %s", err, text)
		}
		return r
	}
}

// The link as a process: a measurement crosses it, it loses packets in the configured direction only, and reports that
// when it ends, by either side.
func TestWireProcess(t *testing.T) {
	t.Parallel()
	w, middle := wired(t)
	cmd, _, end := w.between(t, middle, "--delay", "1ms", "--from", "p0", "--loss", "2%", "--seed", "3")
	a := w.linerate(t, w.args("throughput", "--link", "1G", "--time", "500ms", "--direction", "both")...)
	if a.code != cli.ExitDone && a.code != cli.ExitMissed {
		t.Fatalf("measure: %s", a)
	}
	testenv.Check(t, cmd.Process.Signal(syscall.SIGTERM))
	r := end()
	there, back := r.Directions[0], r.Directions[1]
	if there.From != "p0" || there.To != "p1" || there.Lost == 0 || there.Carried == 0 || back.From != "p1" ||
		back.Lost != 0 || back.Carried == 0 || r.Seed != 3 {
		t.Errorf("%+v", r)
	}

	_, in, end := w.between(t, middle, "--until-eof", "--duplicate", "100%,0%", "--all")
	w.linerate(t, w.args("latency", "--time", "500ms")...).ends(t, cli.ExitDone)
	in.Close()
	r = end()
	if there, back := r.Directions[0], r.Directions[1]; there.Duplicated == 0 || there.Duplicated != there.Arrived ||
		back.Duplicated != 0 || back.Carried == 0 {
		t.Errorf("%+v", r)
	}
}

// A missing interface: exit code 1 and a message with the existing ones.
func TestWireWithoutInterfaces(t *testing.T) {
	t.Parallel()
	w, middle := wired(t)
	cmd := exec.Command("ip", "netns", "exec", middle, w.program(t), "lab-wire", "p0", "nope")
	cmd.Dir, cmd.Env = w.dir, w.env
	if a := finish(t, cmd); a.code != cli.ExitFailed || a.out != "" || !strings.Contains(a.err, "interface nope") ||
		!strings.Contains(a.err, "ip link") {
		t.Errorf("%s", a)
	}
}
