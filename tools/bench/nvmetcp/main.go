//go:build linux

// Command nvmetcp measures the project's own NVMe/TCP initiator and target, and user-space programs for other block
// protocols. They alternate (A B C A B C ..), so that the machine's other work disturbs all of them equally. It prints
// a Markdown table of medians.
//
//	go build -C tools/bench -o /tmp/bench-nvmetcp ./nvmetcp
//	sudo /tmp/bench-nvmetcp -o tools/bench/nvmetcp/latest.md
//
// It needs root, iproute2 and Debian's packages tgt, libiscsi-bin, nbdkit, libnbd-bin and fio. All servers export the
// same file in memory, over a veth pair between two network namespaces that it makes and removes. CPU time is that of
// the client from its start to its end, and of the server and the kernel's packet threads meanwhile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"linerate/tools/bench/harness"
)

const (
	addressA = "10.98.7.1"
	addressB = "10.98.7.2"
	size     = 256 << 20 // of the drive, bytes
	depth    = 32
)

func main() {
	if role := os.Getenv("BENCH_NVMETCP_ROLE"); role != "" {
		if err := runRole(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	harness.Main("nvmetcp", bench)
}

// testbed is two namespaces, a with the clients and b with the servers, and the folder of the drive.
type testbed struct {
	a, b   string
	folder string
	drive  string
	self   string // this program
}

// newTestbed also returns a testbed with its error: what it has made so far is to be removed.
func newTestbed(ctx context.Context, mtu int) (*testbed, error) {
	p := &testbed{a: fmt.Sprintf("lrnt%da", os.Getpid()), b: fmt.Sprintf("lrnt%db", os.Getpid())}
	var err error
	if p.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if p.folder, err = os.MkdirTemp("/dev/shm", "nvmetcp"); err != nil {
		return nil, err
	}
	p.drive = filepath.Join(p.folder, "drive")
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7 + i>>9) // no zeros, no holes
	}
	if err := os.WriteFile(p.drive, b, 0o600); err != nil {
		return p, err
	}
	toA, toB := "-n "+p.a, "-n "+p.b
	return p, harness.IP(ctx, "netns add "+p.a, "netns add "+p.b,
		fmt.Sprintf("link add veth0 netns %s mtu %d type veth peer name veth0 mtu %d netns %s", p.a, mtu, mtu, p.b),
		toA+" addr add "+addressA+"/24 dev veth0", toB+" addr add "+addressB+"/24 dev veth0",
		toA+" link set veth0 up", toB+" link set veth0 up", toB+" link set lo up")
}

func (p *testbed) remove() {
	harness.RemoveNamespaces(p.a, p.b)
	os.RemoveAll(p.folder)
}

// in is a command in a namespace. nsenter leaves the mounts as they are; `ip netns exec` mounts another /sys.
func in(ctx context.Context, namespace string, argv ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nsenter", append([]string{"--net=/run/netns/" + namespace, "--"}, argv...)...)
}

func bench(ctx context.Context) error {
	runs := flag.Int("runs", 5, "runs of each program in each case")
	interval := flag.Duration("window", 4*time.Second, "how long a client runs")
	mtu := flag.Int("mtu", 9000, "MTU of the link")
	only := flag.String("only", "", "a regular expression: cases and programs to run")
	out := flag.String("o", "", "file for the table, beside standard output")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	for _, program := range []string{"ip", "nsenter", "tgtd", "tgtadm", "iscsi-perf", "nbdkit", "nbdcopy", "fio"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf(
				"%s is not there: apt-get install --no-install-recommends iproute2 util-linux tgt libiscsi-bin nbdkit "+
					"libnbd-bin fio", program)
		}
	}
	p, err := newTestbed(ctx, *mtu)
	if p != nil {
		defer p.remove()
	}
	if err != nil {
		return err
	}
	all := cases()
	for _, c := range all {
		c.only(func(t *tool) bool { return which.MatchString(c.name + " " + t.name) })
		for n := 0; n < *runs; n++ {
			for _, t := range c.tools {
				if ctx.Err() != nil {
					break
				}
				r, err := p.measure(ctx, t, c, *interval)
				if err != nil {
					t.failed = append(t.failed, err.Error())
					fmt.Fprintf(os.Stderr, "%s, %s: %v\n", c.name, t.name, err)
					continue
				}
				t.runs = append(t.runs, r)
				fmt.Fprintf(os.Stderr,
					"%s, %s: %.0f I/Os and %.0f MB a second; %.0f I/Os and %.0f MB a processor second (client %.2f s, server %.2f "+
						"s, kernel %.2f s; other work %.2f cores)\n", c.name, t.name, r.ops/r.seconds,
					r.ops*float64(c.block)/r.seconds/1e6, r.ops/r.cpu(), r.ops*float64(c.block)/r.cpu()/1e6, r.client, r.server,
					r.kernel, r.otherProcesses)
			}
		}
	}
	return errors.Join(harness.Publish(table(all, *runs, *mtu, *interval), *out), ctx.Err())
}
