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

// programs writes shell scripts into a folder, by their names.
func programs(t *testing.T, bin string, scripts map[string]string) {
	t.Helper()
	for name, script := range scripts {
		testenv.WriteFile(t, filepath.Join(bin, name), "#!/bin/sh\n"+script+"\n", 0o755)
	}
}

// A full disk is reported immediately: apt would read the lists again, and hang.
func TestFetchDiskFull(t *testing.T) {
	needTools(t, "sh", "touch")
	bin := t.TempDir()
	updated := filepath.Join(bin, "updated")
	programs(t, bin, map[string]string{
		"apt-cache": "echo linux-image-6.1.0-9-amd64",
		"apt-get": "case \"$*\" in *update*) touch " + updated + ";; esac; echo 'E: Write error - write (28: No space " +
			"left on device)' >&2; exit 100",
		"dpkg-deb": "exit 1",
	})
	t.Setenv("PATH", bin+":"+toolPath)
	f := &fetcher{dir: t.TempDir(), say: func(string, ...any) {}}
	if _, err := f.fetch(context.Background(), []string{"dash"}); err == nil || !diskFull(err) {
		t.Errorf("a full disk: %v", err)
	}
	if _, err := os.Stat(updated); err == nil {
		t.Error("the lists were read again")
	}
}

// For apt an unreachable archive is a warning with empty lists. This must not be reported as a missing kernel.
func TestFetchListsFail(t *testing.T) {
	needTools(t, "sh")
	bin := t.TempDir()
	programs(t, bin, map[string]string{
		"apt-cache": "case \"$*\" in *Dir::State::lists=*) exit 0;; esac; echo linux-image-6.1.0-9-amd64",
		"apt-get": "case \"$*\" in *update*) echo 'W: Failed to fetch http://a/InRelease  Could not connect to " +
			"127.0.0.1:9'; echo 'W: Failed to fetch http://b'; exit 0;; esac\n" +
			"echo 'E: Failed to fetch http://a/x.deb' >&2; exit 100",
		"dpkg-deb": "exit 1",
	})
	t.Setenv("PATH", bin+":"+toolPath)
	var said []string
	f := &fetcher{dir: t.TempDir(),
		say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
	_, err := f.fetch(context.Background(), []string{"dash"})
	want := "Debian's package lists cannot be fetched: http://a/InRelease  Could not connect to 127.0.0.1:9; and 1 " +
		"more of them; try: apt-get update, and look at the network, at a proxy"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s ..", err, want)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "reading the package lists again (") ||
		strings.Contains(all, "try: ") {
		t.Errorf("said %s", all)
	}
}

// The real apt, with lists of its own from no archive: an administrator's hooks do not run, and nothing is written
// outside the folder.
func TestAptHooks(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skip("apt-get is not here") // only Debian has it
	}
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	conf := filepath.Join(dir, "conf")
	hooks := ""
	for _, when := range []string{"Pre-Invoke", "Post-Invoke", "Post-Invoke-Success"} {
		hooks += `APT::Update::` + when + ` { "touch ` + ran + `"; };` + "\n"
	}
	testenv.WriteFile(t, conf, `Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "/dev/null";`+"\n"+hooks, 0o600)
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
	// Without the file the hook would have run, so the test is valid.
	plain := exec.Command("apt-get", "-o", "Dir::State::lists="+f.lists, "-o", "Dir::Cache="+f.dir, "-o",
		"Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "update")
	if out, err := plain.CombinedOutput(); err != nil {
		t.Fatalf("apt-get update: %v: %s", err, out)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("apt does not run hooks here: %v", err)
	}
}
