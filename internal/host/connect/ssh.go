package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// shell is the kind of shell that reads the command line of ssh.
type shell int

const (
	unixShell    shell = iota
	windowsShell       // cmd.exe
	powershell
	deviceShell // a switch's own
)

// sshHost is a host behind the system's ssh, with the user's own configuration, keys, agent and jump hosts.
type sshHost struct {
	dest   string
	shell  shell
	shared bool // the user's configuration shares one connection (ControlPath)
}

const (
	openTimeout = 30 * time.Second // for the first connection: includes the time to touch a hardware key
	killTimeout = 3 * time.Second  // for killing over a shared connection
)

func (h *sshHost) String() string { return "ssh " + h.dest }
func (h *sshHost) Close() error   { return nil }

// openSSH makes one connection and finds the kind of the remote shell.
func openSSH(ctx context.Context, s Spec) (Connection, error) {
	if err := checkDestination(s.Name); err != nil {
		return nil, &Error{Connection: s.String(), Exit: -1, Cause: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, openTimeout, fmt.Errorf("no answer within %v", openTimeout))
	defer cancel()
	h := &sshHost{dest: s.Name, shell: deviceShell}
	h.shared = sharesConnection(ctx, h.dest)
	// One line that each shell expands in its own way.
	out, err := RunCommand(ctx, h, Command{Argv: []string{"echo", "linerate", "$SHELL", "%OS%"}})
	if err != nil {
		return nil, err
	}
	var noise string
	h.shell, noise = shellFrom(string(out.Stdout))
	if noise != "" && h.shell == unixShell {
		return nil, &Error{Connection: h.String(), Exit: -1, Output: lastLines(noise, 3),
			Cause: errors.New("its login files write text also for commands without a terminal, which would damage the " +
				"output of every command"),
			Try: "in ~/.bashrc (or the like) on the host, put the printing behind: case $- in *i*) .. ;; esac"}
	}
	return h, nil
}

// shellFrom reads the answer to echo linerate $SHELL %OS%; noise is the output before it.
func shellFrom(answer string) (s shell, noise string) {
	lines := strings.Split(strings.ReplaceAll(answer, "\r", ""), "\n")
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "linerate" {
			continue
		}
		noise = strings.TrimSpace(strings.Join(lines[:i], "\n"))
		switch {
		case len(words) == 1: // PowerShell's echo writes a line a word
			return powershell, noise
		case len(words) == 3 && words[1] == "$SHELL":
			return windowsShell, noise
		case strings.Contains(line, "$SHELL"): // a device that repeats its input
			return deviceShell, noise
		}
		return unixShell, noise
	}
	return deviceShell, ""
}

// sharesConnection reads ssh's configuration of a destination (ssh -G, without a connection).
func sharesConnection(ctx context.Context, dest string) bool {
	out, err := Run(ctx, local{}, nil, "ssh", "-G", "--", dest)
	if err != nil {
		return false
	}
	for _, line := range strings.Split(string(out.Stdout), "\n") {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); strings.EqualFold(key, "controlpath") {
			return value != "" && value != "none"
		}
	}
	return false
}

func (h *sshHost) line(c Command) (string, error) {
	switch h.shell {
	case unixShell:
		return unixLine(c), nil
	case windowsShell:
		return windowsLine(c)
	case powershell:
		return powershellLine(c)
	}
	return plainLine(c)
}

// arguments returns those of ssh. LogLevel keeps banners out of the command's standard error. Host keys are left to the
// user's configuration.
func (h *sshHost) arguments(line string) []string {
	return []string{"ssh", "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2",
		"-o", "ConnectTimeout=10", "-o", "LogLevel=ERROR", "-o", "ClearAllForwardings=yes", "--", h.dest, line}
}

func (h *sshHost) fail(c Command, exit int, output string, cause error, try string) *Error {
	return &Error{Connection: h.String(), Command: append([]string{"ssh", h.dest}, c.Argv...), Exit: exit,
		Output: output, Cause: cause, Try: try}
}

// Start starts one ssh process for the command.
func (h *sshHost) Start(ctx context.Context, c Command) (Process, error) {
	if err := checkCommand(c); err != nil {
		return nil, h.fail(c, -1, "", err, "")
	}
	line, err := h.line(c)
	if err != nil {
		return nil, h.fail(c, -1, "", err, "")
	}
	words := new(tail)
	filter := &markers{to: tee(c.Stderr, words), started: make(chan struct{})}
	p, err := startProcess(ctx, h.String(),
		Command{Argv: h.arguments(line), Stdin: c.Stdin, Stdout: c.Stdout, Stderr: filter}, nil)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Command = append([]string{"ssh", h.dest}, c.Argv...)
			if errors.Is(err, ErrNoProgram) {
				e.Cause = errors.New("this machine has no ssh program in PATH")
				e.Try = "apt install openssh-client (Windows: the optional feature OpenSSH Client)"
			}
		}
		return nil, err
	}
	far := &sshProcess{host: h, command: c, ctx: ctx, near: p, words: words, filter: filter}
	if h.shared {
		go far.killOnCancel()
	}
	return far, nil
}

type sshProcess struct {
	host    *sshHost
	command Command
	ctx     context.Context
	near    *process // the ssh on this machine
	words   *tail    // standard error, with ssh's own messages
	filter  *markers
}

func (p *sshProcess) Kill() error {
	err := p.near.Kill()
	if p.near.wasKilled() {
		p.killFar()
	}
	return err
}

func (p *sshProcess) Wait() (int, error) {
	exit, signalled, err := p.near.wait()
	p.filter.flush()
	exit255, noProgram := p.filter.said()
	h := p.host
	var e *Error
	switch {
	case errors.As(err, &e):
		e.Command, e.Output = append([]string{"ssh", h.dest}, p.command.Argv...), lastLines(p.words.String(), 5)
		return -1, err
	case signalled && p.near.wasKilled():
		return 128 + exit, nil
	case signalled:
		return -1, h.fail(p.command, -1, lastLines(p.words.String(), 5),
			fmt.Errorf("the ssh on this machine died by signal %d", exit), "")
	case noProgram:
		return -1, h.fail(p.command, exit, "", fmt.Errorf("%w: %s", ErrNoProgram, p.command.Argv[0]), "install it on "+h.dest)
	case exit == 255 && !exit255:
		output := lastLines(p.words.String(), 5)
		do, say := sshTry(output, h.dest)
		e := h.fail(p.command, exit, output, nil, strings.TrimSuffix(strings.TrimPrefix(do+": "+say, ": "), ": "))
		e.Do, e.Say = do, say
		return -1, e
	}
	return exit, nil
}

// killOnCancel kills the remote command when ctx ends before it has ended.
func (p *sshProcess) killOnCancel() {
	select {
	case <-p.ctx.Done():
		p.killFar()
	case <-p.near.done:
	}
}

// killFar kills a command over a shared connection, with another command over the same connection: the remote sshd
// stays, so that the guard sees no end, and the connection's owner holds the command's output open.
func (p *sshProcess) killFar() {
	if !p.host.shared {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), killTimeout)
	defer cancel()
	select {
	case <-p.filter.started:
	case <-ctx.Done():
		return
	}
	script := killScript(p.filter.pid)
	near, err := startProcess(ctx, p.host.String(),
		Command{Argv: p.host.arguments("exec sh -c " + quote(script)), Stderr: io.Discard}, nil)
	if err == nil {
		near.wait()
	}
}
