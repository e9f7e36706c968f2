package export

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

// Root needs no program for FUSE. Without fusermount3 another user gets an error before anything is started.
func TestMayMount(t *testing.T) {
	there := func(string) (string, error) { return "/usr/bin/fusermount3", nil }
	absent := func(program string) (string, error) { return "", exec.ErrNotFound }
	if why := mayMount(0, absent); why != "" {
		t.Errorf("root: %s", why)
	}
	if why := mayMount(1000, there); why != "" {
		t.Errorf("fusermount3 is there: %s", why)
	}
	if why := mayMount(1000, absent); !strings.Contains(why, "fusermount3") || !strings.Contains(why, "fuse3") {
		t.Errorf("fusermount3 is not there: %q", why)
	}
}

// A missing program is named with its package.
func TestStorageMissing(t *testing.T) {
	w := way{server: []program{{"no-such-server", "pack-a"}},
		client: []program{{"no-such-client", "pack-b"}, {"sh", "dash"}}}
	if got := w.missing(context.Background(),
		Server); got != "no-such-server: not on this host (Debian: apt-get install pack-a)" {
		t.Error(got)
	}
	if got := w.missing(context.Background(),
		Client); got != "no-such-client: not on this host (Debian: apt-get install pack-b)" {
		t.Error(got)
	}
}
