package report

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// load opens a page in Chromium and returns its document after the script ran,
// and what the browser wrote to its console.
func load(t *testing.T, chromium, text string) (dom string, console []string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr", "--dump-dom", "file://"+file)
	var out, log strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", chromium, err, log.String())
	}
	for _, line := range strings.Split(log.String(), "\n") {
		if strings.Contains(line, ":CONSOLE") {
			console = append(console, line)
		}
	}
	return out.String(), console
}

// browser is the program that pages are loaded in.
func browser(t *testing.T) string {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		testenv.Missing(t, "chromium, to load the page in (Debian: apt-get install chromium)")
	}
	return chromium
}

func TestBrowser(t *testing.T) {
	testenv.Need(t, testenv.Live)
	chromium := browser(t)
	dom, console := load(t, chromium, page(t, fixture(t, "hostile")))
	if len(console) > 0 {
		t.Errorf("console: %s", strings.Join(console, "\n"))
	}
	if n := strings.Count(dom, "<script"); n != 2 {
		t.Errorf("%d scripts, want 2", n)
	}
	if !strings.Contains(dom, `class="copybox"`) {
		t.Error("the script did not run")
	}
	// The same eyes must see a page that breaks its policy.
	broken := strings.Replace(page(t, fixture(t, "pair")), "<main>", "<main><script>alert(1)</script>", 1)
	if _, console := load(t, chromium, broken); len(console) == 0 {
		t.Error("a script that the policy forbids left no line on the console")
	}
}
