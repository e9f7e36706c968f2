//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/network"
	"linerate/internal/traffic"
)

// toolRun is one run of a tool: the processes of its two ends, and how to wait for their end.
type toolRun struct {
	pids [2]int
	wait func() error
	stop func()        // ends it at once
	over func() bool   // reports whether it has ended
	out  *bufio.Reader // what the client prints
	ends bool          // it ends by itself, soon after the second reading, and has figures of its own after wait
	note string        // how it did its work
	p50  float64
	p99  float64
	rate float64 // payload of the delivered datagrams in bits per second; 0: the interface's counter has the rate
	lost float64 // share of the datagrams
}

// tool starts one run.
type tool struct {
	name        string
	start       func(ctx context.Context, l *testbed) (*toolRun, error)
	requirement requirement // what the engine has to reach compared with it
	oneOf       bool        // it is one of several settings of a tool, of which the fastest counts
}

func (t tool) requiring(r requirement) tool { t.requirement = r; return t }

const (
	// settle is the time between the first bytes and the first reading: the engine's warm-up with its trial, and a margin.
	settle = 450 * time.Millisecond
	warmup = 300 * time.Millisecond // as in every run of linerate
)

// sendTime is how long a tool has to send.
func sendTime() time.Duration { return settle + interval + 400*time.Millisecond }

// sendSeconds is sendTime for tools that only read whole seconds.
func sendSeconds() string { return strconv.Itoa(int(math.Ceil(sendTime().Seconds()))) }

// engine is linerate, with two agents as in every run of it.
func engine(name string, s network.Spec) tool {
	return tool{name: name, start: func(ctx context.Context, l *testbed) (*toolRun, error) {
		s.FromAddr, s.ToAddr = l.Hosts[0].V4, l.Hosts[1].V4
		s.Direction, s.Seed = traffic.Out, 1
		s.Warmup, s.Interval = warmup, sendTime()-warmup
		x := &toolRun{ends: true, pids: [2]int{l.Hosts[0].Agent.Hello().PID, l.Hosts[1].Agent.Hello().PID}}
		ctx, cancel := context.WithCancel(ctx)
		done, over := make(chan error, 1), make(chan bool)
		x.stop = func() { cancel(); <-done }
		x.over = func() bool {
			select {
			case <-over:
				return true
			default:
				return false
			}
		}
		go func() {
			defer cancel()
			defer close(over)
			r, _, err := network.Repeat(ctx, l.Hosts[0].Agent, l.Hosts[1].Agent, s, nil)
			if err == nil {
				x.note, x.p50 = settings(r.InEffect), r.P50
				if s.Transport == traffic.UDP {
					x.rate = r.Goodput
					x.lost = lost(r.Streams)
				}
				if h, bad := traffic.DecodeHistogram(r.Histogram); bad == nil {
					x.p99 = h.Quantile(0.99)
				}
			}
			done <- err
		}()
		x.wait = func() error { return <-done }
		return x, nil
	}}
}

// lost is the share of the interval's datagrams that did not arrive.
func lost(streams []record.Stream) float64 {
	var sent, gone int64
	for _, s := range streams {
		if s.Datagrams != nil && s.Lost != nil {
			sent, gone = sent+*s.Datagrams, gone+*s.Lost
		}
	}
	return float64(gone) / float64(max(1, sent))
}

// settings is the settings in effect that can differ between runs.
func settings(m map[string]string) string {
	var words []string
	for _, k := range []string{"send_path", "send_buffer", "receive_buffer", "receive_low_water", "receive_window",
		"receive_pause", "batch", "wait", "udp_send", "udp_receive"} {
		if v := m[k]; v != "" {
			words = append(words, strings.ReplaceAll(k, "_", " ")+" "+v)
		}
	}
	return strings.Join(append(words, m["placement"]), ", ")
}

// iperf is iperf3. Its two ends run on these cores; nil: on those that the system chooses.
func iperf(name string, cores []int, args ...string) tool {
	return tool{name: name, start: func(ctx context.Context, l *testbed) (*toolRun, error) {
		server, err := startIn(ctx, l.Hosts[1].Name, core(cores, 1), "iperf3", "-s", "-1")
		if err != nil {
			return nil, err
		}
		if err := l.Hosts[1].Listening(5201); err != nil {
			return nil, server.failed(err)
		}
		args := append([]string{"iperf3", "-c", l.far(), "-t", sendSeconds()}, args...)
		return pair(ctx, l, server, core(cores, 0), args)
	}}
}

// iperfUDP is iperf3 over UDP, without a limit. Its rate is that of the datagrams that its server has received.
func iperfUDP(name string, cores []int) tool {
	t := iperf(name, cores, "-u", "-b", "0", "-l", "1472", "-J")
	start := t.start
	t.start = func(ctx context.Context, l *testbed) (*toolRun, error) {
		x, err := start(ctx, l)
		if err != nil {
			return nil, err
		}
		x.ends = true
		wait := x.wait
		x.wait = func() error {
			var text bytes.Buffer
			_, _ = text.ReadFrom(x.out)
			var answer struct {
				End struct {
					Received struct {
						Rate float64 `json:"bits_per_second"`
						Lost float64 `json:"lost_percent"`
					} `json:"sum_received"`
				} `json:"end"`
			}
			err := json.Unmarshal(text.Bytes(), &answer)
			if x.rate, x.lost = answer.End.Received.Rate, answer.End.Received.Lost/100; err == nil && x.rate == 0 {
				err = errors.New("iperf3 does not say what was received")
			}
			return errors.Join(err, wait())
		}
		return x, nil
	}
	return t
}

