package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/lab/labtest"
)

// controller starts a controller with the marker's environment.
func controller(t *testing.T, mode, dieAt string) (cmd *exec.Cmd, out io.Reader, errs *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command("/proc/self/exe", controllerCommand, mode)
	cmd.Env = append(os.Environ(), stepVariable+"="+dieAt)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	errs = &bytes.Buffer{}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out, errs
}

// listed returns the test's own labs from List, which also shows those of other programs of this user.
func listed(t *testing.T) (own []Summary) {
	t.Helper()
	labs, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labs {
		if strings.HasPrefix(l.Folder, os.Getenv("XDG_RUNTIME_DIR")+"/") {
			own = append(own, l)
		}
	}
	return own
}

// downAll ends every lab of the test, as a user could who only has lab list.
func downAll(t *testing.T) {
	t.Helper()
	for _, l := range listed(t) {
		for range 2 { // idempotent
			if err := Down(l.ID); err != nil {
				t.Errorf("down %s: %v", l.ID, err)
			}
		}
	}
	if labs := listed(t); len(labs) > 0 {
		t.Errorf("after down, list still shows %+v", labs)
	}
}

// upAgain brings a second lab up and down.
func upAgain(t *testing.T, marker string) {
	t.Helper()
	l, err := Up(context.Background(), labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	if err != nil {
		t.Fatalf("the second up: %v", err)
	}
	spaces := namespaces(marker)
	if len(spaces) < 4 {
		t.Fatalf("a lab with %d namespaces? %v", len(spaces), spaces)
	}
	if err := l.Down(); err != nil {
		t.Fatal(err)
	}
	wantNothing(t, marker, spaces)
}

// A process of the lab dies at each step of up. When the init dies, Up itself leaves nothing; when the controller dies
// by kill -9, only the folder may be left, which list shows and down removes.
func TestKilledAtEachStep(t *testing.T) {
	needNamespaces(t)
	for _, c := range []struct{ who, mode string }{{"init", "bound"}, {"controller", "bound"}, {"controller", "detach"}} {
		t.Run(c.who+" "+c.mode, func(t *testing.T) {
			marker := private(t)
			steps := 0
			for n := 1; n < 100; n++ {
				cmd, out, errs := controller(t, c.mode, fmt.Sprintf("%s %d", c.who, n))
				first := make([]byte, 1)
				alive, _ := io.ReadFull(out, first) // a lab is up, or the controller has ended
				if alive == 1 {
					cmd.Process.Kill()
					io.Copy(io.Discard, out)
					cmd.Wait()
					downAll(t)
					wantNothing(t, marker, nil)
					break
				}
				err := cmd.Wait()
				steps++
				if c.who == "init" {
					if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "its init has ended") {
						t.Fatalf("step %d: %v, %s", n, err, errs)
					}
					wantNothing(t, marker, nil)
					continue
				}
				if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
					t.Fatalf("step %d: the controller was not killed: %v, %s", n, err, errs)
				}
				if !(c.mode == "detach" && n >= 6) { // it is detached by then
					eventually(t, "the init is gone", func() bool { return len(ours(marker)) == 0 })
				}
				downAll(t)
				wantNothing(t, marker, nil)
			}
			if want := map[string]int{"init": 9, "controller": 6}[c.who]; steps < want {
				t.Errorf("only %d steps died, want at least %d", steps, want)
			}
			upAgain(t, marker)
		})
	}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

// upInfo reads the output of a controller whose lab is up.
func upInfo(t *testing.T, out io.Reader, errs *bytes.Buffer) Info {
	t.Helper()
	var info Info
	if err := json.NewDecoder(out).Decode(&info); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	return info
}

