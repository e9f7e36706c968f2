package main

import (
	"context"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/testenv"
	"linerate/nvmetcp"
)

// breaking is a drive of zeros with an unreadable block; after a number of requests it calls a function.
type breaking struct {
	*nvmetcp.Memory
	left atomic.Int64 // requests until the call
	then func()
	bad  int64
}

func (b *breaking) ReadAt(p []byte, at int64) (int, error) {
	left := b.left.Add(-1)
	if left == 0 && b.then != nil {
		b.then()
	}
	if left < 0 && at <= b.bad && b.bad < at+int64(len(p)) {
		return 0, syscall.EIO
	}
	return copy(p, make([]byte, len(p))), nil
}

// bareDrive only has a Backing's methods, so that each request is seen.
type bareDrive struct{ nvmetcp.Backing }

func serveDrive(t *testing.T, b nvmetcp.Backing) (url string) {
	return serveDriveUntil(t, t.Context(), b)
}

// serveDriveUntil exports a drive over NVMe/TCP on loopback until ctx ends.
func serveDriveUntil(t *testing.T, ctx context.Context, b nvmetcp.Backing) (url string) {
	t.Helper()
	return serveDriveTo(t, ctx, b, true)
}

// serveDriveTo does the same; it may be written unless it is read only.
func serveDriveTo(t *testing.T, ctx context.Context, b nvmetcp.Backing, readOnly bool) (url string) {
	t.Helper()
	ln := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	const nqn = "nqn.2026-11.test.linerate:drive"
	ctx, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	t.Cleanup(func() { stop(); <-over })
	go func() {
		defer close(over)
		_ = nvmetcp.Serve(ctx, ln, nvmetcp.Subsystem{NQN: nqn, Backing: bareDrive{b}, ReadOnly: readOnly, Serial: "LR1"})
	}()
	return "nvme-tcp://" + ln.Addr().String() + "/" + nqn
}

// A target that vanishes in the middle, and failing requests: the record has the results until then, with time and
// number of the losses, and the exit code is 4; or the job goes on, if configured.
func TestMeasureBlockBroken(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if runtime.GOOS != "linux" {
		t.Skip("it counts with Linux's counters")
	}
	t.Parallel()
	measured := func(x *record.Experiment) *record.Broken {
		t.Helper()
		if x.IOPS != nil || x.Block != nil || len(x.Repeats) != 0 || x.Broken == nil || x.Broken.Block == nil ||
			x.Broken.Block.Read == nil {
			t.Fatalf("%+v, failed %q, figures %v, %d repeats", x.Broken, x.Failed, x.IOPS, len(x.Repeats))
		}
		return x.Broken
	}

	t.Run("the target is gone", func(t *testing.T) {
		const before = 3000 // requests
		ctx, stop := context.WithCancel(context.Background())
		drive := &breaking{Memory: nvmetcp.NewMemory(1 << 20), bad: -1, then: stop}
		drive.left.Store(before)
		url := serveDriveUntil(t, ctx, drive)
		a := newPlace(t).linerate(t, "measure", "storage", "--to", url, "--depth", "4", "--time", "10m", "--warmup", "0s",
			"--repeats", "2", "--json")
		x := a.run(t).Experiments[0]
		b := measured(x)
		if w := b.Block.Workers[0]; a.code != cli.ExitIncomplete || b.Operations < before/2 || b.After <= 0 ||
			b.Last > b.After || w.LostSeconds == nil || w.Read != b.Operations {
			t.Errorf("exit code %d, %+v, %+v", a.code, b, w)
		}
		testenv.Contains(t, "the reason", x.Failed, "after the interval began", "requests under way", "the last answer came",
			"in no figure) ")
	})

	const bad = 17 * 4096 // offset
	for _, on := range []string{"stop", "go-on"} {
		t.Run("requests fail, "+on, func(t *testing.T) {
			drive := &breaking{Memory: nvmetcp.NewMemory(1 << 20), bad: bad}
			drive.left.Store(200)              // one of 256 blocks is bad, and each is read once before any is repeated
			until := []string{"--time", "10m"} // ends with the first error
			if on == "go-on" {
				until = []string{"--amount", "4MiB"}
			}
			a := newPlace(t).linerate(t, append([]string{"measure", "storage", "--to", serveDrive(t, drive), "--depth", "4",
				"--warmup", "0s", "--repeats", "1", "--on-error", on, "--json"}, until...)...)
			x := a.run(t).Experiments[0]
			if on == "go-on" {
				if a.code != cli.ExitDone || x.Broken != nil || x.IOPS == nil || x.Failed != "" {
					t.Fatalf("%s", a)
				}
				w := x.Block.Workers[0]
				if len(w.Errors) == 0 || w.Errors[0].Offset != bad || w.Errors[0].Op != "read" || w.LostSeconds != nil ||
					w.ErrorCount < int64(len(w.Errors)) ||
					!strings.Contains(strings.Join(x.Repeats[0].Warnings, "\n"), "requests failed; they are in no figure") {
					t.Errorf("%+v, %q", w, x.Repeats[0].Warnings)
				}
				return
			}
			b := measured(x)
			w := b.Block.Workers[0]
			if a.code != cli.ExitIncomplete || w.LostSeconds == nil || len(w.Errors) == 0 || w.Errors[0].Offset != bad ||
				b.Operations != w.Read || !strings.Contains(x.Failed, "read at offset 69632: ") ||
				!strings.Contains(x.Failed, "(on_error go-on counts them and goes on)") {
				t.Errorf("exit code %d, %q, %+v", a.code, x.Failed, w)
			}
		})
	}
}

