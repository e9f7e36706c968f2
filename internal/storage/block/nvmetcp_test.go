package block

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/nvmetcp"
)

const nvmeSize = 8 << 20

// nvmeTarget exports a file over NVMe/TCP on loopback until end is called. It returns the address.
func nvmeTarget(t *testing.T, readOnly bool) (url string, end func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(path, make([]byte, nvmeSize), 0o600); err != nil {
		t.Fatal(err)
	}
	backing, err := nvmetcp.OpenFile(path, true)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = nvmetcp.Serve(ctx, ln,
			nvmetcp.Subsystem{NQN: "nqn.2026-11.test.linerate:disk", Backing: backing, ReadOnly: readOnly, Serial: "LR1"})
	}()
	end = func() { stop(); <-ended }
	t.Cleanup(func() { end(); backing.Close() })
	return fmt.Sprintf("nvme-tcp://%s/nqn.2026-11.test.linerate:disk", ln.Addr()), end
}

// linerate's initiator reads what it wrote, also where a request is larger than the target takes in one command.
func TestNVMeTCP(t *testing.T) {
	url, _ := nvmeTarget(t, false)
	probe, err := Prepare(t.Context(),
		Job{Target: url, Size: 4 * unit.KiB, Read: 1, Depth: 1, Threads: 1, Interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ready := probe.Ready()
	probe.Close()
	if ready.Way != WayNVMeTCP || ready.Kind != KindRemote || ready.Size != nvmeSize || ready.Identity == "" ||
		!strings.Contains(ready.Why, "not your system's") {
		t.Errorf("ready: %+v", ready)
	}
	for _, size := range []unit.Bytes{4 * unit.KiB, 128 * unit.KiB, 2 * unit.MiB} {
		j := Job{Target: url, Size: size, Read: 0.5, Depth: 2, Threads: 2, Amount: 16 * unit.MiB,
			Interval: 2 * time.Minute, Seed: 3, Verify: true, Destroy: url + "=" + ready.Identity}
		e, err := Prepare(t.Context(), j)
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		o, err := e.Run(t.Context(), traffic.Now(), nil)
		e.Close()
		if err != nil || o.ErrorCount != 0 || o.Read.Operations == 0 || o.Write.Operations == 0 {
			t.Fatalf("%v: %v, %+v", size, err, o)
		}
		if v := o.Verified; v == nil || v.Wrong != 0 || v.Right == 0 || v.NotReadBack != 0 {
			t.Errorf("%v: %+v", size, v)
		}
	}
}

// Writing needs the namespace's own name. Without it, or on a protected namespace, nothing is written.
func TestNVMeTCPRefuses(t *testing.T) {
	url, _ := nvmeTarget(t, false)
	j := Job{Target: url, Size: 4 * unit.KiB, Depth: 1, Threads: 1, Interval: time.Second}
	for destroy, code := range map[string]string{"": failure.CodeUnsafe, url + "=0000": failure.CodeUnsafe} {
		j.Destroy = destroy
		e, err := Prepare(t.Context(), j)
		var m *failure.Error
		if e != nil || !errors.As(err, &m) || m.Code != code {
			t.Errorf("destroy %q: %v", destroy, err)
		}
	}
	for target, want := range map[string]string{"nvme-tcp://127.0.0.1:1/nqn.2026-11.x:y": "refused",
		"nvme-tcp://": "write it as nvme-tcp://HOST:PORT/NQN", url + "x": "nqn.2026-11.test.linerate:disk"} {
		j := Job{Target: target, Size: 4 * unit.KiB, Read: 1, Depth: 1, Threads: 1, Interval: time.Second}
		if _, err := Prepare(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A target that disconnects in the middle: the figures up to then stay, and the time is reported.
func TestNVMeTCPGone(t *testing.T) {
	url, end := nvmeTarget(t, false)
	e, err := Prepare(t.Context(),
		Job{Target: url, Size: 4 * unit.KiB, Read: 1, Depth: 4, Threads: 1, Interval: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var once sync.Once
	o, err := e.Run(t.Context(), traffic.Now(), func(rows []traffic.Sample) {
		if slices.ContainsFunc(rows, func(s traffic.Sample) bool { return s.Metric == "reads" && s.Value > 0 }) {
			once.Do(end)
		}
	})
	var m *failure.Error
	if !errors.As(err, &m) || m.Code != CodeLost || o == nil || o.Read.Operations == 0 || o.LostNS != o.CloseNS ||
		!strings.Contains(m.Text, "the last answer came") {
		t.Errorf("%v: %+v", err, o)
	}
}
