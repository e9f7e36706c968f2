//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/tools/bench/harness"
)

// benchCase is one load, and the programs that are measured with it. The first is linerate.
type benchCase struct {
	name   string
	block  int
	write  bool
	random bool
	least  float64 // required ratio of linerate's work a CPU second to that of the best judged tool
	unit   string
	tools  []*tool
}

func (c *benchCase) only(want func(*tool) bool) {
	c.tools = slices.DeleteFunc(c.tools, func(t *tool) bool { return !want(t) })
}

// tool is a server with its client.
type tool struct {
	name    string
	judged  bool // linerate is compared with it
	server  func(p *testbed) []string
	prepare func(ctx context.Context, p *testbed) error // after the server listens; nil: nothing to do
	port    string
	client  func(p *testbed, c *benchCase, interval time.Duration) []string
	ops     func(out []byte, c *benchCase, seconds float64) (float64, error)

	runs   []run
	failed []string
}

// run is one run: the seconds that the client took, operations, CPU seconds, and cores of other processes.
type run struct {
	seconds, ops, client, server, kernel, otherProcesses float64
}

func (r run) cpu() float64 { return r.client + r.server + r.kernel }

const iqn = "iqn.2026-11.test.linerate:drive"

// linerate is the two ends of this program; drive is memory, or empty for the file that the other tools have.
func linerate(name, drive string) *tool {
	return &tool{name: name, port: "4420",
		server: func(p *testbed) []string {
			if drive == "" {
				drive = p.drive
			}
			return []string{"env", "BENCH_NVMETCP_ROLE=target", p.self, addressB + ":4420", drive}
		},
		client: func(p *testbed, c *benchCase, interval time.Duration) []string {
			return []string{"env", "BENCH_NVMETCP_ROLE=initiator", p.self, addressB, strconv.Itoa(c.block),
				strconv.FormatBool(c.write), strconv.FormatBool(c.random), interval.String()}
		},
		ops: func(out []byte, _ *benchCase, _ float64) (float64, error) {
			return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		}}
}

func tgt() *tool {
	return &tool{name: "tgt, iscsi-perf", judged: true, port: "3260",
		server: func(p *testbed) []string {
			return []string{"tgtd", "-f", "--iscsi", "portal=" + addressB + ":3260", "-C", "77"}
		},
		prepare: func(ctx context.Context, p *testbed) error {
			for _, line := range []string{"--lld iscsi --mode target --op new --tid 1 --targetname " + iqn, "--lld iscsi " +
				"--mode logicalunit --op new --tid 1 --lun 1 --backing-store " + p.drive,
				"--lld iscsi --mode target --op bind --tid 1 --initiator-address ALL"} {
				if out, err := in(ctx, p.b,
					append([]string{"tgtadm", "-C", "77"}, strings.Fields(line)...)...).CombinedOutput(); err != nil {
					return fmt.Errorf("tgtadm %s: %w: %s", line, err, out)
				}
			}
			return nil
		},
		client: func(p *testbed, c *benchCase, interval time.Duration) []string {
			argv := []string{"iscsi-perf", "-m", strconv.Itoa(depth), "-b", strconv.Itoa(c.block / 512), "-t",
				strconv.Itoa(int(interval.Seconds()))}
			if c.random {
				argv = append(argv, "-r")
			}
			return append(argv, "iscsi://"+addressB+"/"+iqn+"/1")
		},
		// It prints lines like "iops average 41810 (163 MB/s)".
		ops: func(out []byte, c *benchCase, seconds float64) (float64, error) {
			m := regexp.MustCompile(`iops average (\d+)`).FindAllSubmatch(out, -1)
			if m == nil {
				return 0, fmt.Errorf("iscsi-perf said %q", out[max(0, len(out)-200):])
			}
			v, err := strconv.ParseFloat(string(m[len(m)-1][1]), 64)
			return v * seconds, err
		}}
}

func nbdkit(p *testbed) []string {
	return []string{"nbdkit", "-f", "-p", "10809", "-i", addressB, "-t", "16", "file", p.drive}
}

func nbdFio() *tool {
	return &tool{name: "nbdkit, fio nbd", judged: true, port: "10809", server: nbdkit,
		client: func(p *testbed, c *benchCase, interval time.Duration) []string {
			rw := map[[2]bool]string{{false, false}: "read", {false, true}: "randread", {true, false}: "write", {true,
				true}: "randwrite"}[[2]bool{c.write, c.random}]
			return []string{"fio", "--name=a", "--ioengine=nbd", "--uri=nbd://" + addressB + ":10809", "--rw=" + rw,
				"--bs=" + strconv.Itoa(c.block), "--iodepth=" + strconv.Itoa(depth), "--size=" + strconv.Itoa(size), "--time_based",
				"--runtime=" + strconv.Itoa(int(interval.Seconds())), "--output-format=json", "--randrepeat=0"}
		},
		ops: func(out []byte, c *benchCase, _ float64) (float64, error) {
			if i := bytes.IndexByte(out, '{'); i > 0 {
				out = out[i:]
			}
			var v struct {
				Jobs []struct {
					Read, Write struct {
						Total float64 `json:"total_ios"`
					}
				}
			}
			if err := json.Unmarshal(out, &v); err != nil || len(v.Jobs) != 1 {
				return 0, fmt.Errorf("fio: %v, %q", err, out[:min(len(out), 200)])
			}
			return v.Jobs[0].Read.Total + v.Jobs[0].Write.Total, nil
		}}
}

