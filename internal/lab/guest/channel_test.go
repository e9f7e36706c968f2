package guest

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// here is a guest that is this machine. At the end of the test it kills its processes, like a guest that ends.
type here struct{ t *testing.T }

func (here) Handle(op string, body json.RawMessage) (any, error) {
	switch op {
	case "echo":
		return body, nil
	case "hang":
		select {}
	}
	return nil, errors.New("unknown " + op)
}

func (h here) Start(q Command, files []*os.File) (Process, error) {
	var argv []string
	for _, a := range q.Argv {
		argv = append(argv, string(a))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	if cmd.Err != nil {
		return nil, os.ErrNotExist
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	err := cmd.Start()
	if err == nil {
		h.t.Cleanup(func() { cmd.Process.Kill() })
	}
	return proc{cmd}, err
}

type proc struct{ cmd *exec.Cmd }

func (p proc) Kill() { p.cmd.Process.Kill() }
func (p proc) Wait() (exit, signal int) {
	p.cmd.Wait()
	if p.cmd.ProcessState.ExitCode() < 0 {
		return 0, 9
	}
	return p.cmd.ProcessState.ExitCode(), 0
}

// pair connects a channel with a guest that is this machine; end cuts the line.
func pair(t *testing.T) (c *Channel, end func()) {
	t.Helper()
	if _, err := exec.LookPath("cat"); err != nil {
		t.Skip("no cat on this system")
	}
	a, b := net.Pipe()
	go Serve(b, here{t}, nil)
	c = NewChannel(a)
	t.Cleanup(func() { a.Close(); b.Close() })
	select {
	case <-c.Hello():
	case <-time.After(time.Minute):
		t.Fatal("no hello")
	}
	return c, func() { b.Close() }
}

func command(argv ...string) Command {
	var q Command
	for _, a := range argv {
		q.Argv = append(q.Argv, []byte(a))
	}
	return q
}

// output collects what a command writes until its end.
type output struct {
	out, err bytes.Buffer
	done     chan struct{}
}

func start(t *testing.T, c *Channel, in io.Reader, argv ...string) (*Running, *output) {
	t.Helper()
	o := &output{done: make(chan struct{})}
	r, a, err := c.Start(context.Background(), command(argv...), func(func() bool) io.Reader { return in }, &o.out,
		&o.err, func() { close(o.done) })
	if err != nil || a.Error != "" || !a.Started {
		t.Fatalf("%q: %+v, %v", argv, a, err)
	}
	return r, o
}

func TestChannel(t *testing.T) {
	c, _ := pair(t)
	var got map[string]int
	if err := c.Call(context.Background(), "echo", map[string]int{"a": 7}, &got); err != nil || got["a"] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	if err := c.Call(context.Background(), "nonsense", nil, nil); err == nil || err.Error() != "unknown nonsense" {
		t.Errorf("an error of the guest: %v", err)
	}
	why := errors.New("it does not answer")
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, why)
	defer cancel()
	if err := c.Call(ctx, "hang", nil, nil); !errors.Is(err, why) {
		t.Errorf("a guest that does not answer: %v", err)
	}
	r, o := start(t, c, strings.NewReader(""), "sh", "-c", "echo out; echo err >&2; exit 7")
	a, err := r.Wait()
	<-o.done
	if err != nil || a.Exit != 7 || o.out.String() != "out\n" || o.err.String() != "err\n" {
		t.Errorf("%+v, %v: %q, %q", a, err, o.out.String(), o.err.String())
	}
	_, refused, err := c.Start(context.Background(), command("no-such-program"),
		func(func() bool) io.Reader { return strings.NewReader("") }, io.Discard, io.Discard, func() {})
	if err != nil || refused.Code != NoProgram {
		t.Errorf("a program that is not there: %+v, %v", refused, err)
	}
	// Many times what may be in transit, in both directions at once, for several commands at once.
	text := bytes.Repeat([]byte("0123456789abcdef"), 20*unread/16)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			r, o := start(t, c, bytes.NewReader(text), "cat")
			a, err := r.Wait()
			<-o.done
			if err != nil || a.Exit != 0 || !bytes.Equal(o.out.Bytes(), text) {
				t.Errorf("cat of %d bytes: %+v, %v, %d bytes", len(text), a, err, o.out.Len())
			}
		})
	}
	all.Wait()
}

// stuck is a writer that blocks until it is released. It reports how much it is given.
type stuck struct {
	given   chan int
	release chan struct{}
}

func (s stuck) Write(b []byte) (int, error) {
	select {
	case s.given <- len(b):
	default: // only the first is asked for
	}
	<-s.release
	return len(b), nil
}

