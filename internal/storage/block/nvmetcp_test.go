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

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/nvmetcp"
)

const nvmeSize = 8 << 20

// nvmeTarget gives a file out over NVMe/TCP on loopback until end is called, and says where.
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
		_ = nvmetcp.Serve(ctx, ln, nvmetcp.Subsystem{NQN: "nqn.2026-11.test.linerate:disk", Backing: backing, ReadOnly: readOnly, Serial: "LR1"})
	}()
	end = func() { stop(); <-ended }
	t.Cleanup(func() { end(); backing.Close() })
	return fmt.Sprintf("nvme-tcp://%s/nqn.2026-11.test.linerate:disk", ln.Addr()), end
}

// What is written over the own initiator is what is read, also where a request is more than the target takes in one command.
func TestNVMeTCP(t *testing.T) {
	url, _ := nvmeTarget(t, false)
	probe, err := Prepare(t.Context(), Job{Target: url, Size: 4 * unit.KiB, Read: 1, Depth: 1, Threads: 1, Window: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ready := probe.Ready()
	probe.Close()
	if ready.Way != WayNVMeTCP || ready.Kind != KindRemote || ready.Size != nvmeSize || ready.Identity == "" || !strings.Contains(ready.Why, "not your system's") {
		t.Errorf("ready: %+v", ready)
	}
	for _, size := range []unit.Bytes{4 * unit.KiB, 128 * unit.KiB, 2 * unit.MiB} {
		j := Job{Target: url, Size: size, Read: 0.5, Depth: 2, Threads: 2, Amount: 16 * unit.MiB, Window: 2 * time.Minute, Seed: 3, Verify: true, Destroy: url + "=" + ready.Identity}
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

// Writing needs the namespace's own name; without it, or on one that is protected, nothing is written.
func TestNVMeTCPRefuses(t *testing.T) {
	url, _ := nvmeTarget(t, false)
	j := Job{Target: url, Size: 4 * unit.KiB, Depth: 1, Threads: 1, Window: time.Second}
	for destroy, code := range map[string]string{"": traffic.CodeUnsafe, url + "=0000": traffic.CodeUnsafe} {
		j.Destroy = destroy
		e, err := Prepare(t.Context(), j)
		var m *traffic.Error
		if e != nil || !errors.As(err, &m) || m.Code != code {
			t.Errorf("destroy %q: %v", destroy, err)
		}
	}
	for target, want := range map[string]string{"nvme-tcp://127.0.0.1:1/nqn.2026-11.x:y": "refused", "nvme-tcp://": "write it as nvme-tcp://HOST:PORT/NQN", url + "x": "nqn.2026-11.test.linerate:disk"} {
		j := Job{Target: target, Size: 4 * unit.KiB, Read: 1, Depth: 1, Threads: 1, Window: time.Second}
		if _, err := Prepare(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A target that goes away in the middle: what was measured stays, and it is said when.
func TestNVMeTCPGone(t *testing.T) {
	url, end := nvmeTarget(t, false)
	e, err := Prepare(t.Context(), Job{Target: url, Size: 4 * unit.KiB, Read: 1, Depth: 4, Threads: 1, Window: 2 * time.Minute})
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
	var m *traffic.Error
	if !errors.As(err, &m) || m.Code != CodeLost || o == nil || o.Read.Operations == 0 || o.LostNS != o.CloseNS || !strings.Contains(m.Text, "the last answer came") {
		t.Errorf("%v: %+v", err, o)
	}
}
