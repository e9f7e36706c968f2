package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/lab/exam"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

var labUp = regexp.MustCompile(`(?m)^lab ([0-9a-z]+): up in`)

// Each tutorial runs in its own folder, from its first command to its last; its outputs are compared with the actual
// ones.
func TestTutorials(t *testing.T) {
	t.Parallel()
	needLab(t)
	files := testenv.Must(filepath.Glob(filepath.Join(root, "docs", "tutorials", "*.md")))(t)
	for _, name := range examples {
		if !slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) == name+".md" }) {
			t.Errorf("no tutorial has the name of examples/%s.yaml", name)
		}
	}
	for _, file := range files {
		if filepath.Base(file) == "README.md" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			follow(t, file)
		})
	}
}

// follow does what a reader of a tutorial does.
func follow(t *testing.T, file string) {
	text := testenv.Must(os.ReadFile(file))(t)
	found := testenv.Must(fences(file, string(text)))(t)
	p := newPlace(t)
	from := testenv.Must(filepath.Abs(filepath.Join(root, "examples")))(t)
	testenv.Check(t, os.Symlink(from, p.path("examples")))
	p.env = append(p.env, "PATH="+filepath.Dir(p.program(t))+":"+os.Getenv("PATH"), "TERM=dumb")
	ran, lab := 0, ""
	for _, b := range found {
		if b.kind != "console" {
			if err := b.done(p); err != nil {
				t.Fatalf("%s:%d: %v", b.file, b.line, err)
			}
			continue
		}
		steps := testenv.Must(b.steps())(t)
		code := 0
		for i, s := range steps {
			if s.unrun { // TestCommandLinesOfTheDocuments checks its flags
				continue
			}
			if s.command == "echo $?" {
				if want := strconv.Itoa(code); !slices.Equal(s.shown, []string{want}) {
					t.Fatalf("%s: the exit code is %s, not %q", s.at, want, s.shown)
				}
				continue
			}
			ran++
			out, c := p.shell(t, strings.ReplaceAll(s.command, "ID", lab))
			if m := labUp.FindStringSubmatch(out); m != nil && strings.HasPrefix(s.command, "linerate lab up ") {
				lab = m[1]
			}
			// Whether goals are met depends on the machine.
			if code = c; code != cli.ExitDone && !(s.measured && code == cli.ExitMissed) &&
				(i+1 == len(steps) || steps[i+1].command != "echo $?") {
				t.Fatalf("%s: $ %s: exit code %d\n%s", s.at, s.command, code, out)
			}
			testenv.Check(t, s.check(out))
		}
	}
	if ran < 10 {
		t.Errorf("%s: only %d commands", file, ran)
	}
	p.nothingLeft(t, 0)
}

// shell runs a command line of a tutorial and returns both outputs and its exit code.
func (p *place) shell(t *testing.T, line string) (string, int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.env
	var both strings.Builder
	cmd.Stdout, cmd.Stderr = &both, &both
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return both.String(), cmd.ProcessState.ExitCode()
}

// of is the file that a block's first line names after mark, and its text.
func (b fence) of(p *place, mark, missing string) (name, text string, err error) {
	ok := false
	if len(b.lines) > 0 {
		name, ok = strings.CutPrefix(b.lines[0], mark)
	}
	if !ok {
		return "", "", errors.New(missing)
	}
	have, err := os.ReadFile(p.path(name))
	return name, string(have), err
}

// done processes a block without commands as a reader does: it saves it, changes a file, or compares it with the file.
func (b fence) done(p *place) error {
	switch b.kind {
	case "text":
		if b.name == "" {
			return nil
		}
		return os.WriteFile(p.path(b.name), []byte(strings.Join(b.lines, "\n")+"\n"), 0o644)
	case "yaml":
		_, text, err := b.of(p, "# ", "the first line does not name the file that it is of")
		if err != nil {
			return err
		}
		return excerpt(text, b.lines[1:])
	case "diff":
		name, text, err := b.of(p, "--- ", "the first line does not name the file that is changed")
		if err != nil {
			return err
		}
		is, err := edit(text, b.lines[1:])
		if err != nil {
			return err
		}
		return os.WriteFile(p.path(name), []byte(is), 0o644)
	}
	return fmt.Errorf("a block of kind %q: console, yaml, diff or text", b.kind)
}

// Two network namespaces made with ip are measured without any file, unshaped and with a shaper. No lab is involved.
// The run has a figure and a verdict, and its snapshots show the shaper. internal/lab/exam/live tests the verdict.
func TestSpoiledByHand(t *testing.T) {
	t.Parallel()
	needLab(t)
	testenv.NeedRoot(t)
	p := newPlace(t)
	a, b := fmt.Sprintf("lra%d", os.Getpid()), fmt.Sprintf("lrb%d", os.Getpid())
	do := func(line string) {
		t.Helper()
		words := exam.InNamespaces(line, a, b)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	for _, ns := range []string{a, b} {
		t.Cleanup(func() { exec.Command("ip", "netns", "del", ns).Run() })
	}
	for _, line := range []string{"ip netns add A", "ip netns add B",
		"ip link add e0 netns A type veth peer name e0 netns B", "ip -n A addr add 10.9.0.1/24 dev e0",
		"ip -n B addr add 10.9.0.2/24 dev e0", "ip -n A link set e0 up", "ip -n B link set e0 up"} {
		do(line)
	}
	for _, c := range []struct{ name, spoil, section, want string }{
		{"as it is", "", "ip -j address", "10.9.0.1"},
		{"shaper", "ip netns exec A tc qdisc replace dev e0 root tbf rate 30mbit burst 128kb limit 500kb", "tc -j", `"tbf"`},
	} {
		if c.spoil != "" {
			do(c.spoil)
		}
		dir := p.path(c.name)
		got := p.linerate(t, "measure", "throughput", "--from", "netns "+a, "--to", "netns "+b, "--to-address", "10.9.0.2",
			"--link", "1G", "--time", "200ms", "--direction", "out", "--repeats", "1", "-o", dir, "--json")
		if got.code != cli.ExitDone {
			t.Fatalf("%s: want exit code 0: %s", c.name, got)
		}
		var r record.Run
		text, err := os.ReadFile(filepath.Join(dir, runfolder.ManifestName))
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil || len(r.Experiments) != 1 {
			t.Fatalf("%s: %v: %s", c.name, err, got)
		}
		e := r.Experiments[0]
		if e.Verdict == nil || e.Goodput == nil || len(e.Repeats) != 1 || len(e.Repeats[0].Streams) != 1 {
			t.Errorf("%s: verdict %+v, goodput %+v", c.name, e.Verdict, e.Goodput)
		}
		snapshot, err := os.ReadFile(filepath.Join(dir, runfolder.SnapshotName(e.From, record.At(record.Before, e.ID))))
		if err != nil || !inSection(string(snapshot), c.section, c.want) {
			t.Errorf("%s: %v: the sender's snapshot has no %q in a section %q", c.name, err, c.want, c.section)
		}
	}
	p.nothingLeft(t, time.Minute)
}