// nbdCopy copies the whole drive several times.
func nbdCopy() *tool {
	const rounds = 8
	return &tool{name: "nbdkit, nbdcopy", judged: true, port: "10809", server: nbdkit,
		client: func(p *testbed, c *benchCase, interval time.Duration) []string {
			source, sink := "nbd://"+addressB+":10809", "null:"
			if c.write {
				source, sink = p.drive, source
			}
			line := fmt.Sprintf(
				"for i in $(seq %d); do nbdcopy --connections=1 --requests=%d --request-size=%d --no-extents %s %s || exit 1; done",
				rounds, depth, c.block, source, sink)
			return []string{"sh", "-c", line}
		},
		ops: func(_ []byte, c *benchCase, _ float64) (float64, error) { return rounds * size / float64(c.block), nil }}
}

func cases() []*benchCase {
	inMemory := func() *tool { return linerate("linerate, drive in its memory", "memory") }
	small := func(name string, write bool, tools ...*tool) *benchCase {
		return &benchCase{name: name, block: 4096, write: write, random: true, least: 4, unit: "I/Os",
			tools: append([]*tool{linerate("linerate", "")}, tools...)}
	}
	large := func(name string, write bool) *benchCase {
		return &benchCase{name: name, block: 131072, write: write, least: 1, unit: "MB",
			tools: []*tool{linerate("linerate", ""), nbdFio(), nbdCopy(), inMemory()}}
	}
	judge := func(c *benchCase, names ...string) *benchCase {
		for _, t := range c.tools {
			t.judged = t.judged && slices.Contains(names, t.name)
		}
		return c
	}
	return []*benchCase{judge(small("4 KiB random reads", false, tgt(), nbdFio(), inMemory()), "tgt, iscsi-perf"),
		judge(small("4 KiB random writes", true, nbdFio(), inMemory())), large("128 KiB reads", false),
		large("128 KiB writes", true)}
}

// measure starts the server, lets the client run once, and ends the server.
func (p *testbed) measure(ctx context.Context, t *tool, c *benchCase, interval time.Duration) (r run, err error) {
	ctx, stop := context.WithTimeout(ctx, interval+40*time.Second)
	defer stop()
	server := in(ctx, p.b, t.server(p)...)
	var serverErrors, out, clientErrors bytes.Buffer
	server.Stderr = &serverErrors
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		return r, err
	}
	defer func() {
		server.Process.Kill() // nsenter and env have become the server; tgtd ignores gentler signals
		server.Wait()
	}()
	if err := listening(ctx, p, t.port); err != nil {
		return r, fmt.Errorf("%w: %s", err, serverErrors.Bytes())
	}
	if t.prepare != nil {
		if err := t.prepare(ctx, p); err != nil {
			return r, err
		}
	}
	client := in(ctx, p.a, t.client(p, c, interval)...)
	client.Stdout, client.Stderr = &out, &clientErrors
	before, err := readCPU(server.Process.Pid)
	if err != nil {
		return r, err
	}
	began := time.Now()
	if err := client.Run(); err != nil {
		return r, fmt.Errorf("%w: %s %s", err, clientErrors.Bytes(), serverErrors.Bytes())
	}
	r.seconds = time.Since(began).Seconds()
	after, err := readCPU(server.Process.Pid)
	if err != nil {
		return r, err
	}
	r.client = (client.ProcessState.UserTime() + client.ProcessState.SystemTime()).Seconds()
	r.server, r.kernel = after.server-before.server, after.packets-before.packets
	r.otherProcesses = max(0, (after.busy-before.busy-r.cpu())/r.seconds)
	r.ops, err = t.ops(out.Bytes(), c, r.seconds)
	if err == nil && r.ops <= 0 {
		err = errors.New("no operation was done")
	}
	return r, err
}

func listening(ctx context.Context, p *testbed, port string) error {
	for range 100 {
		// For some servers a connection would be a session, so the table of sockets is read instead.
		out, err := in(ctx, p.b, "ss", "-Hltn", "sport = :"+port).Output()
		if err == nil && len(bytes.TrimSpace(out)) > 0 {
			return nil
		}
		time.Sleep(30 * time.Millisecond)
	}
	return fmt.Errorf("nothing listens on port %s", port)
}

// cpuTimes is CPU time so far, in seconds: of the server, of the kernel's packet threads, and of all cores.
type cpuTimes struct{ server, packets, busy float64 }

func readCPU(pid int) (cpuTimes, error) {
	var c cpuTimes
	busy, steal := harness.SystemTime()
	c.busy = busy + steal
	for _, thread := range harness.PacketThreads() {
		seconds, _ := harness.CPUTime(thread)
		c.packets += seconds
	}
	var err error
	c.server, err = harness.CPUTime(pid)
	return c, err
}
