package copies

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/failure"
)

// The command lines are those that a user would type.
func TestCopyCommands(t *testing.T) {
	one := Stream{Here: "/a", There: "/b", Files: 1}
	many := Stream{Here: "/a", There: "/b", Files: 100}
	film := Stream{Here: "/a", There: "/b", Files: 1, Name: "a film.mkv"}
	pull := one
	pull.Pull = true
	pulled := many
	pulled.Pull = true
	for _, k := range []struct {
		tool string
		q    Copy
		x    Stream
		want string
	}{
		{"cp", Copy{}, one, "cp -- /a/file-000000 /b/"},
		{"cp", Copy{}, many, "cp -R /a/. /b/"},
		{"cp", Copy{}, film, `cp -- "/a/a film.mkv" /b/`},
		{"robocopy", Copy{Threads: 8}, one, "robocopy /a /b file-000000 /R:0 /W:0 /NP /NFL /NDL /BYTES /MT:8"},
		{"robocopy", Copy{}, many, "robocopy /a /b /R:0 /W:0 /NP /NFL /NDL /BYTES"},
		{"scp", Copy{SSH: "me@nas"}, one, "scp -B -q -- /a/file-000000 me@nas:/b/"},
		{"scp", Copy{SSH: "fe80::1"}, pull, "scp -B -q -- [fe80::1]:/b/file-000000 /a/"},
		{"scp", Copy{SSH: "nas"}, pulled, "scp -B -q -- nas:/b/file-* /a/"},
		{"rsync", Copy{}, many, "rsync -r --whole-file --protect-args /a/ /b/"},
		{"rsync", Copy{SSH: "nas"}, pull, `rsync -r --whole-file --protect-args -e "ssh -o BatchMode=yes" nas:/b/ /a/`},
		{"rsync", Copy{SSH: "nas"}, film, `rsync -r --whole-file --protect-args -e "ssh -o BatchMode=yes" "/a/a film.mkv" nas:/b/`},
		{"smbclient", Copy{Share: &Shared{Kind: SMB, At: "//nas/isos", Prefix: "x"}}, pulled,
			`smbclient //nas/isos -D x/b -c "lcd \"/a\"; prompt OFF; mget file-*"`},
		{"smbclient", Copy{Share: &Shared{Kind: SMB, At: "//nas/isos", Port: 4450}}, one,
			`smbclient //nas/isos -p 4450 -D /b -c "lcd \"/a\"; prompt OFF; put \"file-000000\""`},
	} {
		if k.x.There = "/b"; k.q.Share != nil && k.q.Share.Prefix != "" {
			k.x.There = "b"
		}
		tool := tools()[slices.IndexFunc(tools(), func(c tool) bool { return c.name == k.tool })]
		argv, err := tool.argv(task{Copy: k.q, Stream: k.x, private: t.TempDir()})
		if got := filepath.ToSlash(shown(argv)); err != nil || got != k.want {
			t.Errorf("%s: %s, %v, want %s", k.tool, got, err, k.want)
		}
	}
}

// Secrets are in a file that only this user can read, never on a command line.
func TestCopySecrets(t *testing.T) {
	dir := t.TempDir()
	share := Shared{Kind: SMB, At: "//nas/x", User: "lruser", Password: "SECRET1"}
	argv, err := smbclientArgv(task{Copy: Copy{Share: &share},
		Stream: Stream{Here: "/a", There: "b", Files: 1}, private: dir})
	if err != nil || strings.Contains(strings.Join(argv, " "), "SECRET1") {
		t.Errorf("%v, %v", argv, err)
	}
	web := Shared{Kind: HTTP, At: "http://nas:1/SECRET2"}
	argv, err = curlArgv(task{Copy: Copy{Share: &web, Threads: 4},
		Stream: Stream{Here: "/a", There: "b", Files: 2, Pull: true}, private: dir})
	if err != nil || strings.Contains(strings.Join(argv, " "), "SECRET2") {
		t.Errorf("%v, %v", argv, err)
	}
	for name, want := range map[string]string{"auth-0": "username=lruser\npassword=SECRET1\n",
		"curl-0": "parallel-max = 4\nurl = \"http://nas:1/SECRET2/b/file-000000\"\noutput = "} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := smbclientArgv(task{Copy: Copy{Share: &share},
		Stream: Stream{Here: `/a"; del *`, There: "b", Files: 1}, private: dir}); err == nil {
		t.Error("a path with smbclient's own characters was taken")
	}
}

// The samples of robocopy's output have the form that its documentation shows.
func TestRobocopyWrong(t *testing.T) {
	for file, k := range map[string]struct {
		exit int
		says string // empty: it is a copy
	}{
		"robocopy-copied.txt": {1, ""},
		"robocopy-failed.txt": {9, "robocopy ended with exit code 9: of 3 files it copied 2 and failed at 1"},
		"robocopy-none.txt":   {16, "robocopy ended with exit code 16, without its summary"},
	} {
		b, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if why, _ := robocopyWrong(k.exit, string(b)); why != k.says {
			t.Errorf("%s: %q, want %q", file, why, k.says)
		}
	}
	b, err := os.ReadFile(filepath.Join("testdata", "robocopy-copied.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if why, _ := robocopyWrong(0, strings.Replace(string(b), "3         3         0", "3         0         3",
		1)); why == "" {
		t.Error("files that were skipped are not a copy")
	}
	if why, code := smbclientWrong(1, "session setup failed: NT_STATUS_LOGON_FAILURE\n"); code != failure.CodeRefused ||
		!strings.Contains(why, "tried once") {
		t.Errorf("%s %s", why, code)
	}
	if why, code := smbclientWrong(0,
		"NT_STATUS_DISK_FULL closing remote file \\stream-0\\file-000000\n"); code != failure.CodeLimit ||
		why == "" {
		t.Errorf("%s %s", why, code)
	}
	if why, _ := smbclientWrong(0, "getting file \\stream-0\\file-000000 of size 1000 as file-000000 (976.6 "+
		"KiloBytes/sec) (average 976.6 KiloBytes/sec)\n"); why != "" {
		t.Error(why)
	}
}
