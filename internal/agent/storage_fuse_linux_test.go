package agent

import (
	"os/exec"
	"strings"
	"testing"
)

// Root needs no program for FUSE; who is not root has none without fusermount3, and is told so before anything is started.
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
