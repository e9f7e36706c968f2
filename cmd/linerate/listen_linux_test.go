package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// listener is an agent that was started by hand in a namespace.
type listener struct {
	cmd *exec.Cmd
	url string
	log *output
}

func (l *listener) secret() string {
	_, s, _ := strings.Cut(l.url, "#")
	return s
}

func (l *listener) address() string {
	a, _, _ := strings.Cut(strings.TrimPrefix(l.url, "tcp://"), "#")
	return a
}

// listen starts an agent that listens in a namespace, behind the words of before.
func (p *place) listen(t *testing.T, ns, address string, before ...string) *listener {
	t.Helper()
	argv := append([]string{"netns", "exec", ns}, before...)
	cmd := exec.Command("ip", append(argv, p.program(t), "agent", "--listen", address)...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return startListener(t, cmd)
}

// startListener starts an agent that listens and reads what it prints.
func startListener(t *testing.T, cmd *exec.Cmd) *listener {
	t.Helper()
	l := &listener{cmd: cmd, log: &output{}}
	l.cmd.Stderr, l.cmd.WaitDelay = l.log, time.Second
	out := testenv.Must(l.cmd.StdoutPipe())(t)
	testenv.Check(t, l.cmd.Start())
	t.Cleanup(func() { l.cmd.Process.Kill(); l.cmd.Wait() })
	line := make([]byte, 0, 200)
	for len(line) < cap(line) && !bytes.HasSuffix(line, []byte("\n")) {
		b := make([]byte, 1)
		if _, err := io.ReadFull(out, b); err != nil {
			t.Fatalf("the agent printed %q and %s", line, l.log)
		}
		line = append(line, b...)
	}
	l.url = strings.TrimSpace(string(line))
	if !strings.HasPrefix(l.url, "tcp://") || len(l.secret()) != 64 {
		t.Fatalf("the agent printed %q", l.url)
	}
	return l
}

// ended waits for the agent's own end.
func (l *listener) ended(t *testing.T) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- l.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Errorf("the agent ended with %v: %s", err, l.log)
		}
	case <-time.After(time.Minute):
		t.Errorf("the agent is still there: %s", l.log)
	}
}

// inNetns prepares the real program in a namespace.
func (p *place) inNetns(t *testing.T, ns string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("ip", append([]string{"netns", "exec", ns, p.program(t)}, args...)...)
	cmd.Dir, cmd.Env = p.dir, append(p.env, env...)
	return cmd
}

// without fails for every file of a folder, and every text, that has the secret.
func without(t *testing.T, secret, folder string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(s, secret) {
			t.Errorf("the secret is in what was printed: %s", s)
		}
	}
	n := 0
	for _, name := range files(t, folder) {
		text := testenv.Must(os.ReadFile(filepath.Join(folder, name)))(t)
		n++
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(secret[:20])) {
			t.Errorf("the secret is in %s", name)
		}
	}
	if n < 3 {
		t.Errorf("only %d files in %s", n, folder)
	}
}

// withSecretInArgv lists the processes of the machine that have a text in their arguments, but for those that also have
// the word typed in them: what the user typed is the user's own.
func withSecretInArgv(secret, typed string) (out []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, l := range lines {
		text, _ := os.ReadFile(l)
		if bytes.Contains(text, []byte(secret)) && (typed == "" || !bytes.Contains(text, []byte(typed))) {
			out = append(out, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return out
}

// watchArgv looks for the secret in the arguments of processes until the command ends.
func watchArgv(t *testing.T, cmd *exec.Cmd, secret, typed string) answer {
	t.Helper()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var seen []string
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				seen = append(seen, withSecretInArgv(secret, typed)...)
			}
		}
	})
	a := finish(t, cmd)
	close(stop)
	wg.Wait()
	if len(seen) > 0 {
		t.Errorf("the secret is in arguments: %s", seen[0])
	}
	return a
}

// The whole way by hand: no ssh, no fabric file.
func TestMeasureOverTCP(t *testing.T) {
	t.Parallel()
	w := twoHosts(t)
	l := w.listen(t, w.b, "10.77.0.2:0")
	folder := w.path("run")
	cmd := w.inNetns(t, w.a, nil, "measure", "throughput", l.url, "--time", "1s", "--repeats", "1", "--json", "-o", folder)
	// The user typed it, so the controller itself has it (ip becomes the controller).
	a := watchArgv(t, cmd, l.secret(), "measure").ends(t, cli.ExitDone)
	for _, x := range a.run(t).Experiments {
		if x.Goodput == nil || x.Goodput.Median <= 0 {
			t.Errorf("%s: %+v", x.Direction, x.Goodput)
		}
	}
	l.ended(t)
	without(t, l.secret(), folder, a.out, a.err, l.log.String())
	if !strings.Contains(a.out, "tcp "+l.address()) {
		t.Error("the run does not name its connection")
	}
	again := finish(t, w.inNetns(t, w.a, nil, "measure", "throughput", l.url))
	if again.code != cli.ExitIncomplete || !strings.Contains(again.err, "start it again") ||
		strings.Contains(again.err, l.secret()) {
		t.Errorf("after its end: %s", again)
	}
}

