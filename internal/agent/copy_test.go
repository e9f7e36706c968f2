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
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/agent/copies"
	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// copyEnds are a source of some files and a target for them, in folders of their own.
func copyEnds(t *testing.T, c *Client, amount unit.Bytes, files, streams int) (source, target copies.Placed) {
	t.Helper()
	var err error
	if source, err = c.CopyEnd(t.Context(),
		copies.EndRequest{Op: copies.Source, Path: t.TempDir(), Amount: amount, Files: files, Streams: streams,
			Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if target, err = c.CopyEnd(t.Context(),
		copies.EndRequest{Op: copies.Target, Path: t.TempDir(), Amount: amount, Streams: streams}); err != nil {
		t.Fatal(err)
	}
	return source, target
}

// copied copies all streams of an end.
func copied(t *testing.T, c *Client, q copies.Copy, source, target copies.Placed, streams int,
	there func(string) string) *copies.Outcome {
	t.Helper()
	for n := range streams {
		x := copies.Stream{First: n, Step: streams, Files: (source.Files + streams - 1 - n) / streams}
		here, other := source, target
		if pulls(q) {
			x.Pull, here, other = true, target, source
		}
		x.Here, x.There = filepath.Join(here.Folder, copies.StreamFolder(n)),
			there(filepath.Join(other.Folder, copies.StreamFolder(n)))
		q.Streams = append(q.Streams, x)
	}
	q.AtNS, q.Limit = traffic.Now()+c.Clock().Nanoseconds+int64(jobLead), 10*time.Minute
	out := testenv.Must(c.Copy(t.Context(), q))(t)
	return out
}

// pulls reports whether a test's copy goes from the other end to the tool's: its share is of a source.
func pulls(q copies.Copy) bool {
	return q.Share != nil && strings.HasSuffix(q.Share.What, "\x00pull") || q.SSH != "" && q.Threads == -1
}

// same fails unless what arrived is what was copied.
func same(t *testing.T, c *Client, source, target copies.Placed) {
	t.Helper()
	have := testenv.Must(c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Sums, End: target.End}))(t)
	if have.Sum != source.Sum || have.Bytes != source.Bytes || have.Files != source.Files {
		t.Errorf("arrived: %d files, %v, %s; copied: %d files, %v, %s", have.Files, have.Bytes, have.Sum, source.Files,
			source.Bytes, source.Sum)
	}
}

func asPath(path string) string { return path }

// inShare is a folder of a stream as a share has it.
func inShare(path string) string { return filepath.Base(path) }

