//go:build linux

package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// copyEnds are a source of some files and a target for them, in folders of their own.
func copyEnds(t *testing.T, c *Client, amount unit.Bytes, files, streams int) (source, target CopyPlaced) {
	t.Helper()
	var err error
	if source, err = c.CopyEnd(t.Context(), CopyEnd{Op: CopySource, Path: t.TempDir(), Amount: amount, Files: files, Streams: streams, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if target, err = c.CopyEnd(t.Context(), CopyEnd{Op: CopyTarget, Path: t.TempDir(), Amount: amount, Streams: streams}); err != nil {
		t.Fatal(err)
	}
	return source, target
}

// copied has all streams of an end copied, and returns what became of them.
func copied(t *testing.T, c *Client, q Copy, source, target CopyPlaced, streams int, there func(string) string) *CopyOutcome {
	t.Helper()
	for n := range streams {
		x := CopyStream{First: n, Step: streams, Files: (source.Files + streams - 1 - n) / streams}
		here, other := source, target
		if q.pulls() {
			x.Pull, here, other = true, target, source
		}
		x.Here, x.There = filepath.Join(here.Folder, CopyStreamFolder(n)), there(filepath.Join(other.Folder, CopyStreamFolder(n)))
		q.Streams = append(q.Streams, x)
	}
	q.AtNS, q.Limit = traffic.Now()+c.Clock().Nanoseconds+int64(jobLead), 10*time.Minute
	out, err := c.Copy(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pulls says whether a test's copy goes from the other end to the tool's: its share is of a source.
func (q Copy) pulls() bool {
	return q.Share != nil && strings.HasSuffix(q.Share.What, "\x00pull") || q.SSH != "" && q.Threads == -1
}

// same says whether what arrived is what was copied.
func same(t *testing.T, c *Client, source, target CopyPlaced) {
	t.Helper()
	have, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopySums, End: target.End})
	if err != nil {
		t.Fatal(err)
	}
	if have.Sum != source.Sum || have.Bytes != source.Bytes || have.Files != source.Files {
		t.Errorf("arrived: %d files, %v, %s; copied: %d files, %v, %s", have.Files, have.Bytes, have.Sum, source.Files, source.Bytes, source.Sum)
	}
}

func asPath(path string) string { return path }

// inShare is a folder of a stream as a share has it.
func inShare(path string) string { return filepath.Base(path) }

// Every tool of this machine copies a few files in two streams, in both directions where it has two, and what arrives is what was copied. What was made is gone with the controller.
func TestCopyTools(t *testing.T) {
	testenv.Need(t, testenv.Live)
	sshd := sshTools(t)
	for _, k := range []struct{ tool, program string }{{"cp", "cp"}, {"rsync", "rsync"}, {"smbclient", "smbclient"}, {"curl", "curl"}, {"own", ""}, {"scp", "scp"}, {"sftp", "sftp"}, {"rsync over ssh", "rsync"}} {
		for _, pull := range []bool{false, true} {
			for _, files := range []int{2, 40} {
				name, over, _ := strings.Cut(k.tool, " over ")
				if pull && (k.tool == "cp" || k.tool == "rsync") || files == 2 && (over != "" || name == "scp" || name == "sftp") {
					continue // between two paths of a host there is one direction; over ssh a few files are copied as many are
				}
				t.Run(fmt.Sprintf("%s %s %d", k.tool, map[bool]string{true: "pull", false: "push"}[pull], files), func(t *testing.T) {
					if _, err := exec.LookPath(k.program); k.program != "" && err != nil {
						testenv.Missing(t, "the program "+k.program)
					}
					c := mustStart(t)
					source, target := copyEnds(t, c, 3*unit.MiB+17, files, 2)
					q, there := Copy{Via: name, Threads: 0}, asPath
					served := target
					if pull {
						served = source
					}
					switch {
					case name == "smbclient" || name == "curl" || name == "own":
						kind := map[string]string{"smbclient": shareSMB}[name]
						if kind == "" {
							kind = shareHTTP
						}
						v, err := c.Share(t.Context(), Share{Kind: kind, End: served.End, Local: netip.MustParseAddr("127.0.0.1")})
						if err != nil {
							t.Fatal(err)
						}
						if q.Share, there = &v, inShare; pull {
							q.Share.What += "\x00pull"
						}
					case over != "" || name == "scp" || name == "sftp":
						if q.SSH = sshd; pull {
							q.Threads = -1
						}
					}
					out := copied(t, c, q, source, target, 2, there)
					if out.Via != name || len(out.Streams) != 2 {
						t.Errorf("%+v", out)
					}
					for _, e := range out.Streams {
						if e.Wrong != "" || e.Seconds <= 0 {
							t.Errorf("%s: %+v", out.Command, e)
						}
					}
					if q.Share != nil && q.Share.User != "" && strings.Contains(out.Command, q.Share.Password) || q.Share != nil && q.Share.Kind == shareHTTP && strings.Contains(out.Command, "http://") {
						t.Errorf("the command line has what is secret: %s", out.Command)
					}
					if s, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopySync, End: target.End}); err != nil || s.Files != files || s.Seconds <= 0 {
						t.Errorf("synced: %+v, %v", s, err)
					}
					same(t, c, source, target)
					c.Close()
					removed(t, source.Folder, target.Folder)
				})
			}
		}
	}
}

