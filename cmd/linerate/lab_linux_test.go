package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/cli"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// A lab that stays: list, exec with the command's own exit code and streams, measure between two of its hosts, down.
func TestLabThatStays(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/three.yaml", p.path("three.yaml")), "0.02")

	a := p.linerate(t, "lab", "list")
	if a.code != cli.ExitDone || !strings.Contains(a.out, s.id+"  three  3 hosts") {
		t.Errorf("lab list: %s", a)
	}
	a = p.linerate(t, "lab", "exec", s.id+"/host2", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
	if a.code != 7 || a.out != "out\n" || a.err != "err\n" {
		t.Errorf("lab exec: %s", a)
	}
	cmd := p.command(t, "lab", "exec", s.id+"/host1", "--", "cat")
	cmd.Stdin = strings.NewReader("through\n")
	if a := finish(t, cmd); a.code != 0 || a.out != "through\n" {
		t.Errorf("lab exec with an input: %s", a)
	}
	if a := p.linerate(t, "lab", "exec", s.id+"/host9", "--", "true"); a.code == 0 || !strings.Contains(a.err, "host9") {
		t.Errorf("lab exec on a host that is not there: %s", a)
	}

	a = p.linerate(t, "measure", "throughput", "--from", "lab "+s.id+"/host1", "--to", "lab "+s.id+"/host2",
		"--to-address",
		"10.0.1.2", "--link", "200M", "--time", "1s", "--repeats", "1", "--direction", "out", "--json").ends(t, cli.ExitDone)
	if r := a.run(t); len(r.Experiments) != 1 || r.Experiments[0].Goodput == nil || r.Experiments[0].Goodput.Median <= 0 {
		t.Errorf("measure: %s", a)
	}
	if a := p.linerate(t, "measure", "latency", "--from", "lab "+s.id+"/host1", "--to", "lab "+s.id+"/host3", "--time",
		"1s", "--repeats", "1"); a.code != cli.ExitDone || !strings.Contains(a.out, "p50") {
		t.Errorf("measure latency: %s", a)
	}
	if left, _ := filepath.Glob(p.path("linerate-*")); len(left) > 0 {
		t.Errorf("measure left %v", left)
	}

	// A lab of another fabric is refused.
	other := copyFile(t, mesh, p.path("mesh-10g.yaml"))
	if a := p.linerate(t, "run", other, "--in-lab="+s.id); a.code != cli.ExitInput || !strings.Contains(a.err, "three") {
		t.Errorf("a run in a lab of another fabric: %s", a)
	}
}

// Output to a terminal, with and without NO_COLOR; any other output contains no escape character.
func TestColour(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	text := testenv.Must(os.ReadFile("testdata/three.yaml"))(t)
	fabric := p.path("three.yaml")
	one := "  host1: {os: linux, connect: local, nics: {card: {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}}}}\n " +
		" " +
		"\"host[2-3]\":"
	testenv.WriteFile(t, fabric, []byte(strings.Replace(string(text), "  \"host[1-3]\":", one, 1)), 0o644)
	dir := p.path("run")
	// A run with an unreachable host is quick, and its report is complete.
	if a := p.linerate(t, "run", fabric, "-o", dir); a.code != cli.ExitIncomplete ||
		strings.ContainsRune(a.out+a.err, 0x1b) {
		t.Fatalf("want exit code 4 and no escape character: %s", a)
	}
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{[]string{"TERM=xterm"}, true},
		{[]string{"TERM=xterm", "NO_COLOR=1"}, false},
		{[]string{"TERM=dumb"}, false},
	} {
		out := onTerminal(t, p, append([]string{"NO_COLOR="}, c.env...), "report", dir)
		if have := strings.Contains(out, "\x1b["); have != c.want {
			t.Errorf("%v: escape sequences: %v, want %v:\n%q", c.env, have, c.want, out)
		}
		if !strings.Contains(out, "Nothing could be measured") {
			t.Errorf("%v: no report:\n%s", c.env, out)
		}
	}
}

