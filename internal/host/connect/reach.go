package connect

import (
	"context"
	"io"
)

// Command is one program with its arguments, to be started on a host.
type Command struct {
	Argv []string // the program and its arguments; no shell reads them
	Env  []string // NAME=VALUE, added to the environment that the host gives
	// Dir is the folder that it starts in, of the reach local alone; empty: this process's.
	Dir string

	// Stdin is the program's standard input; nil is an empty one. What is not read when the program ends
	// stays unread, and a Read that blocks then is not waited for.
	Stdin io.Reader
	// Stdout and Stderr receive the output as it comes; nil drops it.
	Stdout, Stderr io.Writer
}

// Reach is one host that can be got at. Its methods may be called from several goroutines.
type Reach interface {
	// String is the reach as a user writes it: "local", "netns a", "ssh nas", "lab 3f2a/n1".
	String() string
	// Start starts a command. When ctx ends, the command is killed on the far side too.
	// Errors are of type *Error; errors.Is(err, ErrNoProgram) says that the host lacks the program.
	Start(ctx context.Context, c Command) (Process, error)
	// Close gives back what the reach holds. Commands that still run are not ended by it.
	Close() error
}

// Process is a command that was started.
type Process interface {
	// Wait returns the exit code once the command has ended and its output has been written. A command that
	// died by signal N has the code 128+N. The error says that the reach itself failed, or that ctx ended;
	// the code is -1 then. Wait may be called once.
	Wait() (exit int, err error)
	// Kill ends the command and what it started, at once; Wait then returns 137. It is safe at any time.
	Kill() error
}

// SameMachine says whether commands of r run on this machine and see its files: nothing needs to be sent there.
// A reach says so by a method SameMachine() bool; without the method it is another machine.
func SameMachine(r Reach) bool {
	s, ok := r.(interface{ SameMachine() bool })
	return ok && s.SameMachine()
}

// AgentProgram returns the command that starts the agent where the host has linerate already; nil where it has to be sent.
// A reach says so by a method AgentProgram() []string.
func AgentProgram(r Reach) []string {
	if s, ok := r.(interface{ AgentProgram() []string }); ok {
		return s.AgentProgram()
	}
	return nil
}

// MaySeeFiles says whether commands of r may see this machine's files although they run elsewhere, as on the nodes of a
// cluster with a shared file system. A reach says so by a method MaySeeFiles() bool.
func MaySeeFiles(r Reach) bool {
	s, ok := r.(interface{ MaySeeFiles() bool })
	return ok && s.MaySeeFiles()
}
