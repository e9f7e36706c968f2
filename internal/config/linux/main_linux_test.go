package linux_test

import (
	"fmt"
	"os"
	"testing"

	"linerate/internal/lab"
)

// TestMain hands the test binary over when it was started as a lab's init.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	dir, err := os.MkdirTemp("", "lr") // of all labs of these tests; t.TempDir's paths are too long for a socket
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("XDG_RUNTIME_DIR", dir)
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
