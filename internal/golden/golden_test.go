package golden

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test that notes its failures.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failed = format }

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = format
	runtime.Goexit()
}

// compared is the failure of a comparison, or "".
func compared(file, got string) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Compare(r, file, got)
	}()
	<-done
	return r.failed
}

func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "want.txt")
	if got := compared(file, "a\n"); !strings.Contains(got, "-update writes it") {
		t.Errorf("without the file: %q", got)
	}
	*update = true
	got := compared(file, "a\n")
	*update = false
	if text, err := os.ReadFile(file); got != "" || err != nil || string(text) != "a\n" {
		t.Errorf("updated: %q, %v, failure %q", text, err, got)
	}
	if got := compared(file, "a\n"); got != "" {
		t.Errorf("the same text: %q", got)
	}
	for _, other := range []string{"b\n", "a", "a\r\n", "a\n\n", ""} {
		if got := compared(file, other); !strings.Contains(got, "differs") {
			t.Errorf("%q instead of %q: %q", other, "a\n", got)
		}
	}
}
