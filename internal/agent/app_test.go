//go:build linux

package agent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/testenv"
)

// TestMain makes this test binary the launcher of mpirun and the keeper, as cmd/linerate does.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case process.LauncherName:
		os.Exit(LauncherMain(os.Args, os.Stderr))
	case process.KeeperName:
		os.Exit(KeeperMain(os.Args, os.Stdin))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // of agents: they have ended their work when they end
	os.Exit(m.Run())
}

const testApp = "TESTTESTTESTTESTTESTTEST"

// appPlace is the path of the folder of the tests' experiment.
func appPlace(t *testing.T) string {
	t.Helper()
	f := testenv.Must(process.NewFolder(testApp))(t)
	f.Remove()
	return f.Dir
}

// A command runs in its folder, with files, and the folder is removed.
func TestApp(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	place := appPlace(t)
	q := App{Name: testApp, Argv: []string{"sh", "-c", "pwd; cat in.txt; echo \"$1\"; echo oh >&2; exit 3", "sh",
		"{folder}/x; rm -rf /nothing"}, Limit: time.Hour, Samples: 10,
		Files: []process.File{{Name: "in.txt", Data: []byte("given\n")}}}
	r := testenv.Must(c.App(t.Context(), q, nil, nil))(t)
	out := testenv.Must(r.Wait())(t)
	want := place + "\ngiven\n" + place + "/x; rm -rf /nothing\n"
	if string(out.Stdout.Text) != want || string(out.Stderr.Text) != "oh\n" || out.Exit != 3 || !out.Ended ||
		out.Seconds <= 0 {
		t.Fatalf("got %q, %q, exit %d, ended %v, %v s", out.Stdout.Text, out.Stderr.Text, out.Exit, out.Ended, out.Seconds)
	}
	if _, err := os.Stat(place); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the folder %s is still there: %v", place, err)
	}
}

// A command's child that has left its group and its terminal, as mpirun's ranks do, ends with the command, however that
// is ended.
func TestAppLeavesNothing(t *testing.T) {
	testenv.Need(t, testenv.Live)
	script := "setsid sh -c 'echo $$ > pid; exec sleep 3600' & sleep 3600"
	for name, end := range map[string]func(*Client, *AppRun){
		"finish": func(_ *Client, r *AppRun) { _, _ = r.Finish() },
		"close":  func(c *Client, _ *AppRun) { c.Close() },
		"kill -9 of the controller": func(c *Client, _ *AppRun) {
			c.stdin.Close() // what the agent sees of it
			<-c.Gone()
		},
		"kill -9 of the agent": func(c *Client, _ *AppRun) {
			if err := syscall.Kill(c.Hello().PID, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustStart(t)
			place := appPlace(t)
			r, err := c.App(t.Context(), App{Name: testApp, Argv: []string{"sh", "-c", script}, Limit: time.Hour}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var pid string
			eventually(t, "the child", func() bool {
				text, _ := os.ReadFile(filepath.Join(place, "pid"))
				pid = strings.TrimSpace(string(text))
				return pid != ""
			})
			end(c, r)
			eventually(t, "the end of the child "+pid, func() bool {
				stat, err := os.ReadFile("/proc/" + pid + "/stat")
				return err != nil || bytes.Contains(stat, []byte(") Z "))
			})
			eventually(t, "the end of the folder", func() bool {
				_, err := os.Stat(place)
				return errors.Is(err, os.ErrNotExist)
			})
		})
	}
}

// An error has the program, the cause and the last lines of the output.
func TestAppErrors(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	for name, one := range map[string]struct {
		q    App
		code string
		want []string
	}{
		"no program": {App{Name: testApp, Argv: []string{"linerate-nonsense"}, Limit: time.Hour}, failure.CodeUnsupported,
			[]string{"linerate-nonsense", "not on this host"}},
		"needs": {App{Name: testApp, Argv: []string{"true"}, Needs: []string{"linerate-other"}, Limit: time.Hour},
			failure.CodeUnsupported, []string{"linerate-other"}},
		"limit": {App{Name: testApp, Argv: []string{"sh", "-c", "echo step 7; sleep 3600"}, Limit: 2 * time.Second},
			failure.CodeTimeout, []string{"2s", "step 7"}},
		"name": {App{Name: "../../x", Argv: []string{"true"}, Limit: time.Hour}, failure.CodeInput, []string{"name"}},
		"file": {App{Name: testApp, Argv: []string{"true"}, Limit: time.Hour, Files: []process.File{{Name: "../x"}}},
			failure.CodeInput, []string{"../x"}},
		"large files": {App{Name: testApp, Argv: []string{"true"}, Limit: time.Hour,
			Files: []process.File{{Name: "x", Data: make([]byte, MostFiles+1)}}}, failure.CodeInput, []string{"524288"}},
		"server ended": {App{Name: testApp, Argv: []string{"sh", "-c", "echo port taken >&2; exit 1"}, Limit: time.Hour,
			Serves: true, Ready: "listening"}, failure.CodeInternal, []string{"ended before", "port taken"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := c.App(t.Context(), one.q, nil, nil)
			if err == nil {
				_, err = r.Wait()
			}
			var e *failure.Error
			if !errors.As(err, &e) || e.Code != one.code {
				t.Fatalf("got %v, want code %s", err, one.code)
			}
			for _, w := range one.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v has no %q", err, w)
				}
			}
		})
	}
}

