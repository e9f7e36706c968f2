package lab

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"linerate/internal/testenv"
)

func TestParseShare(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"plain", "a,b c:d", "own:rw", "deep/down"} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile("file", nil, 0o600)
	os.Symlink("plain", "link")
	os.Symlink("none", "dangling")
	for text, want := range map[string]Share{
		"plain": {"plain", false}, "plain:ro": {"plain", false}, "plain:rw": {"plain", true}, "./plain/": {"plain", false},
		dir + "/plain:rw": {"plain", true},
		"link:rw":         {"plain", true}, "a,b c:d": {"a,b c:d", false}, "a,b c:d:rw": {"a,b c:d", true},
		"own:rw:ro": {"own:rw", false}, "own:rw:rw": {"own:rw", true},
		"deep/../deep/down": {"deep/down", false}, ".": {"", false}, ".:rw": {"", true},
	} {
		s, err := ParseShare(text)
		if want.Folder = filepath.Join(dir, want.Folder); err != nil || *s != want {
			t.Errorf("%s: %+v, %v; want %+v", text, s, err, want)
		}
	}
	for text, says := range map[string]string{
		"": `"" names no folder`, ":rw": `":rw" names no folder`, "none": "none: there is no such folder on this " +
			"machine; make it", "none:rw": "none: there is no such folder",
		"dangling": "there is no such folder", "own:rw": "own: there is no such folder; the folder own:rw is shared as " +
			"own:rw:ro, or own:rw:rw",
		"file": "file: it is not a folder; share the one that it is in: " + dir, "file/below": "not a directory",
		"/dev/null:rw": "it is not a folder", "plain:RW": "no such folder",
		"plain\x00": "invalid argument", strings.Repeat("x", 5000): "too long",
	} {
		if s, err := ParseShare(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.20q: %+v, %v; want %q", text, s, err, says)
		}
	}
}

// A folder that an ordinary user may not use is reported before anything is built.
func TestParseShareRefused(t *testing.T) {
	dir, err := os.MkdirTemp("", "share") // an ordinary user has access
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755)
	for name, mode := range map[string]os.FileMode{"closed": 0o700, "listed": 0o744, "read": 0o755} {
		if os.Geteuid() != 0 { // as its owner
			mode = map[string]os.FileMode{"closed": 0, "listed": 0o400, "read": 0o500}[name]
		}
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "closed" {
			os.Mkdir(filepath.Join(dir, name, "below"), 0o777)
		}
		os.Chmod(filepath.Join(dir, name), mode)
		defer os.Chmod(filepath.Join(dir, name), 0o700)
	}
	asOrdinary(t, func() {
		for text, says := range map[string]string{"closed": "this user may not read the folder (permission denied)",
			"listed": "may not read the folder", "closed/below": "permission denied; name a folder that this user may enter",
			"read:rw":   "this user may not write into the folder (permission denied); leave :rw out",
			"closed:rw": "may not read"} {
			if s, err := ParseShare(filepath.Join(dir, text)); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %+v, %v; want %q", text, s, err, says)
			}
		}
		if s, err := ParseShare(filepath.Join(dir, "read")); err != nil || s.Writable {
			t.Errorf("a folder that may be read: %+v, %v", s, err)
		}
	})
}

// asOrdinary runs f on a thread of the user nobody, if the test runs as root.
func asOrdinary(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its user
		const nobody, keep = 65534, ^uintptr(0)
		_, _, errno := syscall.RawSyscall(unix.SYS_SETRESUID, keep, nobody, keep)
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		testenv.Missing(t, "threads of another user: "+errno.Error())
	}
}

// A process started in this way may not make device nodes.
func TestWithoutDevices(t *testing.T) {
	bounded := func() (set bool) {
		n, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_MKNOD, 0, 0, 0)
		if err != nil {
			t.Error(err)
		}
		return n == 1
	}
	if !bounded() || os.Geteuid() != 0 {
		t.Skip("this process could make no device nodes anyway")
	}
	if err := withoutDevices(func() error {
		if bounded() {
			t.Error("the thread still may make device nodes")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !bounded() {
		t.Error("the program itself has lost the right to make device nodes")
	}
}
