package rdmatest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// End is one linerate-verbs process, on any host.
type End struct {
	Name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	said  lastSaid // on standard error: of linerate-verbs, or of a command that ran it, whose guest is gone
}

// Start starts the program with a command, such as that of `linerate lab exec`.
func Start(ctx context.Context, name string, argv ...string) (*End, error) {
	e := &End{Name: name, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), lines: make(chan string, 1000)}
	e.cmd.WaitDelay = time.Second
	e.cmd.Stderr = &e.said
	in, ierr := e.cmd.StdinPipe()
	out, oerr := e.cmd.StdoutPipe()
	if err := errors.Join(ierr, oerr, e.cmd.Start()); err != nil {
		return nil, err
	}
	e.in = in
	go func() {
		defer close(e.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			e.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return e, nil
}

// lastSaid keeps the last output of a program.
type lastSaid struct {
	mu   sync.Mutex
	text []byte
}

func (l *lastSaid) Write(p []byte) (int, error) {
	const most = 8 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text = append(l.text, p...); len(l.text) > most {
		l.text = slices.Clone(l.text[len(l.text)-most:])
	}
	return len(p), nil
}

// within is the last output until a limit, as the end of a message: an ending program closes its outputs one after
// another.
func (l *lastSaid) within(limit time.Duration) string {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		l.mu.Lock()
		text := strings.TrimSpace(string(l.text))
		l.mu.Unlock()
		if text != "" {
			return "; it said: " + text
		}
	}
	return ""
}

// Say writes a command. An error shows in the next Until.
func (e *End) Say(form string, args ...any) { fmt.Fprintf(e.in, form+"\n", args...) }

// Until reads lines up to one that begins with one of the words. An error line, the program's end and the limit are
// errors; the lines until then are returned with them.
func (e *End) Until(limit time.Duration, words ...string) ([]string, error) {
	var read []string
	late := time.After(limit)
	for {
		select {
		case line, more := <-e.lines:
			if !more {
				return read, fmt.Errorf("%s: linerate-verbs ended after %q%s", e.Name, last(read),
					e.said.within(200*time.Millisecond))
			}
			read = append(read, line)
			word, _, _ := strings.Cut(line, " ")
			if word == "error" {
				return read, fmt.Errorf("%s: %s", e.Name, line)
			}
			if slices.Contains(words, word) {
				return read, nil
			}
		case <-late:
			return read, fmt.Errorf("%s: no %v within %v; the last line is %q", e.Name, words, limit, last(read))
		}
	}
}

func last(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// End ends the program's input.
func (e *End) End() { e.in.Close() }

// Close ends the program by ending its input, and waits for it.
func (e *End) Close() error {
	e.in.Close()
	return e.cmd.Wait()
}

// Kill ends the command at once.
func (e *End) Kill() { e.cmd.Process.Kill() }

// Value is the value of key= in a line; empty if it is missing.
func Value(line, key string) string {
	line, _, _ = strings.Cut(line, " text=")
	for word := range strings.SplitSeq(line, " ") {
		if k, v, ok := strings.Cut(word, "="); ok && k == key {
			return v
		}
	}
	return ""
}

// Sum adds up a key of all lines that begin with a word.
func Sum(lines []string, word, key string) (sum uint64) {
	for _, line := range lines {
		if strings.HasPrefix(line, word+" ") {
			n, _ := strconv.ParseUint(Value(line, key), 10, 64)
			sum += n
		}
	}
	return sum
}

// RTTSamples are the values of all histograms with their counts, in ascending order.
func RTTSamples(lines []string) (values []uint64, count map[uint64]uint64) {
	count = map[uint64]uint64{}
	for _, line := range lines {
		words := strings.Split(line, " ")
		if words[0] != "hist" || len(words) != 4 {
			continue
		}
		for entry := range strings.SplitSeq(words[3], ",") {
			v, n, _ := strings.Cut(entry, ":")
			value, _ := strconv.ParseUint(v, 10, 64)
			times, _ := strconv.ParseUint(n, 10, 64)
			count[value] += times
		}
	}
	for v := range count {
		values = append(values, v)
	}
	slices.Sort(values)
	return values, count
}

// Quantile is the value that a share q of the RTT samples does not exceed; 0 without RTT samples.
func Quantile(lines []string, q float64) uint64 {
	values, count := RTTSamples(lines)
	var all, seen uint64
	for _, n := range count {
		all += n
	}
	for _, v := range values {
		seen += count[v]
		if float64(seen) >= q*float64(all) {
			return v
		}
	}
	return 0
}

// Now is CLOCK_MONOTONIC of this machine.
func Now() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