// onTerminal runs the program with a terminal of 60 columns as its standard output and returns its output.
func onTerminal(t *testing.T, p *place, env []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		missing(t, "a terminal: "+err.Error())
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 60})
	}
	if err != nil {
		missing(t, "a terminal: "+err.Error())
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		missing(t, "a terminal: "+err.Error())
	}
	cmd := p.command(t, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = slave, slave
	testenv.Check(t, cmd.Start())
	slave.Close()
	stop := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer stop.Stop()
	b, _ := io.ReadAll(master) // ends with an error when the last writer has closed it
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %v\n%s", args, err, b)
	}
	return string(b)
}

// A report does not depend on the time: report and explain of a finished run agree with the run.
func TestReportAgain(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/three.yaml", p.path("three.yaml"))
	text, err := os.ReadFile(fabric)
	if err == nil {
		err = os.WriteFile(fabric, append(text, "goals:\n  carries: {of: raw, want: goodput >= 1b/s}\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	goals := p.path("goals.xml")
	first := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--repeats", "1", "--json", "--quiet", "--junit",
		goals)
	if first.code != cli.ExitDone || first.err != "" {
		t.Fatalf("run, with --quiet: %s", first)
	}
	want := first.run(t)
	reported, err := os.ReadFile(goals)
	if n := 1; err != nil || len(want.Goals) != n || strings.Count(string(reported), `classname="linerate.goal"`) != n ||
		!strings.Contains(string(reported), fmt.Sprintf(`tests="%d" failures="0"`, n)) {
		t.Errorf("%v, %d goals: %s", err, len(want.Goals), reported)
	}
	if a := p.linerate(t, "report", want.ID, "--junit", goals+"2"); a.code != cli.ExitDone {
		t.Errorf("report --junit: %s", a)
	} else if again, err := os.ReadFile(goals + "2"); err != nil || string(again) != string(reported) {
		t.Errorf("%v: report --junit writes %s, and the run %s", err, again, reported)
	}
	if a := p.linerate(t, "report", want.ID, "--junit", p.path("runs")); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "it is a folder\nhelp: name a file") {
		t.Errorf("report --junit of a folder: %s", a)
	}
	runs, err := os.ReadDir(p.path("runs"))
	if err != nil || len(runs) != 1 || !strings.HasSuffix(runs[0].Name(), "-three-"+want.ID) {
		t.Fatalf("runs: %v, %v; want one of id %s", runs, err, want.ID)
	}
	dir := p.path("runs", runs[0].Name())
	for _, ref := range []string{"latest", want.ID, dir, filepath.Join(dir, runfolder.ManifestName)} {
		for _, verb := range []string{"report", "explain"} {
			a := p.linerate(t, verb, ref, "--json").ends(t, cli.ExitDone)
			r := a.run(t)
			if r.ID != want.ID || r.Sentence != want.Sentence ||
				r.Experiments[0].Verdict.Sentence != want.Experiments[0].Verdict.Sentence || !r.Complete {
				t.Errorf("%s %s: %s\nwant %s", verb, ref, r.Sentence, want.Sentence)
			}
			if a := p.linerate(t, "report", ref); a.code != cli.ExitDone || !strings.Contains(a.out, "host1 -") ||
				a.err != "" {
				t.Errorf("%s %s: %s", verb, ref, a)
			}
		}
	}
	if err := runfolder.Verify(dir); err != nil {
		t.Errorf("report or explain changed the run: %v", err)
	}
}

// A folder without a lab adds none to the list, which is a list also as JSON; this user may have labs in other folders.
func TestNoLab(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	a := call(t, nil, "lab", "list", "--json")
	if labs, ok := a.object(t, "linerate/labs/1")["labs"].([]any); a.code != cli.ExitDone || !ok ||
		strings.Contains(a.out, dir) {
		t.Errorf("want a list without labs of %s: %v: %s", dir, labs, a)
	}
}
