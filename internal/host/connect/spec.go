package connect

import "strings"

// Kind is the first word of a reach.
type Kind string

// The kinds of reach. Captures is a known word that Open refuses.
const (
	Local    Kind = "local"
	Netns    Kind = "netns"
	SSH      Kind = "ssh"
	Lab      Kind = "lab"
	Captures Kind = "captures"
	Srun     Kind = "srun"
	Kubectl  Kind = "kubectl"
	TCP      Kind = "tcp"
	// Loop is a network namespace without a name, which package loopback made for a port of this machine. Nobody writes it: Parse does not know it.
	Loop Kind = "loop"
)

// Spec is a reach as it was written, checked, and not opened yet. The zero value is not a reach.
type Spec struct {
	Kind Kind
	Name string   // netns: its name; ssh: [USER@]HOST; lab: the host; captures: the folder; tcp: HOST:PORT; kubectl: the pod; loop: the port
	Lab  string   // lab: the lab's id, empty when only one is up
	Args []string // srun, kubectl: the flags with their values
	File string   // loop: the namespace
	// Secret is what the agent behind tcp printed; not part of String, and in no file.
	Secret Secret
}

// String is the reach as Parse reads it, without a secret.
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