const overTCP = `fabric: two
addressing: {pool: 10.77.0.0/16, prefix: 24}
hosts:
  near: {os: linux, connect: local, nics: {c: {part: &nic {kind: nic, speed: 10G, ports: 1, cage: sfp+}, ports: [e0]}}}
  far-1: {os: linux, connect: "tcp ADDRESS", nics: {c: {part: *nic, ports: [e0]}}}
links: [{ends: [near.c, far-1.c], subnet: 10.77.0.0/24, addresses: [10.77.0.1, 10.77.0.2], cable: {part: {kind: cable,
media: dac, ends: [sfp+, sfp+], length: 1m}}}]
experiments: {x: {method: throughput, from: near, to: far-1, direction: [out, in], time: 1s, repeats: 1}}
`

// A fabric file names the connection, the secret comes from a variable.
func TestRunOverTCP(t *testing.T) {
	t.Parallel()
	w := twoHosts(t)
	l := w.listen(t, w.b, "10.77.0.2:0")
	fabric := w.path("two.yaml")
	testenv.WriteFile(t, fabric, []byte(strings.Replace(overTCP, "ADDRESS", l.address(), 1)), 0o600)
	folder := w.path("none")
	a := finish(t, w.inNetns(t, w.a, nil, "run", fabric, "-o", folder, "--json"))
	if a.code != cli.ExitIncomplete || !strings.Contains(a.out, "LINERATE_SECRET_FAR_1") {
		t.Errorf("without the secret: %s", a)
	}
	a = finish(t, w.inNetns(t, w.a, []string{"LINERATE_SECRET_FAR_1=" + strings.Repeat("A", 64)}, "run", fabric, "-o",
		w.path("wrong"), "--json"))
	if a.code != cli.ExitIncomplete || !strings.Contains(a.out, "its certificate is another one") {
		t.Errorf("with a wrong secret: %s", a)
	}
	folder = w.path("run")
	a = watchArgv(t, w.inNetns(t, w.a, []string{"LINERATE_SECRET_FAR_1=" + l.secret()}, "run", fabric, "-o", folder,
		"--json"), l.secret(), "").ends(t, cli.ExitDone)
	l.ended(t)
	without(t, l.secret(), folder, a.out, a.err, l.log.String())

	// A file that carries a secret is refused before anything is written.
	testenv.WriteFile(t, fabric, []byte(strings.Replace(overTCP, "tcp ADDRESS", l.url, 1)), 0o600)
	a = finish(t, w.inNetns(t, w.a, nil, "run", fabric, "-o", w.path("refused")))
	if a.code != cli.ExitRefused || !strings.Contains(a.err, "is not a connection to a host") {
		t.Errorf("a secret in a file: %s", a)
	}
	if exists(w.path("refused")) {
		t.Error("a run folder was made")
	}
	if strings.Contains(a.out+a.err, l.secret()) {
		t.Errorf("the secret is printed: %s", a)
	}
}

// kill -9 of the agent in the middle: what was measured is kept, the message says who is gone.
func TestListeningAgentKilled(t *testing.T) {
	t.Parallel()
	w := twoHosts(t)
	l := w.listen(t, w.b, "10.77.0.2:0")
	cmd := w.inNetns(t, w.a, nil, "measure", "throughput", l.url, "--time", "2m", "--repeats", "2", "--direction", "out",
		"--json")
	errs := &output{}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, errs, 5*time.Second
	testenv.Check(t, cmd.Start())
	w.flowing(t)
	start := time.Now()
	l.cmd.Process.Kill()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitIncomplete {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if took := time.Since(start); took > 100*time.Second { // before the repeat would have ended
		t.Errorf("it took %v to see it", took)
	}
	// Its data connections end first, or its channel does: the message names the end that was killed in any case.
	if failed := one(t, answer{0, out.String(), ""}).Failed; !strings.HasPrefix(failed, "10-77-0-2: ") ||
		!strings.Contains(failed, "agent") {
		t.Errorf("failed: %q", failed)
	}
}

// Wrong command lines of agent.
func TestListenCommandLines(t *testing.T) {
	t.Parallel()
	taken := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--listen " + taken.Addr().String(), cli.ExitFailed, "in use by another program"},
		{"--listen 0.0.0.0:1", cli.ExitInput, "not on all"},
		{"--listen nas", cli.ExitInput, "ADDRESS:PORT"},
		{"--listen 127.0.0.1:0 --allow everything", cli.ExitInput, "storage-write, copy, command"},
		{"--allow copy", cli.ExitInput, "--listen"},
	} {
		a := call(t, nil, append([]string{"agent"}, strings.Fields(c.args)...)...)
		if a.code != c.code || !strings.Contains(a.err, c.says) || a.out != "" {
			t.Errorf("%s: want exit code %d and %q: %s", c.args, c.code, c.says, a)
		}
	}
}
