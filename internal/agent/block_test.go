//go:build linux

package agent

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/nvmetcp"
)

// jobLead is how long before its beginning a job is sent: a start that comes late is refused.
const jobLead = 300 * time.Millisecond

func blockJob(target string, read float64) *block.Job {
	return &block.Job{Target: target, Span: 4 * unit.MiB, Size: 4 * unit.KiB, Read: read, Depth: 4, Threads: 1,
		Interval: 300 * time.Millisecond, Seed: 1, Cached: true}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := testenv.Must(os.ReadDir(dir))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Jobs in one folder share one file, which is removed when the controller is gone. Reads, writes, samples and the
// host's own counters are in the outcome.
func TestBlock(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	c := mustStart(t)
	var made []string
	for _, read := range []float64{1, 0} {
		var mu sync.Mutex
		rows := 0
		r := testenv.Must(c.Block(t.Context(), Block{Job: blockJob(dir, read), Samples: 10},
			func(s []traffic.Sample) { mu.Lock(); rows += len(s); mu.Unlock() }))(t)
		if !r.Created || r.Kind != block.KindFolder || len(r.Warnings) > 1 {
			t.Errorf("ready: %+v", r.Ready)
		}
		made = append(made, files(t, dir)...)
		testenv.Check(t, r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)))
		out := testenv.Must(r.Wait())(t)
		o := out.Engine
		if n := o.Read.Operations; (n > 0) != (read > 0) {
			t.Errorf("read %v: %d reads", read, n)
		}
		if n := o.Write.Operations; (n > 0) != (read < 1) || o.ErrorCount != 0 {
			t.Errorf("read %v: %d writes, errors %v", read, n, o.Errors)
		}
		// A machine that was suspended for the interval has counted nothing, and reports that.
		if w := out.Watch; w.EndNS <= w.StartNS || len(w.CPU.Cores) == 0 && w.CPU.Unknown == "" || out.Cores == 0 {
			t.Errorf("watched %v, %d cores of %d, unknown %q", time.Duration(w.EndNS-w.StartNS), len(w.CPU.Cores), out.Cores,
				w.CPU.Unknown)
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

// The keeper of an agent that is killed removes its file.
func TestBlockKilled(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	c := mustStart(t)
	testenv.Must(c.Block(t.Context(), Block{Job: blockJob(dir, 1)}, nil))(t)
	if len(files(t, dir)) == 0 {
		t.Fatal("no file was made")
	}
	testenv.Check(t, syscall.Kill(c.Hello().PID, syscall.SIGKILL))
	eventually(t, "the end of the files", func() bool { return len(files(t, dir)) == 0 })
}

// A file that linerate has not made is read, and never written.
func TestBlockRefuses(t *testing.T) {
	testenv.Need(t, testenv.Live)
	path := filepath.Join(t.TempDir(), "film")
	text := strings.Repeat("x", 8<<20)
	testenv.WriteFile(t, path, []byte(text), 0o600)
	c := mustStart(t)
	_, err := c.Block(t.Context(), Block{Job: blockJob(path, 0.5)}, nil)
	var e *failure.Error
	if !errors.As(err, &e) || e.Code != failure.CodeUnsafe {
		t.Errorf("writing to an existing file: %v", err)
	}
	r := testenv.Must(c.Block(t.Context(), Block{Job: blockJob(path, 1)}, nil))(t)
	r.Close() // prepared, and never started
	if b, _ := os.ReadFile(path); string(b) != text {
		t.Error("the file is not what it was")
	}
}

// A host that only watches reports the interval, with the drives of a path, or, where no path has one, with all drives.
func TestBlockWatch(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	watch := func(q Block) (*BlockOutcome, error) {
		q.Interval = 300 * time.Millisecond
		r := testenv.Must(c.Block(t.Context(), q, nil))(t)
		testenv.Check(t, r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)))
		return r.Wait()
	}
	of := block.DevicesOf("/")
	if out, err := watch(Block{Storage: []string{"/", "/"}, Physical: true}); err != nil || len(of) > 0 &&
		(out.Physical || len(out.Watch.Drives) != len(of)) {
		t.Errorf("%v: %v, %+v", of, err, out.Watch.Drives)
	}
	if out, err := watch(Block{Storage: []string{"/is/not/there"}, Physical: true}); err != nil || !out.Physical ||
		len(out.Watch.Drives)+len(out.Watch.Unknown) < len(block.PhysicalDrives()) {
		t.Errorf("%v: %v, %+v", block.PhysicalDrives(), err, out)
	}
	out, err := watch(Block{})
	if err != nil || out.Engine != nil || len(out.Watch.CPU.Cores) == 0 && out.Watch.CPU.Unknown == "" || out.Physical ||
		len(out.Watch.Drives) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// slowToSync is a drive whose sync ends when the channel is closed.
type slowToSync struct {
	*nvmetcp.Memory
	let chan struct{}
}

func (s slowToSync) Sync() error { <-s.let; return nil }

// The host is watched until the last request is answered; the sync of an amount after that is not watched.
func TestBlockHome(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := mustStart(t)
	ln := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	drive := slowToSync{nvmetcp.NewMemory(4 << 20), make(chan struct{})}
	target := &nvmetcp.Target{Subsystems: []nvmetcp.Subsystem{{NQN: "nqn.2026-11.test:slow", Backing: drive}}}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- target.Serve(ctx, ln) }()
	letGo := sync.OnceFunc(func() { close(drive.let) })
	defer func() { letGo(); stop(); <-served }()
	j := blockJob("nvme-tcp://"+ln.Addr().String()+"/nqn.2026-11.test:slow", 0)
	j.Span, j.Cached, j.Amount, j.Interval, j.Destroy = 0, false, 4*unit.MiB, time.Minute,
		j.Target+"=081d212cf51a9a7750f4d211bf31d840" // of its NQN
	r := testenv.Must(c.Block(t.Context(), Block{Job: j}, nil))(t)
	testenv.Check(t, r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)))
	select {
	case <-r.Home():
	case <-time.After(time.Minute):
		t.Error("the agent has not reported that the requests are answered")
	}
	let := traffic.Now() + c.Clock().Nanoseconds
	letGo()
	out := testenv.Must(r.Wait())(t)
	if o := out.Engine; o.Write.Operations != 1024 || o.EndNS < let || out.Watch.EndNS > let ||
		out.Watch.EndNS < o.CloseNS {
		t.Errorf("%d writes until %d, watched until %d, let %d, over %d", o.Write.Operations, o.CloseNS, out.Watch.EndNS,
			let, o.EndNS)
	}
}

