package record

import (
	"slices"
	"strings"
)

// tools are the first words of commands in a fix. A line that begins with any other word is a sentence.
var tools = []string{"sysctl", "ethtool", "ip", "tc", "nft", "iptables", "ip6tables", "firewall-cmd", "ufw",
	"echo", "modprobe", "systemctl", "netsh",
	"ifconfig", "bridge", "mlxconfig", "setpci", "cpupower", "sudo", "powershell", "ping", "cat"}

// IsCommand reports whether a line of a fix or of an undo is a command for a shell, not a sentence.
func IsCommand(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return FindsHost(line) || slices.Contains(tools, first) ||
		strings.Contains(first, "-Net") // PowerShell's network cmdlets
}

// selfRouted are the prefixes of commands that reach their host by themselves.
var selfRouted = []string{"ip netns exec ", "linerate lab exec "}

// FindsHost reports whether a command is typed on this machine and reaches its host by itself.
func FindsHost(command string) bool {
	return slices.ContainsFunc(selfRouted, func(start string) bool { return strings.HasPrefix(command, start) })
}

// Step is a line of a fix: a command for a host, or a sentence.
type Step struct {
	Text    string
	Command bool
	Host    string // where to type the command; empty: the line names no host
}

// String returns a step as a line of a fix, which StepsOf reads.
func (s Step) String() string {
	if s.Host == "" {
		return s.Text
	}
	return "on " + s.Host + ": " + s.Text
}

// StepsOf parses a fix or an undo with one step a line. "on HOST: " precedes a command for a host other than the
// verdict's.
func StepsOf(fix string) (out []Step) {
	for line := range strings.Lines(fix) {
		s := Step{Text: strings.TrimSpace(line)}
		if s.Text == "" {
			continue
		}
		s.Command = IsCommand(s.Text)
		if host, command, ok := strings.Cut(strings.TrimPrefix(s.Text, "on "),
			": "); ok && strings.HasPrefix(s.Text, "on ") && !strings.Contains(host, " ") &&
			IsCommand(command) {
			s = Step{command, true, host}
		}
		out = append(out, s)
	}
	return out
}

// TypedOn returns the host to type a step of a verdict's fix or undo on. It is empty for a sentence, for a step that
// reaches its host by itself, and where the host is not known.
func (v *Verdict) TypedOn(s Step) string {
	switch {
	case !s.Command || FindsHost(s.Text):
		return ""
	case s.Host != "":
		return s.Host
	}
	return v.host()
}

// host returns the host of a verdict's component: "nas" of "nas", "nas: receive window" or "tbf on nic0 of nas".
func (v *Verdict) host() string {
	if host, _, _ := strings.Cut(v.Component, ": "); !strings.Contains(host, " ") {
		return host
	}
	if v.Limiter == LimiterLocalShaper {
		if _, host, ok := strings.Cut(v.Component, " of "); ok && !strings.Contains(host, " ") {
			return host
		}
	}
	return ""
}

// FixLine returns a verdict's fix in one line: each command behind its host, as in "on nas: ip link set eth0 mtu 9000".
func (v *Verdict) FixLine() string {
	var all []string
	for _, s := range StepsOf(v.Fix) {
		s.Host = v.TypedOn(s)
		all = append(all, s.String())
	}
	return strings.Join(all, "; ")
}
