//go:build linux

// Command nvmetcp measures the project's own NVMe/TCP initiator and target beside user-space programs for other block protocols, in turn
// (A B C A B C ..), so that what else the machine does meets all of them alike. It prints a Markdown table of medians.
//
//	go build -C tools/bench -o /tmp/bench-nvmetcp ./nvmetcp
//	sudo /tmp/bench-nvmetcp -o tools/bench/nvmetcp/latest.md
//
// It needs root, iproute2 and Debian's packages tgt, libiscsi-bin, nbdkit, libnbd-bin and fio. All of them give out the same file in memory, over
// a veth pair between two network namespaces that it makes and removes. Processor time is that of the client from its start to its end, of the
// server meanwhile, and of the kernel's packet threads, as the system accounts for them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

const (
	addressA = "10.98.7.1"
	addressB = "10.98.7.2"
	size     = 256 << 20 // of the drive, bytes
	depth    = 32
)

func main() {
	if role := os.Getenv("BENCH_NVMETCP_ROLE"); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "nvmetcp:", err)
		os.Exit(1)
	}
}

// place is the two namespaces, a with the clients and b with the servers, and the folder of the drive.
type place struct {
	a, b   string
	folder string
	drive  string
	self   string
}

func build(mtu int) (*place, error) {
	p := &place{a: fmt.Sprintf("lrnt%da", os.Getpid()), b: fmt.Sprintf("lrnt%db", os.Getpid())}
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
	for _, line := range [][]string{{"netns", "add", p.a}, {"netns", "add", p.b},
		{"link", "add", "veth0", "netns", p.a, "mtu", fmt.Sprint(mtu), "type", "veth", "peer", "name", "veth0", "mtu", fmt.Sprint(mtu), "netns", p.b},
		{"-n", p.a, "addr", "add", addressA + "/24", "dev", "veth0"}, {"-n", p.b, "addr", "add", addressB + "/24", "dev", "veth0"},
		{"-n", p.a, "link", "set", "veth0", "up"}, {"-n", p.b, "link", "set", "veth0", "up"}, {"-n", p.b, "link", "set", "lo", "up"}} {
		if out, err := exec.Command("ip", line...).CombinedOutput(); err != nil {
			return p, fmt.Errorf("ip %v: %w: %s", line, err, out)
		}
	}
	return p, nil
}

func (p *place) remove() {
	exec.Command("ip", "netns", "del", p.a).Run()
	exec.Command("ip", "netns", "del", p.b).Run()
	os.RemoveAll(p.folder)
}

// in is a command in a namespace. nsenter leaves the mounts alone, which `ip netns exec` does not.
func in(ctx context.Context, namespace string, argv ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nsenter", append([]string{"--net=/run/netns/" + namespace, "--"}, argv...)...)
}

func bench(ctx context.Context) error {
	runs := flag.Int("runs", 5, "runs of each program in each case")
	window := flag.Duration("window", 4*time.Second, "how long a client runs")
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
			return fmt.Errorf("%s is not there: apt-get install --no-install-recommends iproute2 util-linux tgt libiscsi-bin nbdkit libnbd-bin fio", program)
		}
	}
	p, err := build(*mtu)
	if p != nil {
		defer p.remove()
	}
	if err != nil {
		return err
	}
	all := cases()
	for _, c := range all {
		c.keep(func(t *tool) bool { return which.MatchString(c.name + " " + t.name) })
		for n := 0; n < *runs; n++ {
			for _, t := range c.tools {
				if ctx.Err() != nil {
					break
				}
				f, err := p.measure(ctx, t, c, *window)
				if err != nil {
					t.failed = append(t.failed, err.Error())
					fmt.Fprintf(os.Stderr, "%s, %s: %v\n", c.name, t.name, err)
					continue
				}
				t.figures = append(t.figures, f)
				fmt.Fprintf(os.Stderr, "%s, %s: %.0f I/Os and %.0f MB a second; %.0f I/Os and %.0f MB a processor second (client %.2f s, server %.2f s, kernel %.2f s; other work %.2f cores)\n", c.name, t.name,
					f.ops/f.seconds, f.ops*float64(c.block)/f.seconds/1e6, f.ops/f.cpu(), f.ops*float64(c.block)/f.cpu()/1e6, f.client, f.server, f.kernel, f.foreign)
			}
		}
	}
	text := table(all, *runs, *mtu, *window)
	fmt.Fprint(os.Stdout, text)
	if *out != "" {
		return errors.Join(os.WriteFile(*out, []byte(text), 0o644), ctx.Err())
	}
	return ctx.Err()
}
