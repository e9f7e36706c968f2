package record

import (
	"slices"
	"strings"
)

// tools are what a command of a fix may begin with; anything else is a sentence.
var tools = []string{"sysctl", "ethtool", "ip", "tc", "nft", "iptables", "echo", "modprobe", "systemctl", "netsh", "ifconfig", "bridge", "mlxconfig", "setpci", "cpupower", "sudo", "powershell", "ping", "cat"}

// IsCommand says whether a line of a fix, or of an undo, is to be copied into a shell rather than read.
func IsCommand(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return FindsHost(line) || slices.Contains(tools, first) || strings.Contains(first, "-Net") // PowerShell's cmdlets of the network
}

// through are beginnings of commands that get to their host by themselves.
var through = []string{"ip netns exec ", "linerate lab exec "}

// FindsHost says whether a command gets to the host that it is for by itself, and is typed on this machine.
func FindsHost(command string) bool {
	return slices.ContainsFunc(through, func(start string) bool { return strings.HasPrefix(command, start) })
}

// Step is a line of a fix: a command for a host, or a sentence.
type Step struct {
	Text    string
	Command bool
	Host    string // that the command is typed on; empty: the line does not say
}

// StepsOf reads a fix or an undo: a step a line, "on HOST: " before a command that is not for the host that the verdict is about.
func StepsOf(fix string) (out []Step) {
	for line := range strings.Lines(fix) {
		s := Step{Text: strings.TrimSpace(line)}
		if s.Text == "" {
			continue
		}
		s.Command = IsCommand(s.Text)
		if host, command, ok := strings.Cut(strings.TrimPrefix(s.Text, "on "), ": "); ok && strings.HasPrefix(s.Text, "on ") && !strings.Contains(host, " ") && IsCommand(command) {
			s = Step{command, true, host}
		}
		out = append(out, s)
	}
	return out
}