// A folder is exported to one host with a random name, which reads and writes over the network. No file is left.
func TestBlockExport(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	c := mustStart(t)
	const host = "nqn.2026-11.linerate:host-abcdefghijklmnopqrstuvwxyz"
	v := testenv.Must(c.Export(t.Context(), Export{Target: dir, Span: 4 * unit.MiB, Local: loopback,
		Host: host}))(t)
	if v.Identity == "" || len(files(t, dir)) != 1 {
		t.Errorf("%+v, files %v", v, files(t, dir))
	}
	j := &block.Job{Target: v.URL, HostName: host, Size: 4 * unit.KiB, Read: 0.5, Depth: 4, Threads: 1,
		Amount: 4 * unit.MiB, Interval: 2 * time.Minute, Seed: 1, Destroy: v.URL + "=" + v.Identity, Verify: true}
	r := testenv.Must(c.Block(t.Context(), Block{Job: j}, nil))(t)
	testenv.Check(t, r.Start(t.Context(), traffic.Now()+c.Clock().Nanoseconds+int64(jobLead)))
	out, err := r.Wait()
	if err != nil || out.Engine.Write.Operations == 0 || out.Engine.Verified.Wrong != 0 || r.Way != block.WayNVMeTCP {
		t.Errorf("%v, %+v, %+v", err, out, out.Engine)
	}
	other := *j
	other.HostName, other.Read, other.Destroy, other.Verify = "nqn.2026-11.linerate:host-somebody", 1, "", false
	if _, err := c.Block(t.Context(), Block{Job: &other}, nil); err == nil {
		t.Error("another host was let in")
	}
	c.Close()
	eventually(t, "the end of the files", func() bool { return len(files(t, dir)) == 0 })
}
