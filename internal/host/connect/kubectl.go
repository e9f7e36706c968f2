package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// pod is a container of a Kubernetes cluster behind the user's own kubectl, with its configuration and context. It was
// tested with a program that behaves like kubectl, not on a cluster.
type pod struct{ spec Spec }

func (h *pod) String() string { return h.spec.String() }
func (h *pod) Close() error   { return nil }

// openKubectl makes one connection and checks that a shell answers.
func openKubectl(ctx context.Context, s Spec) (Connection, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, openTimeout, fmt.Errorf("no answer within %v", openTimeout))
	defer cancel()
	h := &pod{s}
	if _, err := RunCommand(ctx, h, Command{Argv: []string{"true"}}); err != nil {
		return nil, err
	}
	return h, nil
}

// arguments are kubectl's own before a command. Without a terminal, and with an input that is passed on to its end.
func (h *pod) arguments() []string {
	argv := []string{"kubectl"}
	var container []string
	for i := 0; i+1 < len(h.spec.Args); i += 2 {
		if name, value := h.spec.Args[i], h.spec.Args[i+1]; name == "-c" {
			container = []string{name, value}
		} else {
			argv = append(argv, name, value)
		}
	}
	return append(append(append(argv, "exec", "-i"), container...), h.spec.Name, "--")
}

func (h *pod) fail(c Command, exit int, output string, cause error, try string) *Error {
	return &Error{Connection: h.String(), Command: c.Argv, Exit: exit, Output: output, Cause: cause, Try: try}
}

// Start starts one kubectl exec for the command.
func (h *pod) Start(ctx context.Context, c Command) (Process, error) {
	if err := checkCommand(c); err != nil {
		return nil, h.fail(c, -1, "", err, "")
	}
	p := &podProcess{pod: h, command: c, ctx: ctx, words: new(tail)}
	to := c.Stderr
	if to == nil {
		to = io.Discard
	}
	// kubectl's own messages are on the same stream, before the program begins and after it has ended.
	p.filter = &markers{to: to, aside: p.words, started: make(chan struct{})}
	// The container's runtime writes why it cannot start a program to standard output.
	p.first = &head{to: c.Stdout}
	var err error
	p.near, err = startProcess(ctx, h.String(),
		Command{Argv: append(h.arguments(), guarded(exitGuard, c)...), Stdin: c.Stdin, Stdout: p.first, Stderr: p.filter},
		nil)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Command = c.Argv
			if errors.Is(err, ErrNoProgram) {
				e.Cause = errors.New("this machine has no kubectl in PATH")
				e.Try = "install kubectl, and see that `kubectl get pods` works"
			}
		}
		return nil, err
	}
	go func() {
		select {
		case <-ctx.Done():
			p.killFar()
		case <-p.near.done:
		}
	}()
	return p, nil
}

// head forwards a stream and keeps its beginning.
type head struct {
	to  io.Writer
	buf []byte
}

func (h *head) Write(p []byte) (int, error) {
	if room := 512 - len(h.buf); room > 0 {
		h.buf = append(h.buf, p[:min(room, len(p))]...)
	}
	if h.to == nil {
		return len(p), nil
	}
	return h.to.Write(p)
}

type podProcess struct {
	pod     *pod
	command Command
	ctx     context.Context
	near    *process // the kubectl on this machine
	words   *tail    // kubectl's messages
	first   *head    // of standard output
	filter  *markers
}

func (p *podProcess) Kill() error {
	err := p.near.Kill()
	if p.near.wasKilled() {
		p.killFar()
	}
	return err
}

// killFar kills the command with another command, because the end of kubectl does not end it.
func (p *podProcess) killFar() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), killTimeout)
	defer cancel()
	select {
	case <-p.filter.started:
	case <-ctx.Done():
		return
	}
	script := killScript(p.filter.pid)
	near, err := startProcess(ctx, p.pod.String(),
		Command{Argv: append(p.pod.arguments(), "sh", "-c", script), Stdout: io.Discard, Stderr: io.Discard}, nil)
	if err == nil {
		_, _, _ = near.wait()
	}
}

