package apply

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/testenv"
)

// The scripts manage one setting in a file: "old" before, "new" as planned.
const (
	right = `cat setting >old; echo new >setting`
	check = `s=$(cat setting); if [ "$s" = new ]; then echo "ok setting"; else echo "not as planned: setting is $s, planned new"; exit 1; fi`
	undo  = "cp old setting"
)

// endless is a patience that no test reaches.
const endless = 1_000_000

// hurried is this machine with programs of the test's own before those on PATH: a second of sleep is short, and every
// user is root.
type hurried struct {
	connect.Connection
	bin string
}

func (h hurried) Start(ctx context.Context, c connect.Command) (connect.Process, error) {
	c.Env = append(slices.Clone(c.Env), "PATH="+h.bin+":"+os.Getenv("PATH"))
	return h.Connection.Start(ctx, c)
}

func job(t *testing.T, scripts map[string]string) *Job {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		testenv.Missing(t, "sleep")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh")
	}
	spec, err := connect.Parse("local")
	if err != nil {
		t.Fatal(err)
	}
	r, err := connect.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	bin := t.TempDir()
	for name, text := range map[string]string{"sleep": "exec " + sleep + " 0.05", "id": "echo 0"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	j := &Job{Connection: hurried{r, bin}, Folder: filepath.Join(t.TempDir(), "apply"), Patience: endless,
		interval: 60 * time.Millisecond, Scripts: map[string]string{"apply.sh": right, "verify.sh": check, "undo.sh": undo}}
	for name, text := range scripts {
		j.Scripts[name] = text
	}
	t.Cleanup(func() { ended(t, j) })
	return j
}

// look runs Look, and creates the setting.
func (j *Job) look(t *testing.T) Look {
	t.Helper()
	// the folder is new: the setting must exist first
	for _, s := range []string{"verify.sh", "apply.sh", "undo.sh"} {
		j.Scripts[s] = `[ -e setting ] || echo old >setting; ` + j.Scripts[s]
	}
	l, err := j.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (j *Job) setting(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(j.Folder + "/setting")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// ended waits until no guard is left.
func ended(t *testing.T, j *Job) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := connect.Run(context.Background(), j.Connection, nil, "sh", "-c",
			`[ -e "$1" ] || exit 1; kill -0 "$(cat "$1")"`, "sh", j.Folder+"/guard.pid")
		if err != nil {
			t.Fatal(err)
		}
		if out.Exit != 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the guard is still there")
		}
	}
}

// started starts the guard and waits until it runs.
func started(t *testing.T, j *Job) {
	t.Helper()
	if err := j.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); j.read(t.Context(), "state") == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the guard did not start")
		}
	}
}

func TestWaysItCanGo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scripts map[string]string
		ended   Ended
		why     string
		setting string
	}{
		"applied": {nil, Applied, "verified", "new"},
		"not all known": {map[string]string{"verify.sh": check + "; echo 'not known: the weather'; exit 3"}, Applied,
			"verified", "new"},
		"not all set": {map[string]string{"apply.sh": right + "; echo 'not set: the weather'; exit 3"}, Applied,
			"verified", "new"},
		"apply fails": {map[string]string{"apply.sh": right + "; echo it broke; exit 7"}, Undone, "apply.sh ended with 7",
			"old"},
		"verify fails": {map[string]string{"apply.sh": "cat setting >old; echo other >setting"}, Undone,
			"verify.sh ended with 1", "old"},
		"undo fails": {map[string]string{"apply.sh": right + "; exit 1", "undo.sh": "exit 9"}, Stuck,
			"undo.sh ended with 9", "new"},
		"undo undoes something else": {map[string]string{"apply.sh": right + "; exit 1", "undo.sh": "echo third >setting"},
			Stuck, "apply.sh ended with 1", "third"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := job(t, c.scripts)
			l := j.look(t)
			if l.AsPlanned || len(l.Differences) != 1 || !strings.Contains(l.Differences[0], "planned new") {
				t.Fatalf("look: %+v", l)
			}
			o, err := j.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if o.Ended != c.ended || !strings.Contains(o.Why, c.why) {
				t.Errorf("ended %s (%s), want %s (%s); %q", o.Ended, o.Why, c.ended, c.why, o.Log)
			}
			if got := j.setting(t); got != c.setting {
				t.Errorf("the setting is %s, want %s", got, c.setting)
			}
		})
	}
}

// With the saved state of an earlier apply, the undo restores the state before that one, and the message says so.
func TestAfterAnEarlierApply(t *testing.T) {
	t.Parallel()
	j := job(t, map[string]string{"apply.sh": "echo third >setting; exit 1", "undo.sh": "echo first >setting"})
	j.State = t.TempDir()
	j.look(t)
	o, err := j.Run(t.Context())
	if err != nil || o.Ended != Undone || !strings.Contains(o.Why, "the apply before it was undone with it") ||
		j.setting(t) != "first" {
		t.Errorf("%+v, %v, setting %s", o, err, j.setting(t))
	}
}

// A Look without an apply leaves the undo of the previous apply where it was. Files that survive a reboot are installed
// after an apply, and on a host that is already as planned.
func TestLooksAfterAnApply(t *testing.T) {
	t.Parallel()
	j := job(t, map[string]string{"install.sh": "cp files/a.conf installed", "files/a.conf": "it's $HOME `x` \\\n"})
	kept := func() bool {
		_, err := os.Stat(j.Folder + "/undo.sh")
		return err == nil
	}
	if j.look(t); kept() {
		t.Error("a look alone makes the folder")
	}
	if o, err := j.Run(t.Context()); err != nil || o.Ended != Applied {
		t.Fatalf("%+v, %v", o, err)
	}
	ended(t, j) // the guard says that it applied, and then ends
	for _, folder := range []string{j.Folder, j.fresh()} {
		if folder == j.fresh() {
			j.look(t)
		}
		if err := j.Persist(t.Context()); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(folder + "/installed"); string(b) != j.Scripts["files/a.conf"] {
			t.Errorf("%s: %q, %v", folder, b, err)
		}
	}
	if err := j.Forget(t.Context()); err != nil || !kept() || j.setting(t) != "new" {
		t.Errorf("after another look: %v, kept %t", err, kept())
	}
	if _, err := os.Stat(j.fresh()); err == nil {
		t.Error("the look left its folder")
	}
}

