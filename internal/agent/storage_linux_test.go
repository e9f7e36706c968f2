package agent

import (
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

	"linerate/internal/agent/export"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// userWay is the way of a protocol in user space. A host that does not have it skips the test.
func userWay(t *testing.T, c *Client, protocol string) string {
	t.Helper()
	for _, role := range []export.Role{export.Server, export.Client} {
		all, err := c.StorageWays(t.Context(), protocol, role, false)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %+v, %v", protocol, all, err)
		}
		if why := all[0].Missing; strings.Contains(why, "FUSE") {
			t.Skip(why) // which no package installs
		} else if why != "" {
			testenv.Missing(t, why)
		}
		if role == export.Client {
			return all[0].Name
		}
	}
	return ""
}

// left are the folders of storage.
func left() []string {
	all, _ := filepath.Glob(filepath.Join(os.TempDir(), "linerate-storage-*"))
	return all
}

// mountsBelow are the mount points in a folder.
func mountsBelow(dir string) (out []string) {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(f[4], dir+"/") {
			out = append(out, f[4])
		}
	}
	return out
}

// alone gives the agents of a test a place for their folders that no other program of this machine uses.
func alone(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ls") // short: sockets lie in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
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
	return block.Job{Target: path, Span: 8 * unit.MiB, Size: 4 * unit.KiB, Read: 0.5, Depth: 8, Threads: 2,
		Interval: 2 * time.Second, Seed: 3, Verify: true}
}

// storageProtocols are the protocols in user space.
var storageProtocols = []string{"iscsi", "nbd"}

// One agent exports files and another attaches them: two exports of one host are two files, what is written is in the
// exporting host's file, and nothing is left.
func TestStorageUser(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, protocol := range storageProtocols {
		t.Run(protocol, func(t *testing.T) {
			alone(t)
			dir := t.TempDir()
			owner, asker := mustStart(t), mustStart(t)
			way := userWay(t, asker, protocol)
			userWay(t, owner, protocol)
			var paths []string
			for key, at := range map[string]netip.Addr{"a": loopback, "b": netip.MustParseAddr("127.0.0.3")} {
				g := testenv.Must(owner.ExportStorage(t.Context(), way, dir, key, 8*unit.MiB, at, loopback))(t)
				if g.At.Addr() != at {
					t.Errorf("asked for %v, exported at %v", at, g.At)
				}
				a := testenv.Must(asker.AttachStorage(t.Context(), g))(t)
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
				out := testenv.Must(runJob(t, asker, j, nil))(t)
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
			if seen, err := os.ReadFile(paths[0]); err != nil || !inOneOf(seen, dir) ||
				string(seen) == string(mustRead(t, paths[1])) {
				t.Errorf("what is seen is in none of the exporting host's files, or both are one (%v)", err)
			}
			large := attachedJob(paths[0])
			large.Span = 16 * unit.MiB
			if _, err := runJob(t, asker, large, nil); err == nil || !strings.Contains(err.Error(), "8 MiB") {
				t.Errorf("a span that the unit has no room for: %v", err)
			}
			mount := filepath.Dir(paths[0])
			asker.Close()
			owner.Close()
			goneSoon(t, "folders", left)
			goneSoon(t, "mounts", func() []string { return mountsBelow(mount) })
			goneSoon(t, "the exporting host's files", func() []string { return files(t, dir) })
		})
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b := testenv.Must(os.ReadFile(path))(t)
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
			alone(t)
			dir := t.TempDir()
			owner, asker := mustStart(t), mustStart(t)
			way := userWay(t, asker, protocol)
			userWay(t, owner, protocol)
			g := testenv.Must(owner.ExportStorage(t.Context(), way, dir, "a", 8*unit.MiB, loopback, loopback))(t)
			a := testenv.Must(asker.AttachStorage(t.Context(), g))(t)
			folders := left()
			if len(folders) != 2 || len(mountsBelow(filepath.Dir(a.Path))) != 1 {
				t.Errorf("folders %v, mounts %v", folders, mountsBelow(filepath.Dir(a.Path)))
			}
			for _, c := range []*Client{asker, owner} {
				testenv.Check(t, syscall.Kill(c.Hello().PID, syscall.SIGKILL))
			}
			goneSoon(t, "folders", left)
			goneSoon(t, "mounts", func() []string { return mountsBelow(filepath.Dir(a.Path)) })
			goneSoon(t, "the exporting host's files", func() []string { return files(t, dir) })
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

// A wrong password is the error, and is tried once.
func TestStorageLogin(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	way := userWay(t, c, "iscsi")
	g, err := c.ExportStorage(t.Context(), way, t.TempDir(), "a", 8*unit.MiB, loopback, loopback)
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
	_, err = c.AttachStorage(t.Context(), wrong)
	var e *failure.Error
	if !errors.As(err, &e) || e.Code != failure.CodeAddress || !strings.Contains(e.Text, "Authentication failure") ||
		!strings.Contains(e.Text, "once") {
		t.Errorf("a wrong password: %v", err)
	}
	if _, err := c.AttachStorage(t.Context(), g); err != nil {
		t.Errorf("the right one behind it: %v", err)
	}
	if n := len(came); n != 1 { // a storm would be one by now
		t.Errorf("it was tried %d times", n)
	}
	other, err := c.ExportStorage(t.Context(), way, t.TempDir(), "b", 8*unit.MiB, loopback,
		netip.MustParseAddr("127.0.0.2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.AttachStorage(t.Context(), other); err == nil {
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

// The error of a server that dies during a job has the time and the cause, and the next job works.
func TestStorageLost(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, protocol := range storageProtocols {
		t.Run(protocol, func(t *testing.T) {
			owner, asker := mustStart(t), mustStart(t)
			way := userWay(t, asker, protocol)
			userWay(t, owner, protocol)
			attach := func() (export.Export, export.Attached) {
				g := testenv.Must(owner.ExportStorage(t.Context(), way, t.TempDir(), "a", 8*unit.MiB, loopback, loopback))(t)
				a := testenv.Must(asker.AttachStorage(t.Context(), g))(t)
				return g, a
			}
			_, a := attach()
			j := attachedJob(a.Path)
			j.Interval = 10 * time.Minute
			out, err := runJob(t, asker, j, func() {
				time.Sleep(jobLead + 200*time.Millisecond) // the job is under way, or is about to be
				for _, pid := range programsOf(owner.Hello().PID) {
					if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(b)) != "exe" {
						_ = syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			})
			if err != nil || out.Lost == nil || out.Lost.Code != block.CodeLost ||
				!strings.Contains(out.Lost.Text, "into the interval") || !strings.Contains(out.Lost.Text, "failed") ||
				out.Engine.LostNS == 0 {
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
