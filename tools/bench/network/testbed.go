//go:build linux

package main

import (
	"context"
	_ "embed"
	"os"
	"os/exec"

	"linerate/tools/bench/harness"
	"linerate/tools/bench/wire"
)

//go:embed c/cloop.c
var cLoopSource []byte

// testbed is two hosts with a link between them; the first sends.
type testbed struct {
	*wire.Net
	packetThreads []int
	cLoop         string // the C program; empty: there is no compiler
	folder        string
}

func newTestbed(ctx context.Context) (*testbed, error) {
	w, err := wire.New(ctx, 2)
	if err != nil {
		return nil, err
	}
	l := &testbed{Net: w, packetThreads: harness.PacketThreads()}
	if l.folder, err = os.MkdirTemp("", "bench-network-"); err == nil {
		if _, missing := exec.LookPath("cc"); missing == nil {
			l.cLoop, err = harness.Compile(ctx, l.folder, "cloop", cLoopSource)
		}
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// far is the address of the host that receives.
func (l *testbed) far() string { return l.Hosts[1].V4.String() }

// received is the bytes that the interface of that host has received.
func (l *testbed) received() int64 {
	n, _ := l.Hosts[1].Received()
	return n
}

func (l *testbed) close() {
	l.Close()
	os.RemoveAll(l.folder)
}
