//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// benchCase is one load, and the programs that are measured with it. The first is ours.
type benchCase struct {
	name   string
	block  int
	write  bool
	random bool
	least  float64 // of the ratio of work a processor second to the best of those that are judged
	unit   string
	tools  []*tool
}

func (c *benchCase) keep(want func(*tool) bool) {
	c.tools = slices.DeleteFunc(c.tools, func(t *tool) bool { return !want(t) })
}

// tool is a server with a client.
type tool struct {
	name   string
	judged bool // ours is held against it
	serve  func(p *place) []string
	ready  func(ctx context.Context, p *place) error // after the port is open; nil: nothing
	port   string
	client func(p *place, c *benchCase, window time.Duration) []string
	ops    func(out []byte, c *benchCase, seconds float64) (float64, error)

	figures []figure
	failed  []string
}

// figure is one run: seconds of clients' time, operations, processor seconds.
type figure struct {
	seconds, ops, client, server, kernel, foreign float64
}

func (f figure) cpu() float64 { return f.client + f.server + f.kernel }

const iqn = "iqn.2026-11.test.linerate:drive"

func own(name, drive string, queues int) *tool {
	return &tool{name: name, port: "4420",
		serve: func(p *place) []string {
			if drive == "" {
				drive = p.drive
			}
			return []string{"env", "BENCH_NVMETCP_ROLE=target", p.self, addressB + ":4420", drive}
		},
		client: func(p *place, c *benchCase, window time.Duration) []string {
			return []string{"env", "BENCH_NVMETCP_ROLE=initiator", p.self, addressB, strconv.Itoa(c.block), strconv.FormatBool(c.write), strconv.FormatBool(c.random), window.String(), strconv.Itoa(queues)}
		},
		ops: func(out []byte, _ *benchCase, _ float64) (float64, error) {
			return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		}}
}

func tgt() *tool {
	return &tool{name: "tgt, iscsi-perf", judged: true, port: "3260",
		serve: func(p *place) []string {
			return []string{"tgtd", "-f", "--iscsi", "portal=" + addressB + ":3260", "-C", "77"}
		},
		ready: func(ctx context.Context, p *place) error {
			for _, line := range []string{"--lld iscsi --mode target --op new --tid 1 --targetname " + iqn, "--lld iscsi --mode logicalunit --op new --tid 1 --lun 1 --backing-store " + p.drive,
				"--lld iscsi --mode target --op bind --tid 1 --initiator-address ALL"} {
				if out, err := in(ctx, p.b, append([]string{"tgtadm", "-C", "77"}, strings.Fields(line)...)...).CombinedOutput(); err != nil {
					return fmt.Errorf("tgtadm %s: %w: %s", line, err, out)
				}
			}
			return nil
		},
		client: func(p *place, c *benchCase, window time.Duration) []string {
			argv := []string{"iscsi-perf", "-m", strconv.Itoa(depth), "-b", strconv.Itoa(c.block / 512), "-t", strconv.Itoa(int(window.Seconds()))}
			if c.random {
				argv = append(argv, "-r")
			}
			return append(argv, "iscsi://"+addressB+"/"+iqn+"/1")
		},
		// "iops average 41810 (163 MB/s)"
		ops: func(out []byte, c *benchCase, seconds float64) (float64, error) {
			m := regexp.MustCompile(`iops average (\d+)`).FindAllSubmatch(out, -1)
			if m == nil {
				return 0, fmt.Errorf("iscsi-perf said %q", out[max(0, len(out)-200):])
			}
			v, err := strconv.ParseFloat(string(m[len(m)-1][1]), 64)
			return v * seconds, err
		}}
}

func nbdServer(p *place) []string {
	return []string{"nbdkit", "-f", "-p", "10809", "-i", addressB, "-t", "16", "file", p.drive}
}

