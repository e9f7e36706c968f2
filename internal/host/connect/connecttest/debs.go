package connecttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// Debs returns a folder with Debian's packages unpacked in it. They are not installed: that would start services. They
// stay in the cache. A download test fetches them.
func Debs(t testing.TB, packages ...string) string {
	t.Helper()
	testenv.Need(t, testenv.Live)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "linerate-test", "debs", strings.Join(packages, "+"))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	testenv.Need(t, testenv.Download)
	tmp := t.TempDir()
	for _, step := range [][]string{append([]string{"apt-get", "download", "-q"}, packages...),
		{"sh", "-c", "for d in *.deb; do dpkg -x $d root || exit; done"}} {
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Dir = tmp
		if out, err := cmd.CombinedOutput(); err != nil {
			testenv.Missing(t, strings.Join(step, " ")+": "+string(out))
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", filepath.Join(tmp, "root"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	return dir
}