// lives reads proc(5); a zombie does not live.
func lives(pid string) bool {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	return err == nil && !strings.Contains(string(status), "State:\tZ")
}

// A script that never ends is undone when queries stop, and its children are killed: a child could change something
// after the undo.
func TestHangingScript(t *testing.T) {
	t.Parallel()
	j := job(t,
		map[string]string{"apply.sh": right + "; sh -c 'while :; do sleep 1; done' & echo $! >child; wait; exit 0"})
	j.Patience = 3
	j.look(t)
	started(t, j)
	ended(t, j)
	state := j.read(t.Context(), "state")
	if !strings.HasPrefix(state, "undone ") || !strings.Contains(state, "while apply.sh was running") ||
		j.setting(t) != "old" {
		t.Errorf("state %q, setting %s", state, j.setting(t))
	}
	child := strings.TrimSpace(j.read(t.Context(), "child"))
	if child == "" {
		t.Fatal("the script started no child")
	}
	defer func() {
		if pid, err := strconv.Atoi(child); err == nil && lives(child) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	for end := time.Now().Add(time.Minute); lives(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a child of the script lives after the undo")
		}
	}
}

// Without a confirmation everything is undone. To the host, a killed controller and a cut connection look like this.
func TestNobodyConfirms(t *testing.T) {
	t.Parallel()
	j := job(t, nil)
	j.look(t)
	started(t, j)
	if _, err := j.Look(t.Context()); err == nil || !strings.Contains(err.Error(), "another apply is under way") {
		t.Errorf("a second apply: %v", err)
	}
	if err := j.put(t.Context(), "abort"); err != nil {
		t.Fatal(err)
	}
	ended(t, j)
	if state := j.read(t.Context(), "state"); !strings.HasPrefix(state, "undone it was asked to") ||
		j.setting(t) != "old" {
		t.Errorf("state %q, setting %s", state, j.setting(t))
	}
	j = job(t, nil)
	j.Patience = 3
	j.look(t)
	if err := j.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Queries until the guard waits for the confirmation. If the test itself paused for 3 s before that, the guard reports
	// it.
	end := time.Now().Add(time.Minute)
	for state := ""; state != "waiting" && !strings.HasPrefix(state, "und"); time.Sleep(20 * time.Millisecond) {
		var err error
		if state, err = j.ask(t.Context()); err != nil || time.Now().After(end) {
			t.Fatalf("the guard does not wait: state %q, %v", state, err)
		}
	}
	ended(t, j)
	state := j.read(t.Context(), "state")
	confirmed, asked := strings.HasPrefix(state, "undone nobody confirmed for 3 s"), strings.HasPrefix(state,
		"undone nobody asked for 3 s")
	if !confirmed && !asked || j.setting(t) != "old" {
		t.Errorf("state %q, setting %s", state, j.setting(t))
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	j := job(t, map[string]string{"apply.sh": right + "; echo >began; while :; do sleep 1; done"})
	j.look(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(j.Folder + "/began"); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	o, err := j.Run(ctx)
	if err != nil || o.Ended != Undone || !strings.Contains(o.Why, "asked to") || j.setting(t) != "old" {
		t.Errorf("%+v, %v, setting %s", o, err, j.setting(t))
	}
}

func TestAsPlanned(t *testing.T) {
	t.Parallel()
	j := job(t, map[string]string{"verify.sh": "echo ok all"})
	if l := j.look(t); !l.AsPlanned || len(l.Differences) != 0 {
		t.Errorf("%+v", l)
	}
}

// The kernel's mount table shows a root in memory.
func TestInMemory(t *testing.T) {
	for text, want := range map[string]string{"folder /run/x\nroot tmpfs\n": "its files are in memory (the file system " +
		"at / is a tmpfs)", "root rootfs": "its files are in memory (the file system at / is a rootfs)",
		"root ext4\n": "", "root overlay\n": "", "root \n": "", "": ""} {
		if got := inMemory(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestControl(t *testing.T) {
	answer := "control 10.1.0.2\nhas lo 127.0.0.1/8\nhas eth0 192.168.1.5/24\nhas cx5p1@if3 10.1.0.2/24\n"
	name, why := control(answer)
	if name != "cx5p1" || why != "" {
		t.Errorf("%q, %q", name, why)
	}
	for _, c := range []struct {
		look Look
		want bool
	}{
		{Look{Control: "cx5p1", Differences: []string{"not as planned: MTU of cx5p1 is 1500, planned 9000"}}, true},
		{Look{Control: "cx5p1", Differences: []string{"not as planned: MTU of cx5p10 is 1500, planned 9000"}}, false},
		{Look{Control: "", Differences: []string{"not as planned: MTU of cx5p1 is 1500, planned 9000"}}, false},
	} {
		if got := c.look.OverControl(); got != c.want {
			t.Errorf("%+v: %v", c.look, got)
		}
	}
	if _, why := control("control 10.9.9.9\nhas lo 127.0.0.1/8\n"); why == "" {
		t.Error("an address that no interface has is not reported")
	}
	if name, why := control(""); name != "" || why != "" {
		t.Errorf("without a network: %q, %q", name, why)
	}
}