// A command whose output is not read does not block others, and ends when it is killed.
func TestChannelStuckReader(t *testing.T) {
	c, _ := pair(t)
	s := stuck{make(chan int, 1), make(chan struct{})}
	done := make(chan struct{})
	r, _, err := c.Start(context.Background(),
		command("sh", "-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"),
		func(func() bool) io.Reader { return strings.NewReader("") }, s, io.Discard, func() { close(done) })
	if err != nil {
		t.Fatal(err)
	}
	out, given := r.s.flows[1], <-s.given
	full := func() bool { // nothing more may be sent
		out.mu.Lock()
		defer out.mu.Unlock()
		return given+out.queued == unread
	}
	for end := time.Now().Add(time.Minute); !full(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the command's output does not fill what may be unread")
		}
	}
	other, o := start(t, c, strings.NewReader("through"), "cat")
	if _, err := other.Wait(); err != nil {
		t.Error(err)
	}
	<-o.done
	if o.out.String() != "through" {
		t.Errorf("next to a command that is stuck: %q", o.out.String())
	}
	r.Kill()
	if a, err := r.Wait(); err != nil || a.Signal != 9 {
		t.Errorf("killed: %+v, %v", a, err)
	}
	close(s.release)
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("the outputs do not end")
	}
}

// The commands of a guest end with it, and waiting calls get an error.
func TestChannelEnd(t *testing.T) {
	c, end := pair(t)
	r, o := start(t, c, strings.NewReader(""), "sleep", "100")
	defer r.Kill()
	end()
	if _, err := r.Wait(); err == nil {
		t.Error("a command of a guest that has ended has no error")
	}
	<-o.done
	if err := c.Call(context.Background(), "echo", 1, nil); err == nil || c.Err() == nil {
		t.Error("a guest that has ended answers")
	}
}

// A guest that breaks the rules ends its channel and nothing else.
func TestChannelBadGuest(t *testing.T) {
	frame := func(kind, file byte, stream uint32, body string) string {
		b := []byte{kind, file}
		b = binary.BigEndian.AppendUint32(b, stream)
		return string(binary.BigEndian.AppendUint32(b, uint32(len(body)))) + body
	}
	for name, bytes := range map[string]string{"unknown kind": frame('?', 0, 0, ""), "file 3": frame(kindData, 3, 1, "x"),
		"lab's frame": frame(kindRequest, 0, 1, "{}"), "long data": frame(kindData, 1, 1, strings.Repeat("x", dataLimit+1)),
		"long beat": frame(kindBeat, 0, 0, "x"), "no number": frame(kindCredit, 0, 1, "abc"),
		"cut":            frame(kindData, 1, 1, "abc")[:12],
		"too many words": strings.Repeat(frame(kindData, 1, 1, strings.Repeat("x", dataLimit)), unread/dataLimit+1),
		"answer":         frame(kindAnswer, 0, 1, "{"),
		"three answers":  strings.Repeat(frame(kindAnswer, 0, 1, `{"started":true}`), 4)} {
		a, b := net.Pipe()
		c := NewChannel(a)
		go io.Copy(io.Discard, b)
		if _, _, err := c.open("x", nil); err != nil { // stream 1
			t.Fatal(err)
		}
		go func() { b.Write([]byte(bytes)); b.Close() }()
		select {
		case <-c.Done():
		case <-time.After(time.Minute):
			t.Errorf("%s: the channel goes on", name)
		}
		if name != "cut" && strings.Contains(c.Err().Error(), "has ended") {
			t.Errorf("%s: only the end of the line was noticed", name)
		}
		a.Close()
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte{kindData, 1, 0, 0, 0, 1, 0, 0, 0, 2, 'a', 'b'})
	f.Add([]byte{kindCredit, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := readFrame(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		w := writer{w: &out}
		w.send(fr.kind, fr.file, fr.stream, fr.body)
		if !bytes.HasPrefix(b, out.Bytes()) {
			t.Errorf("%x was read and is written as %x", b, out.Bytes())
		}
	})
}

// A guest that shuts down reports it immediately, lets its commands end, and closes the channel then.
func TestLeave(t *testing.T) {
	if _, err := exec.LookPath("cat"); err != nil {
		t.Skip("no cat on this system")
	}
	a, b := net.Pipe()
	defer a.Close()
	leave, left := make(chan struct{}), make(chan error, 1)
	go func() {
		left <- Serve(b, here{t}, leave)
		b.Close()
	}()
	c := NewChannel(a)
	<-c.Hello()
	in, w := io.Pipe()
	r, o := start(t, c, in, "cat")
	select {
	case <-c.Left():
		t.Error("it leaves before it was asked to")
	default:
	}
	close(leave)
	<-c.Left()
	select {
	case err := <-left:
		t.Errorf("it has left while a command ran: %v", err)
	default:
	}
	io.WriteString(w, "to the end")
	w.Close()
	if a, err := r.Wait(); err != nil || !a.Ended {
		t.Errorf("%+v, %v", a, err)
	}
	<-o.done
	if o.out.String() != "to the end" {
		t.Errorf("%q", o.out.String())
	}
	if err := <-left; !errors.Is(err, ErrLeft) {
		t.Error(err)
	}
	<-c.Done()
	why := errors.New("it has rebooted")
	d := NewChannel(a)
	<-d.Done()
	if c.End(why); errors.Is(c.Err(), why) {
		t.Error("a channel ends twice")
	}
}
