package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

const (
	root     = "../.." // of the repository
	mesh     = root + "/examples/mesh-10g.yaml"
	patience = 5 * time.Minute // for one command of the real program, on a machine that is slow and busy
)

// examples are the fabric files that come with the program.
var examples = []string{"nas-40g", "mesh-10g", "pairs-ib", "eval-25g", "roce-100g"}

func example(name string) string { return filepath.Join(root, "examples", name+".yaml") }

// answer is what one command line left behind.
type answer struct {
	code     int
	out, err string
}

func (a answer) String() string {
	return fmt.Sprintf("exit code %d\nstandard output:\n%s\nstandard error:\n%s", a.code, a.out, a.err)
}

// call runs a command line inside the test, with no variable set but those of vars ("KEY=VALUE").
func call(t *testing.T, vars []string, args ...string) answer {
	t.Helper()
	var out, errs bytes.Buffer
	e := &cli.Env{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(k string) string {
		for _, kv := range vars {
			if name, value, _ := strings.Cut(kv, "="); name == k {
				return value
			}
		}
		return ""
	}}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	code := e.Execute(ctx, commandTree(e), args)
	return answer{code, out.String(), errs.String()}
}

// ends fails the test unless the command line has ended with that exit code.
func (a answer) ends(t testing.TB, code int) answer {
	t.Helper()
	if a.code != code {
		t.Fatalf("want exit code %d: %s", code, a)
	}
	return a
}

// object reads standard output as exactly one JSON object of a schema and nothing else.
func (a answer) object(t *testing.T, schema string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(a.out))
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		t.Fatalf("standard output is not a JSON object: %v\n%s", err, a)
	}
	if d.More() {
		t.Fatalf("standard output has more than one JSON value:\n%s", a)
	}
	if o["schema"] != schema {
		t.Errorf("schema %v, want %s", o["schema"], schema)
	}
	fits(t, schema, o)
	return o
}

// run is the object of a run, typed.
func (a answer) run(t *testing.T) *record.Run {
	t.Helper()
	a.object(t, record.RunSchema)
	r := &record.Run{}
	testenv.Check(t, json.Unmarshal([]byte(a.out), r))
	return r
}

// binary is the real program, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lr")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // an ordinary user starts it too
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "linerate")
	// Without symbols it has three quarters of the size, and many tests copy it over ssh.
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

// built is the folder of the program once it is built.
var built string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == spoilArgument {
		os.Exit(spoil(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == carryArgument {
		os.Exit(carry(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		// An agent of this program would be the tests once more.
		fmt.Fprintf(os.Stderr, "a test within this process has started %q: it needs the real program\n", os.Args[1:])
		os.Exit(2)
	}
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// spoilArgument makes the test's own program switch off what the machine has no tool for.
const spoilArgument = "spoil-offloads"

// program is the path of the real program. Only a test that belongs to a kind may use it (testenv.Need): `go test
// ./...` builds nothing.
func program(t testing.TB) string {
	t.Helper()
	if os.Getenv(testenv.Variable) == "" {
		t.Fatal("this test starts the real program, but asks for no kind of tests")
	}
	path := testenv.Must(binary())(t)
	return path
}

// place is a folder of the test's own in which commands run: nothing of it is shared with other users of the machine.
type place struct {
	dir string // working folder; below it runs/
	env []string
	as  func(*exec.Cmd) // who runs its commands; nil: whoever runs the tests
	own struct {        // see program
		sync.Once
		path string
		err  error
	}
}

// newPlace makes one. Its path is short, because a lab's socket lies below it.
func newPlace(t testing.TB) *place {
	t.Helper()
	dir := testenv.Must(os.MkdirTemp("", "lr"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &place{dir: dir, env: append(os.Environ(), "XDG_RUNTIME_DIR="+dir)}
}

// program is the real program under a path of the place's own: by it the processes of one test are distinguished from
// those of others that run at the same time.
func (p *place) program(t testing.TB) string {
	t.Helper()
	p.own.Do(func() {
		from := program(t)
		p.own.path = filepath.Join(filepath.Dir(from), filepath.Base(p.dir), filepath.Base(from))
		if p.own.err = os.Mkdir(filepath.Dir(p.own.path), 0o755); p.own.err == nil {
			p.own.err = os.Link(from, p.own.path)
		}
	})
	if p.own.err != nil {
		t.Fatal(p.own.err)
	}
	return p.own.path
}

// path of a file in it.
func (p *place) path(elem ...string) string {
	return filepath.Join(append([]string{p.dir}, elem...)...)
}

// command prepares the real program.
func (p *place) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(p.program(t), args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if p.as != nil {
		p.as(cmd)
	}
	return cmd
}

// linerate runs the real program to its end.
func (p *place) linerate(t testing.TB, args ...string) answer {
	t.Helper()
	return finish(t, p.command(t, args...))
}

// finish runs a command to its end, or kills it when patience runs out.
func finish(t testing.TB, cmd *exec.Cmd) answer {
	t.Helper()
	return finishWithin(t, cmd, patience)
}

func finishWithin(t testing.TB, cmd *exec.Cmd, patience time.Duration) answer {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, 5*time.Second
	testenv.Check(t, cmd.Start())
	stop := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !stop.Stop() {
		t.Fatalf("%v did not end within %v\n%s%s", cmd.Args, patience, &out, &errs)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return answer{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// output collects what a program writes and lets a test wait for a part of it.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) wait(t *testing.T, part string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(o.String(), part); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q within %v:\n%s", part, patience, o)
		}
	}
}

// copyFile copies a file, with replacements of text (old, new, old, new ..), each of which must be there.
func copyFile(t testing.TB, from, to string, replace ...string) string {
	t.Helper()
	b := testenv.Must(os.ReadFile(from))(t)
	text := string(b)
	for i := 0; i+1 < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("%s does not have %q", from, replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	testenv.WriteFile(t, to, []byte(text), 0o644)
	return to
}

// missing skips, or fails where everything is said to be there.
func missing(t testing.TB, what string) {
	t.Helper()
	testenv.Missing(t, what)
}

// unwrapped is a text as if the terminal had broken no line of it.
func unwrapped(s string) string { return strings.Join(strings.Fields(s), " ") }
