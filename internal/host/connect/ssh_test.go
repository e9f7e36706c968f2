//go:build linux

package connect_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
)

// onPath puts a script before any program of its name on PATH, and returns the script's folder.
func onPath(t *testing.T, name, script string) (dir string) {
	t.Helper()
	testenv.PlainTemp(t)
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// fakeSSH puts a shell script on PATH as ssh.
func fakeSSH(t *testing.T, script string) {
	t.Helper()
	onPath(t, "ssh", "#!/bin/sh\n"+script)
}

func openErr(t *testing.T, dest string) *connect.Error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := connect.Open(ctx, connect.Spec{Kind: connect.SSH, Name: dest})
	var e *connect.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *connect.Error", err)
	}
	return e
}

// The messages of OpenSSH 9.2, and the next step for each.
func TestSSHWords(t *testing.T) {
	for _, c := range []struct{ said, try string }{
		{"No ED25519 host key is known for nas and you have requested strict checking.\nHost key verification failed.",
			"ssh nas: once by hand"},
		{"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.", "ssh-keygen -R nas"},
		{"root@nas: Permission denied (publickey,password).", "ssh-copy-id nas"},
		{"Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures", "IdentitiesOnly"},
		{"ssh: connect to host nas port 22: Connection refused", "start sshd"},
		{"ssh: connect to host nas port 22: Connection timed out", "ping -c 3 nas"},
		{"ssh: connect to host nas port 22: No route to host", "ping -c 3 nas"},
		{"ssh: connect to host 10.9.0.2 port 22: No route to host", "ip route get 10.9.0.2: "},
		{"ssh: connect to host fe80::1%e0 port 22: Connection timed out", "ping -c 3 fe80::1%e0: "},
		{"ssh: connect to host nas port 22: Network is unreachable", "no route to its network"},
		{"ssh: Could not resolve hostname nas: Name or service not known", "/etc/hosts"},
		{"Timeout, server nas not responding.", "stopped answering"},
		{"Unable to negotiate with 10.0.0.1 port 22: no matching host key type found. Their offer: ssh-rsa",
			"HostKeyAlgorithms"},
		{"kex_exchange_identification: read: Connection reset by peer", "MaxStartups"},
		{"/root/.ssh/config: line 3: Bad configuration option: foo", "configuration file"},
		{"something quite new", "ssh -v nas true"},
	} {
		t.Run(c.try, func(t *testing.T) {
			fakeSSH(t, "cat >&2 <<'END'\n"+c.said+"\nEND\nexit 255\n")
			e := openErr(t, "nas")
			last := c.said[strings.LastIndex(c.said, "\n")+1:]
			if e.Exit != 255 || !strings.Contains(e.Try, c.try) || !strings.HasSuffix(e.Output, last) ||
				e.Connection != "ssh nas" {
				t.Errorf("got exit %d, output %q, try %q; want try with %q", e.Exit, e.Output, e.Try, c.try)
			}
			lines := e.Lines()
			if !strings.HasPrefix(lines[0], "ssh nas: ") || strings.Contains(lines[0], "tried") ||
				!strings.HasSuffix(lines[0], last) {
				t.Errorf("the cause does not come first: %q", lines)
			}
			if strings.Contains(e.Do, ": ") || strings.Contains(e.Do, ", ") || e.Do == "" && e.Say == "" ||
				e.Do != "" && !slices.Contains(lines, "type: "+e.Do) {
				t.Errorf("typed %q, next to it %q: no command alone in %q", e.Do, e.Say, lines)
			}
			for _, words := range []string{"ssh nas", "tried", "exit code 255", last, "try: "} {
				if !strings.Contains(e.Error(), words) {
					t.Errorf("the message does not have %q: %v", words, e)
				}
			}
		})
	}
}

// The output of a host or a server reaches a terminal without control characters.
func TestSSHWordsAreCleaned(t *testing.T) {
	fakeSSH(t, `printf '\033]0;title\007\033[31mred\r\n' >&2; exit 255`)
	if e := openErr(t, "nas"); strings.ContainsAny(e.Error(), "\x1b\x07\r\n") {
		t.Errorf("the message is %q", e.Error())
	}
}

func TestSSHArguments(t *testing.T) {
	dir := t.TempDir()
	fakeSSH(t, `if [ "$1" = -G ]; then exit 0; fi; printf '%s\n' "$@" >>`+dir+`/args; echo linerate /bin/sh %OS%`)
	r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.SSH, Name: "me@nas"})
	if err != nil {
		t.Fatal(err)
	}
	if r.String() != "ssh me@nas" {
		t.Errorf("it calls itself %q", r)
	}
	text, _ := os.ReadFile(dir + "/args")
	got := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	want := "-T -o BatchMode=yes -o ServerAliveInterval=5 -o ServerAliveCountMax=2 -o ConnectTimeout=10 -o " +
		"LogLevel=ERROR -o ClearAllForwardings=yes -- me@nas"
	if line := strings.Join(got[:len(got)-1], " "); line != want {
		t.Errorf("ssh got %q, want %q", line, want)
	}
	if strings.Contains(string(text), "StrictHostKeyChecking") {
		t.Error("host keys are the user's matter")
	}
	for _, dest := range []string{"-oProxyCommand=x", "root@-x", "a b", "", "a\x00"} {
		if _, err := connect.Open(t.Context(), connect.Spec{Kind: connect.SSH, Name: dest}); err == nil {
			t.Errorf("the destination %q was opened", dest)
		}
	}
	if again, _ := os.ReadFile(dir + "/args"); len(again) != len(text) {
		t.Error("ssh was run for a destination that is refused")
	}
}

func TestSSHMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if e := openErr(t, "nas"); errors.Is(e, connect.ErrNoProgram) || !strings.Contains(e.Error(), "openssh-client") {
		t.Errorf("without an ssh program: %v", e)
	}
}

func TestSSHNoisyLogin(t *testing.T) {
	fakeSSH(t, "if [ \"$1\" = -G ]; then exit 0; fi; echo Welcome; echo linerate /bin/sh %OS%")
	if e := openErr(t, "nas"); !strings.Contains(e.Error(), "Welcome") || !strings.Contains(e.Try, ".bashrc") {
		t.Errorf("a login file that prints: %v", e)
	}
}

// A host that accepts and sends nothing does not delay the run.
func TestSSHCancelledOpen(t *testing.T) {
	began := filepath.Join(t.TempDir(), "began")
	fakeSSH(t, "echo >"+began+"; exec sleep 3600")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(began); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := connect.Open(ctx, connect.Spec{Kind: connect.SSH, Name: "nas"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// The same errors with a real ssh and a real sshd.
func TestSSHRealTroubles(t *testing.T) {
	s := connecttest.SSHD(t)
	config, err := os.ReadFile(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	set := func(t *testing.T, old, new string) {
		text := strings.ReplaceAll(string(config), old, new)
		if text == string(config) {
			t.Fatalf("the configuration has no %q", old)
		}
		if err := os.WriteFile(s.Config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0") // a port that is certainly closed once it is released
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(closed.Addr().String())
	closed.Close()
	for _, c := range []struct{ name, old, new, try string }{
		{"unknown host key", "UserKnownHostsFile ", "UserKnownHostsFile /dev/null #", "once by hand"},
		{"no key", "IdentityFile ", "IdentityFile /nonexistent #", "ssh-copy-id far"},
		{"refused", "HostName " + s.Address, "HostName 127.0.0.1\nPort " + port, "start sshd"},
		{"no such name", "HostName " + s.Address, "HostName linerate.invalid", "/etc/hosts"},
		{"bad configuration", "IdentitiesOnly yes", "Identitiesonlyy yes", "configuration file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set(t, c.old, c.new)
			if e := openErr(t, s.Dest); !strings.Contains(e.Try, c.try) || e.Output == "" {
				t.Errorf("got %v, want try with %q", e, c.try)
			}
		})
	}
}

// The sshd of the connection dies in the middle of a command, and the command with it.
func TestSSHFarEndDies(t *testing.T) {
	s := connecttest.SSHD(t)
	r := open(t, "ssh "+s.Dest)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := r.Start(ctx,
		connect.Command{Argv: []string{"sh", "-c", `kill -9 $(sed -n 's/^PPid:.//p' /proc/$PPID/status); sleep 3600`}})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait()
	var e *connect.Error
	if exit != -1 || !errors.As(err, &e) || e.Exit != 255 || e.Try == "" {
		t.Errorf("got %d, %v; want a *connect.Error with ssh's exit code and a next step", exit, err)
	}
	waitAlone(t, s)
}

// waitAlone waits until only the listening sshd is in the server's namespace.
func waitAlone(t *testing.T, s *connecttest.Server) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !alone(s); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the far command still runs")
		}
	}
}

func alone(s *connecttest.Server) bool {
	out, err := exec.Command("ip", "netns", "pids", s.Namespace).Output()
	return err == nil && len(strings.Fields(string(out))) == 1
}

// A remote command that ignores every end is still killed when its connection ends.
func TestSSHStubbornCommand(t *testing.T) {
	s := connecttest.SSHD(t)
	r := open(t, "ssh "+s.Dest)
	waitAlone(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, far := io.Pipe()
	p, err := r.Start(ctx,
		connect.Command{Argv: []string{"sh", "-c", "trap '' HUP TERM PIPE; echo; while :; do sleep 0.1; done"}, Stdout: far})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	p.Wait()
	waitAlone(t, s)
}

// A command of the next step takes a host or an address, and no user.
func TestSSHTryWithAUser(t *testing.T) {
	for said, want := range map[string]string{
		"ssh: connect to host nas port 22: No route to host":      "ping -c 3 nas",
		"ssh: connect to host 10.0.0.9 port 22: No route to host": "ip route get 10.0.0.9",
		"ssh: connect to host 10.0.0.9 port 22: timed out":        "ping -c 3 10.0.0.9",
		"ssh: Could not resolve hostname nas: unknown":            "getent hosts nas",
		"Timeout, server nas not responding.":                     "ping -c 3 nas",
		"Host key verification failed.":                           "ssh root@nas",
		"Permission denied (publickey).":                          "ssh-copy-id root@nas",
		"something new":                                           "ssh -v root@nas true",
	} {
		fakeSSH(t, "cat >&2 <<'END'\n"+said+"\nEND\nexit 255\n")
		if e := openErr(t, "root@nas"); e.Do != want {
			t.Errorf("%s: %q, want %q", said, e.Do, want)
		}
	}
}