func (p *podProcess) Wait() (int, error) {
	exit, signalled, err := p.near.wait()
	p.filter.flush()
	_, noProgram := p.filter.said()
	reported, ended := p.filter.exited()
	h := p.pod
	var e *Error
	switch {
	case errors.As(err, &e):
		e.Command = p.command.Argv
		return -1, err
	case p.near.wasKilled():
		return 137, nil
	case ended:
		return reported, nil
	case noProgram:
		return -1, h.fail(p.command, exit, "", fmt.Errorf("%w: %s", ErrNoProgram, p.command.Argv[0]),
			"install it in the container's image")
	case signalled:
		return -1, h.fail(p.command, -1, lastLines(p.words.String(), 4),
			fmt.Errorf("the kubectl on this machine died by signal %d", exit), "")
	}
	said := lastLines(p.words.String(), 4)
	if p.filter.pid == 0 {
		said = lastLines(string(p.first.buf)+"\n"+said, 4)
	}
	try, cause := podTry(said, h.spec)
	if p.filter.pid != 0 {
		cause = errors.New("the connection ended before the command")
	}
	return -1, h.fail(p.command, exit, said, cause, try)
}

// podTry returns the next step for a message of kubectl, the API server or the container's runtime, and the cause where
// the message does not have it.
func podTry(said string, s Spec) (try string, cause error) {
	namespace, context := "", ""
	if n := s.flag("-n"); n != "" {
		namespace = " -n " + n
	}
	if c := s.flag("--context"); c != "" {
		context = " --context " + c
	}
	get := "kubectl" + context + namespace + " get pod"
	for _, w := range []struct{ words, cause, try string }{
		{`"sh": executable file not found`, "the container has no shell, and linerate's agent cannot be sent there " +
			"without sh, cat, mkdir, chmod, mv, rm and one of sha256sum, shasum, openssl",
			"another container of the pod with -c; or an image with linerate in it: linerate agent --listen ADDRESS:PORT " +
				"there, and connect: tcp ADDRESS:PORT"},
		{`"sh": stat`, "the container has no shell, and linerate's agent cannot be sent there without one",
			"another container of the pod with -c; or linerate agent --listen in its image, and connect: tcp ADDRESS:PORT"},
		{"container not found", "", get + " " + s.Name + " -o wide: is the container running; its name behind -c"},
		{"is not valid for pod", "", get + " " + s.Name + " -o jsonpath='{.spec.containers[*].name}': the names for -c"},
		{"namespaces \"", "", "kubectl" + context + " get namespaces"},
		{"(NotFound)", "", get + "s: the pods' names; another namespace with -n"},
		{"(Forbidden)", "", "kubectl" + context + namespace + " auth can-i create pods/exec: the role needs create on " +
			"pods/exec"},
		{"nauthorized", "", "log in to the cluster again; kubectl" + context + " auth whoami"},
		{"must be logged in", "", "log in to the cluster again; kubectl" + context + " auth whoami"},
		{"context was not found", "", "kubectl config get-contexts"},
		{"does not exist", "", "kubectl config get-contexts"},
		{"was refused", "", "kubectl config current-context: is it the cluster that is meant, and is its API server up"},
		{"no such host", "", "kubectl config view --minify: the server's name there"},
		{"timed out", "", "kubectl" + context + " version: does the API server answer"},
		{"i/o timeout", "", "kubectl" + context + " version: does the API server answer"},
		{"completed pod", "", get + "s: a pod that runs"},
		{"host not assigned", "", get + " " + s.Name + ": it waits for a node"},
	} {
		if strings.Contains(said, w.words) {
			if w.cause != "" {
				cause = errors.New(w.cause)
			}
			return w.try, cause
		}
	}
	return "kubectl" + context + namespace + " exec -i " + s.Name + " -- true by hand", nil
}
