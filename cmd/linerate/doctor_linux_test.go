package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/inspect/doctor"
)

// doctorLines are the lines of a --json answer.
func doctorLines(t *testing.T, a answer) []doctor.Line {
	t.Helper()
	var out struct {
		Schema string        `json:"schema"`
		Lines  []doctor.Line `json:"lines"`
	}
	if err := json.Unmarshal([]byte(a.out), &out); err != nil || out.Schema != "linerate/doctor/1" {
		t.Fatalf("%v: schema %q\n%s\n%s", err, out.Schema, a.out, a.err)
	}
	return out.Lines
}

// wantLine requires a line of a topic about a host, in a state, with these words in its text or next step.
func wantLine(t *testing.T, lines []doctor.Line, topic, host string, state doctor.State, on string, words ...string) {
	t.Helper()
	for _, l := range lines {
		text := l.Text + "\n" + strings.Join(l.Do, "\n")
		if l.Topic != topic || l.Host != host || l.State != state || l.On != on {
			continue
		}
		all := true
		for _, w := range words {
			all = all && strings.Contains(text, w)
		}
		if all {
			return
		}
	}
	t.Errorf("no line %s of %q, %s on %q, with %q in\n%+v", topic, host, state, on, words, lines)
}

// Two hosts over ssh, of which one has a different MTU and a firewall that drops; a name that does not exist; and a
// host that never answers.
func TestDoctor(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/ssh.yaml", p.path("four.yaml"))
	s := p.labUp(t, fabric, "1")
	bin, _ := s.sshHosts(t, map[string]string{"a": "10.30.1.2", "b": "10.30.2.2"})
	spoil := func(host, script string) {
		t.Helper()
		s.linerate(t, "lab", "exec", s.id+"/"+host, "--", "sh", "-c", script).ends(t, 0)
	}
	spoil("b", "ip link set dev e2 mtu 1400 && nft 'add table inet t; add chain inet t in { type filter hook input "+
		"priority 0; policy accept; }; add rule inet t in tcp dport 40000-65535 drop'")
	spoil("c", "nft 'add table inet t; add chain inet t in { type filter hook input priority 0; policy accept; }; add "+
		"rule inet t in tcp dport 22 drop'")
	look := func(args ...string) answer {
		return s.linerate(t, append([]string{"lab", "exec", s.id + "/ctl", "--", "env", "-C", s.dir, "HOME=" + s.dir,
			"PATH=" + bin + ":" + os.Getenv("PATH"), p.program(t), "doctor"}, args...)...)
	}

	got := look("a", "b", "nosuch.invalid", "--timeout", "2m", "--json").ends(t, cli.ExitIncomplete)
	lines := doctorLines(t, got)
	wantLine(t, lines, "connection", "local", doctor.OK, "")
	wantLine(t, lines, "connection", "a", doctor.OK, "", "ssh a", "batch mode")
	wantLine(t, lines, "connection", "nosuch", doctor.Problem, "", "Could not resolve hostname nosuch.invalid",
		"getent hosts nosuch.invalid", "linerate doctor nosuch.invalid")
	wantLine(t, lines, "versions", "a", doctor.OK, "", "linerate ", "kernel")
	wantLine(t, lines, "privileges", "a", doctor.OK, "", "runs as root")
	wantLine(t, lines, "ports", "a", doctor.OK, "", "no rule drops")
	wantLine(t, lines, "ports", "b", doctor.Warning, "b", "tcp dport 40000-65535 drop",
		"nft insert rule inet t in ip saddr 10.30.")
	wantLine(t, lines, "mtu", "", doctor.Problem, "b", "b e2 1400", "ip link set dev e2 mtu ")
	wantLine(t, lines, "folder", "", doctor.OK, "", "are free")
	for _, l := range lines {
		if l.Host == "nosuch" && l.Topic != "connection" {
			t.Errorf("of a host that was not reached: %+v", l)
		}
	}

	// Without the unknown name only the MTU is a problem.
	if got := look("a", "b", "--timeout", "2m"); got.code != cli.ExitMissed ||
		!strings.Contains(got.out, "3 machines: ") || !strings.Contains(got.out, "on b        ip link set dev e2 mtu ") {
		t.Errorf("exit code %d\n%s\n%s", got.code, got.out, got.err)
	}
	got = look("-f", "four.yaml", "--timeout", "2s", "--json").ends(t, cli.ExitIncomplete)
	lines = doctorLines(t, got)
	wantLine(t, lines, "connection", "c", doctor.Problem, "", "not reached within 2s", "linerate doctor c")
	wantLine(t, lines, "connection", "ctl", doctor.NotKnown, "", "has no connection in the file")
	s.noFolders(t)
}
