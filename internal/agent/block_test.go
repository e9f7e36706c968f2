//go:build linux

package agent

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/nvmetcp"
)

// jobLead is how long before its beginning a job is sent: a start that comes late is refused.
const jobLead = 300 * time.Millisecond

func blockJob(target string, read float64) *block.Job {
	return &block.Job{Target: target, Span: 4 * unit.MiB, Size: 4 * unit.KiB, Read: read, Depth: 4, Threads: 1, Window: 300 * time.Millisecond, Seed: 1, Cached: true}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Jobs in one folder share one file, which is gone when the controller is; what was asked and done is counted on both sides of the window.
func TestBlock(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	c := mustStart(t)
	var made []string
	for _, read := range []float64{1, 0} {
		var mu sync.Mutex
		rows := 0
		r, err := c.Block(t.Context(), Block{Job: blockJob(dir, read), Samples: 10}, func(s []traffic.Sample) { mu.Lock(); rows += len(s); mu.Unlock() })
		if err != nil {
			t.Fatal(err)
		}
		if !r.Created || r.Kind != block.KindFolder || len(r.Warnings) > 1 {
			t.Errorf("ready: %+v", r.Ready)
		}
		made = append(made, files(t, dir)...)
		if err := r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)); err != nil {
			t.Fatal(err)
		}
		out, err := r.Wait()
		if err != nil {
			t.Fatal(err)
		}
		o := out.Engine
		if n := o.Read.Operations; (n > 0) != (read > 0) {
			t.Errorf("read %v: %d reads", read, n)
		}
		if n := o.Write.Operations; (n > 0) != (read < 1) || o.ErrorCount != 0 {
			t.Errorf("read %v: %d writes, errors %v", read, n, o.Errors)
		}
		// A machine that stood still for the window has counted nothing, and that is said.
		if w := out.Watch; w.EndNS <= w.StartNS || len(w.CPU.Cores) == 0 && w.CPU.Unknown == "" || out.Cores == 0 {
			t.Errorf("watched %v, %d cores of %d, unknown %q", time.Duration(w.EndNS-w.StartNS), len(w.CPU.Cores), out.Cores, w.CPU.Unknown)
		}
		mu.Lock()
		if rows == 0 {
			t.Error("no samples came")
		}
		mu.Unlock()
	}
	if len(made) != 2 || made[0] != made[1] {
		t.Errorf("two jobs in one folder used %v", made)
	}
	c.Close()
	eventually(t, "the end of the files", func() bool { return len(files(t, dir)) == 0 })
}

