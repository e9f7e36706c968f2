package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/lab/guest"
)

// callTimeout bounds what a guest's init is asked; below the reach's own, so that the better message comes first.
const callTimeout = 8 * time.Second

// await waits for the guest's init and makes it the host of the plan. A machine that does not become that is ended: nobody could
// use it, and it has memory and a processor.
func (g *guestHost) await() (err error) {
	defer func() {
		if err != nil {
			g.qemu.kill()
		}
	}()
	select {
	case <-g.channel.Hello():
	case <-g.channel.Done():
		return g.ended(g.channel)
	case <-time.After(g.bootLimit):
		return g.notBooted()
	}
	g.boot = time.Since(g.started)
	return g.setUp(g.channel, &g.state)
}

// notBooted is the error of a guest whose init was not heard of in time.
func (g *guestHost) notBooted() error {
	return fmt.Errorf("guest %s did not boot within %v; if this machine is busy, make fewer hosts guests or try again when it is not%s",
		g.name, g.bootLimit, g.lastWords())
}

// setUp makes a machine whose init has said hello the host of the plan. It may take as long as a boot: modules are loaded, under
// emulation.
func (g *guestHost) setUp(ch *guest.Channel, state *guestState) error {
	ctx, cancel := context.WithTimeout(context.Background(), g.bootLimit)
	defer cancel()
	err := g.why(ctx, ch, g.bootLimit, ch.Call(ctx, opSetup, guestSetup{Node: g.node, NICs: g.names, Share: g.share}, state))
	if told := (goneError{}); err == nil || errors.As(err, &told) {
		return err
	}
	return fmt.Errorf("guest %s: %w%s", g.name, err, g.lastWords())
}

// call asks the guest's init.
func (g *guestHost) call(op string, in, out any) error {
	ch, err := g.line()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
	defer cancel()
	return g.why(ctx, ch, g.answerLimit, ch.Call(ctx, op, in, out))
}

// goneError is an error of a guest that is not there any more, with its last words.
type goneError struct{ error }

// why turns the error of a request into one that says what has become of the guest.
func (g *guestHost) why(ctx context.Context, ch *guest.Channel, limit time.Duration, err error) error {
	switch {
	case err == nil:
		return nil
	case ch.Err() != nil:
		return g.ended(ch)
	case ctx.Err() != nil:
		return g.silent(ch, limit)
	}
	return err
}

// silent is the error of a guest that does not answer.
func (g *guestHost) silent(ch *guest.Channel, limit time.Duration) error {
	heard := "its init is alive, though: what was asked for takes long, or hangs"
	if quiet := ch.Silent(); quiet > 3*guest.BeatEvery {
		heard = fmt.Sprintf("it has given no sign of life for %v: its kernel hangs, or this machine is far too busy", quiet.Round(time.Second))
	}
	return goneError{fmt.Errorf("guest %s has stopped answering: no answer within %v; %s. If it stays so, end the lab: linerate lab down %s (its whole console until then: %s)%s",
		g.name, limit, heard, filepath.Base(g.dir), g.console, g.lastWords())}
}

// ended is the error of a guest whose machine is gone.
func (g *guestHost) ended(ch *guest.Channel) error {
	why := ""
	if err := ch.Err(); errors.Is(err, errReboots) {
		return goneError{fmt.Errorf("guest %s %w: what ran on it has ended", g.name, err)}
	}
	select {
	case status := <-g.qemu.end:
		g.qemu.end <- status // for whoever asks next
		why = fmt.Sprintf(" (QEMU's exit code is %d)", status.ExitStatus())
		if status.Signaled() {
			why = fmt.Sprintf(" (QEMU was ended by signal %d)", status.Signal())
		}
	case <-time.After(time.Second):
		why = " (" + ch.Err().Error() + ")"
	}
	return goneError{fmt.Errorf("guest %s has ended%s%s", g.name, why, g.lastWords())}
}

// exec is labInit.exec for a guest: the command's streams go over the channel, and are closed when nothing more comes.
func (g *guestHost) exec(conn *net.UnixConn, q connect.LabRequest, files []*os.File, say func(connect.LabAnswer)) {
	fail := func(code string, err error) {
		closeFiles(files)
		say(connect.LabAnswer{Code: code, Error: err.Error()})
	}
	ch, err := g.there(say)
	if err == nil && ch.Err() != nil {
		err = g.ended(ch)
	}
	if err != nil {
		fail(connect.LabFailed, err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
	defer cancel()
	in := func(over func() bool) io.Reader { return &fileReader{files[0], over} }
	out := &outputs{done: make(chan struct{})}
	r, a, err := ch.Start(ctx, guest.Command{Argv: q.Argv, Env: q.Env, Dir: q.Dir}, in, out.to(files[1]), out.to(files[2]), func() {
		files[1].Close()
		files[2].Close()
		close(out.done)
	})
	if err != nil {
		fail(connect.LabFailed, g.why(ctx, ch, g.answerLimit, err))
		return
	}
	if a.Error != "" {
		code := connect.LabFailed
		if a.Code == guest.NoProgram {
			code = connect.LabNoProgram
		}
		fail(code, errors.New(a.Error))
		return
	}
	started(conn, say, r.Kill)
	if a, err = g.wait(ch, r); err != nil {
		if ch.Err() == nil {
			closeFiles(files) // it is mute: nothing comes that would close them
		}
		say(connect.LabAnswer{Code: connect.LabFailed, Error: err.Error()})
		return
	}
	out.settle()
	say(connect.LabAnswer{Ended: true, Exit: a.Exit, Signal: a.Signal})
}

// outputDelay is how long the end of a command is held back for output that is on its way. Something that the command left
// behind may hold its output for ever.
const outputDelay = time.Second

// outputs are those of a command of a guest, which come after its end: whoever sees the end must find them written.
type outputs struct {
	done  chan struct{} // closed when nothing more comes
	moved atomic.Int64
}

// to is w with what goes to it counted.
func (o *outputs) to(w io.Writer) io.Writer { return countedWriter{w, &o.moved} }

type countedWriter struct {
	w     io.Writer
	moved *atomic.Int64
}

func (c countedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.moved.Add(int64(n))
	return n, err
}

// settle waits until nothing more comes, or nothing has come for outputDelay.
func (o *outputs) settle() {
	for {
		before := o.moved.Load()
		select {
		case <-o.done:
			return
		case <-time.After(outputDelay):
			if o.moved.Load() == before {
				return
			}
		}
	}
}

// wait waits for the end of a command. A guest that gives no sign of life for four times as long as an answer may take is
// taken for dead: its kernel hangs, and QEMU would run for ever.
func (g *guestHost) wait(ch *guest.Channel, r *guest.Running) (guest.Answer, error) {
	type end struct {
		a   guest.Answer
		err error
	}
	ended := make(chan end, 1)
	go func() {
		a, err := r.Wait()
		ended <- end{a, err}
	}()
	limit := 4 * g.answerLimit
	tick := time.NewTicker(g.answerLimit / 4)
	defer tick.Stop()
	for {
		select {
		case e := <-ended:
			if e.err != nil {
				e.err = g.ended(ch)
			}
			return e.a, e.err
		case <-tick.C:
			if ch.Silent() > limit {
				r.Kill()
				return guest.Answer{}, g.silent(ch, limit)
			}
		}
	}
}
