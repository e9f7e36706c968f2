package deploy

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

func TestParseUname(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Linux x86_64\n", "linux/amd64"},
		{"Linux aarch64\n", "linux/arm64"},
		{"Linux armv7l\n", "linux/arm"},
		{"FreeBSD amd64\r\n", "freebsd/amd64"},
		{"Darwin arm64\n", "darwin/arm64"},
		{"SunOS i86pc\n", ""},
		{"Linux vax\n", ""},
		{"CYGWIN_NT-10.0 x86_64\n", ""},
		{"", ""},
		{"Linux\n", ""},
		{"% Invalid input detected", ""},
	} {
		got, err := parseUname(c.text)
		if c.want == "" {
			if !errors.Is(err, ErrNoAgent) {
				t.Errorf("%q: %v, %v; want ErrNoAgent", c.text, got, err)
			}
		} else if err != nil || got.String() != c.want {
			t.Errorf("%q: %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func TestParseWindows(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"PROCESSOR_ARCHITECTURE=AMD64\r\n", "windows/amd64"},
		{"PROCESSOR_ARCHITECTURE=ARM64\r\nPROCESSOR_ARCHITEW6432=AMD64\r\n", "windows/arm64"},
		{"PROCESSOR_ARCHITECTURE=IA64\r\n", ""},
		{"Environment variable PROCESSOR_ARCHITECTURE not defined\r\n", ""},
	} {
		got, err := parseWindows(c.text)
		if c.want == "" {
			if !errors.Is(err, ErrNoAgent) {
				t.Errorf("%q: %v, %v; want ErrNoAgent", c.text, got, err)
			}
		} else if err != nil || got.String() != c.want {
			t.Errorf("%q: %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func FuzzSystem(f *testing.F) {
	f.Add("Linux x86_64\n")
	f.Add("PROCESSOR_ARCHITECTURE=AMD64\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (system, error){parseUname, parseWindows} {
			if s, err := parse(text); err == nil && (s.goos == "" || s.arch == "") {
				t.Errorf("%q gives %v without an error", text, s)
			}
		}
	})
}

// sourceTree is a folder that builds like linerate's.
func sourceTree(t *testing.T) string {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/cmd/linerate", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module linerate\n",
		"cmd/linerate/main.go": "package main\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindProgramBuilds(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if _, err := exec.LookPath("go"); err != nil {
		testenv.Missing(t, "Go on PATH")
	}
	far := system{"freebsd", "arm64"}
	opt := Options{Source: sourceTree(t), CacheDir: t.TempDir(), Version: "1.2.3"}
	built, err := findProgram(t.Context(), far, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(built.path, opt.CacheDir) || filepath.Base(built.path) != "linerate-freebsd-arm64" ||
		len(built.sha256) != 64 || built.size == 0 {
		t.Errorf("built %+v", built)
	}

	// The second time it comes from the cache: there is nothing to build with.
	t.Setenv("PATH", t.TempDir())
	again, err := findProgram(t.Context(), far, Options{CacheDir: opt.CacheDir, Source: "/nonexistent"})
	if err != nil || again != built {
		t.Errorf("from the cache: %+v, %v; want %+v", again, err, built)
	}

	// A release's program is in the folder of its version; other versions do not count.
	release := t.TempDir()
	if err := os.MkdirAll(release+"/1.2.3", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(built.path, release+"/1.2.3/linerate-freebsd-arm64"); err != nil {
		t.Fatal(err)
	}
	if _, err := findProgram(t.Context(), far, Options{CacheDir: release, Version: "1.2.3"}); err != nil {
		t.Error(err)
	}
	_, err = findProgram(t.Context(), far, Options{CacheDir: release, Version: "1.2.4", Source: opt.Source})
	if !errors.Is(err, ErrNoAgent) {
		t.Fatalf("got %v, want ErrNoAgent", err)
	}
	for _, words := range []string{"freebsd/arm64", "no Go",
		"CGO_ENABLED=0 GOOS=freebsd GOARCH=arm64 go build -trimpath -o ", "./cmd/linerate"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("the message does not say %q: %v", words, err)
		}
	}

	wrong := release + "/1.2.3/linerate-freebsd-arm64"
	for _, sys := range []system{{"linux", "amd64"}, {"windows", "arm64"}, {"darwin", "arm64"}} {
		if _, err := findProgram(t.Context(), sys, Options{AgentFile: wrong}); err == nil ||
			!strings.Contains(err.Error(), sys.String()) {
			t.Errorf("an arm64 ELF file for %s: %v", sys, err)
		}
	}
	if _, err := findProgram(t.Context(), far, Options{AgentFile: opt.Source + "/go.mod"}); err == nil {
		t.Error("a text file is taken for a program")
	}
}

// A release's archives that are unpacked into one folder find each other's programs. Archives of another version do not
// count.
func TestFindProgramInArchives(t *testing.T) {
	dir := t.TempDir()
	far := system{runtime.GOOS, map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]}
	if far.arch == "" {
		t.Skip("releases are for amd64 and arm64")
	}
	at := filepath.Join(dir, "linerate-1.2.3-"+far.goos+"-"+far.arch, far.program("linerate"))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	opt := Options{CacheDir: t.TempDir(), Version: "1.2.3", Source: "/nonexistent",
		self: filepath.Join(dir, "linerate-1.2.3-here", "linerate")}
	// A file that is not a program is found, and refused by its name.
	if err := os.WriteFile(at, []byte("text"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := findProgram(t.Context(), far, opt); err == nil ||
		!strings.Contains(err.Error(), at+": it is not a program for") {
		t.Errorf("got %v, want %s refused", err, at)
	}
	opt.Version = "1.2.4"
	_, err := findProgram(t.Context(), far, opt)
	if !errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), "linerate-1.2.4-"+far.goos+"-"+far.arch) {
		t.Errorf("got %v, want ErrNoAgent that names the archive's folder", err)
	}
}

func TestOwnSource(t *testing.T) {
	want, err := filepath.Abs("../../..")
	if _, file, _, _ := runtime.Caller(0); err != nil || !filepath.IsAbs(file) {
		want = "" // built with -trimpath
	}
	if got := ownSource(); got != want {
		t.Errorf("the source is in %q, want %q", got, want)
	}
}

func TestFindProgramSelf(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := findProgram(t.Context(), system{runtime.GOOS, runtime.GOARCH}, Options{CacheDir: t.TempDir()})
	if err != nil || p.path != self {
		t.Errorf("got %+v, %v; want the running program", p, err)
	}
}
