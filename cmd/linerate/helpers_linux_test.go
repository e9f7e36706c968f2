package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safchain/ethtool"

	"linerate/internal/testenv"
)

// spoil disables the segmentation offloads of an interface, as ethtool -K IF tso off gso off.
func spoil(args []string) int {
	e, err := ethtool.NewEthtool()
	if err == nil {
		err = e.Change(args[0], map[string]bool{"tx-tcp-segmentation": false, "tx-tcp6-segmentation": false,
			"tx-generic-segmentation": false})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// needLab skips a live test that is not enabled, or without permission for namespaces.
func needLab(t *testing.T) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	needNamespaces(t)
}

// needNamespaces skips a test without permission for namespaces. The test must have checked its kind before.
func needNamespaces(t *testing.T) {
	t.Helper()
	labs.Do(func() {
		p := newPlace(t)
		labs.refused = p.upAndDown(t, p.command, copyFile(t, "testdata/three.yaml", p.path("three.yaml")))
	})
	if labs.refused != "" {
		missing(t, "network namespaces for this user: "+labs.refused)
	}
	testenv.Count(t, "system", "Linux, labs and namespaces of the machine that was tested on", 1)
}

// labs is why labs are impossible, tried once.
var labs struct {
	sync.Once
	refused string
}

// upAndDown tries a lab and returns why it is impossible; command makes the commands.
func (p *place) upAndDown(t *testing.T, command func(testing.TB, ...string) *exec.Cmd, fabric string) (refused string) {
	t.Helper()
	up := finish(t, command(t, "lab", "up", fabric, "--scale", "0.01", "--json"))
	if up.code != 0 {
		return up.err
	}
	id, _ := up.object(t, "linerate/lab/1")["id"].(string)
	if down := finish(t, command(t, "lab", "down", id)); down.code != 0 {
		t.Fatalf("lab down: %s", down)
	}
	return ""
}

// spoiled is a running lab for faults by hand.
type spoiled struct {
	*place
	id, fabric string
}

// labUp builds a fabric file in the place; the lab ends with the test.
func (p *place) labUp(t *testing.T, fabric, scale string) *spoiled {
	t.Helper()
	up := p.linerate(t, "lab", "up", fabric, "--scale", scale, "--json")
	if up.code != 0 {
		t.Fatalf("lab up: %s", up)
	}
	id, _ := up.object(t, "linerate/lab/1")["id"].(string)
	t.Cleanup(func() {
		if down := p.linerate(t, "lab", "down", id); down.code != 0 {
			t.Errorf("lab down: %s", down)
		}
	})
	return &spoiled{p, id, fabric}
}

// on runs a command on a host of the lab, and requires success.
func (s *spoiled) on(t *testing.T, host string, argv ...string) string {
	t.Helper()
	a := s.linerate(t, append([]string{"lab", "exec", s.id + "/" + host, "--"}, argv...)...)
	if a.code != 0 {
		t.Fatalf("on %s: %q: %s", host, argv, a)
	}
	return a.out
}

// manyRules gives a host a firewall of 3000 rules, in several files: nft sends each file in one message, and the kernel
// refuses a message with all of them from an ordinary user's lab.
func (s *spoiled) manyRules(t *testing.T, host string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rules.nft")
	rules := "table ip f {\nchain i {\ntype filter hook input priority 0;\n" + strings.Repeat("ip saddr 10.9.8.7 "+
		"accept\n", 300) + "}\n}\n"
	testenv.WriteFile(t, file, []byte(rules), 0o600)
	s.on(t, host, "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do nft -f "+file+" || exit; done")
}

// processes lists those that run the place's program or belong to the place, and all in their labs.
func (p *place) processes(t testing.TB) (out []string) {
	t.Helper()
	self := fmt.Sprint(os.Getpid())
	own, _ := os.Readlink("/proc/self/ns/pid")
	folders, _ := filepath.Glob("/proc/[0-9]*")
	ours, labs := map[string]bool{}, map[string]bool{}
	for _, f := range folders {
		exe, _ := os.Readlink(f + "/exe")
		environ, _ := os.ReadFile(f + "/environ")
		if exe == p.program(t) || bytes.Contains(environ, []byte("XDG_RUNTIME_DIR="+p.dir+"\x00")) {
			ours[f] = true
			if space, _ := os.Readlink(f + "/ns/pid"); space != "" && space != own {
				labs[space] = true
			}
		}
	}
	for _, f := range folders {
		if filepath.Base(f) == self {
			continue
		}
		space, _ := os.Readlink(f + "/ns/pid")
		if line, _ := os.ReadFile(f + "/cmdline"); ours[f] || labs[space] {
			out = append(out, filepath.Base(f)+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return out
}

// atMost waits until at most n processes of the place run: at least a minute, because the machine may be slow.
func (p *place) atMost(t testing.TB, n int, within time.Duration) {
	t.Helper()
	within = max(within, time.Minute)
	start := time.Now()
	for left := p.processes(t); len(left) > n; left = p.processes(t) {
		if time.Since(start) > within {
			t.Errorf("more than the %d processes of before are left after %v:\n%s", n, within, strings.Join(left, "\n"))
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// nothingLeft waits until no process of the place runs and no folder of a lab is left. With within 0 that must be so
// now; otherwise it waits at least a minute, because the machine may be slow.
func (p *place) nothingLeft(t testing.TB, within time.Duration) {
	t.Helper()
	if within > 0 {
		within = max(within, time.Minute)
	}
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		labs, _ := filepath.Glob(p.path("linerate", "lab", "*"))
		left := append(p.processes(t), labs...)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Errorf("left after %v:\n%s", within, strings.Join(left, "\n"))
			return
		}
	}
}

// files lists the files of a folder, with those below it.
func files(t testing.TB, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			short, _ := filepath.Rel(dir, path)
			out = append(out, short)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