// Every tool of this machine copies a few files in two streams, in both directions where it has two, and what arrives
// is what was copied. The files are removed when the controller is gone.
func TestCopyTools(t *testing.T) {
	testenv.Need(t, testenv.Live)
	sshd := sshTools(t)
	for _, k := range []struct{ tool, program string }{{"cp", "cp"}, {"rsync", "rsync"}, {"smbclient", "smbclient"},
		{"curl", "curl"}, {"own", ""}, {"scp", "scp"}, {"sftp", "sftp"}, {"rsync over ssh", "rsync"}} {
		for _, pull := range []bool{false, true} {
			for _, files := range []int{2, 40} {
				name, over, _ := strings.Cut(k.tool, " over ")
				if pull && (k.tool == "cp" || k.tool == "rsync") || files == 2 && (over != "" || name == "scp" || name == "sftp") {
					continue // between two paths of a host there is one direction; over ssh a few files are copied as many are
				}
				t.Run(fmt.Sprintf("%s %s %d", k.tool, map[bool]string{true: "pull", false: "push"}[pull], files),
					func(t *testing.T) {
						if _, err := exec.LookPath(k.program); k.program != "" && err != nil {
							testenv.Missing(t, "the program "+k.program)
						}
						c := mustStart(t)
						source, target := copyEnds(t, c, 3*unit.MiB+17, files, 2)
						q, there := copies.Copy{Via: name, Threads: 0}, asPath
						served := target
						if pull {
							served = source
						}
						switch {
						case name == "smbclient" || name == "curl" || name == "own":
							kind := map[string]string{"smbclient": copies.SMB}[name]
							if kind == "" {
								kind = copies.HTTP
							}
							v := testenv.Must(c.Share(t.Context(), copies.Share{Kind: kind, End: served.End, Local: loopback}))(t)
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
						if q.Share != nil && q.Share.User != "" && strings.Contains(out.Command, q.Share.Password) || q.Share != nil &&
							q.Share.Kind == copies.HTTP && strings.Contains(out.Command, "http://") {
							t.Errorf("the command line has what is secret: %s", out.Command)
						}
						s, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Sync, End: target.End})
						if err != nil || s.Files != files || s.Seconds <= 0 {
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

// removed waits until folders are removed.
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

// sshTools starts an sshd, and puts tools on PATH that copy over ssh with its configuration. It returns its name.
func sshTools(t *testing.T) string {
	t.Helper()
	s := connecttest.SSHD(t)
	dir := t.TempDir()
	for _, name := range []string{"scp", "sftp"} {
		at, err := exec.LookPath(name)
		if err != nil {
			testenv.Missing(t, "the program "+name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexec "+at+" -F "+s.Config+" \"$@\"\n"),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return s.Dest
}

// What cannot be copied is an error before the copy begins.
func TestCopyRefuses(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "film")
	testenv.WriteFile(t, file, []byte("mine"), 0o600)
	for name, k := range map[string]struct {
		q          copies.EndRequest
		code, says string
	}{
		"the source is missing": {copies.EndRequest{Op: copies.Source, Path: filepath.Join(dir, "no"), Amount: 1},
			failure.CodeInput, "it is not there"},
		"the source is somebody's file": {copies.EndRequest{Op: copies.Source, Path: file}, failure.CodeUnsafe,
			"allow it with --allow-source"},
		"the file has another size": {copies.EndRequest{Op: copies.Source, Path: file, Take: true, Amount: 5, Exact: true},
			failure.CodeInput, "it has 4 B"},
		"one file is not several": {copies.EndRequest{Op: copies.Source, Path: file, Take: true, Streams: 2},
			failure.CodeInput, "it is one file"},
		"more than there is room for": {copies.EndRequest{Op: copies.Source, Path: dir, Amount: 1 << 50}, failure.CodeLimit,
			"are to be made there, and the file system has"},
		"the target has no room": {copies.EndRequest{Op: copies.Target, Path: dir, Amount: 1 << 50}, failure.CodeLimit,
			"are to be copied there, and the file system has"},
		"the target is there already": {copies.EndRequest{Op: copies.Target, Path: file, Amount: 1}, failure.CodeUnsafe,
			"linerate did not make it"},
		"nothing to be done with an end": {copies.EndRequest{Op: "burn", Path: dir}, failure.CodeInput,
			"not an end of a copy"},
	} {
		_, err := c.CopyEnd(t.Context(), k.q)
		var e *failure.Error
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
	_, err := c.Copy(t.Context(), copies.Copy{Via: "smbclient",
		Streams: []copies.Stream{{Here: source.Folder, There: target.Folder, Files: 1}}, Limit: time.Minute,
		AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead)})
	if err == nil || !strings.Contains(err.Error(), "smbclient does not copy over path; ") {
		t.Errorf("a tool for something else: %v", err)
	}
	_, err = c.Copy(t.Context(), copies.Copy{Via: "cp", Threads: 4,
		Streams: []copies.Stream{{Here: source.Folder, There: target.Folder, Files: 1}}, Limit: time.Minute,
		AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead)})
	if err == nil || !strings.Contains(err.Error(), "cp copies one file after another") {
		t.Errorf("threads of a tool that has one: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	c = mustStart(t)
	_, err = c.Copy(t.Context(), copies.Copy{Via: "rsync",
		Streams: []copies.Stream{{Here: source.Folder, There: target.Folder, Files: 1}}, Limit: time.Minute,
		AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead)})
	if err == nil || !strings.Contains(err.Error(), "rsync is not on this host's PATH (Debian: apt-get install rsync") {
		t.Errorf("a tool that is missing: %v", err)
	}
}

// A wrong password is tried once, and is the error.
func TestCopyWrongPassword(t *testing.T) {
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for _, name := range []string{"smbd", "smbclient"} {
		if _, err := process.Look(name); err != nil {
			testenv.Missing(t, "the program "+name+" (Debian: samba, smbclient)")
		}
	}
	c := mustStart(t)
	source, target := copyEnds(t, c, 1000, 1, 1)
	v := testenv.Must(c.Share(t.Context(), copies.Share{Kind: copies.SMB, End: source.End, Local: loopback}))(t)
	v.Password = "wrong"
	v.What += "\x00pull"
	out := copied(t, c, copies.Copy{Share: &v}, source, target, 1, inShare)
	e := out.Streams[0]
	if e.Code != failure.CodeRefused || !strings.Contains(e.Wrong, "NT_STATUS_LOGON_FAILURE") ||
		!strings.Contains(e.Wrong, "tried once") {
		t.Errorf("%+v", e)
	}
}

// A target that fills up during the copy is the error of every tool.
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
		source, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Source, Path: t.TempDir(), Amount: 3 * unit.MiB,
			Files: 1, Streams: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		target, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Target, Path: small, Amount: 1000,
			Streams: 1}) // as if there had been room
		if err != nil {
			t.Fatal(err)
		}
		q, there := copies.Copy{Via: name}, asPath
		if kind := map[string]string{"curl": copies.HTTP, "own": copies.HTTP, "smbclient": copies.SMB}[name]; kind != "" {
			v, err := c.Share(t.Context(), copies.Share{Kind: kind, End: target.End, Local: loopback})
			if err != nil {
				testenv.Missing(t, err.Error())
			}
			q.Share, there = &v, inShare
		}
		out := copied(t, c, q, source, target, 1, there)
		if e := out.Streams[0]; e.Code != failure.CodeLimit ||
			!strings.Contains(e.Wrong, "the file system of the target is full") {
			t.Errorf("%s: %+v", name, e)
		}
		c.Close()
		removed(t, source.Folder, target.Folder)
	}
}

// The server shares one folder, with clients that know its path. An existing file is not overwritten.
func TestShareHTTP(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	source, target := copyEnds(t, c, 1000, 1, 1)
	local := loopback
	from := testenv.Must(c.Share(t.Context(), copies.Share{Kind: copies.HTTP, End: source.End, Local: local}))(t)
	to := testenv.Must(c.Share(t.Context(), copies.Share{Kind: copies.HTTP, End: target.End, Local: local}))(t)
	curl := func(args ...string) string {
		out := testenv.Must(exec.CommandContext(context.Background(), "curl",
			append([]string{"-s", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is"}, args...)...).Output())(t)
		return string(out)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		testenv.Missing(t, "the program curl")
	}
	file := filepath.Join(source.Folder, copies.StreamFolder(0), fmt.Sprintf("file-%06d", 0))
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
		t.Errorf("over an existing file: %s", got)
	}
	same(t, c, source, target)
}

// A client that sends a whole file before it reads gets the answer of a server that has refused it long ago, and no
// reset. The file is larger than all buffers between the two.
func TestRefusedUpload(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	_, target := copyEnds(t, c, 1000, 1, 1)
	to := testenv.Must(c.Share(t.Context(), copies.Share{Kind: copies.HTTP, End: target.End, Local: loopback}))(t)
	at := testenv.Must(url.Parse(to.At))(t)
	conn := testenv.Must(net.Dial("tcp", at.Host))(t)
	defer conn.Close()
	const size = 64 << 20
	fmt.Fprintf(conn, "PUT %s/nowhere/x HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", at.Path, at.Host, size)
	for sent := 0; sent < size; sent += 1 << 20 {
		if _, err := conn.Write(make([]byte, 1<<20)); err != nil {
			t.Fatalf("after %d MiB: %v", sent>>20, err)
		}
	}
	answer := testenv.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusInternalServerError {
		t.Errorf("%s, %q, %v", answer.Status, text, err)
	}
}

// A changed byte and a missing file change the sums.
func TestCopySums(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	source, target := copyEnds(t, c, 100_000, 3, 1)
	out := copied(t, c, copies.Copy{Via: "cp"}, source, target, 1, asPath)
	if out.Streams[0].Wrong != "" {
		t.Fatal(out.Streams[0])
	}
	same(t, c, source, target)
	path := filepath.Join(target.Folder, copies.StreamFolder(0), fmt.Sprintf("file-%06d", 1))
	b := testenv.Must(os.ReadFile(path))(t)
	b[1234] ^= 1
	testenv.WriteFile(t, path, b, 0o600)
	have, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Sums, End: target.End})
	if err != nil || have.Sum == source.Sum || have.Bytes != source.Bytes {
		t.Errorf("a bit is another: %+v, %v", have, err)
	}
	testenv.Must(c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Clear, End: target.End}))(t)
	have, err = c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Sizes, End: target.End})
	if err != nil || have.Files != 0 {
		t.Errorf("cleared: %+v, %v", have, err)
	}
	if _, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Clear, End: source.End}); err == nil {
		t.Error("a source was cleared")
	}
}

// A source is dropped from the cache, and read into it.
func TestCopyCache(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	source, _ := copyEnds(t, c, 4*unit.MiB, 2, 1)
	if source.FileSystem == "tmpfs" || source.FileSystem == "overlay" {
		t.Skip("the temporary folder is in memory")
	}
	for _, op := range []string{copies.Warm, copies.Cold, copies.Warm} {
		got := testenv.Must(c.CopyEnd(t.Context(), copies.EndRequest{Op: op, End: source.End}))(t)
		if got.Cold == nil {
			t.Skip(got.Cache)
		}
		if *got.Cold != (op == copies.Cold) || !strings.Contains(got.Cache,
			map[string]string{copies.Warm: "4 MiB of it are in memory", copies.Cold: "cold: dropped"}[op]) {
			t.Errorf("%s: %+v", op, got)
		}
	}
}