func nbdFio() *tool {
	return &tool{name: "nbdkit, fio nbd", judged: true, port: "10809", serve: nbdServer,
		client: func(p *place, c *benchCase, window time.Duration) []string {
			rw := map[[2]bool]string{{false, false}: "read", {false, true}: "randread", {true, false}: "write", {true, true}: "randwrite"}[[2]bool{c.write, c.random}]
			return []string{"fio", "--name=a", "--ioengine=nbd", "--uri=nbd://" + addressB + ":10809", "--rw=" + rw, "--bs=" + strconv.Itoa(c.block), "--iodepth=" + strconv.Itoa(depth), "--size=" + strconv.Itoa(size),
				"--time_based", "--runtime=" + strconv.Itoa(int(window.Seconds())), "--output-format=json", "--randrepeat=0"}
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

// nbdCopy goes over the whole drive once and again.
func nbdCopy() *tool {
	const rounds = 8
	return &tool{name: "nbdkit, nbdcopy", judged: true, port: "10809", serve: nbdServer,
		client: func(p *place, c *benchCase, window time.Duration) []string {
			source, sink := "nbd://"+addressB+":10809", "null:"
			if c.write {
				source, sink = p.drive, source
			}
			line := fmt.Sprintf("for i in $(seq %d); do nbdcopy --connections=1 --requests=%d --request-size=%d --no-extents %s %s || exit 1; done", rounds, depth, c.block, source, sink)
			return []string{"sh", "-c", line}
		},
		ops: func(_ []byte, c *benchCase, _ float64) (float64, error) { return rounds * size / float64(c.block), nil }}
}

func cases() []*benchCase {
	small := func(name string, write bool, tools ...*tool) *benchCase {
		return &benchCase{name: name, block: 4096, write: write, random: true, least: 4, unit: "I/Os", tools: append([]*tool{own("linerate", "", 1)}, tools...)}
	}
	large := func(name string, write bool) *benchCase {
		return &benchCase{name: name, block: 131072, write: write, least: 1, unit: "MB", tools: []*tool{own("linerate", "", 1), nbdFio(), nbdCopy(), own("linerate, drive in its memory", "memory", 1)}}
	}
	judge := func(c *benchCase, names ...string) *benchCase {
		for _, t := range c.tools {
			t.judged = t.judged && slices.Contains(names, t.name)
		}
		return c
	}
	memory := func() *tool { return own("linerate, drive in its memory", "memory", 1) }
	return []*benchCase{
		judge(small("4 KiB random reads", false, tgt(), nbdFio(), memory()), "tgt, iscsi-perf"),
		judge(small("4 KiB random writes", true, nbdFio(), memory())),
		large("128 KiB reads", false),
		large("128 KiB writes", true),
	}
}

// measure starts the server, lets the client run once, and ends the server.
func (p *place) measure(ctx context.Context, t *tool, c *benchCase, window time.Duration) (f figure, err error) {
	ctx, stop := context.WithTimeout(ctx, window+40*time.Second)
	defer stop()
	server := in(ctx, p.b, t.serve(p)...)
	var said, out, wrong bytes.Buffer
	server.Stderr = &said
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		return f, err
	}
	defer func() {
		server.Process.Kill() // nsenter and env have become the server; tgtd does not listen to anything gentler
		server.Wait()
	}()
	if err := listening(ctx, p, t.port); err != nil {
		return f, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	if t.ready != nil {
		if err := t.ready(ctx, p); err != nil {
			return f, err
		}
	}
	client := in(ctx, p.a, t.client(p, c, window)...)
	client.Stdout, client.Stderr = &out, &wrong
	before, err := account(server.Process.Pid)
	if err != nil {
		return f, err
	}
	began := time.Now()
	if err := client.Run(); err != nil {
		return f, fmt.Errorf("%w: %s %s", err, wrong.Bytes(), said.Bytes())
	}
	f.seconds = time.Since(began).Seconds()
	after, err := account(server.Process.Pid)
	if err != nil {
		return f, err
	}
	f.client = (client.ProcessState.UserTime() + client.ProcessState.SystemTime()).Seconds()
	f.server, f.kernel = after.process-before.process, after.packets-before.packets
	f.foreign = max(0, (after.busy-before.busy-f.cpu())/f.seconds)
	f.ops, err = t.ops(out.Bytes(), c, f.seconds)
	if err == nil && f.ops <= 0 {
		err = errors.New("no operation was done")
	}
	return f, err
}

func listening(ctx context.Context, p *place, port string) error {
	for range 100 {
		// A connection would be a session for some of them; the table of sockets tells as well.
		out, err := in(ctx, p.b, "ss", "-Hltn", "sport = :"+port).Output()
		if err == nil && len(bytes.TrimSpace(out)) > 0 {
			return nil
		}
		time.Sleep(30 * time.Millisecond)
	}
	return fmt.Errorf("nothing listens on port %s", port)
}

// accounts are processor seconds.
type accounts struct{ process, packets, busy float64 }

const ticks = 100 // USER_HZ

func account(pid int) (a accounts, err error) {
	if a.process, err = processTime(pid); err != nil {
		return a, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return a, err
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			if name, err := os.ReadFile(filepath.Join("/proc", e.Name(), "comm")); err == nil && bytes.HasPrefix(name, []byte("ksoftirqd/")) {
				v, _ := processTime(n)
				a.packets += v
			}
		}
	}
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return a, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	for i, word := range strings.Fields(line)[1:] {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return a, err
		}
		if i != 3 && i != 4 && i < 8 { // idle, iowait, guests
			a.busy += v / ticks
		}
	}
	return a, nil
}

// processTime is user and system time of a process with all its threads, fields 14 and 15 of /proc/PID/stat.
func processTime(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	words := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(words) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	user, err := strconv.ParseFloat(words[11], 64)
	system, other := strconv.ParseFloat(words[12], 64)
	return (user + system) / ticks, errors.Join(err, other)
}
