package connect

import "strings"

// Kind is the first word of a connection.
type Kind string

// The kinds of connection. Open refuses Snapshots.
const (
	Local     Kind = "local"
	Netns     Kind = "netns"
	SSH       Kind = "ssh"
	Lab       Kind = "lab"
	Snapshots Kind = "snapshots"
	Srun      Kind = "srun"
	Kubectl   Kind = "kubectl"
	TCP       Kind = "tcp"
	// Loop is a network namespace without a name, which package loopback made for a port of this machine. Parse does not
	// accept it.
	Loop Kind = "loop"
)

// Spec is a parsed and checked connection that is not open yet. The zero value is not a connection.
type Spec struct {
	Kind Kind
	// Name is, by kind: netns: its name; ssh: [USER@]HOST; lab: the host; Snapshots: the folder; tcp: HOST:PORT;
	// kubectl: the pod; loop: the port.
	Name string
	Lab  string   // lab: the lab's id, empty if only one is running
	Args []string // srun, kubectl: the flags with their values
	File string   // loop: the namespace
	// Secret is what the agent of tcp printed. It is not part of String, and not in any file.
	Secret Secret
}

// String returns the connection as Parse reads it, without a secret.
func (s Spec) String() string {
	words := []string{string(s.Kind)}
	switch s.Kind {
	case Srun:
		words = append(words, s.Args...)
	case Kubectl:
		words = append(append(words, s.Args...), s.Name)
	case Lab:
		name := s.Name
		if s.Lab != "" {
			name = s.Lab + "/" + name
		}
		words = append(words, name)
	case Local:
	default:
		words = append(words, s.Name)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}
