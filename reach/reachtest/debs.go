package reachtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Debs returns a folder with Debian's packages unpacked in it. They are not installed: that would start services. They are kept in
// the cache, and fetched only where all tests are asked for.
func Debs(t testing.TB, packages ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "linerate-test", "debs", strings.Join(packages, "+"))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if os.Getenv("LINERATE_TEST_ALL") != "1" {
		Missing(t, "the programs of "+strings.Join(packages, ", ")+"; LINERATE_TEST_ALL=1 fetches them into "+dir)
	}
	tmp := t.TempDir()
	for _, step := range [][]string{append([]string{"apt-get", "download", "-q"}, packages...), {"sh", "-c", "for d in *.deb; do dpkg -x $d root || exit; done"}} {
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Dir = tmp
		if out, err := cmd.CombinedOutput(); err != nil {
			Missing(t, strings.Join(step, " ")+": "+string(out))
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
