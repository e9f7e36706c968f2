package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/testenv"
)

// terminalOf gives a command its own terminal as standard input, and returns the user's side.
func terminalOf(t *testing.T, cmd *exec.Cmd) *os.File {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		missing(t, "a terminal: "+err.Error())
	}
	t.Cleanup(func() { keys.Close() })
	testenv.Check(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	n := testenv.Must(unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN))(t)
	in := testenv.Must(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { in.Close() })
	cmd.Stdin = in
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return keys
}

// Prompts of init at a terminal: only for missing values, and again after an invalid answer. Without an answer nothing
// is written.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/ssh.yaml", p.path("four.yaml")), "0.1")
	for _, c := range []struct {
		name, keys string
		code       int
		asked      int
		says       string
	}{
		{"yes", "y\n", 0, 1, "switch1"},
		{"no", "n\n", 0, 1, "a cable"},
		{"enter", "\n", 0, 1, "a cable"},
		{"maybe", "maybe\nY\n", 0, 2, "switch1"},
		{"ctrl-d", "\x04", cli.ExitInput, 1, "help: linerate init --yes"},
		{"ctrl-c", "\x03", cli.ExitInterrupted, 1, "error: interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := p.path(c.name + ".yaml")
			cmd := p.command(t, "init", "lab "+s.id+"/a", "lab "+s.id+"/ctl", "--others", "-o", file)
			keys := terminalOf(t, cmd)
			out, said := &output{}, &output{}
			cmd.Stdout, cmd.Stderr = out, said
			testenv.Check(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			said.wait(t, "Is a switch between them? [y/N] ")
			testenv.Must(keys.WriteString(c.keys))(t)
			select {
			case <-ended:
			case <-time.After(time.Minute):
				_ = cmd.Process.Kill()
				t.Fatalf("it hangs: %s", said.String())
			}
			if code := cmd.ProcessState.ExitCode(); code != c.code || strings.Count(said.String(), "[y/N]") != c.asked ||
				!strings.Contains(out.String()+said.String(), c.says) {
				t.Errorf("exit code %d, want %d, %d questions and %q: %s%s", code, c.code, c.asked, c.says, out.String(),
					said.String())
			}
			if _, err := os.Stat(file); (err == nil) != (c.code == 0) {
				t.Errorf("the file: %v", err)
			}
			if c.code == 0 {
				if _, problems := fabric.Load(file, fabric.Options{}); len(problems) > 0 {
					t.Errorf("the file: %v", problems)
				}
			}
		})
	}
	// Scripts, and processes without an input, get no prompt.
	for _, args := range [][]string{{"--yes"}, nil} {
		file := p.path(fmt.Sprintf("silent%d.yaml", len(args)))
		if a := p.linerate(t, append([]string{"init", "lab " + s.id + "/a", "lab " + s.id + "/ctl", "--others", "-o", file},
			args...)...); a.code != 0 || strings.Contains(a.err, "[y/N]") {
			t.Errorf("%q: %s", args, a)
		}
	}
	// Two names for one machine are an error, and nothing is written.
	if a := p.linerate(t, "init", "lab "+s.id+"/a", "lab "+s.id+"/a", "--others", "-o",
		p.path("twice.yaml")); a.code != cli.ExitInput || !strings.Contains(a.err, "it is there twice") {
		t.Errorf("the same word twice: %s", a)
	}
}

// Errors have a colour at a terminal, and none with NO_COLOR.
func TestErrorsAtATerminal(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	for variable, colours := range map[string]bool{"NO_COLOR=": true, "NO_COLOR=1": false} {
		cmd := p.command(t, "plan", "nosuch.yaml")
		keys := terminalOf(t, cmd)
		cmd.Stderr = cmd.Stdin.(*os.File)
		cmd.Env = append(cmd.Env, variable, "TERM=xterm")
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != cli.ExitInput {
			t.Fatal(err)
		}
		said := make([]byte, 4096)
		n := testenv.Must(keys.Read(said))(t)
		text := string(said[:n])
		if !strings.Contains(text, "nosuch.yaml: no such file") || strings.Contains(text, "\x1b[") != colours {
			t.Errorf("%s: %q", variable, text)
		}
	}
}