// kill -9 of a controller ends its lab with everything in it and removes the folder. For a detached lab's controller it
// does nothing.
func TestControllerKilled(t *testing.T) {
	needNamespaces(t)
	marker := private(t)
	cmd, out, errs := controller(t, "bound", "")
	info := upInfo(t, out, errs)
	sleeper := startIn(t, info.ID+"/a", "sleep", "600")
	spaces := namespaces(marker)
	cmd.Process.Kill()
	cmd.Wait()
	wantNothing(t, marker, spaces)
	if _, err := sleeper.Wait(); err == nil || !strings.Contains(err.Error(), "its init is gone") {
		t.Errorf("a command in a lab that died: %v", err)
	}

	cmd, out, errs = controller(t, "detach", "")
	info = upInfo(t, out, errs)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	labs := listed(t)
	if len(labs) != 1 || labs[0].ID != info.ID || labs[0].Stray != "" || !labs[0].Ready || !labs[0].Detached ||
		labs[0].Scale != 1 {
		t.Errorf("list: %+v", labs)
	}
	startIn(t, info.ID+"/a", "sleep", "600")
	spaces = namespaces(marker)
	downAll(t)
	wantNothing(t, marker, spaces)
}

// kill -9 of the init ends everything and leaves only the folder, which list calls a stray.
func TestInitKilled(t *testing.T) {
	needNamespaces(t)
	marker := private(t)
	cmd, out, errs := controller(t, "detach", "")
	info := upInfo(t, out, errs)
	cmd.Wait()
	sleeper := startIn(t, info.ID+"/b", "sleep", "600")
	spaces := namespaces(marker)
	if len(spaces) < 10 { // init's net, mnt, pid, uts, ipc and net, mnt, uts of two hosts
		t.Fatalf("namespaces: %v", spaces)
	}
	signalInit(t, marker, syscall.SIGKILL)
	if _, err := sleeper.Wait(); err == nil {
		t.Error("the command ended well although the lab died")
	}
	eventually(t, "all processes are gone", func() bool { return len(ours(marker)) == 0 })
	eventually(t, "nothing holds a namespace", func() bool { return len(holders(spaces)) == 0 })
	if labs := listed(t); len(labs) != 1 || labs[0].Stray == "" {
		t.Errorf("list: %+v; want a stray", labs)
	}
	downAll(t)
	wantNothing(t, marker, spaces)
	upAgain(t, marker)
}

// signalInit sends a signal to the test's only init.
func signalInit(t *testing.T, marker string, sig syscall.Signal) {
	t.Helper()
	for _, pid := range ours(marker) {
		if b, _ := os.ReadFile("/proc/" + pid + "/cmdline"); bytes.Contains(b, []byte(InitCommand)) {
			n, err := strconv.Atoi(pid)
			if err == nil {
				err = syscall.Kill(n, sig)
			}
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("there is no init")
}

// A detached lab ends when the machine shuts down and when its folder is removed, because it could no longer be found.
func TestDetachedEnds(t *testing.T) {
	needNamespaces(t)
	marker := private(t)
	for name, end := range map[string]func(id string){
		"SIGTERM":        func(string) { signalInit(t, marker, syscall.SIGTERM) },
		"folder removed": func(id string) { os.RemoveAll(filepath.Join(marker, "linerate/lab", id)) },
	} {
		cmd, out, errs := controller(t, "detach", "")
		info := upInfo(t, out, errs)
		cmd.Wait()
		spaces := namespaces(marker)
		end(info.ID)
		eventually(t, name+": the lab is gone", func() bool { return len(residue(marker, spaces)) == 0 })
	}
}

// controllerMain is a controller in a process of its own, so that it can be killed: it brings a pair up, prints its
// Info and, unless the lab is detached, waits forever. Its argument is "bound", "detach", or "detach-userns": in a user
// namespace.
func controllerMain(args []string) int {
	l, err := Up(context.Background(), labtest.Pair(10*unit.GigabitPerSecond, 1500),
		Options{Scale: 1, Detach: args[0] != "bound", UserNamespace: args[0] == "detach-userns"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	json.NewEncoder(os.Stdout).Encode(l.Info)
	if args[0] == "bound" {
		select {}
	}
	return 0
}
