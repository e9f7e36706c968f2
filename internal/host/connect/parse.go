package connect

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads a connection as a user types it on a command line:
//
//	local | netns NAME | ssh [USER@]HOST | lab [ID/]HOST | snapshots DIR | tcp HOST:PORT | tcp://HOST:PORT#SECRET |
//	srun [-p P] [-A A] [-w NODE] [-N 1] [--jobid J] | kubectl [-n NS] [--context C] [-c CONTAINER] POD
//
// It is split at blanks and never passed to a shell. The error says what is wrong and what to write.
func Parse(s string) (Spec, error) {
	spec, err := parse(s)
	if err != nil {
		return Spec{}, errors.New(Redact(fmt.Sprintf("connection %q: %v", s, err)))
	}
	return spec, nil
}

func parse(s string) (Spec, error) {
	if !utf8.ValidString(s) {
		return Spec{}, errors.New("it is not UTF-8")
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
		return Spec{}, errors.New("it has control characters")
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		return Spec{}, errors.New("it is empty; write local, netns NAME, ssh [USER@]HOST or lab [ID/]HOST")
	}
	if rest, ok := strings.CutPrefix(words[0], tcpScheme); ok {
		if len(words) > 1 {
			return Spec{}, fmt.Errorf("it has %d words too many; write tcp://ADDRESS:PORT#SECRET", len(words)-1)
		}
		return parseTCP(rest)
	}
	return parseKind(Kind(words[0]), words[1:])
}

// ParseFile reads a connection as a fabric file may name it. A file may come from anyone, so everything that Parse
// refuses, and a folder of snapshots, is refused with ErrRefused.
func ParseFile(s string) (Spec, error) {
	spec, err := Parse(s)
	if err != nil {
		return Spec{}, &refused{err}
	}
	if !spec.Secret.IsZero() {
		return Spec{}, &refused{
			fmt.Errorf("connection %q: a secret does not belong into a file, which is copied into every run; "+
				"write tcp %s, and give the secret when asked or as LINERATE_SECRET_HOST", Redact(s), spec.Name),
		}
	}
	if spec.Kind == Snapshots {
		return Spec{}, &refused{
			fmt.Errorf("connection %q: a fabric file does not name folders of snapshots; give --snapshots %s on "+
				"the command line", s, spec.Name),
		}
	}
	return spec, nil
}

// refused is an error of a file that is also ErrRefused, without repeating its text.
type refused struct{ error }

func (r *refused) Is(target error) bool { return target == ErrRefused }
func (r *refused) Unwrap() error        { return r.error }

func parseKind(kind Kind, rest []string) (Spec, error) {
	switch kind {
	case Local:
		if len(rest) > 0 {
			return Spec{}, fmt.Errorf("local takes nothing after it, not %q", rest[0])
		}
		return Spec{Kind: kind}, nil
	case Netns:
		return oneName(kind, rest, "netns NAME", checkNetnsName)
	case SSH:
		if len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			return Spec{}, fmt.Errorf(
				"ssh takes no options here, not %q; write them under Host in ssh's own config (~/.ssh/config)", rest[0])
		}
		return oneName(kind, rest, "ssh [USER@]HOST", checkDestination)
	case Lab:
		spec, err := oneName(kind, rest, "lab [ID/]HOST", checkLabName)
		if id, host, ok := strings.Cut(spec.Name, "/"); ok {
			spec.Lab, spec.Name = id, host
		}
		return spec, err
	case Snapshots:
		if len(rest) == 0 {
			return Spec{}, fmt.Errorf("write snapshots DIR")
		}
		return Spec{Kind: kind, Name: strings.Join(rest, " ")}, nil
	case TCP:
		return oneName(kind, rest, "tcp HOST:PORT", checkHostPort)
	case Srun:
		args, others, err := allowedFlags(rest, "-p", "-A", "-w", "-N", "--jobid")
		if err == nil && len(others) > 0 {
			err = fmt.Errorf("srun takes only -p, -A, -w, -N and --jobid, not %q", others[0])
		}
		return Spec{Kind: kind, Args: args}, err
	case Kubectl:
		args, others, err := allowedFlags(rest, "-n", "--context", "-c")
		if err != nil {
			return Spec{}, err
		}
		spec, err := oneName(kind, others, "kubectl [-n NAMESPACE] [--context CONTEXT] [-c CONTAINER] POD", checkPlain)
		spec.Args = args
		return spec, err
	}
	return Spec{}, fmt.Errorf("%q is not a connection to a host; write ssh [USER@]HOST; or local, netns NAME, lab "+
		"[ID/]HOST, "+
		"srun, kubectl or tcp HOST:PORT", kind)
}

func oneName(kind Kind, rest []string, form string, check func(string) error) (Spec, error) {
	if len(rest) != 1 {
		return Spec{}, fmt.Errorf("it has %d words after %s; write %s", len(rest), kind, form)
	}
	if err := check(rest[0]); err != nil {
		return Spec{}, fmt.Errorf("%w; write %s", err, form)
	}
	return Spec{Kind: kind, Name: rest[0]}, nil
}

// allowedFlags removes the flags at the beginning of words, each with its value (-n NAME, --context NAME or
// --context=NAME).
func allowedFlags(words []string, allowed ...string) (flags, others []string, err error) {
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "-") {
			return flags, words[i:], nil
		}
		if !slices.Contains(allowed, name) {
			return nil, nil, fmt.Errorf("%q is not allowed; only %s are", name, strings.Join(allowed, " "))
		}
		if !joined {
			if i++; i == len(words) {
				return nil, nil, fmt.Errorf("%s needs a value", name)
			}
			value = words[i]
		}
		if err := checkFlagValue(value); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		flags = append(flags, name, value)
	}
	return flags, nil, nil
}

// only refuses a name with characters other than ASCII letters, digits and more, and one that looks like an option.
// ssh's own config passes names to shells (ProxyCommand %h), so shell syntax is refused.
func only(name, more string) error {
	if name == "" {
		return fmt.Errorf("the name is empty")
	}
	if name[0] == '-' {
		return fmt.Errorf("%q begins with '-' and would be read as an option", name)
	}
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(more, r) {
			continue
		}
		return fmt.Errorf("%q has the character %q", name, r)
	}
	if len(name) > 255 {
		return fmt.Errorf("%.20q.. has %d characters, the limit is 255", name, len(name))
	}
	return nil
}

func checkPlain(s string) error     { return only(s, "._-/") }
func checkFlagValue(s string) error { return only(s, "._-/,[]:@") }

// checkDestination checks [USER@]HOST.
func checkDestination(s string) error {
	user, host, hasUser := strings.Cut(s, "@")
	if !hasUser {
		host = s
	} else if err := only(user, "._-+"); err != nil {
		return fmt.Errorf("user: %w", err)
	}
	if err := only(host, "._-:%[]"); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	return nil
}

func checkNetnsName(s string) error {
	if s == "." || s == ".." {
		return fmt.Errorf("%q is not a name of a namespace", s)
	}
	return only(s, "._-+:@")
}

func checkLabName(s string) error {
	id, host, ok := strings.Cut(s, "/")
	if !ok {
		host = s
	} else if err := only(id, "_-"); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return only(host, "_-")
}

func checkHostPort(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT", s)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("%q is not a port (1 to 65535)", port)
	}
	return only(host, "._-:%")
}
