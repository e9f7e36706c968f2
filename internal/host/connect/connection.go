package connect

import (
	"context"
	"io"
)

// Command is one program with its arguments, to be started on a host.
type Command struct {
	Argv []string // the program and its arguments; no shell reads them
	Env  []string // NAME=VALUE, added to the environment of the host
	// Dir is the folder that it starts in; only connection local uses it. Empty: this process's.
	Dir string

	// Stdin is the program's standard input; nil is an empty one. Once the program has ended, Wait does not wait for a
	// blocked Read.
	Stdin io.Reader
	// Stdout and Stderr receive the output as it arrives; nil drops it.
	Stdout, Stderr io.Writer
}

// Connection is a connection to one host. Its methods may be called from several goroutines.
type Connection interface {
	// String is the connection as a user writes it: "local", "netns a", "ssh nas", "lab 3f2a/n1".
	String() string
	// Start starts a command. When ctx ends, the command is killed on the host, too. Errors are of type *Error; with
	// errors.Is(err, ErrNoProgram) the host does not have the program.
	Start(ctx context.Context, c Command) (Process, error)
	// Close closes the connection. It does not end commands that still run.
	Close() error
}

// Process is a command that was started.
type Process interface {
	// Wait returns the exit code once the command has ended and its output has been written. A command that
	// died by signal N has the code 128+N. The error says that the connection itself failed, or that ctx ended;
	// the code is -1 then. Wait may be called once.
	Wait() (exit int, err error)
	// Kill ends the command and what it started, at once; Wait then returns 137. It may be called at any time.
	Kill() error
}

// SameMachine reports whether commands of r run on this machine and see its files: nothing needs to be sent.
// A connection reports it by a method SameMachine() bool; without the method it is another machine.
func SameMachine(r Connection) bool {
	s, ok := r.(interface{ SameMachine() bool })
	return ok && s.SameMachine()
}

// AgentProgram returns the command that starts the agent where the host already has linerate; nil where it must be
// sent. A connection reports it by a method AgentProgram() []string.
func AgentProgram(r Connection) []string {
	if s, ok := r.(interface{ AgentProgram() []string }); ok {
		return s.AgentProgram()
	}
	return nil
}

// MaySeeFiles reports whether commands of r may see this machine's files although they run elsewhere, as on the nodes
// of a cluster with a shared file system. A connection reports it by a method MaySeeFiles() bool.
func MaySeeFiles(r Connection) bool {
	s, ok := r.(interface{ MaySeeFiles() bool })
	return ok && s.MaySeeFiles()
}
