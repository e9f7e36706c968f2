package render_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
)

// TestFileName: the scripts' messages contain the fabric file's name unchanged, and no shell executes it.
func TestFileName(t *testing.T) {
	programsHere(t, "sh", "awk")
	for _, name := range []string{`plain.yaml`, `$(touch spoiled).yaml`, "`touch spoiled`.yaml",
		`'; touch spoiled; '.yaml`, `".yaml`} {
		p := configtest.Text(t, with("PORTS", ""))
		p.Fabric.Path = "folder/" + name
		d := render.Render(p).Device("a")
		dir := t.TempDir()
		write(t, dir, d)
		// Functions take precedence over programs: no interface exists, and the machine is neither read nor changed.
		script := `ifconfig() { return 1; }; kldload() { :; }; id() { echo 0; }; mkdir() { echo changed; exit 9; }; . ./apply.sh`
		cmd := exec.Command("sh", "-c", script, filepath.Join(dir, "apply.sh"))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "nothing was changed: there is no interface mce0 (port a.n.1)") ||
			!strings.Contains(string(out), " into "+name+", at hosts: a: nics: n: ports: [..]") ||
			strings.HasSuffix(strings.TrimSpace(string(out)), "changed") {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "spoiled")); err == nil {
			t.Errorf("%s was run", name)
		}
		if text := d.File("README.md").Text(); !strings.Contains(text,
			name+", at hosts: a: nics: n, write ports: [NAME, NAME]") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
