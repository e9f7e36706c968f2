package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// userWay is the way of a protocol in user space, or the test is left out because this host lacks it.
func userWay(t *testing.T, c *Client, protocol string) string {
	t.Helper()
	if why := canFUSE(); why != "" {
		t.Skip(why) // nothing that is installed mends it
	}
	for _, role := range []storageRole{StorageServer, StorageClient} {
		all, err := c.StorageWays(t.Context(), protocol, role, false)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %+v, %v", protocol, all, err)
		}
		if all[0].Lacks != "" {
			testenv.Missing(t, all[0].Lacks)
		}
		if role == StorageClient {
			return all[0].Name
		}
	}
	return ""
}

// left are folders of storage that are there, beside those of before.
func left(t *testing.T, before []string) (out []string) {
	t.Helper()
	all, _ := filepath.Glob(filepath.Join(os.TempDir(), storagePrefix+"*"))
	for _, d := range all {
		old := false
		for _, b := range before {
			old = old || b == d
		}
		if !old {
			out = append(out, d)
		}
	}
	return out
}

// alone gives the agents of a test a place for their folders that no other program of this machine uses, and returns those that are there.
func alone(t *testing.T) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ls") // short: sockets lie in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return left(t, nil)
}

func goneSoon(t *testing.T, what string, there func() []string) {
	t.Helper()
	var still []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if still = there(); len(still) == 0 {
			return
		}
	}
	t.Errorf("%s: still there: %v", what, still)
}

// runJob prepares and runs a job on what was attached.
func runJob(t *testing.T, c *Client, j block.Job, during func()) (*BlockOutcome, error) {
	t.Helper()
	r, err := c.Block(t.Context(), Block{Job: &j}, nil)
	if err != nil {
		return nil, err
	}
	if err := r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)); err != nil {
		return nil, err
	}
	if during != nil {
		during()
	}
	return r.Wait()
}

func attachedJob(path string) block.Job {
	return block.Job{Target: path, Span: 8 * unit.MiB, Size: 4 * unit.KiB, Read: 0.5, Depth: 8, Threads: 2, Window: 400 * time.Millisecond, Seed: 3, Verify: true}
}

// storageProtocols are those of programs.
var storageProtocols = []string{"iscsi", "nbd"}

