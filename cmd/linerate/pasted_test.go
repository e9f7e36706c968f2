package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// pastedRun is a run through a switch that dropped packets, without linerate's snapshots of it, which are returned.
func pastedRun(t *testing.T) (dir string, sw map[string]string) {
	t.Helper()
	dir, sw = recordedRun(t, "switch-drops"), map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "snapshots", "sw1.*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		b := testenv.Must(os.ReadFile(file))(t)
		for _, when := range []string{"before", "after"} {
			if strings.Contains(filepath.Base(file), "."+when+"-") {
				sw[when] = string(b)
			}
		}
		testenv.Check(t, os.Remove(file))
	}
	return dir, sw
}

// section is one output of a snapshot.
func section(t *testing.T, snapshot, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(snapshot, "-- "+name+" --\n")
	if !ok {
		t.Fatalf("no %s in the snapshot", name)
	}
	text, _, _ := strings.Cut(rest, "\n-- ")
	return text + "\n"
}

// Saved outputs of switches from before and after a run are the other side of its cross-check, as a snapshot or as a
// pasted session in a folder, which has no time.
func TestPastedSwitch(t *testing.T) {
	for _, form := range []string{"none", "snapshots", "session"} {
		t.Run(form, func(t *testing.T) {
			dir, sw := pastedRun(t)
			arguments := []string{"explain", dir, "--json"}
			for when, text := range sw {
				at := filepath.Join(t.TempDir(), when)
				write := func(name, text string) {
					testenv.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(at, name)), 0o755))
					testenv.WriteFile(t, filepath.Join(at, name), []byte(text), 0o600)
				}
				switch form {
				case "snapshots":
					write("sw1.txtar", text)
				case "session":
					session := ""
					for _, command := range []string{"ip -j -d -s -s link", "tc -j -s -d qdisc"} {
						session += "root@sw1:~# " + command + "\n" + section(t, text, command)
					}
					write("sw1/session.txt", session)
				default:
					continue
				}
				arguments = append(arguments, "--"+when, at)
			}
			a := call(t, nil, arguments...)
			x := a.run(t).Experiments[0].Accounts
			for i := range x {
				if x[i].Name != "resent" {
					continue
				}
				known := x[i].Closes != nil && *x[i].Closes
				if known != (form != "none") || known && !strings.Contains(x[i].Sentence, "by qdisc.drops of sw1.2 on sw1") ||
					!known && !strings.Contains(x[i].Why, "sw1: its counters") {
					t.Errorf("%s: %+v", x[i].Sentence, x[i])
				}
				return
			}
			t.Fatalf("no cross-check: %s", a)
		})
	}
}

// Errors of pasted folders are reported at once, and nothing is explained.
func TestPastedErrors(t *testing.T) {
	dir, sw := pastedRun(t)
	at := t.TempDir()
	for name, text := range map[string]string{"host1.txtar": sw["before"], "notes.txt": "x"} {
		testenv.WriteFile(t, filepath.Join(at, name), []byte(text), 0o600)
	}
	for _, c := range []struct {
		arguments []string
		want      []string
	}{
		{[]string{dir, "--before", at}, []string{"--after", "no switch host1", "notes.txt"}},
		{[]string{dir, "--before", filepath.Join(at, "none"), "--after", at}, []string{"none", "no switch host1"}},
		{[]string{"--value", "9G", "--link", "10G", "--before", at}, []string{"--before needs a run"}},
	} {
		a := call(t, nil, append([]string{"explain"}, c.arguments...)...).ends(t, cli.ExitInput)
		testenv.Contains(t, c.arguments, a.err, c.want...)
	}
}
