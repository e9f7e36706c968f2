package collect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

var opened = regexp.MustCompile(`(openat|execve)\((?:AT_FDCWD, )?"([^"]+)"(.*)`)

// Everything that the kernel sees of a whole snapshot of this machine is in the table: every file below /proc and /sys,
// every program. The traced process is this test's own binary.
func TestReadingsTraced(t *testing.T) {
	testenv.Need(t, testenv.Live)
	strace, err := exec.LookPath("strace")
	if err != nil {
		testenv.Missing(t, "the program strace (Debian: strace)")
	}
	log := filepath.Join(t.TempDir(), "trace")
	if out, err := exec.Command(strace, "-f", "-e", "trace=openat,execve", "-o", log, os.Args[0], "-test.run",
		"^TestCollectHere$").CombinedOutput(); err != nil {
		testenv.Missing(t, fmt.Sprintf("a kernel that lets processes be traced: %v: %.200s", err, out))
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var allowed []*regexp.Regexp
	programs := map[string]bool{filepath.Base(os.Args[0]): true}
	for _, r := range Readings("linux") {
		if r.How == RunProgram {
			programs[strings.Fields(r.What)[0]] = true
		}
		if r.How == ReadFile {
			allowed = append(allowed, pathForm(r.What))
		}
	}
	n := 0
	for _, m := range opened.FindAllStringSubmatch(string(text), -1) {
		path := strings.Replace(m[2], "/proc/thread-self/net/", "/proc/net/", 1)
		if m[1] == "execve" {
			if !programs[filepath.Base(path)] {
				t.Errorf("the program %s was started, which is not in the table", path)
			}
			continue
		}
		// Files that every Go program reads at its start, and folders that are only listed.
		if !strings.HasPrefix(path, "/proc/") && !strings.HasPrefix(path, "/sys/") ||
			strings.Contains(m[3], "O_DIRECTORY") || isDir(path) ||
			strings.HasPrefix(path, "/proc/self/") || strings.HasPrefix(path, "/sys/kernel/mm/transparent_hugepage/") ||
			strings.HasPrefix(path, "/sys/fs/cgroup/") {
			continue
		}
		n++
		ok := false
		for _, a := range allowed {
			ok = ok || a.MatchString(path)
		}
		if !ok {
			t.Errorf("%s was read, which is not in the table", path)
		}
	}
	if n < 20 {
		t.Errorf("only %d files were seen", n)
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// pathForm returns the pattern of a path in the table: * is an element, {a,b} one of these; /* at the end includes
// everything below.
func pathForm(what string) *regexp.Regexp {
	form := regexp.QuoteMeta(what)
	form = strings.NewReplacer(`/\*`, `/[^/]+`, `\{`, `(?:`, `\}`, `)`, `,`, `|`).Replace(form)
	return regexp.MustCompile("^" + form + "(?:/.*)?$")
}