// Files of one agent are given out and become files of another agent's host: two of one host are two, what is written is in the giver's own file, and nothing is left.
func TestStorageUser(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, protocol := range storageProtocols {
		t.Run(protocol, func(t *testing.T) {
			before := alone(t)
			dir := t.TempDir()
			owner, asker := mustStart(t), mustStart(t)
			way := userWay(t, asker, protocol)
			userWay(t, owner, protocol)
			var paths []string
			for key, at := range map[string]netip.Addr{"a": loopback, "b": netip.MustParseAddr("127.0.0.3")} {
				g, err := owner.Give(t.Context(), way, dir, key, 8*unit.MiB, at, loopback)
				if err != nil {
					t.Fatal(err)
				}
				if g.At.Addr() != at {
					t.Errorf("asked for %v, given out at %v", at, g.At)
				}
				a, err := asker.Attach(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				if a.Size != 8*unit.MiB || !strings.Contains(a.Client, "user space") || !strings.Contains(g.Server, "user space") {
					t.Errorf("%+v of %+v", a, g)
				}
				paths = append(paths, a.Path)
			}
			if len(files(t, dir)) != 2 || paths[0] == paths[1] {
				t.Errorf("two drives are the files %v, seen as %v", files(t, dir), paths)
			}
			for _, c := range []struct {
				read   float64
				verify bool
			}{{1, false}, {1, true}, {0.5, true}} {
				j := attachedJob(paths[0])
				j.Read, j.Verify = c.read, c.verify
				out, err := runJob(t, asker, j, nil)
				if err != nil {
					t.Fatal(err)
				}
				if text := strings.Join(out.Engine.Warnings, "; "); strings.Contains(text, "holes") {
					t.Errorf("%+v: %s", c, text)
				}
				if !c.verify {
					if out.Engine.Read.Operations == 0 || out.Engine.ErrorCount != 0 {
						t.Errorf("%+v: %+v", c, out.Engine)
					}
					continue
				}
				if o := out.Engine; o.Verified.Right == 0 || o.Verified.Wrong+o.Verified.Unknown != 0 || o.ErrorCount != 0 {
					t.Errorf("%+v: %+v, errors %v", c, o.Verified, o.Errors)
				}
			}
			if seen, err := os.ReadFile(paths[0]); err != nil || !inOneOf(seen, dir) || string(seen) == string(mustRead(t, paths[1])) {
				t.Errorf("what is seen is in none of the giver's files, or both are one (%v)", err)
			}
			large := attachedJob(paths[0])
			large.Span = 16 * unit.MiB
			if _, err := runJob(t, asker, large, nil); err == nil || !strings.Contains(err.Error(), "8 MiB") {
				t.Errorf("a span that the unit has no room for: %v", err)
			}
			mount := filepath.Dir(paths[0])
			asker.Close()
			owner.Close()
			goneSoon(t, "folders", func() []string { return left(t, before) })
			goneSoon(t, "mounts", func() []string { return mountsBelow(mount) })
			goneSoon(t, "the giver's files", func() []string { return files(t, dir) })
		})
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func inOneOf(want []byte, dir string) bool {
	all, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range all {
		if b, err := os.ReadFile(f); err == nil && string(b) == string(want) {
			return true
		}
	}
	return false
}

// Agents that are killed leave no process, no mount and no file.
func TestStorageKilled(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, protocol := range storageProtocols {
		t.Run(protocol, func(t *testing.T) {
			before := alone(t)
			dir := t.TempDir()
			owner, asker := mustStart(t), mustStart(t)
			way := userWay(t, asker, protocol)
			userWay(t, owner, protocol)
			g, err := owner.Give(t.Context(), way, dir, "a", 8*unit.MiB, loopback, loopback)
			if err != nil {
				t.Fatal(err)
			}
			a, err := asker.Attach(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			folders := left(t, before)
			if len(folders) != 2 || len(mountsBelow(filepath.Dir(a.Path))) != 1 {
				t.Errorf("folders %v, mounts %v", folders, mountsBelow(filepath.Dir(a.Path)))
			}
			for _, c := range []*Client{asker, owner} {
				if err := syscall.Kill(c.Hello().PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			goneSoon(t, "folders", func() []string { return left(t, before) })
			goneSoon(t, "mounts", func() []string { return mountsBelow(filepath.Dir(a.Path)) })
			goneSoon(t, "the giver's files", func() []string { return files(t, dir) })
			goneSoon(t, "the server", func() []string {
				if conn, err := net.Dial("tcp", g.At.String()); err == nil {
					conn.Close()
					return []string{g.At.String()}
				}
				return nil
			})
		})
	}
}

// A wrong password is told as such, and tried once.
func TestStorageLogin(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	way := userWay(t, c, "iscsi")
	g, err := c.Give(t.Context(), way, t.TempDir(), "a", 8*unit.MiB, loopback, loopback)
	if err != nil {
		t.Fatal(err)
	}
	// A relay in front of it counts who comes.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	came := make(chan struct{}, 100)
	go relay(ln, g.At.String(), came)
	wrong := g
	wrong.Secret, wrong.At = "not-the-password", netip.MustParseAddrPort(ln.Addr().String())
	_, err = c.Attach(t.Context(), wrong)
	var e *traffic.Error
	if !errors.As(err, &e) || e.Code != traffic.CodeAddress || !strings.Contains(e.Text, "Authentication failure") || !strings.Contains(e.Text, "once") {
		t.Errorf("a wrong password: %v", err)
	}
	if _, err := c.Attach(t.Context(), g); err != nil {
		t.Errorf("the right one behind it: %v", err)
	}
	if n := len(came); n != 1 { // a storm would be one by now
		t.Errorf("it was tried %d times", n)
	}
	stranger, err := c.Give(t.Context(), way, t.TempDir(), "b", 8*unit.MiB, loopback, netip.MustParseAddr("127.0.0.2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Attach(t.Context(), stranger); err == nil {
		t.Error("an address came in that is not the one that may")
	}
}

func relay(ln net.Listener, to string, came chan struct{}) {
	for {
		in, err := ln.Accept()
		if err != nil {
			return
		}
		came <- struct{}{}
		out, err := net.Dial("tcp", to)
		if err != nil {
			in.Close()
			continue
		}
		pipe := func(a, b net.Conn) {
			buf := make([]byte, 64<<10)
			for {
				n, err := a.Read(buf)
				if n > 0 {
					if _, err := b.Write(buf[:n]); err != nil {
						break
					}
				}
				if err != nil {
					break
				}
			}
			a.Close()
			b.Close()
		}
		go pipe(in, out)
		go pipe(out, in)
	}
}

// A server that dies in the middle: the error says when and what failed, and what comes behind it works again.
func TestStorageLost(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, protocol := range storageProtocols {
		t.Run(protocol, func(t *testing.T) {
			owner, asker := mustStart(t), mustStart(t)
			way := userWay(t, asker, protocol)
			userWay(t, owner, protocol)
			attach := func() (Given, Attached) {
				g, err := owner.Give(t.Context(), way, t.TempDir(), "a", 8*unit.MiB, loopback, loopback)
				if err != nil {
					t.Fatal(err)
				}
				a, err := asker.Attach(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				return g, a
			}
			_, a := attach()
			j := attachedJob(a.Path)
			j.Window = 10 * time.Minute
			out, err := runJob(t, asker, j, func() {
				time.Sleep(jobLead + 200*time.Millisecond) // the job is under way, or is about to be
				for _, pid := range programsOf(owner.Hello().PID) {
					if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(b)) != "exe" {
						_ = syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			})
			if err != nil || out.Lost == nil || out.Lost.Code != block.CodeLost || !strings.Contains(out.Lost.Text, "into the window") || !strings.Contains(out.Lost.Text, "failed") || out.Engine.LostNS == 0 {
				t.Errorf("a server that died: %v, %+v", err, out)
			}
			_, a = attach()
			if _, err := runJob(t, asker, attachedJob(a.Path), nil); err != nil {
				t.Errorf("behind it: %v", err)
			}
		})
	}
}

// programsOf are the processes that a process started.
func programsOf(pid int) (out []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		var n, parent int
		var state string
		text := string(b)
		if at := strings.LastIndex(text, ")"); at > 0 {
			if _, err := fmt.Sscanf(text, "%d", &n); err != nil {
				continue
			}
			if _, err := fmt.Sscanf(text[at+1:], "%s %d", &state, &parent); err == nil && parent == pid {
				out = append(out, n)
			}
		}
	}
	return out
}

// A program that is not there is named with its package.
func TestStorageLacks(t *testing.T) {
	w := storageWay{server: []programOf{{"no-such-server", "pack-a"}}, client: []programOf{{"no-such-client", "pack-b"}, {"sh", "dash"}}}
	if got := w.lacks(context.Background(), StorageServer); got != "no-such-server: not on this host (Debian: apt-get install pack-a)" {
		t.Error(got)
	}
	if got := w.lacks(context.Background(), StorageClient); got != "no-such-client: not on this host (Debian: apt-get install pack-b)" {
		t.Error(got)
	}
}

func TestConnections(t *testing.T) {
	const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CBC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5381 1 0000000000000000 100 0 0 10 0
   1: 0109630A:C8D2 0209630A:33CC 01 00000000:00000000 00:00000000 00000000     0        0 5399 1 0000000000000000 20 4 30 10 -1
   2: 0109630A:C8D4 0209630A:33CC 08 00000000:00000000 00:00000000 00000000     0        0 5401 1 0000000000000000 20 4 30 10 -1
   3: 0109630A:C8D6 0209630A:33CD 01 00000000:00000000 00:00000000 00000000     0        0 5402 1 0000000000000000 20 4 30 10 -1
   4: 0000000000000000FFFF00000109630A:C8D8 0000000000000000FFFF00000209630A:33CC 01 00000000:00000000 00:00000000 00000000     0        0 5403 1 0 20 4 30 10 -1
   5: B80D0120000000000000000001000000:C8DA B80D0120000000000000000002000000:0CBC 01 00000000:00000000 00:00000000 00000000     0        0 5404 1 0 20 4 30 10 -1
`
	for at, want := range map[string]int{"10.99.9.2:13260": 2, "10.99.9.2:13261": 1, "10.99.9.3:13260": 0, "[2001:db8::2]:3260": 1} {
		to := netip.MustParseAddrPort(at)
		got := connectionsIn(text, map[netip.AddrPort]int{to: 1})
		if len(got) != want || want > 0 && got[0].remote != to {
			t.Errorf("%s: %v, want %d", at, got, want)
		}
	}
	if got := connectionsIn(text, map[netip.AddrPort]int{netip.MustParseAddrPort("10.99.9.2:13261"): 1}); len(got) != 1 || got[0].local != netip.MustParseAddrPort("10.99.9.1:51414") {
		t.Errorf("%v", got)
	}
}

// Connections that stand are asked for one by one, and the kernel's lists are read when something changed alone: they take milliseconds, four times a second, beside what is measured.
func TestLookout(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	at := netip.MustParseAddrPort(ln.Addr().String())
	var near, far []net.Conn
	connect := func() {
		a, err := net.Dial("tcp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		near, far = append(near, a), append(far, b)
		t.Cleanup(func() { a.Close(); b.Close() })
	}
	connect()
	connect()
	var l lookout
	look := func(need, reads int, want bool) {
		t.Helper()
		missing, err := l.missing(map[netip.AddrPort]int{at: need})
		if err != nil || missing != want || l.reads != reads && !l.lists {
			t.Errorf("%d have to be there: missing %v, %v, after %d readings of the lists; want %v after %d", need, missing, err, l.reads, want, reads)
		}
	}
	if missing, err := l.missing(nil); missing || err != nil || l.reads != 0 {
		t.Errorf("none has to be there: %v, %v, %d readings", missing, err, l.reads)
	}
	look(2, 1, false)
	if l.lists = !established(l.known[0]); l.lists {
		t.Log("this kernel does not answer about one connection")
	}
	for range 5 {
		look(2, 1, false)
	}
	connect() // one more
	look(3, 2, false)
	look(3, 2, false)
	near[0].Close() // and one that was made anew
	far[0].Close()
	connect()
	look(3, 3, false)
	look(3, 3, false)
	far[1].Close() // lost: the server is gone, and nobody here has closed it
	look(3, 4, true)
	look(3, 5, true)
	if len(l.known) != 2 {
		t.Errorf("%v is left", l.known)
	}
}
