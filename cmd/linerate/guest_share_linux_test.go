package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// shareFolder makes a folder to share, with a name that QEMU would parse: a file, a program, and links that lead out of
// it.
func shareFolder(t *testing.T, p *place) string {
	t.Helper()
	dir := p.path("to,share id=x:1")
	for name, text := range map[string]string{"file": "of this machine\n",
		"program": "#!/bin/sh\necho ran in $(hostname)\n"} {
		testenv.Check(t, os.MkdirAll(dir, 0o755))
		testenv.WriteFile(t, filepath.Join(dir, name), []byte(text), 0o755)
	}
	testenv.WriteFile(t, p.path("outside"), []byte("untouched\n"), 0o666)
	for name, to := range map[string]string{"absolute": p.path("outside"), "relative": "../outside", "up": ".."} {
		testenv.Check(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	return dir
}

// readsShare compares a guest's view with a folder that it may read.
func readsShare(t *testing.T, s *spoiled, info lab.Info, shared string) {
	if info.Share == nil || info.Share.Folder != shared || info.Share.Writable {
		t.Errorf("the lab's share: %+v", info.Share)
	}
	if a := s.linerate(t, "lab", "list"); !strings.Contains(a.out, "share: "+shared+", read-only") {
		t.Errorf("lab list: %s", a)
	}
	if got := s.on(t, "whole", "sh", "-c", "cat /share/file; /share/program"); got != "of this machine\nran in whole\n" {
		t.Errorf("a file and a program of the share: %q", got)
	}
	// The guest's own kernel refuses, and if that is configured differently, QEMU does.
	for _, command := range []string{"touch /share/new", "echo x >> /share/file", "rm /share/file",
		"chmod 777 /share/file", "mkdir /share/sub", "ln -s a /share/made",
		"mount -o remount,rw /share; echo x >> /share/file", "mv /share/file /share/other"} {
		a := s.linerate(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c", command)
		if a.code == 0 || !strings.Contains(strings.ToLower(a.err), "read-only file system") {
			t.Errorf("%s: %s", command, a)
		}
	}
	if entries, err := os.ReadDir(shared); err != nil || len(entries) != 5 {
		t.Errorf("the folder now has %v, %v", entries, err)
	}
	if _, err := os.Stat("/share"); err == nil {
		return
	}
	if a := s.linerate(t, "lab", "exec", s.id+"/thin1", "--", "sh", "-c",
		"cat '"+shared+"/file'; ls /share"); a.code == 0 || a.out != "of this machine\n" {
		t.Errorf("a namespace sees the folder where it is, and no /share: %s", a)
	}
}

// An ordinary user's guest writes with the permissions of the user, only into that folder.
func TestGuestShareWritten(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/guest.yaml", p.path("guest.yaml"))
	shared := shareFolder(t, p)
	testenv.Check(t, os.Chmod(p.path("outside"), 0o666))
	uid, gid := os.Getuid(), os.Getgid()
	as := p.command
	if uid == 0 {
		tapsForAll(t)
		copyImage(t, p)
		nobody, err := user.Lookup("nobody")
		if err != nil {
			missing(t, "the user nobody, as whom root tries what an ordinary user can do")
		}
		uid, _ = strconv.Atoi(nobody.Uid)
		gid, _ = strconv.Atoi(nobody.Gid)
		if err := filepath.WalkDir(p.dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, uid, gid)
		}); err != nil {
			t.Fatal(err)
		}
		p.env = append(p.env, "HOME="+p.dir)
		as = func(t testing.TB, args ...string) *exec.Cmd {
			cmd := p.command(t, args...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
			return cmd
		}
	}
	if refused := p.upAndDown(t, as, copyFile(t, "testdata/three.yaml", p.path("three.yaml"))); refused != "" {
		missing(t, "user namespaces for ordinary users: "+refused)
	}
	up := finishWithin(t, as(t, "lab", "up", fabric, "--scale", "0.004", "--share", shared+":rw", "--json"), guestPatience)
	var info lab.Info
	if up.code != 0 || json.Unmarshal([]byte(up.out), &info) != nil || len(info.Guests) != 1 ||
		info.Guests[0].Failed != "" || info.Share == nil || !info.Share.Writable {
		t.Fatalf("lab up: %s", up)
	}
	defer func() { finish(t, as(t, "lab", "down", info.ID)) }()
	a := finish(t, as(t, "lab", "exec", info.ID+"/whole", "--", "sh", "-c", `cd /share && echo written > new && mkdir -p sub && echo deep > sub/deep && echo more >> file && chmod 750 program && ln -s /etc/passwd made && mv sub/deep moved
		echo bad > absolute; echo bad > relative; cd up && ls; mknod /share/device c 1 3; true`))
	if a.code != 0 || !strings.Contains(a.out, "init\n") ||
		!strings.Contains(a.out, "outside\n") { // links resolve within the guest
		t.Fatalf("the guest: %s", a)
	}
	for name, want := range map[string]string{"new": "written\n", "moved": "deep\n", "file": "of this machine\nmore\n"} {
		path := filepath.Join(shared, name)
		got, err := os.ReadFile(path)
		fi, serr := os.Stat(path)
		if err != nil || serr != nil || string(got) != want {
			t.Errorf("%s: %q, %v, %v; want %q", name, got, err, serr, want)
			continue
		}
		if st := fi.Sys().(*syscall.Stat_t); int(st.Uid) != uid || int(st.Gid) != gid || name == "new" && fi.Mode() != 0o644 {
			t.Errorf("%s: of user %d, group %d, mode %v; want %d, %d, 0644", name, st.Uid, st.Gid, fi.Mode(), uid, gid)
		}
	}
	if fi, err := os.Stat(filepath.Join(shared, "program")); err != nil || fi.Mode() != 0o750 {
		t.Errorf("the permissions of the program: %v, %v", fi.Mode(), err)
	}
	if to, err := os.Readlink(filepath.Join(shared, "made")); to != "/etc/passwd" {
		t.Errorf("a link that the guest made leads to %q, %v", to, err)
	}
	if _, err := os.Lstat(filepath.Join(shared, "device")); err == nil {
		t.Error("the guest has made a device node")
	}
	if got, err := os.ReadFile(p.path("outside")); string(got) != "untouched\n" {
		t.Errorf("the guest wrote through a link that leads out of the folder: %q, %v", got, err)
	}
	// Changes on this machine are visible when a program opens the file, also when it became shorter.
	for _, text := range []string{"longer than before, and with more words\n", "short\n"} {
		testenv.WriteFile(t, filepath.Join(shared, "new"), []byte(text), 0o644)
		if a := finish(t, as(t, "lab", "exec", info.ID+"/whole", "--", "cat", "/share/new")); a.out != text {
			t.Errorf("want %q: %s", text, a)
		}
	}
}

// Experiments make their hosts guests if the flag says so, and parts missing in the cache are reported.
func TestGuestNeeded(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	copyImage(t, p)
	fabric := copyFile(t, "testdata/iwarp.yaml", p.path("iwarp.yaml"), "guest: true", "note: a guest only by itself",
		"experiments:",
		"experiments:\n  files: {method: storage, transport: smb-direct, from: whole, to: given, load: RND4K-Q1T1}",
		"links:\n", "volumes: {given: {of: [thin.disk], at: thin.card.2}}\nlinks:\n", "  thin:\n",
		"  thin:\n    drives: {disk: {path: /srv}}\n")
	plain := p.linerate(t, "lab", "up", fabric, "--scale", "0.01", "--json")
	var info lab.Info
	if plain.code != 0 || json.Unmarshal([]byte(plain.out), &info) != nil || len(info.Guests) > 0 ||
		!strings.Contains(plain.err, "experiment files needs RDMA and the kernel's SMB; experiments reads and other need "+
			"RDMA, which namespaces do not have; --guests=needed makes whole and thin guests") {
		t.Fatalf("without the flag: %s", plain)
	}
	p.linerate(t, "lab", "down", info.ID)
	a := p.inGuests(t, "lab", "up", fabric, "--scale", "0.004", "--guests=needed", "--json")
	info = lab.Info{}
	if a.code != 0 || json.Unmarshal([]byte(a.out), &info) != nil || strings.Join(info.GuestNames(), " ") != "whole thin" {
		t.Fatalf("lab up: %s", a)
	}
	defer p.linerate(t, "lab", "down", info.ID)
	testenv.Contains(t, a, a.err, "every host: a guest, because experiment files needs RDMA and the kernel's SMB; "+
		"experiments reads and other need RDMA\n",
		"there is no iWARP on whole: build the module with linerate lab build --modules siw,smbdirect",
		"there is no SMB Direct on whole, thin: build the modules with linerate lab build --modules siw,smbdirect",
		"something else replaces it: files\n")
	if g := info.Guests[1]; g.Because == "" || strings.Join(g.Missing, " ") != "smbdirect" {
		t.Errorf("the second guest: %+v", g)
	}
}

// An invalid share is refused before anything is built or written.
func TestShareRefused(t *testing.T) {
	dir := t.TempDir()
	fabric, thin := copyFile(t, "testdata/guest.yaml", filepath.Join(dir, "guest.yaml")),
		copyFile(t, "testdata/three.yaml", filepath.Join(dir, "three.yaml"))
	t.Chdir(dir)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--share none: there is no such folder on this machine", []string{"lab", "up", fabric, "--share", "none"}},
		{"--share none: there is no such folder on this machine", []string{"run", fabric, "--lab", "--share", "none:rw"}},
		{"help: share the one that it is in", []string{"lab", "up", fabric, "--share", fabric}},
		{`--share "" names no folder`, []string{"lab", "up", fabric, "--share="}},
		{"a lab shares one folder, and 2 are named (., /tmp:rw)",
			[]string{"lab", "up", fabric, "--share", ".", "--share", "/tmp:rw"}},
		{"--share: a folder is shared when a lab is built\nhelp: add --lab", []string{"run", fabric, "--share", "."}},
		{"add --lab", []string{"run", fabric, "--in-lab=x", "--share", "."}},
		{"--share: no host is a guest", []string{"lab", "up", thin, "--share", "."}},
		{"--share: no host is a guest", []string{"run", thin, "--lab", "--share", "."}},
	} {
		if a := call(t, nil, c.args...); a.code != cli.ExitInput || a.out != "" || !strings.Contains(a.err, c.says) {
			t.Errorf("%q: want exit code 2 and %q: %s", c.args, c.says, a)
		}
	}
	if left, _ := filepath.Glob("runs/*"); len(left) > 0 {
		t.Errorf("a refused run has left %v", left)
	}
}