// An agent that is killed leaves its file to its keeper.
func TestBlockKilled(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	c := mustStart(t)
	if _, err := c.Block(t.Context(), Block{Job: blockJob(dir, 1)}, nil); err != nil {
		t.Fatal(err)
	}
	if len(files(t, dir)) == 0 {
		t.Fatal("no file was made")
	}
	if err := syscall.Kill(c.Hello().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the files", func() bool { return len(files(t, dir)) == 0 })
}

// What is somebody else's is read, and never written.
func TestBlockRefuses(t *testing.T) {
	testenv.Need(t, testenv.Live)
	path := filepath.Join(t.TempDir(), "film")
	text := strings.Repeat("x", 8<<20)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := mustStart(t)
	_, err := c.Block(t.Context(), Block{Job: blockJob(path, 0.5)}, nil)
	var e *traffic.Error
	if !errors.As(err, &e) || e.Code != traffic.CodeUnsafe {
		t.Errorf("writing to a file that is there: %v", err)
	}
	r, err := c.Block(t.Context(), Block{Job: blockJob(path, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close() // prepared, and never started
	if b, _ := os.ReadFile(path); string(b) != text {
		t.Error("the file is not what it was")
	}
}

// A host that only watches says what it did in the window, with the drives that a path lies on, or, where nobody names any, all that it has.
func TestBlockWatch(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	watch := func(q Block) (*BlockOutcome, error) {
		q.Window = 300 * time.Millisecond
		r, err := c.Block(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)); err != nil {
			t.Fatal(err)
		}
		return r.Wait()
	}
	of := block.DevicesOf("/")
	if out, err := watch(Block{Storage: []string{"/", "/"}, Physical: true}); err != nil || len(of) > 0 && (out.Physical || len(out.Watch.Drives) != len(of)) {
		t.Errorf("%v: %v, %+v", of, err, out.Watch.Drives)
	}
	if out, err := watch(Block{Storage: []string{"/is/not/there"}, Physical: true}); err != nil || !out.Physical || len(out.Watch.Drives)+len(out.Watch.Unknown) < len(block.PhysicalDrives()) {
		t.Errorf("%v: %v, %+v", block.PhysicalDrives(), err, out)
	}
	out, err := watch(Block{})
	if err != nil || out.Engine != nil || len(out.Watch.CPU.Cores) == 0 && out.Watch.CPU.Unknown == "" || out.Physical || len(out.Watch.Drives) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// slowToSync is a drive whose sync ends when it is let.
type slowToSync struct {
	*nvmetcp.Memory
	let chan struct{}
}

func (s slowToSync) Sync() error { <-s.let; return nil }

// The host is watched until the last request is answered: of an amount, the sync behind it is in no count.
func TestBlockHome(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	drive := slowToSync{nvmetcp.NewMemory(4 << 20), make(chan struct{})}
	target := &nvmetcp.Target{Subsystems: []nvmetcp.Subsystem{{NQN: "nqn.2026-11.test:slow", Backing: drive}}}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- target.Serve(ctx, ln) }()
	letGo := sync.OnceFunc(func() { close(drive.let) })
	defer func() { letGo(); stop(); <-served }()
	j := blockJob("nvme-tcp://"+ln.Addr().String()+"/nqn.2026-11.test:slow", 0)
	j.Span, j.Cached, j.Amount, j.Window, j.Destroy = 0, false, 4*unit.MiB, time.Minute, j.Target+"=081d212cf51a9a7750f4d211bf31d840" // of its NQN
	r, err := c.Block(t.Context(), Block{Job: j}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Home():
	case <-time.After(time.Minute):
		t.Error("it is not said that the requests are answered")
	}
	let := traffic.Now() + c.Clock().Nanoseconds
	letGo()
	out, err := r.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if o := out.Engine; o.Write.Operations != 1024 || o.EndNS < let || out.Watch.EndNS > let || out.Watch.EndNS < o.CloseNS {
		t.Errorf("%d writes until %d, watched until %d, let %d, over %d", o.Write.Operations, o.CloseNS, out.Watch.EndNS, let, o.EndNS)
	}
}

// A folder is given out to one host, by a name that nobody guesses, and read and written over the network; nothing stays.
func TestBlockExport(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	c := mustStart(t)
	const host = "nqn.2026-11.linerate:host-abcdefghijklmnopqrstuvwxyz"
	v, err := c.Export(t.Context(), Export{Target: dir, Span: 4 * unit.MiB, Local: netip.MustParseAddr("127.0.0.1"), Host: host})
	if err != nil {
		t.Fatal(err)
	}
	if v.Identity == "" || len(files(t, dir)) != 1 {
		t.Errorf("%+v, files %v", v, files(t, dir))
	}
	j := &block.Job{Target: v.URL, HostName: host, Size: 4 * unit.KiB, Read: 0.5, Depth: 4, Threads: 1, Amount: 4 * unit.MiB, Window: 2 * time.Minute, Seed: 1, Destroy: v.URL + "=" + v.Identity, Verify: true}
	r, err := c.Block(t.Context(), Block{Job: j}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)); err != nil {
		t.Fatal(err)
	}
	out, err := r.Wait()
	if err != nil || out.Engine.Write.Operations == 0 || out.Engine.Verified.Wrong != 0 || r.Way != block.WayNVMeTCP {
		t.Errorf("%v, %+v, %+v", err, out, out.Engine)
	}
	stranger := *j
	stranger.HostName, stranger.Read, stranger.Destroy, stranger.Verify = "nqn.2026-11.linerate:host-somebody", 1, "", false
	if _, err := c.Block(t.Context(), Block{Job: &stranger}, nil); err == nil {
		t.Error("another host was let in")
	}
	c.Close()
	eventually(t, "the end of the files", func() bool { return len(files(t, dir)) == 0 })
}