// removed waits until folders are.
func removed(t *testing.T, folders ...string) {
	t.Helper()
	for _, dir := range folders {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s is still there", dir)
				break
			}
		}
	}
}

// sshTools starts an sshd, and puts the tools that copy over ssh on PATH so that they know it. It returns its name.
func sshTools(t *testing.T) string {
	t.Helper()
	s := connecttest.SSHD(t)
	dir := t.TempDir()
	for _, name := range []string{"scp", "sftp"} {
		at, err := exec.LookPath(name)
		if err != nil {
			testenv.Missing(t, "the program "+name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexec "+at+" -F "+s.Config+" \"$@\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return s.Dest
}

// What cannot be copied is said before it begins, or by how the tool ended; a wrong password is tried once.
func TestCopyRefuses(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "film")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]struct {
		q          CopyEnd
		code, says string
	}{
		"the source is missing":          {CopyEnd{Op: CopySource, Path: filepath.Join(dir, "no"), Amount: 1}, traffic.CodeInput, "it is not there"},
		"the source is somebody's file":  {CopyEnd{Op: CopySource, Path: file}, traffic.CodeUnsafe, "allow it with --allow-source"},
		"the file has another size":      {CopyEnd{Op: CopySource, Path: file, Take: true, Amount: 5, Exact: true}, traffic.CodeInput, "it has 4 B"},
		"one file is not several":        {CopyEnd{Op: CopySource, Path: file, Take: true, Streams: 2}, traffic.CodeInput, "it is one file"},
		"more than there is room for":    {CopyEnd{Op: CopySource, Path: dir, Amount: 1 << 50}, traffic.CodeLimit, "are to be made there, and the file system has"},
		"the target has no room":         {CopyEnd{Op: CopyTarget, Path: dir, Amount: 1 << 50}, traffic.CodeLimit, "are to be copied there, and the file system has"},
		"the target is there already":    {CopyEnd{Op: CopyTarget, Path: file, Amount: 1}, traffic.CodeUnsafe, "linerate did not make it"},
		"nothing to be done with an end": {CopyEnd{Op: "burn", Path: dir}, traffic.CodeInput, "no end of a copy"},
	} {
		_, err := c.CopyEnd(t.Context(), k.q)
		var e *traffic.Error
		if !errors.As(err, &e) || e.Code != k.code || !strings.Contains(e.Text, k.says) {
			t.Errorf("%s: %v, want %s: %s", name, err, k.code, k.says)
		}
	}
	if names := files(t, dir); !slices.Equal(names, []string{"film"}) {
		t.Errorf("refusals left %v", names)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "mine" {
		t.Errorf("somebody's file: %q, %v", b, err)
	}
	source, target := copyEnds(t, c, 1000, 1, 1)
	_, err := c.Copy(t.Context(), Copy{Via: "smbclient", Streams: []CopyStream{{Here: source.Folder, There: target.Folder, Files: 1}}, Limit: time.Minute, AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead)})
	if err == nil || !strings.Contains(err.Error(), "smbclient does not copy over path; ") {
		t.Errorf("a tool for something else: %v", err)
	}
	_, err = c.Copy(t.Context(), Copy{Via: "cp", Threads: 4, Streams: []CopyStream{{Here: source.Folder, There: target.Folder, Files: 1}}, Limit: time.Minute, AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead)})
	if err == nil || !strings.Contains(err.Error(), "cp copies one file after another") {
		t.Errorf("threads of a tool that has one: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	c = mustStart(t)
	_, err = c.Copy(t.Context(), Copy{Via: "rsync", Streams: []CopyStream{{Here: source.Folder, There: target.Folder, Files: 1}}, Limit: time.Minute, AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead)})
	if err == nil || !strings.Contains(err.Error(), "rsync is not on this host's PATH (Debian: apt-get install rsync") {
		t.Errorf("a tool that is missing: %v", err)
	}
}

// A password that is wrong is tried once, and said.
func TestCopyWrongPassword(t *testing.T) {
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for _, name := range []string{"smbd", "smbclient"} {
		if _, err := lookSbin(name); err != nil {
			testenv.Missing(t, "the program "+name+" (Debian: samba, smbclient)")
		}
	}
	c := mustStart(t)
	source, target := copyEnds(t, c, 1000, 1, 1)
	v, err := c.Share(t.Context(), Share{Kind: shareSMB, End: source.End, Local: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	v.Password = "wrong"
	v.What += "\x00pull"
	out := copied(t, c, Copy{Share: &v}, source, target, 1, inShare)
	e := out.Streams[0]
	if e.Code != traffic.CodeRefused || !strings.Contains(e.Wrong, "NT_STATUS_LOGON_FAILURE") || !strings.Contains(e.Wrong, "tried once") {
		t.Errorf("%+v", e)
	}
}

// A target that fills up in the middle is told as that, whatever copies.
func TestCopyFull(t *testing.T) {
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		testenv.Missing(t, "a small file system: "+err.Error())
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	for _, name := range []string{"cp", "rsync", "curl", "own", "smbclient"} {
		c := mustStart(t)
		source, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopySource, Path: t.TempDir(), Amount: 3 * unit.MiB, Files: 1, Streams: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		target, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopyTarget, Path: small, Amount: 1000, Streams: 1}) // as if there had been room
		if err != nil {
			t.Fatal(err)
		}
		q, there := Copy{Via: name}, asPath
		if kind := map[string]string{"curl": shareHTTP, "own": shareHTTP, "smbclient": shareSMB}[name]; kind != "" {
			v, err := c.Share(t.Context(), Share{Kind: kind, End: target.End, Local: netip.MustParseAddr("127.0.0.1")})
			if err != nil {
				testenv.Missing(t, err.Error())
			}
			q.Share, there = &v, inShare
		}
		out := copied(t, c, q, source, target, 1, there)
		if e := out.Streams[0]; e.Code != traffic.CodeLimit || !strings.Contains(e.Wrong, "the file system of the target is full") {
			t.Errorf("%s: %+v", name, e)
		}
		c.Close()
		removed(t, source.Folder, target.Folder)
	}
}

// The server of a folder gives out that folder alone, and only to whoever knows its path; what is there is not written over.
func TestShareHTTP(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	source, target := copyEnds(t, c, 1000, 1, 1)
	local := netip.MustParseAddr("127.0.0.1")
	from, err := c.Share(t.Context(), Share{Kind: shareHTTP, End: source.End, Local: local})
	if err != nil {
		t.Fatal(err)
	}
	to, err := c.Share(t.Context(), Share{Kind: shareHTTP, End: target.End, Local: local})
	if err != nil {
		t.Fatal(err)
	}
	curl := func(args ...string) string {
		out, err := exec.CommandContext(context.Background(), "curl", append([]string{"-s", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		testenv.Missing(t, "the program curl")
	}
	file := filepath.Join(source.Folder, CopyStreamFolder(0), copyFile(0))
	bare := from.At[:strings.LastIndex(from.At, "/")]
	for name, k := range map[string]struct {
		want string
		args []string
	}{
		"the file":              {"200", []string{from.At + "/stream-0/file-000000"}},
		"another path":          {"404", []string{bare + "/stream-0/file-000000"}},
		"another token":         {"404", []string{bare + "/ABCDEFGHIJKLMNOPQRSTUVWXYZ/stream-0/file-000000"}},
		"out of the folder":     {"404", []string{from.At + "/../../../../../etc/passwd"}},
		"a source is not put":   {"405", []string{"-T", file, from.At + "/stream-0/new"}},
		"a target is not read":  {"405", []string{to.At + "/stream-0"}},
		"a new file":            {"201", []string{"-T", file, to.At + "/stream-0/file-000000"}},
		"out of the target":     {"404", []string{"-T", file, to.At + "/../../x"}},
		"a folder is not a put": {"500", []string{"-T", file, to.At + "/nowhere/x"}},
	} {
		if got := curl(k.args...); got != k.want {
			t.Errorf("%s: %s, want %s", name, got, k.want)
		}
	}
	if got := curl("-T", file, to.At+"/stream-0/file-000000"); got != "409" {
		t.Errorf("over a file that is there: %s", got)
	}
	same(t, c, source, target)
}

// TestRefusedUpload holds that a client which sends all of a file before it reads gets the answer of a server that has
// refused it long ago, and no reset. What it sends is more than all buffers between the two hold.
func TestRefusedUpload(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	_, target := copyEnds(t, c, 1000, 1, 1)
	to, err := c.Share(t.Context(), Share{Kind: shareHTTP, End: target.End, Local: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(to.At)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const size = 64 << 20
	fmt.Fprintf(conn, "PUT %s/nowhere/x HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", at.Path, at.Host, size)
	for sent := 0; sent < size; sent += 1 << 20 {
		if _, err := conn.Write(make([]byte, 1<<20)); err != nil {
			t.Fatalf("after %d MiB: %v", sent>>20, err)
		}
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusInternalServerError {
		t.Errorf("%s, %q, %v", answer.Status, text, err)
	}
}

// What differs is seen: a byte, a file that is missing.
func TestCopySums(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	source, target := copyEnds(t, c, 100_000, 3, 1)
	out := copied(t, c, Copy{Via: "cp"}, source, target, 1, asPath)
	if out.Streams[0].Wrong != "" {
		t.Fatal(out.Streams[0])
	}
	same(t, c, source, target)
	path := filepath.Join(target.Folder, CopyStreamFolder(0), copyFile(1))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[1234] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	have, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopySums, End: target.End})
	if err != nil || have.Sum == source.Sum || have.Bytes != source.Bytes {
		t.Errorf("a bit is another: %+v, %v", have, err)
	}
	if _, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopyClear, End: target.End}); err != nil {
		t.Fatal(err)
	}
	if have, err = c.CopyEnd(t.Context(), CopyEnd{Op: CopySizes, End: target.End}); err != nil || have.Files != 0 {
		t.Errorf("cleared: %+v, %v", have, err)
	}
	if _, err := c.CopyEnd(t.Context(), CopyEnd{Op: CopyClear, End: source.End}); err == nil {
		t.Error("a source was cleared")
	}
}

// Cold is made sure of, and warm is.
func TestCopyCache(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	source, _ := copyEnds(t, c, 4*unit.MiB, 2, 1)
	if source.FileSystem == "tmpfs" || source.FileSystem == "overlay" {
		t.Skip("the temporary folder is in memory")
	}
	for _, op := range []string{CopyWarm, CopyCold, CopyWarm} {
		got, err := c.CopyEnd(t.Context(), CopyEnd{Op: op, End: source.End})
		if err != nil {
			t.Fatal(err)
		}
		if got.Cold == nil {
			t.Skip(got.Cache)
		}
		if *got.Cold != (op == CopyCold) || !strings.Contains(got.Cache, map[string]string{CopyWarm: "4 MiB of it are in memory", CopyCold: "cold: dropped"}[op]) {
			t.Errorf("%s: %+v", op, got)
		}
	}
}
