package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/storage/block"
)

// wineBlock is what a controller and an agent on two systems are asked of storage: a file that is made, both orders, both kinds of request, compared.
// It has an amount and no time: Wine may stand still for longer than any.
func (w *wine) wineBlock(where ...string) []string {
	return append([]string{"measure", "block", "--span", "8MiB", "--load", "SEQ1M-Q8T1,RND4K-Q32T2", "--read", "100%,0%", "--verify",
		"--amount", "8MiB", "--repeats", "1", "--json"}, where...)
}

// storedUnderWine fails for an answer in which storage was not read and written by Windows' own calls, or was not what had been written.
func storedUnderWine(t *testing.T, a answer) {
	t.Helper()
	if a.code != exitDone {
		t.Fatal(a)
	}
	r := a.run(t)
	if len(r.Experiments) != 4 {
		t.Fatalf("%d experiments, want 4: %s", len(r.Experiments), a)
	}
	for _, x := range r.Experiments {
		b := x.Block
		if b == nil || x.IOPS == nil || x.Latency == nil || len(b.Workers) != 1 {
			t.Errorf("%v: %s, %+v", x.Settings, x.Failed, b)
			continue
		}
		k := b.Workers[0]
		if v := k.Verified; v == nil || v.Wrong > 0 || v.Right == 0 || k.Way != block.WayOverlapped || k.ErrorCount > 0 || !k.Created {
			t.Errorf("%v: %+v, verified %+v", x.Settings, k, v)
		}
	}
}

// blocks runs the method block with the Windows program as the only one, and as the agent of a Linux controller, whose paths are not Windows'.
func (w *wine) blocks(t *testing.T) {
	storage := w.path("prefix", "drive_c", "storage")
	if err := os.Mkdir(storage, 0o700); err != nil {
		t.Fatal(err)
	}
	empty := func(t *testing.T) {
		if left, err := os.ReadDir(storage); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() != "mine.dat" }) {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	t.Run("block, all on Windows", func(t *testing.T) {
		storedUnderWine(t, finish(t, w.windows(w.wineBlock("--to", `C:\storage`)...)))
		empty(t)
	})
	t.Run("block, agent on Windows", func(t *testing.T) {
		l := startListener(t, w.windows("agent", "--listen", "127.0.0.1:0", "--allow", "block-write"))
		storedUnderWine(t, w.linerate(t, w.wineBlock("--from", l.url, "--to", `C:\storage`)...))
		l.ended(t)
		empty(t)
	})
	t.Run("block, cdm on Windows", func(t *testing.T) {
		a := finish(t, w.windows("measure", "block", "--profile", "cdm", "--to", `C:\storage`, "--span", "8MiB", "--time", "200ms", "--repeats", "1"))
		if a.code != exitDone || !strings.Contains(a.out, "SEQ1M") || !strings.Contains(a.out, "RND4K") {
			t.Error(a)
		}
		empty(t)
	})
	t.Run("block, a file of the user's", func(t *testing.T) {
		mine := filepath.Join(storage, "mine.dat")
		text := []byte(strings.Repeat("mine", 1<<14))
		if err := os.WriteFile(mine, text, 0o600); err != nil {
			t.Fatal(err)
		}
		a := finish(t, w.windows("measure", "block", "--to", `C:\storage\mine.dat`, "--read", "0%", "--time", "200ms", "--repeats", "1"))
		if a.code != exitRefused || !strings.Contains(a.err+a.out, "mine.dat") {
			t.Errorf("want exit code %d: %s", exitRefused, a)
		}
		if now, err := os.ReadFile(mine); err != nil || string(now) != string(text) {
			t.Errorf("the file was changed: %v", err)
		}
	})
}