// cLoop is the C program that makes the engine's calls and nothing else. Its receive buffer and its pause are those of
// the engine's receiver of small messages.
func cLoop(name string, cores []int, size int, buffer unit.Bytes, pause time.Duration) tool {
	return tool{name: name, start: func(ctx context.Context, l *testbed) (*toolRun, error) {
		port := "7010"
		server, err := startIn(ctx, l.Hosts[1].Name, core(cores, 1), l.cLoop, "receive", port, strconv.Itoa(size), "1",
			strconv.Itoa(int(buffer)), strconv.FormatInt(pause.Microseconds(), 10))
		if err != nil {
			return nil, err
		}
		if err := l.Hosts[1].Listening(7010); err != nil {
			return nil, server.failed(err)
		}
		return pair(ctx, l, server, core(cores, 0), []string{l.cLoop, "send", l.far(), port, strconv.Itoa(size), "1",
			strconv.FormatInt(sendTime().Milliseconds(), 10)})
	}}
}

// pair starts the client of a server that listens.
func pair(ctx context.Context, l *testbed, server *process, core string, args []string) (*toolRun, error) {
	client, err := startIn(ctx, l.Hosts[0].Name, core, args...)
	if err != nil {
		server.end()
		return nil, err
	}
	return &toolRun{
		out:  client.out,
		over: client.over,
		pids: [2]int{client.cmd.Process.Pid, server.cmd.Process.Pid},
		stop: func() { client.end(); server.end() },
		wait: func() error {
			err := client.cmd.Wait()
			if err != nil {
				server.end()
				return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, client.errors.String())
			}
			return server.cmd.Wait()
		},
	}, nil
}

// sockperf is the round trips of sockperf over TCP. By default sockperf reports half of the time: --full-rtt reports
// all of it.
func sockperf(name string, cores []int, args ...string) tool {
	return tool{name: name, start: func(ctx context.Context, l *testbed) (*toolRun, error) {
		server, err := startIn(ctx, l.Hosts[1].Name, core(cores, 1),
			append([]string{"sockperf", "sr", "--tcp", "-i", l.far(), "-p", "7005"}, args...)...)
		if err != nil {
			return nil, err
		}
		if err := l.Hosts[1].Listening(7005); err != nil {
			return nil, server.failed(err)
		}
		client, err := startIn(ctx, l.Hosts[0].Name, core(cores, 0),
			append([]string{"sockperf", "pp", "--tcp", "-i", l.far(), "-p", "7005", "-m", "64", "-t", sendSeconds(),
				"--full-rtt"}, args...)...)
		if err != nil {
			server.end()
			return nil, err
		}
		x := &toolRun{ends: true, over: client.over, pids: [2]int{client.cmd.Process.Pid, server.cmd.Process.Pid},
			stop: func() { client.end(); server.end() }}
		x.wait = func() error {
			var text bytes.Buffer
			_, _ = text.ReadFrom(client.out)
			err := client.cmd.Wait()
			server.end()
			x.p50, x.p99 = percentile(text.String(), "50.000"), percentile(text.String(), "99.000")
			if x.p50 == 0 {
				return fmt.Errorf("sockperf says no median: %w\n%s%s", err, text.String(), client.errors.String())
			}
			return nil
		}
		return x, nil
	}}
}

// percentile finds a line "---> percentile 50.000 =    47.912" (microseconds) and returns its value in seconds.
func percentile(text, which string) float64 {
	for _, line := range strings.Split(text, "\n") {
		if _, rest, ok := strings.Cut(line, "percentile "+which); ok {
			v, _ := strconv.ParseFloat(strings.Trim(rest, " =\t\r"), 64)
			return v / 1e6
		}
	}
	return 0
}

type process struct {
	cmd    *exec.Cmd
	out    *bufio.Reader
	errors bytes.Buffer
}

// startIn starts a program in a namespace. ip and taskset replace themselves with the program, so that the process that
// is started is the program's.
func startIn(ctx context.Context, namespace, core string, args ...string) (*process, error) {
	line := []string{"netns", "exec", namespace}
	if core != "" {
		line = append(line, "taskset", "-c", core)
	}
	p := &process{cmd: exec.CommandContext(ctx, "ip", append(line, args...)...)}
	p.cmd.Stderr = &p.errors
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// over reports whether the process has ended: it is then a zombie until Wait (proc_pid_stat(5)).
func (p *process) over() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, rest, ok := strings.Cut(string(text), ") ")
	return err != nil || !ok || strings.HasPrefix(rest, "Z")
}

func (p *process) end() {
	_ = p.cmd.Process.Signal(os.Interrupt)
	gone := time.AfterFunc(2*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait()
	gone.Stop()
}

// failed ends a server that did not start, and is an error with what it printed.
func (p *process) failed(err error) error {
	p.end()
	return fmt.Errorf("%s: %w: %s", strings.Join(p.cmd.Args, " "), err, p.errors.String())
}

func core(cores []int, end int) string {
	if cores == nil {
		return ""
	}
	return strconv.Itoa(cores[end])
}