// A server is ready when its output matches, and is ended at the finish.
func TestAppServer(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	said := filepath.Join(t.TempDir(), "said")
	r := testenv.Must(c.App(t.Context(), App{Name: testApp,
		Argv:  []string{"sh", "-c", "echo x; sleep 0.1; echo >\"$1\"; echo now listening; sleep 3600", "sh", said},
		Limit: time.Hour, Serves: true, Ready: "now list"}, nil, nil))(t)
	if _, err := os.Stat(said); err != nil {
		t.Errorf("it is ready before it said so: %v", err)
	}
	out, err := r.Finish()
	if err != nil || out.Ended || !strings.Contains(string(out.Stdout.Text), "listening") {
		t.Fatalf("%v, %+v", err, out)
	}
}

// The end of a server does not end its client, which may be on the same machine and still run.
func TestAppServerEnds(t *testing.T) {
	testenv.Need(t, testenv.Live)
	a, b := mustStart(t), mustStart(t)
	dir := t.TempDir()
	script := "echo $$ >\"$1\"/pid; echo listening; while [ ! -e \"$1\"/end ]; do sleep 0.01; done"
	server, err := b.App(t.Context(), App{Name: testApp, Argv: []string{"sh", "-c", script, "sh", dir}, Limit: time.Hour,
		Serves: true, Ready: "listening"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := testenv.Must(a.App(t.Context(), App{Name: testApp,
		Argv: []string{"sh", "-c", "echo >\"$1\"/end; while [ -e /proc/$(cat \"$1\"/pid) ]; do sleep 0.01; done; pwd; ls " +
			".linerate", "sh", dir}, Limit: time.Hour}, nil, nil))(t)
	out, err := client.Wait()
	if err != nil || out.Exit != 0 || !strings.Contains(string(out.Stdout.Text), process.LauncherName) {
		t.Errorf("the client: %v, exit %d, %q, %q", err, out.Exit, out.Stdout.Text, out.Stderr.Text)
	}
	if _, err := server.Finish(); err != nil {
		t.Error(err)
	}
}

// What mpirun starts in place of ssh is sent to the controller, and gets its answer.
func TestAppLauncher(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	script := "exec \"$1\" -x 10.0.0.2 'echo' '\"a  b\"; exit 7'"
	launched := make(chan Launch, 1)
	r, err := c.App(t.Context(), App{Name: testApp,
		Argv: []string{"sh", "-c", script, "sh", "{folder}/.linerate/" + process.LauncherName}, Limit: time.Hour}, nil,
		func(from *AppRun, q Launch) {
			launched <- q
			go func() {
				a, err := from.Spawn(t.Context(), q.Line)
				if err != nil {
					t.Error(err)
				}
				a.Number = q.Number
				if err := from.Launched(t.Context(), a); err != nil {
					t.Error(err)
				}
			}()
		})
	if err != nil {
		t.Fatal(err)
	}
	out := testenv.Must(r.Wait())(t)
	if q := <-launched; q.Host != "10.0.0.2" || q.Line != `echo "a  b"; exit 7` {
		t.Errorf("the controller was asked for %+v", q)
	}
	if out.Exit != 7 || string(out.Stderr.Text) != "a  b\n" {
		t.Errorf("exit %d, %q: want the daemon's", out.Exit, out.Stderr.Text)
	}
}

// An agent that listens runs commands only if it was started with --allow command.
func TestAppNotAllowed(t *testing.T) {
	for _, allow := range [][]string{nil, {"command"}} {
		s := &server{opt: Options{listens: true, Allow: allow}}
		err := s.app(context.Background(), 1, App{})
		if reported := strings.Contains(err.Error(), "--allow command"); reported != (allow == nil) {
			t.Errorf("allowed %v: %v", allow, err)
		}
	}
}

// A keeper removes only folders of experiments.
func TestKeeperRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, argv := range [][]string{{"x"}, {"x", dir}, {"x", "linerate-app-" + testApp},
		{"x", filepath.Join(dir, "linerate-app-..")}} {
		if code := KeeperMain(argv, strings.NewReader("")); code != 2 {
			t.Errorf("%q: exit code %d", argv, code)
		}
	}
	place := filepath.Join(dir, "linerate-app-"+testApp)
	testenv.Check(t, os.MkdirAll(filepath.Join(place, "x"), 0o700))
	if code := KeeperMain([]string{"x", place}, strings.NewReader("")); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(place); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", place, err)
	}
}

// Started without an experiment, the launcher prints what it is for.
func TestLauncherAlone(t *testing.T) {
	var said bytes.Buffer
	argv := []string{filepath.Join(t.TempDir(), process.LauncherName), "host", "true"}
	if code := LauncherMain(argv, &said); code != 255 ||
		!strings.Contains(said.String(), "does not answer") {
		t.Errorf("%d %q", code, said.String())
	}
	said.Reset()
	if code := LauncherMain([]string{"x"}, &said); code != 255 || !strings.Contains(said.String(), "mpirun") {
		t.Errorf("%d %q", code, said.String())
	}
}

// A program among the files is started from memory.
func TestAppProgram(t *testing.T) {
	testenv.Need(t, testenv.Live)
	text, err := os.ReadFile("/bin/echo")
	if err != nil || len(text) > MostFiles {
		t.Skip("/bin/echo is not a small program")
	}
	c := mustStart(t)
	r := testenv.Must(c.App(t.Context(), App{Name: testApp,
		Argv: []string{"sh", "-c", "readlink \"$1\"; exec \"$1\" hello", "sh", "{folder}/.linerate/given"}, Limit: time.Hour,
		Files: []process.File{{Name: "given", Data: text, Own: true, Program: true}}}, nil, nil))(t)
	out := testenv.Must(r.Wait())(t)
	if got := string(out.Stdout.Text); !strings.HasPrefix(got, "/proc/") || !strings.HasSuffix(got, "\nhello\n") ||
		out.Exit != 0 {
		t.Errorf("%q, %q, exit code %d", got, out.Stderr.Text, out.Exit)
	}
}
