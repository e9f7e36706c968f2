//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/traffic"
)

//go:embed c/cloop.c
var cSource []byte

// load is one run of a tool: the processes of its two ends, and how to wait for its end.
type load struct {
	pids [2]int
	wait func() error
	stop func()        // ends it at once
	over func() bool   // it has ended
	out  *bufio.Reader // what the client prints
	ends bool          // by itself, soon after the second reading: its own figures are wanted, which are known after wait
	note string        // how it did its work
	p50  float64
	p99  float64
	rate float64 // delivered datagrams' payload in bits per second; 0: the interface's counter is the measure
	lost float64 // share of the datagrams
}

// tool starts one run.
type tool struct {
	name  string
	start func(ctx context.Context, l *link) (*load, error)
	need  need // of the engine beside it
	oneOf bool // one of several settings of a tool, of which the fastest counts
}

func (t tool) needs(n need) tool { t.need = n; return t }

const (
	// settle is what lies between the first bytes and the first reading: the engine's warm-up with its trial, and room.
	settle = 450 * time.Millisecond
	warmup = 300 * time.Millisecond // as in every run of linerate
)

// total is how long a tool is asked to send.
func total() time.Duration { return settle + measured + 400*time.Millisecond }

// wholeSeconds is total for tools that drop what is behind a decimal point.
func wholeSeconds() string { return strconv.Itoa(int(math.Ceil(total().Seconds()))) }

// engine is linerate, through two agents as in every run of it.
func engine(name string, s run.Spec) tool {
	return tool{name: name, start: func(ctx context.Context, l *link) (*load, error) {
		s.FromAddr, s.ToAddr = netip.MustParseAddr(near), netip.MustParseAddr(far)
		s.Direction, s.Seed = traffic.Out, 1
		s.Warmup, s.Window = warmup, total()-warmup
		x := &load{ends: true, pids: [2]int{l.agents[0].Hello().PID, l.agents[1].Hello().PID}}
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
			r, _, err := run.Repeat(ctx, l.agents[0], l.agents[1], s, nil)
			if err == nil {
				x.note, x.p50 = effect(r.InEffect), r.P50
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

// lost is the share of the datagrams sent in the window that did not arrive.
func lost(streams []record.Stream) float64 {
	var sent, gone int64
	for _, s := range streams {
		if s.Datagrams != nil && s.Lost != nil {
			sent, gone = sent+*s.Datagrams, gone+*s.Lost
		}
	}
	return float64(gone) / float64(max(1, sent))
}

// effect is the settings in effect that tell runs apart.
func effect(m map[string]string) string {
	var words []string
	for _, k := range []string{"send_path", "send_buffer", "receive_buffer", "receive_low_water", "receive_window", "receive_pause", "gather", "wait", "udp_send", "udp_receive"} {
		if v := m[k]; v != "" {
			words = append(words, strings.ReplaceAll(k, "_", " ")+" "+v)
		}
	}
	return strings.Join(append(words, m["placement"]), ", ")
}

// iperf is iperf3; cores pins its two ends, nil leaves them.
func iperf(name string, cores []int, args ...string) tool {
	return tool{name: name, start: func(ctx context.Context, l *link) (*load, error) {
		server, err := in(ctx, l.names[1], core(cores, 1), "iperf3", "-s", "-1")
		if err != nil {
			return nil, err
		}
		if err := l.listening(5201); err != nil {
			return nil, server.failed(err)
		}
		args := append([]string{"iperf3", "-c", far, "-t", wholeSeconds()}, args...)
		return pair(ctx, l, server, core(cores, 0), args)
	}}
}

// datagrams is iperf3 over UDP, as fast as it can; what its server says was received counts, and not what was sent.
func datagrams(name string, cores []int) tool {
	t := iperf(name, cores, "-u", "-b", "0", "-l", "1472", "-J")
	start := t.start
	t.start = func(ctx context.Context, l *link) (*load, error) {
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

// loop is the C program that makes the engine's calls and nothing else; room and pause are those of measure's receiver of
// small messages.
func loop(name string, cores []int, size int, room unit.Bytes, pause time.Duration) tool {
	return tool{name: name, start: func(ctx context.Context, l *link) (*load, error) {
		port := "7010"
		server, err := in(ctx, l.names[1], core(cores, 1), l.cloop, "receive", port, strconv.Itoa(size), "1",
			strconv.Itoa(int(room)), strconv.FormatInt(pause.Microseconds(), 10))
		if err != nil {
			return nil, err
		}
		if err := l.listening(7010); err != nil {
			return nil, server.failed(err)
		}
		return pair(ctx, l, server, core(cores, 0), []string{l.cloop, "send", far, port, strconv.Itoa(size), "1",
			strconv.FormatInt(total().Milliseconds(), 10)})
	}}
}

// pair starts the client beside a server that listens.
func pair(ctx context.Context, l *link, server *process, core string, args []string) (*load, error) {
	client, err := in(ctx, l.names[0], core, args...)
	if err != nil {
		server.end()
		return nil, err
	}
	return &load{out: client.out, over: client.over, pids: [2]int{client.cmd.Process.Pid, server.cmd.Process.Pid}, stop: func() { client.end(); server.end() }, wait: func() error {
		err := client.cmd.Wait()
		if err != nil {
			server.end()
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, client.errors.String())
		}
		return server.cmd.Wait()
	}}, nil
}

// sock is sockperf's round trip over TCP; it counts half of it, so the whole is asked for.
func sock(name string, cores []int, args ...string) tool {
	return tool{name: name, start: func(ctx context.Context, l *link) (*load, error) {
		server, err := in(ctx, l.names[1], core(cores, 1), append([]string{"sockperf", "sr", "--tcp", "-i", far, "-p", "7005"}, args...)...)
		if err != nil {
			return nil, err
		}
		if err := l.listening(7005); err != nil {
			return nil, server.failed(err)
		}
		client, err := in(ctx, l.names[0], core(cores, 0), append([]string{"sockperf", "pp", "--tcp", "-i", far, "-p", "7005", "-m", "64", "-t", wholeSeconds(), "--full-rtt"}, args...)...)
		if err != nil {
			server.end()
			return nil, err
		}
		x := &load{ends: true, over: client.over, pids: [2]int{client.cmd.Process.Pid, server.cmd.Process.Pid}, stop: func() { client.end(); server.end() }}
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

// percentile finds "---> percentile 50.000 =    47.912" (microseconds), as seconds.
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

// in starts a program in a namespace; each step there replaces the one before, so its process is the program's.
func in(ctx context.Context, namespace, core string, args ...string) (*process, error) {
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

// over says whether the process has ended: it is then a zombie until it is waited for, proc_pid_stat(5).
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

// failed ends a server that did not come up, and says what it said.
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