// forgetting is a drive that loses the writes to one of its blocks.
type forgetting struct {
	*nvmetcp.Memory
	bad int64
}

func (f *forgetting) WriteAt(p []byte, at int64) (int, error) {
	if at <= f.bad && f.bad < at+int64(len(p)) {
		return len(p), nil
	}
	return f.Memory.WriteAt(p, at)
}

// A drive that loses a block is detected: the experiment has failed, its counts are in no figure, and the exit code is
// 4.
func TestMeasureBlockWrong(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if runtime.GOOS != "linux" {
		t.Skip("it counts with Linux's counters")
	}
	t.Parallel()
	const bad = 17 * 4096                               // offset
	const identity = "2e4b5588610e1f19e12aa7813fd52f16" // of the drive, derived from its NQN
	for _, lost := range []int64{bad, -1} {
		url := serveDriveTo(t, t.Context(), &forgetting{nvmetcp.NewMemory(1 << 20), lost}, false)
		a := newPlace(t).linerate(t, "measure", "storage", "--to", url, "--destroy", url+"="+identity, "--read", "50%",
			"--verify", "--depth", "4", "--amount", "8MiB", "--warmup", "0s", "--repeats", "2", "--json")
		x := a.run(t).Experiments[0]
		if lost < 0 {
			if a.code != cli.ExitDone || x.Failed != "" || x.Broken != nil || len(x.Repeats) != 2 ||
				x.Block.Workers[0].Verified.Wrong != 0 || x.Block.Workers[0].Verified.Right == 0 {
				t.Errorf("nothing is wrong: %s", a)
			}
			continue
		}
		if a.code != cli.ExitIncomplete || x.Broken == nil || x.Broken.Block == nil || len(x.Repeats) != 0 ||
			x.IOPS != nil || x.Block != nil {
			t.Fatalf("%s", a)
		}
		v := x.Broken.Block.Workers[0].Verified
		if v == nil || v.Wrong == 0 || v.Right == 0 || len(v.Blocks) == 0 || v.Blocks[0].Offset != bad {
			t.Errorf("%+v", v)
		}
		testenv.Contains(t, "the reason", x.Failed, "in no figure",
			"blocks that were read and compared are not what was written, such as that of offset 69632")
	}
}
