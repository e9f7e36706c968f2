package guest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// toolPath is where small programs of the tests find the system's.
const toolPath = "/usr/bin:/bin"

// needTools skips a test whose small programs use tools of the system that it does not have.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		found := slices.ContainsFunc(filepath.SplitList(toolPath), func(dir string) bool {
			fi, err := os.Stat(filepath.Join(dir, name))
			return err == nil && !fi.IsDir()
		})
		if !found {
			testenv.Missing(t, name+" in "+toolPath)
		}
	}
}

// A full disk is told at once: apt would read the lists anew, and hang over a disk that has no room for them.
func TestFetchDiskFull(t *testing.T) {
	needTools(t, "sh", "touch")
	bin := t.TempDir()
	updated := filepath.Join(bin, "updated")
	for name, script := range map[string]string{
		"apt-cache": "echo linux-image-6.1.0-9-amd64",
		"apt-get":   "case \"$*\" in *update*) touch " + updated + ";; esac; echo 'E: Write error - write (28: No space left on device)' >&2; exit 100",
		"dpkg-deb":  "exit 1",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+toolPath)
	f := &fetcher{dir: t.TempDir(), say: func(string, ...any) {}}
	if _, err := f.fetch(context.Background(), []string{"dash"}); err == nil || !diskFull(err) {
		t.Errorf("a full disk: %v", err)
	}
	if _, err := os.Stat(updated); err == nil {
		t.Error("the lists were read anew")
	}
}

// An archive that cannot be got at: apt takes it for a warning, and the lists are empty then. That is no kernel that is missing.
func TestFetchListsFail(t *testing.T) {
	needTools(t, "sh")
	bin := t.TempDir()
	for name, script := range map[string]string{
		"apt-cache": "case \"$*\" in *Dir::State::lists=*) exit 0;; esac; echo linux-image-6.1.0-9-amd64",
		"apt-get": "case \"$*\" in *update*) echo 'W: Failed to fetch http://a/InRelease  Could not connect to 127.0.0.1:9'; echo 'W: Failed to fetch http://b'; exit 0;; esac\n" +
			"echo 'E: Failed to fetch http://a/x.deb' >&2; exit 100",
		"dpkg-deb": "exit 1",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+toolPath)
	var said []string
	f := &fetcher{dir: t.TempDir(), say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
	_, err := f.fetch(context.Background(), []string{"dash"})
	want := "Debian's package lists cannot be fetched: http://a/InRelease  Could not connect to 127.0.0.1:9; and 1 more of them; try: apt-get update, and look at the network, at a proxy"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s ..", err, want)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "reading the package lists anew (") || strings.Contains(all, "try: ") {
		t.Errorf("said %s", all)
	}
}

// The real apt, with lists of its own out of no archive at all: what an administrator has it run then is not run, and nothing stays
// outside of the folder.
func TestAptHooks(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skip("apt-get is not here") // Debian alone has it
	}
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	conf := filepath.Join(dir, "conf")
	hooks := ""
	for _, when := range []string{"Pre-Invoke", "Post-Invoke", "Post-Invoke-Success"} {
		hooks += `APT::Update::` + when + ` { "touch ` + ran + `"; };` + "\n"
	}
	if err := os.WriteFile(conf, []byte(`Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "/dev/null";`+"\n"+hooks), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("APT_CONFIG", conf)
	f := &fetcher{dir: filepath.Join(dir, "apt"), lists: filepath.Join(dir, "apt", "lists"), say: func(string, ...any) {}}
	if err := f.prepare(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(f.lists, "partial"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := f.apt(context.Background(), "apt-get", "update")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Reading package lists") {
		t.Fatalf("apt-get update: %v: %s", err, out)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("what the administrator has apt run was run")
	}
	// Without the file it would have been: the test is one.
	plain := exec.Command("apt-get", "-o", "Dir::State::lists="+f.lists, "-o", "Dir::Cache="+f.dir, "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "update")
	if out, err := plain.CombinedOutput(); err != nil {
		t.Fatalf("apt-get update: %v: %s", err, out)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("apt does not run hooks here: %v", err)
	}
}
